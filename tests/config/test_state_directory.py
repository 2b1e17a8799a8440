"""The directory where what outlives a session lies."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from sandgate.config.state_directory import ensured_state
from sandgate.errors import ConfigError


def test_it_is_made_for_our_eyes_only_and_stays(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path)}
    state = Path(ensured_state(environ))
    assert state == tmp_path / ".local/state/sandgate"
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    (state / "kept").write_text("")
    assert Path(ensured_state(environ), "kept").exists()


def test_it_goes_where_the_environment_says(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path / "home"), "XDG_STATE_HOME": str(tmp_path / "elsewhere")}
    assert ensured_state(environ) == str(tmp_path / "elsewhere" / "sandgate")


@pytest.mark.parametrize("how", ["a file in the way", "others may write", "a link"])
def test_no_place_of_our_own_is_one_clear_error(tmp_path: Path, how: str) -> None:
    environ = {"XDG_STATE_HOME": str(tmp_path / "state")}
    state = tmp_path / "state" / "sandgate"
    if how == "a file in the way":
        (tmp_path / "state").write_text("")
    else:
        state.parent.mkdir()
    if how == "others may write":
        state.mkdir()
        state.chmod(0o777)
    if how == "a link":
        state.symlink_to(tmp_path)
    with pytest.raises(ConfigError) as raised:
        ensured_state(environ)
    assert raised.value.what
