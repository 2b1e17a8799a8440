"""A question at the terminal while the command that it is about is there, too, and waits.

Before the first line is shown, nothing of the command reaches the terminal any more and it takes no key from it. Where
that cannot be promised nobody is asked: what a person answers must be what a person has read.
"""

from __future__ import annotations

from sandgate.execution.asking import asked_now
from sandgate.protocol.decisions import Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from sandgate.approvals.prompts.advice import Advice
    from sandgate.protocol.decisions import ApprovalRequest

    class AtTerminal(Protocol):
        """Who asks there."""

        def review(
            self, request: ApprovalRequest, advice: Advice | None, withdrawn: int | None, /
        ) -> Decision | None: ...


UNSAFE = "nobody was asked: the command shares the terminal, and could not be kept from writing over the question"


def asked_meanwhile(reviewer: AtTerminal, request: ApprovalRequest, advice: Advice | None) -> Decision | None:
    """The same as `reviewer` says, taken back when nobody waits for it any more."""
    asking = asked_now()
    if asking is None:
        return reviewer.review(request, advice, None)
    try:
        if not asking.take_screen():
            return Decision(request.stage, "denied", "none", reason=UNSAFE)
        return reviewer.review(request, advice, asking.descriptor())
    finally:
        asking.give_back_screen()
