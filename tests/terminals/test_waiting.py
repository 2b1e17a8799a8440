"""How long a call waits: the rule played with a command whose state we set.

Where only time passes, the waits are driven by hand on a clock that is moved. Where a thread waits, what counts is that
it did not return before it should, and that it returned because of what happened and not because its time was up.
"""

from __future__ import annotations

import threading
from time import monotonic

import pytest

import sandgate.terminals.waiting as waiting_module
from sandgate.terminals.changes import Changes
from sandgate.terminals.output import Output
from sandgate.terminals.waiting import (
    CLOSE_WAIT_S,
    LOOK_AGAIN_MAX_S,
    OVER_WAIT_S,
    QUIET_S,
    Pause,
    Settling,
    Wait,
    collect,
    drive,
)
from support.process.waiting import LIMIT_S
from support.terminal.terminal_stage import Stage, sees

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.terminals.interfaces import Live
    from sandgate.terminals.terminal import Terminal
    from sandgate.terminals.waiting import Steps

ENDLESS_S = 60.0  # a call that takes this long has not noticed what happened
SOON_S = 5.0  # and one that takes less has, on a busy machine too


class Command:
    """What `collect` looks at of a live command."""

    def __init__(self, *, tty: bool = True) -> None:
        self.tty = tty
        self.changes = Changes()
        self.output = Output(pending_bytes=1_000, transcript_bytes=1_000)
        self.over = False
        self.exited = False
        self.output_closed = False

    @property
    def total_bytes(self) -> int:
        return self.output.total_bytes

    def prints(self, data: bytes = b"something") -> None:
        self.output.add(data)
        self.changes.happened()

    def exits(self) -> None:
        self.exited = True
        self.changes.happened()

    def ends(self) -> None:
        self.exited = self.output_closed = self.over = True
        self.changes.happened()


class Call:
    """A call on a thread of its own."""

    def __init__(self, command: Command, **options: Any) -> None:
        self._began_s = monotonic()
        self.took_s = -1.0
        self._thread = threading.Thread(target=self._run, args=(command, options), daemon=True)
        self._thread.start()

    def _run(self, command: Command, options: dict[str, Any]) -> None:
        drive(collect(_as_terminal(command), **options))
        self.took_s = monotonic() - self._began_s

    @property
    def returned(self) -> bool:
        return self.took_s >= 0

    def returns(self) -> float:
        """How long it took."""
        self._thread.join(LIMIT_S)
        assert self.returned, "the call still waits"
        return self.took_s

    def waits_on(self, changes: Changes) -> None:
        """Returns once the call is asleep."""
        end = monotonic() + LIMIT_S
        while not changes._waiting:
            assert monotonic() < end, "the call does not wait"


