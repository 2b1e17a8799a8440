"""Who answers in this session, in order: prepared answers, the caller's reviewers, the person at the terminal."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.approvals.chain import Reviewer
    from sandgate.protocol.decisions import ApprovalRequest, Decision


class _AtTerminal:
    """The terminal reviewer, imported only when a question really reaches it."""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour

    def review(self, request: ApprovalRequest) -> Decision | None:
        from sandgate.approvals.human import TerminalReviewer

        return TerminalReviewer(colour=self._colour).review(request)


def reviewers_for(
    answers: tuple[str, ...],
    reviewers: tuple[Reviewer, ...],
    *,
    ask_at_terminal: bool,
    colour: bool,
    automatic: Callable[[tuple[Reviewer, ...]], Reviewer] | None = None,
) -> tuple[Reviewer, ...]:
    """The reviewers that come after what was approved for the session. Raises RequestError for an unknown answer.

    `automatic`: who answers in place of all but the prepared answers, and asks them where it does not approve.
    """
    people = (*reviewers, _AtTerminal(colour=colour)) if ask_at_terminal else reviewers
    chain = people if automatic is None else (automatic(people),)
    if not answers:
        return chain
    from sandgate.approvals.scripted import ScriptedReviewer

    return (ScriptedReviewer(answers), *chain)
