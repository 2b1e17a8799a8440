"""The directory a project's commands have as /tmp: whose it is, where it lies, and who may be in it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.sandbox import private_tmp
from sandgate.sandbox.private_tmp import NAME_BYTES_MAX, is_due, place_name, private_directory
from support.process.waiting import none_left_open, open_descriptors

PATHS = st.lists(st.text("ab/+%2BF5 .-\u00e9\n", min_size=1, max_size=6), max_size=5).map(
    lambda parts: os.path.normpath("/" + "/".join(parts)).replace("//", "/")
)


@given(PATHS, PATHS)
def test_every_project_has_a_name_of_its_own(one: str, other: str) -> None:
    assert (place_name(one) == place_name(other)) == (one == other)
    assert "/" not in place_name(one)
    assert place_name(one)[0] in "+%"


def test_a_long_path_has_a_name_too() -> None:
    deep = "/x" * 3000
    assert len(os.fsencode(place_name(deep))) <= NAME_BYTES_MAX
    assert place_name(deep) != place_name(deep + "y")


def test_it_is_the_same_one_the_next_time_and_nobody_elses(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    first = private_directory(state, "/ws")
    assert first is not None
    Path(first.path, "kept").write_text("")
    again, other = private_directory(state, "/ws"), private_directory(state, "/ws2")
    assert again is not None
    assert other is not None
    assert os.listdir(again.path) == ["kept"]
    assert os.listdir(other.path) == []


def test_only_we_can_enter_it_and_programs_find_the_usual_bits(tmp_path: Path) -> None:
    made = private_directory(str(tmp_path / "state"), "/ws")
    assert made is not None
    assert stat.S_IMODE(os.stat(made.path).st_mode) == 0o1777
    around = Path(made.path).parent
    assert [stat.S_IMODE(at.stat().st_mode) for at in (around, around.parent)] == [0o700, 0o700]


def test_one_that_others_could_enter_is_closed(tmp_path: Path) -> None:
    made = private_directory(str(tmp_path / "state"), "/ws")
    assert made is not None
    around = Path(made.path).parent
    around.chmod(0o755)
    assert private_directory(str(tmp_path / "state"), "/ws") is not None
    assert stat.S_IMODE(around.stat().st_mode) == 0o700


@pytest.mark.parametrize("planted", ["state", "state/tmp", "state/tmp/+ws"])
def test_a_place_that_others_can_write_is_not_used(tmp_path: Path, planted: str) -> None:
    (tmp_path / planted).mkdir(parents=True)
    (tmp_path / planted).chmod(0o777)
    assert private_directory(str(tmp_path / "state"), "/ws") is None


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "state/tmp").mkdir(parents=True, mode=0o700)
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "state/tmp/+ws").symlink_to(tmp_path / "elsewhere")
    assert private_directory(str(tmp_path / "state"), "/ws") is None
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_place_that_cannot_be_made_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert private_directory(str(tmp_path / "file/state"), "/ws") is None


def test_one_that_was_removed_is_noticed(tmp_path: Path) -> None:
    made = private_directory(str(tmp_path / "state"), "/ws")
    assert made is not None
    assert made.renew()
    os.rmdir(made.path)
    assert not made.renew()


def test_that_it_is_used_is_written_down_once_a_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = private_directory(str(tmp_path / "state"), "/ws")
    assert made is not None
    above = Path(made.path).parent
    os.utime(above, (0, 0))
    assert made.renew()
    assert above.stat().st_mtime == 0
    monkeypatch.setattr(private_tmp, "RENEW_EVERY_S", 0)
    assert made.renew()
    assert above.stat().st_mtime > 0


def test_one_sweep_an_hour_is_enough(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    assert not is_due(state)  # there is nothing to sweep
    assert private_directory(state, "/ws") is not None
    assert (is_due(state), is_due(state)) == (True, False)
    os.utime(tmp_path / "state/tmp/.swept", (0, 0))
    assert is_due(state)


def test_it_is_taken_alone_only_while_nobody_else_is_in_it(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    first, second = private_directory(state, "/ws"), private_directory(state, "/ws")
    assert first is not None
    assert second is not None
    assert not first.take_alone()
    assert not second.take_alone()  # the first has kept its share
    second.close()
    assert first.take_alone()


def test_what_cannot_be_shown_is_not_held_either(tmp_path: Path) -> None:
    """Its lock would keep the directory from being cleared away, and the descriptor would never be closed."""
    state = tmp_path / "state"
    made = private_directory(str(state), "/ws")
    assert made is not None
    made.close()
    os.rmdir(made.path)
    os.symlink("/", made.path)
    before = open_descriptors()
    assert private_directory(str(state), "/ws") is None
    assert none_left_open(before)
