"""At the terminal nobody is asked about a command that could write over the question."""

from __future__ import annotations

import select

from sandgate.execution.asking import AskedMeanwhile
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import ApprovalRequest, Decision
from sandgate.reviewers.while_held import UNSAFE, asked_meanwhile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

REQUEST = ApprovalRequest("r", "c", "held", CommandRequest(("touch", "x"), "/", {}), "")
YES = Decision("held", "approved", "user")


class AtTerminal:
    """Says yes, and keeps what it was given."""

    def __init__(self) -> None:
        self.given: list[int | None] = []
        self.withdrawn = False

    def review(self, _request: ApprovalRequest, _advice: Any, withdrawn: int | None) -> Decision:
        self.given.append(withdrawn)
        self.withdrawn = withdrawn is not None and bool(select.select([withdrawn], [], [], 0)[0])
        return YES


def test_the_screen_is_the_questions_own_and_is_given_back() -> None:
    told: list[bool] = []

    def screen(taken: bool) -> bool:
        told.append(taken)
        return True

    terminal = AtTerminal()
    with AskedMeanwhile(screen) as asking:
        asking.withdraw()
        assert asked_meanwhile(terminal, REQUEST, None) == YES
    assert (told, terminal.withdrawn) == ([True, False], True)


def test_without_the_screen_nobody_is_asked() -> None:
    """Required: it is refused, and said that nobody decided."""
    terminal = AtTerminal()
    with AskedMeanwhile(lambda _taken: False):
        refused = asked_meanwhile(terminal, REQUEST, None)
    assert refused == Decision("held", "denied", "none", reason=UNSAFE)
    assert terminal.given == []


def test_a_question_that_no_command_waits_for_is_asked_as_ever() -> None:
    terminal = AtTerminal()
    assert asked_meanwhile(terminal, REQUEST, None) == YES
    assert terminal.given == [None]
