"""A helper that is started before its plan, and what becomes of a wrong guess."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from sandgate.execution.head_start import CHANGED, Habit, HeadStart
from sandgate.kernel.build import helper_path
from sandgate.kernel.child import Ended
from sandgate.protocol.confinement import ConfinedCommand, Mount
from support.kernel.helper_runs import attend, plan_for

pytestmark = pytest.mark.host("namespace")


@pytest.fixture
def streams() -> Iterator[dict[str, int]]:
    fd = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    yield {"stdin": fd, "stdout": fd, "stderr": fd}
    os.close(fd)


def children() -> list[int]:
    return [int(word) for word in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]


def test_plan_that_was_expected_runs_in_the_helper_that_is_ready(streams: dict[str, int]) -> None:
    head_start = HeadStart()
    head_start.get_ready(helper_path(), network="off")
    ready = children()
    head_start.get_ready(helper_path(), network="off")  # there already
    child = head_start.start(plan_for("true"), **streams, helper=helper_path())
    assert [child.pid] == ready
    attend(child)  # type: ignore[arg-type] # the helper's child
    head_start.discard()
    assert (child.ended, children()) == (Ended(0, None), [])


@pytest.mark.parametrize(
    "plan",
    [
        plan_for("true", network="on"),
        plan_for("true").but(backend="none"),
    ],
)
def test_plan_that_was_not_expected_gets_a_start_of_its_own(streams: dict[str, int], plan: ConfinedCommand) -> None:
    head_start = HeadStart()
    head_start.get_ready(helper_path(), network="off")
    ready = children()
    child = head_start.start(plan, **streams, helper=helper_path())
    assert children() == [child.pid] != ready
    attend(child)  # type: ignore[arg-type] # any child is served alike
    child.close()
    assert (child.ended, children()) == (Ended(0, None), [])


@pytest.mark.parametrize("network", ["off", "on"])
@pytest.mark.parametrize("stands", [True, False])
def test_a_plan_whose_look_is_owed_runs_only_where_all_stands(
    streams: dict[str, int], tmp_path: Path, network: Literal["off", "on"], stands: bool
) -> None:
    """Also where another helper was ready than it needs."""
    head_start, looks = HeadStart(), list[bool]()

    def look() -> bool:
        looks.append(stands)
        return stands

    head_start.get_ready(helper_path(), network=network)
    head_start.later.owe(look)
    plan = plan_for("touch", str(tmp_path / "mark"), write=(str(tmp_path),))
    child = head_start.start(plan, **streams, helper=helper_path())
    attend(child)  # type: ignore[arg-type] # the helper's child
    assert not head_start.later.is_owed
    assert (child.ended, child.failure) == ((Ended(0, None), None) if stands else (None, CHANGED))
    assert ((tmp_path / "mark").exists(), looks, children()) == (stands, [stands], [])


def test_what_one_plan_hid_is_expected_of_the_next(streams: dict[str, int], tmp_path: Path) -> None:
    """Each session by itself: another one may have another home."""
    (tmp_path / "file").touch()
    plan = plan_for("true", mounts=(Mount("hide_file", str(tmp_path / "file")),))
    mine, other = Habit(), Habit()
    for covers in (0, 1 << 16):
        assert mine.covers == covers
        head_start = HeadStart(habit=mine)
        head_start.get_ready(helper_path(), network="off")
        child = head_start.start(plan, **streams, helper=helper_path())
        attend(child)  # type: ignore[arg-type] # the helper's child
        assert child.ended == Ended(0, None)
    assert other.covers == 0


def test_nothing_is_left_when_nothing_is_started() -> None:
    head_start = HeadStart()
    head_start.get_ready(helper_path(), network="off")
    head_start.get_ready(helper_path(), network="on")
    head_start.discard()
    head_start.discard()
    assert children() == []


def test_helper_that_cannot_be_started_is_told_by_the_start(streams: dict[str, int]) -> None:
    head_start = HeadStart()
    head_start.get_ready("/nowhere/sandgate-exec", network="off")
    with pytest.raises(FileNotFoundError):
        head_start.start(plan_for("true"), **streams, helper="/nowhere/sandgate-exec")