class Clock:
    """Stands still unless it is moved."""

    now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The one the waits go by; who uses it drives them by hand."""
    made = Clock()
    monkeypatch.setattr(waiting_module, "monotonic", made)
    return made


def told(wait: Wait) -> tuple[Changes, float]:
    """What is waited for, and how long."""
    return wait.changes, round(wait.timeout_s, 6)


def is_back(waits: Steps[None]) -> bool:
    """Whether the call returns now."""
    try:
        next(waits)
    except StopIteration:
        return True
    return False


def _as_terminal(command: Any) -> Terminal:
    terminal: Terminal = command
    return terminal


def always(_terminal: Live) -> bool:
    return True


def never(_terminal: Live) -> bool:
    return False


def test_a_command_that_is_over_is_not_waited_for() -> None:
    command = Command()
    command.ends()
    assert list(collect(_as_terminal(command), yield_s=ENDLESS_S)) == []


def test_a_call_returns_as_soon_as_the_command_is_over() -> None:
    command = Command()
    call = Call(command, yield_s=ENDLESS_S)
    call.waits_on(command.changes)
    command.ends()
    assert call.returns() < SOON_S


def test_without_news_a_call_takes_its_time_and_no_longer() -> None:
    assert 0.05 <= Call(Command(), yield_s=0.05).returns() < SOON_S


def test_no_time_is_a_look() -> None:
    assert Call(Command(), yield_s=0.0).returns() < SOON_S


def test_output_does_not_end_a_call_and_does_not_prolong_it() -> None:
    """Required: a call returns at its deadline even if output keeps flowing."""
    command = Command(tty=False)
    call = Call(command, yield_s=0.1)
    end = monotonic() + LIMIT_S
    while not call.returned and monotonic() < end:
        command.prints(b".")
    assert 0.1 <= call.returns() < SOON_S


def test_nothing_is_taken_by_waiting() -> None:
    """Required: a caller who gives up in the middle takes nothing from anybody."""
    command = Command()
    command.prints(b"kept")
    waiting = collect(_as_terminal(command), yield_s=ENDLESS_S)
    next(waiting)
    waiting.close()
    assert command.output.take().joined() == b"kept"


def test_after_the_exit_the_output_is_waited_for_briefly() -> None:
    """Required: somebody else who holds the output costs fifty milliseconds."""
    command = Command(tty=False)
    call = Call(command, yield_s=ENDLESS_S)
    call.waits_on(command.changes)
    exited_s = monotonic()
    command.exits()
    call.returns()
    assert CLOSE_WAIT_S <= monotonic() - exited_s < SOON_S


def test_output_after_the_exit_does_not_prolong_the_brief_wait() -> None:
    """Required: counted from the first look after the exit, whatever the grandchild prints."""
    command = Command(tty=False)
    command.exits()
    call = Call(command, yield_s=ENDLESS_S)
    end = monotonic() + LIMIT_S
    while not call.returned and monotonic() < end:
        command.prints(b".")
    assert CLOSE_WAIT_S <= call.returns() < SOON_S


def test_the_deadline_cuts_the_brief_wait_short() -> None:
    command = Command(tty=False)
    command.exits()
    waits = collect(_as_terminal(command), yield_s=CLOSE_WAIT_S / 5)
    assert next(waits).timeout_s <= CLOSE_WAIT_S / 5


def test_output_that_closes_after_the_exit_ends_the_call() -> None:
    command = Command(tty=False)
    command.exits()
    waits = collect(_as_terminal(command), yield_s=ENDLESS_S)
    next(waits)
    command.ends()
    with pytest.raises(StopIteration):
        waits.send(None)


def test_output_that_is_closed_already_makes_the_end_a_matter_of_a_moment() -> None:
    """The call waits for the last step, which is under way, and not for fifty milliseconds."""
    command = Command(tty=False)
    command.output_closed = True
    command.exits()
    waits = collect(_as_terminal(command), yield_s=ENDLESS_S)
    assert next(waits).timeout_s > CLOSE_WAIT_S
    waits.close()


# A person is being asked


def test_what_a_command_left_behind_is_looked_at_before_its_last_answer(clock: Clock) -> None:
    """Neither the deadline nor a terminal that looks settled cuts that short: the answer says what was refused."""
    command = Command()
    command.exited = command.output_closed = True
    settled = Settling(lambda _terminal: True)
    steps = collect(_as_terminal(command), yield_s=0.25, settling=settled)
    next(steps)
    clock.now_s += 10 * QUIET_S + 1.0
    wait = steps.send(None)
    assert isinstance(wait, Wait)
    command.over = True
    with pytest.raises(StopIteration):
        steps.send(None)


def test_that_look_has_a_limit(clock: Clock) -> None:
    command = Command()
    command.exited = command.output_closed = True
    steps = collect(_as_terminal(command), yield_s=0.25)
    next(steps)
    clock.now_s += OVER_WAIT_S
    with pytest.raises(StopIteration):
        steps.send(None)


def test_time_while_a_person_is_asked_does_not_count(clock: Clock) -> None:
    """Required: the call waits for the answer, and then as long as it would have."""
    command, pause = Command(tty=False), Pause()
    pause.hold()
    waits = collect(_as_terminal(command), yield_s=0.25, pause=pause)
    assert next(waits).changes is pause.changes
    clock.now_s += 2
    pause.release()
    assert told(waits.send(None)) == (command.changes, 0.25)
    clock.now_s += 0.25
    assert is_back(waits)


def test_a_pause_in_the_middle_shifts_the_deadline_by_its_length(clock: Clock) -> None:
    command, pause = Command(tty=False), Pause()
    waits = collect(_as_terminal(command), yield_s=0.25, pause=pause)
    assert told(next(waits)) == (command.changes, 0.25)
    clock.now_s += 0.1
    pause.hold()
    assert waits.send(None).changes is pause.changes
    clock.now_s += 2
    pause.release()
    assert told(waits.send(None)) == (command.changes, 0.15)


def test_a_pause_shifts_the_brief_wait_for_the_output_as_well(clock: Clock) -> None:
    """Required: what is still on its way gets its time after the pause, too."""
    command, pause = Command(tty=False), Pause()
    command.exits()
    waits = collect(_as_terminal(command), yield_s=ENDLESS_S, pause=pause)
    assert told(next(waits)) == (command.changes, CLOSE_WAIT_S)
    pause.hold()
    waits.send(None)
    clock.now_s += 2
    pause.release()
    assert told(waits.send(None)) == (command.changes, CLOSE_WAIT_S)
    clock.now_s += CLOSE_WAIT_S
    assert is_back(waits)


def test_a_pause_before_the_call_is_none_of_its_business(clock: Clock) -> None:
    command, pause = Command(tty=False), Pause()
    pause.hold()
    clock.now_s += 5
    pause.release()
    assert pause.elapsed_s() == 5
    assert told(next(collect(_as_terminal(command), yield_s=0.25, pause=pause))) == (command.changes, 0.25)


def test_a_command_that_ended_during_the_pause_is_told_after_it(clock: Clock) -> None:
    command, pause = Command(tty=False), Pause()
    pause.hold()
    waits = collect(_as_terminal(command), yield_s=ENDLESS_S, pause=pause)
    next(waits)
    command.ends()
    clock.now_s += 1
    assert waits.send(None).changes is pause.changes
    pause.release()
    assert is_back(waits)


def test_time_runs_again_only_when_everybody_has_let_go(clock: Clock) -> None:
    pause = Pause()
    seen = pause.changes.count
    pause.hold()
    clock.now_s += 1
    pause.hold()
    pause.release()
    clock.now_s += 1
    assert (pause.held, pause.elapsed_s()) == (True, 2)
    pause.release()
    clock.now_s += 1
    assert (pause.held, pause.elapsed_s()) == (False, 2)
    assert pause.changes.count > seen


# It waits for somebody


def test_a_command_that_waits_for_input_is_answered_about_early() -> None:
    command = Command()
    assert Call(command, yield_s=ENDLESS_S, settling=Settling(always)).returns() < SOON_S


def test_a_command_that_works_silently_is_waited_for() -> None:
    command = Command()
    assert Call(command, yield_s=0.1, settling=Settling(never)).returns() >= 0.1


def test_where_there_is_no_terminal_nobody_is_asked() -> None:
    asked: list[Live] = []
    command = Command(tty=False)
    settling = Settling(lambda terminal: bool(asked.append(terminal) or True))  # type: ignore[func-returns-value]
    assert Call(command, yield_s=0.05, settling=settling).returns() >= 0.05
    assert asked == []


def test_the_kernel_is_asked_only_after_a_moment_of_silence(clock: Clock) -> None:
    """Required: output in pieces is one answer; each piece begins the moment anew."""
    command, asked = Command(), list[float]()

    def settled(_terminal: Live) -> bool:
        asked.append(clock.now_s)
        return True

    waits = collect(_as_terminal(command), yield_s=ENDLESS_S, settling=Settling(settled))
    for _ in range(3):
        command.prints(b"piece")
        clock.now_s += QUIET_S * 0.9
        assert told(waits.send(None)) == (command.changes, QUIET_S)
    assert asked == []
    clock.now_s += QUIET_S
    assert is_back(waits)
    assert asked == [clock.now_s]


def test_output_while_the_kernel_is_asked_counts_as_not_settled() -> None:
    """Required: what it printed meanwhile belongs into the answer, and may not be all."""
    command, answers = Command(), list[bool]()

    def settled(_terminal: Live) -> bool:
        if not answers:
            command.prints(b"not yet")
        answers.append(True)
        return True

    Call(command, yield_s=ENDLESS_S, settling=Settling(settled)).returns()
    assert len(answers) == 2


def test_a_look_comes_back_early_only_with_something_to_show(clock: Clock) -> None:
    """Required: a poll of a shell at its prompt waits for what its jobs may print."""
    command = Command()
    waits = collect(_as_terminal(command), yield_s=10.0, settling=Settling(always, needs_output=True))
    wait = next(waits)
    for _ in range(20):
        clock.now_s += wait.timeout_s
        wait = waits.send(None)
    command.prints()
    wait = waits.send(None)
    clock.now_s += wait.timeout_s
    assert is_back(waits)


def test_the_kernel_is_asked_less_and_less_often(clock: Clock) -> None:
    waits = collect(_as_terminal(Command()), yield_s=ENDLESS_S, settling=Settling(never))
    between_s = [next(waits).timeout_s]
    for _ in range(8):
        clock.now_s += between_s[-1]
        between_s.append(waits.send(None).timeout_s)
    assert [round(each, 6) for each in between_s[:4]] == [QUIET_S, QUIET_S * 2, QUIET_S * 4, QUIET_S * 8]
    assert between_s[-1] == pytest.approx(LOOK_AGAIN_MAX_S)


def test_an_end_that_was_found_ends_the_call_whatever_else_goes_on() -> None:
    command, found = Command(), threading.Event()
    call = Call(command, yield_s=ENDLESS_S, enough=found.is_set)
    call.waits_on(command.changes)
    command.prints(b"not it")
    call.waits_on(command.changes)
    assert not call.returned
    found.set()
    command.prints(b"it")
    assert call.returns() < SOON_S


# Driving


def test_driving_returns_the_answer_and_lets_the_generator_clear_up() -> None:
    cleared: list[str] = []
    changes = Changes()

    def steps(fails: bool) -> Steps[str]:
        try:
            yield Wait(changes, changes.count, 0.0)
            if fails:
                raise ValueError("halfway")
            return "answer"
        finally:
            cleared.append("up")

    assert drive(steps(fails=False)) == "answer"
    with pytest.raises(ValueError, match="halfway"):
        drive(steps(fails=True))
    assert cleared == ["up", "up"]


# The same with real commands


def test_a_grandchild_that_holds_the_output_costs_no_more_than_the_brief_wait() -> None:
    """Required: an answer within 0.3 s on an idle machine, with the output of the foreground."""
    stage = Stage()
    try:
        terminal = stage.start("printf hello; (sleep 100; echo late) &")
        before = monotonic()
        drive(collect(terminal, yield_s=ENDLESS_S))
        assert monotonic() - before < SOON_S
        assert terminal.exited
        assert terminal.output.take().joined() == b"hello"
    finally:
        stage.close()


def test_a_call_returns_with_the_prompt() -> None:
    from sandgate.terminals.activity import is_settled

    stage = Stage()
    try:
        terminal = stage.start("printf 'name? '; read name; echo hello $name; sleep 1000", tty=True)
        drive(collect(terminal, yield_s=ENDLESS_S, settling=Settling(is_settled)))
        assert terminal.output.take().joined() == b"name? "
        terminal.write(b"you\n")
        sees(terminal, "hello you")
    finally:
        stage.close()
