"""A helper that is started before its plan, and what becomes of a wrong guess."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandgate.execution.head_start import Habit, HeadStart
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
