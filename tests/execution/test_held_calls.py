"""What a running command is refused is put to somebody while the loop that attends it goes on."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sandgate.execution.asking import AskedMeanwhile, asked_now
from sandgate.execution.held_calls import CALLS_MAX, HeldCalls
from sandgate.execution.run import run
from sandgate.protocol.held_calls import HeldAnswer, HeldCall
from sandgate.protocol.permissions import Grant
from support.terminal.children import shell
from support.terminal.holding_child import Holding, held

if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.confinement import AttemptOutcome

YES = (Grant("new_entry", "/home/u/k"),)
LIMIT_S = 10.0


def ran(
    starter: Holding, ask: Callable[[HeldCall, AskedMeanwhile], HeldAnswer], script: str, **more: Any
) -> AttemptOutcome:
    options: dict[str, Any] = {"stdin": None, "stdout": None, "stderr": None, "timeout_ms": None, **more}
    return run(shell(script), ask=ask, starter=starter, **options)


@pytest.fixture
def go(tmp_path: Path) -> Gate:
    return Gate(tmp_path / "go")


class Gate:
    """A command waits at it, once."""

    def __init__(self, place: Path) -> None:
        os.mkfifo(place)
        self.place = place
        self.waiting = f"read _ < {place}"

    def open(self) -> None:
        """Waits for a command that waits."""
        with open(self.place, "w") as opened:
            opened.write("go\n")


def test_a_held_call_is_asked_about_and_its_answer_reaches_the_child(go: Gate) -> None:
    starter = Holding(held("/home/u/k"))
    asked: list[tuple[HeldCall, AskedMeanwhile | None]] = []

    def ask(call: HeldCall, asking: AskedMeanwhile) -> HeldAnswer:
        asked.append((call, asked_now()))
        assert asked_now() is asking
        go.open()
        return HeldAnswer(YES)

    outcome = ran(starter, ask, go.waiting)
    assert outcome.result is not None
    assert outcome.result.exit_code == 0
    assert [call for call, _ in asked] == [held("/home/u/k")]
    assert asked_now() is None


def test_one_call_after_the_other_is_asked_about_and_the_same_ones_together(go: Gate) -> None:
    calls = (held("/a", 1), held("/a", 2), held("/b", 3), held("/c", 4))
    starter, asked = Holding(*calls), []

    def ask(call: HeldCall, _asking: AskedMeanwhile) -> HeldAnswer:
        asked.append(call.number)
        if call.number == 4:
            go.open()
        return HeldAnswer(YES if call.number == 1 else ())

    ran(starter, ask, go.waiting)
    child = starter.child
    assert child is not None
    assert asked == [1, 3, 4]
    assert [child.answers.get_nowait() for _ in range(3)] == [(1, YES), (2, YES), (3, ())]


def test_a_command_that_tries_for_ever_is_held_so_often_and_no_more(go: Gate) -> None:
    """Required: what is kept of each call has a limit; the open question is taken back, and the command goes on."""
    starter = Holding(*[held(f"/{number}", number) for number in range(1, CALLS_MAX)])
    asked: list[int] = []

    def ask(call: HeldCall, asking: AskedMeanwhile) -> HeldAnswer:
        asked.append(call.number)
        taken_back = threading.Event()
        child = starter.child
        assert child is not None
        assert child.stopped == 0
        asking.when_withdrawn(taken_back.set)
        child.hold(held("/last", CALLS_MAX))
        assert taken_back.wait(LIMIT_S), "it is asked about for ever"
        child.let_go += range(1, CALLS_MAX + 1)
        go.open()
        return HeldAnswer()

    outcome = ran(starter, ask, go.waiting)
    assert outcome.result is not None
    assert outcome.result.exit_code == 0
    assert starter.child is not None
    assert (asked, starter.child.stopped) == ([1], 1)


def test_output_goes_on_while_somebody_thinks(go: Gate) -> None:
    """Required: a command that floods its pipes is read, whoever is being asked."""
    starter, seen = Holding(held("/a")), threading.Event()
    count = 0

    def hear(_stream: object, chunk: bytes) -> None:
        nonlocal count
        count += len(chunk)
        if count >= 1 << 20:
            seen.set()

    def ask(_call: HeldCall, _asking: AskedMeanwhile) -> HeldAnswer:
        assert seen.wait(LIMIT_S), "nothing was read meanwhile"
        go.open()
        return HeldAnswer()

    outcome = ran(starter, ask, f"head -c 1048576 /dev/zero; {go.waiting}", on_output=hear)
    assert outcome.result is not None
    assert outcome.result.exit_code == 0


def test_the_end_of_the_command_takes_the_question_back(go: Gate) -> None:
    """Required: nobody is left with a question about a command that is over."""
    taken_back = threading.Event()

    def ask(_call: HeldCall, asking: AskedMeanwhile) -> HeldAnswer:
        asking.when_withdrawn(taken_back.set)
        go.open()
        assert taken_back.wait(LIMIT_S)
        return HeldAnswer(YES)

    starter = Holding(held("/a"))
    outcome = ran(starter, ask, f"{go.waiting}; exit 3")
    assert outcome.result is not None
    assert (outcome.result.exit_code, taken_back.is_set()) == (3, True)
    assert starter.child is not None
    assert starter.child.answers.empty()


def test_the_time_limit_stands_still_while_somebody_is_asked(go: Gate) -> None:
    """Required: thinking costs the command nothing of its time."""
    beside: list[AttemptOutcome] = []

    def ask(_call: HeldCall, _asking: AskedMeanwhile) -> HeldAnswer:
        beside.append(
            ran(Holding(), ask, "sleep 1000", timeout_ms=400)
        )  # its whole limit, for one that is not asked about
        go.open()
        return HeldAnswer()

    outcome = ran(Holding(held("/a")), ask, go.waiting, timeout_ms=400)
    assert outcome.result is not None
    assert beside[0].result is not None
    assert (beside[0].result.termination, outcome.result.termination) == ("timed_out", "exited")


def test_a_command_that_is_cancelled_while_it_is_asked_about_ends_and_asks_no_more() -> None:
    read_end, write_end = os.pipe()
    taken_back = threading.Event()

    def ask(_call: HeldCall, asking: AskedMeanwhile) -> HeldAnswer:
        os.close(write_end)
        asking.when_withdrawn(taken_back.set)
        assert taken_back.wait(LIMIT_S)
        return HeldAnswer()

    starter = Holding(held("/a"))
    outcome = ran(starter, ask, "sleep 1000", cancel_fd=read_end)
    os.close(read_end)
    assert outcome.result is not None
    assert outcome.result.termination == "cancelled"
    assert starter.child is not None
    assert (starter.child.stopped, starter.child.answers.empty()) == (0, True)


def test_an_answer_that_stops_everything_ends_the_command_where_it_waits() -> None:
    starter = Holding(held("/a"))
    outcome = ran(starter, lambda _call, _asking: HeldAnswer(stop=True), "sleep 1000")
    assert outcome.result is not None
    assert outcome.result.termination == "cancelled"
    assert starter.child is not None
    assert (starter.child.stopped, starter.child.answers.empty()) == (0, True)


def test_control_c_at_the_question_goes_to_the_command() -> None:
    def ask(_call: HeldCall, _asking: AskedMeanwhile) -> HeldAnswer:
        raise KeyboardInterrupt

    starter = Holding(held("/a"))
    outcome = ran(starter, ask, "sleep 1000")
    assert outcome.result is not None
    assert outcome.result.termination == "interrupted"
    assert starter.child is not None
    assert starter.child.answers.get_nowait() == (1, ())


def test_a_reviewer_that_fails_ends_the_command_and_is_told_to_the_caller() -> None:
    """Required: an error on our side is no answer, and no command waits for one for ever."""

    def ask(_call: HeldCall, _asking: AskedMeanwhile) -> HeldAnswer:
        raise RuntimeError("broken")

    starter = Holding(held("/a"))
    with pytest.raises(RuntimeError, match="broken"):
        ran(starter, ask, "sleep 1000")
    assert starter.child is not None
    assert starter.child.ended is not None


def test_an_interrupted_call_that_is_made_again_belongs_to_the_open_question(go: Gate) -> None:
    """Required: a program that gets signals is not asked about once a signal."""
    starter, asked = Holding(held("/a", 1)), []

    def ask(call: HeldCall, asking: AskedMeanwhile) -> HeldAnswer:
        asked.append(call.number)
        assert starter.child is not None
        starter.child.interrupt(1)
        starter.child.hold(held("/a", 2))
        withdrawn = threading.Event()
        asking.when_withdrawn(withdrawn.set)
        assert not withdrawn.wait(0.4)
        go.open()
        return HeldAnswer(YES)

    ran(starter, ask, go.waiting)
    assert asked == [1]


def test_the_loop_sleeps_while_a_question_that_was_taken_back_still_stands() -> None:
    """Required: a reviewer that does not hear of it keeps no processor busy."""
    begun, late = threading.Event(), threading.Event()

    def ask(_call: HeldCall, _asking: AskedMeanwhile) -> HeldAnswer:
        begun.set()
        assert late.wait(LIMIT_S)
        return HeldAnswer()

    calls = HeldCalls(ask)
    child = Holding(held("/a"))(shell("sleep 1000"), stdin=0, stdout=1, stderr=2, helper=None)
    try:
        calls.look(child)
        assert begun.wait(LIMIT_S)
        child.let_go.append(1)
        calls.look(child)
        assert calls.wait_ms(None) is not None  # it may be made again
        until = time.monotonic() + LIMIT_S
        while calls.wait_ms(None) is not None:
            assert time.monotonic() < until, "it is looked at for nothing, again and again"
            calls.look(child)
    finally:
        late.set()
        calls.end()
        child.close()
    assert calls.ended


def test_an_interrupted_call_that_is_not_made_again_takes_its_question_back(go: Gate) -> None:
    starter, withdrawn = Holding(held("/a")), threading.Event()

    def ask(_call: HeldCall, asking: AskedMeanwhile) -> HeldAnswer:
        assert starter.child is not None
        asking.when_withdrawn(withdrawn.set)
        starter.child.interrupt(1)
        assert withdrawn.wait(LIMIT_S)
        go.open()
        return HeldAnswer()

    ran(starter, ask, go.waiting)
    assert withdrawn.is_set()


def test_nothing_is_passed_on_while_the_question_has_the_screen(go: Gate) -> None:
    """Required: a command cannot write over what the person reads."""
    starter = Holding(held("/a"))
    printed, end = (Gate(go.place.with_name(name)) for name in ("printed", "end"))
    read_end, write_end = os.pipe()
    os.set_blocking(read_end, False)

    def ask(_call: HeldCall, asking: AskedMeanwhile) -> HeldAnswer:
        assert asking.take_screen()
        go.open()
        printed.open()
        with pytest.raises(BlockingIOError):
            os.read(read_end, 1)
        asking.give_back_screen()
        end.open()
        return HeldAnswer()

    outcome = ran(starter, ask, f"{go.waiting}; echo later; {printed.waiting}; {end.waiting}", stdout=write_end)
    assert os.read(read_end, 100) == b"later\n"
    assert outcome.result is not None
    for fd in (read_end, write_end):
        os.close(fd)


def test_who_cannot_be_kept_from_the_screen_is_not_asked_about_there() -> None:
    """Required: a tree of processes that cannot be stopped, and a loop that is over, make the screen unusable."""
    calls = HeldCalls(lambda _call, asking: HeldAnswer(YES if asking.take_screen() else ()), lambda _still: False)
    child = Holding(held("/a"))
    started = child(shell("sleep 1000"), stdin=0, stdout=1, stderr=2, helper=None)
    try:
        while started.answers.empty():
            calls.look(started)
        assert started.answers.get_nowait() == (1, ())
    finally:
        calls.end()
        started.close()
