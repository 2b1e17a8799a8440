"""Where the ledger lies, and when it is not trusted."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from sandgate.config.paths import state_directory
from sandgate.errors import ConfigError
from sandgate.serving.ledger_access import open_ledger
from support.approval.asking import question
from support.process.waiting import none_left_open, open_descriptors


def test_it_lies_in_the_state_directory_and_is_made_for_nobody_else(tmp_path: Path) -> None:
    ledger = open_ledger({"HOME": str(tmp_path)})
    assert ledger.directory == str(tmp_path / ".local/state/sandgate/approvals")
    ledger.close()
    for place in (tmp_path / ".local/state/sandgate", tmp_path / ".local/state/sandgate/approvals"):
        assert stat.S_IMODE(place.stat().st_mode) == 0o700


def test_the_variable_comes_before_the_home_unless_it_is_relative(tmp_path: Path) -> None:
    assert state_directory({"HOME": "/h", "XDG_STATE_HOME": str(tmp_path)}) == str(tmp_path / "sandgate")
    assert state_directory({"HOME": "/h", "XDG_STATE_HOME": "here"}) == "/h/.local/state/sandgate"
    ledger = open_ledger({"HOME": "/nowhere", "XDG_STATE_HOME": str(tmp_path / "state")})
    assert ledger.directory == str(tmp_path / "state/sandgate/approvals")
    ledger.close()


@pytest.mark.parametrize("name", ["sandgate", "sandgate/approvals"])
@pytest.mark.parametrize("how", ["link", "file", "open to others"])
def test_a_directory_that_somebody_else_may_have_a_hand_in_is_refused(tmp_path: Path, name: str, how: str) -> None:
    place = tmp_path / name
    place.parent.mkdir(exist_ok=True, mode=0o700)
    if how == "link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        place.symlink_to(tmp_path / "elsewhere")
    elif how == "file":
        place.touch()
    else:
        place.mkdir()
        place.chmod(0o777)
    before = open_descriptors()
    with pytest.raises(ConfigError, match="cannot keep approvals"):
        open_ledger({"XDG_STATE_HOME": str(tmp_path)})
    assert none_left_open(before)


def test_a_place_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="cannot make"):
        open_ledger({"XDG_STATE_HOME": str(tmp_path / "file" / "state")})


def test_opening_it_clears_away_what_is_long_over(tmp_path: Path) -> None:
    ledger = open_ledger({"XDG_STATE_HOME": str(tmp_path)})
    ledger.ask(question(asked_at=1.0, expires_at=2.0))
    ledger.close()

    open_ledger({"XDG_STATE_HOME": str(tmp_path)}).close()
    assert os.listdir(ledger.directory) == []
