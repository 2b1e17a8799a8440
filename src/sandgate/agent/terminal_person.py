"""The person at the terminal, for an agent: one question at a time, whichever session of the process asks."""

from __future__ import annotations

import select
from _thread import allocate_lock

from sandgate.protocol.decisions import Decision
from sandgate.reviewers.assembly import terminal_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.approvals.prompts.advice import Advice
    from sandgate.protocol.decisions import ApprovalRequest

LOOK_AGAIN_S = 0.5  # how long a question that waits for its turn may not know that it is not needed any more
STOPPED = "the person stopped the turn"


class Person:
    """Ctrl-C at a question ends the turn, not the program."""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour
        self._start = terminal_size()
        self._terminal = allocate_lock()

    def review(self, request: ApprovalRequest, advice: Advice | None, withdrawn: int) -> Decision | None:
        """Asks, and waits for one key; None when there is no terminal. `advice` is shown when it comes.

        `withdrawn`: a descriptor that is readable when no answer is needed any more; the terminal is free at once.
        """
        from sandgate.reviewers.terminal import WITHDRAWN, TerminalReviewer

        while not self._terminal.acquire(timeout=LOOK_AGAIN_S):
            if _is_readable(withdrawn):
                return Decision(request.stage, "denied", "none", reason=WITHDRAWN)
        try:
            if _is_readable(withdrawn):
                return Decision(request.stage, "denied", "none", reason=WITHDRAWN)
            return TerminalReviewer(colour=self._colour, start=self._start).review(request, advice, withdrawn)
        except KeyboardInterrupt:
            return Decision(request.stage, "abort", "user", reason=STOPPED)
        finally:
            self._terminal.release()


def _is_readable(descriptor: int) -> bool:
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    return bool(poller.poll(0))
