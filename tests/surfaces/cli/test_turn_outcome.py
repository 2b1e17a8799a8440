"""What a turn came to, as a number."""

from __future__ import annotations

import pytest

from sandgate.protocol import events as told
from sandgate.protocol.events import Event
from sandgate.surfaces.cli.turn_outcome import TurnOutcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COMPLETE = told.TaskComplete("t", 1, 1, "bye")


def ran(call: str, status: Any = "completed", code: int | None = 0) -> told.ExecCommandEnd:
    return told.ExecCommandEnd(call, "t", ("x",), "/", "", code, 1, "", status)


def no(call: str, source: str = "none", decision: str = "denied") -> told.ApprovalResolved:
    return told.ApprovalResolved(f"a-{call}", call, decision, source)


def outcome(*messages: Any, turn: str = "t") -> TurnOutcome:
    found = TurnOutcome()
    for number, message in enumerate(messages):
        found.follow(Event(turn, number, message), "t")
    return found


@pytest.mark.parametrize(
    ("story", "code"),
    [
        ((told.UndoCompleted(True), COMPLETE), 0),
        ((told.UndoCompleted(False, "changed"), COMPLETE), 1),
        ((no("c"), COMPLETE), 77),
        ((no("c", "user"), COMPLETE), 77),
        ((ran("c", "declined", None), COMPLETE), 77),
        ((told.PatchApplyEnd("c", "t", False, "", "", status="declined"), COMPLETE), 77),
        ((told.McpToolCallEnd("c", "t", "s", "x", 0, False, declined=True), COMPLETE), 77),
        # The command of a refused retry ran once, confined: that is not going on.
        ((no("c"), ran("c", "failed", 1), COMPLETE), 77),
        # Another way worked, or was at least tried.
        ((no("c"), ran("d"), COMPLETE), 0),
        ((no("c"), ran("d", "failed", 1), COMPLETE), 0),
        ((no("c"), told.PatchApplyEnd("d", "t", True, "", ""), COMPLETE), 0),
        ((no("c"), told.McpToolCallEnd("d", "t", "s", "x", 1, True), COMPLETE), 0),
        ((no("c"), ran("d"), no("e"), COMPLETE), 77),
        # The same call was asked about again, and approved.
        ((no("c"), no("c", "user", "approved"), ran("c"), COMPLETE), 0),
        ((no("c", "user", "abort"), told.TurnAborted("t", "interrupted")), 77),
        ((told.TurnAborted("t", "replaced"),), 1),
    ],
)
def test_a_refusal_counts_when_nothing_after_it_ran(story: tuple[Any, ...], code: int) -> None:
    """Our choice: the last message may claim anything; what ran is what counts."""
    found = outcome(*story)
    assert (found.code, found.over) == (code, True)


def test_only_the_first_end_of_the_turn_counts() -> None:
    assert outcome(told.Failed("no"), COMPLETE).code == 1


def test_the_end_of_another_turn_and_the_failure_of_a_part_are_no_end() -> None:
    for turn in ("", "auto-compact-1"):
        found = outcome(told.Failed("server"), COMPLETE, turn=turn)
        assert (found.over, found.code) == (False, 125)


def test_the_last_message_is_the_end_s_or_the_last_one_heard() -> None:
    assert outcome(told.AgentMessage("a"), COMPLETE).last_message == "bye"
    assert outcome(told.AgentMessage("a"), COMPLETE.but(last_agent_message=None)).last_message == "a"
    assert outcome(COMPLETE.but(last_agent_message=None)).last_message is None
