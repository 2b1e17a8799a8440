"""The person at the terminal, for an agent: one question at a time, whichever session of the process asks."""

from __future__ import annotations

from _thread import allocate_lock

from sandgate.protocol.decisions import Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.approvals.advice import Advice
    from sandgate.protocol.decisions import ApprovalRequest

STOPPED = "the person stopped the turn"


class Person:
    """Ctrl-C at a question ends the turn, not the program."""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour
        self._terminal = allocate_lock()

    def review(self, request: ApprovalRequest, advice: Advice | None) -> Decision | None:
        """Asks, and waits for one key; None when there is no terminal. `advice` is shown when it comes."""
        from sandgate.approvals.human import TerminalReviewer

        with self._terminal:
            try:
                return TerminalReviewer(colour=self._colour).review(request, advice)
            except KeyboardInterrupt:
                return Decision(request.stage, "abort", "user", reason=STOPPED)
