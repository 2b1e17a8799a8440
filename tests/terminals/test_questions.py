"""Calls of a live command wait for an answer, and the command ends whatever becomes of the question."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from sandgate.protocol.held_calls import HeldAnswer, HeldCall
from sandgate.protocol.permissions import Grant
from sandgate.terminals.activity import state_of
from support.process.waiting import wait_until
from support.terminal.holding_child import Holding, held
from support.terminal.terminal_stage import LIMIT_MS, Stage

if TYPE_CHECKING:
    from sandgate.execution.asking import AskedMeanwhile

YES = (Grant("new_entry", "/a"),)
LIMIT_S = 10.0


def test_its_state_says_that_it_waits_until_the_answer_has_reached_it(stage: Stage) -> None:
    starter, decided = Holding(held("/a")), threading.Event()

    def ask(_call: HeldCall, _asking: AskedMeanwhile) -> HeldAnswer:
        assert decided.wait(LIMIT_S)
        return HeldAnswer(YES)

    terminal = stage.start("sleep 1000", starter=starter, ask=ask)
    assert wait_until(lambda: terminal.held == held("/a"))
    assert state_of(terminal) == "waiting_for_approval"
    decided.set()
    assert starter.child is not None
    assert starter.child.answers.get(timeout=LIMIT_S) == (1, YES)
    assert wait_until(lambda: state_of(terminal) == "running")


def test_a_reviewer_that_fails_ends_the_command_and_says_why(stage: Stage) -> None:
    """Required: an error on our side is no yes, and no command waits for ever because of it."""

    def ask(_call: HeldCall, _asking: AskedMeanwhile) -> HeldAnswer:
        raise RuntimeError("broken")

    starter = Holding(held("/a"))
    terminal = stage.start("sleep 1000", starter=starter, ask=ask)
    assert terminal.wait_exit(LIMIT_MS) is not None
    assert "broken" in terminal.failure_message
    assert starter.child is not None
    assert starter.child.answers.get_nowait() == (1, ())


def test_an_answer_that_stops_everything_ends_the_command(stage: Stage) -> None:
    starter = Holding(held("/a"))
    terminal = stage.start("sleep 1000", starter=starter, ask=lambda _call, _asking: HeldAnswer(stop=True))
    assert terminal.wait_exit(LIMIT_MS) is not None
    assert terminal.stopped_by == "cancelled"
    assert starter.child is not None
    assert starter.child.stopped >= 1


def test_a_reviewer_that_does_not_hear_of_the_end_keeps_nobody_waiting(stage: Stage) -> None:
    """Required: the end is told, other commands go on meanwhile, and what it says later counts for nothing."""
    starter, begun, late = Holding(held("/a")), threading.Event(), threading.Event()

    def ask(_call: HeldCall, _asking: AskedMeanwhile) -> HeldAnswer:
        begun.set()
        assert late.wait(LIMIT_S * 3)
        return HeldAnswer(YES)

    terminal = stage.start("sleep 1000", starter=starter, ask=ask)
    assert begun.wait(LIMIT_S)
    terminal.kill()
    assert wait_until(lambda: terminal.exited)
    assert terminal.held is None
    assert stage.start("echo other").wait_exit(LIMIT_MS) == 0
    assert terminal.wait_exit(LIMIT_MS) is not None
    late.set()
    assert starter.child is not None
    assert starter.child.answers.empty()
