"""Opens the ledger of approvals that outlive a session, for the program that asks and the one that answers.

It lies in the state directory of the environment that counts: the one the asking server was started with, and the one
of the person who answers. The directory and the one above it must be ours alone, or another user could answer.
"""

from __future__ import annotations

import os
from contextlib import suppress

from sandgate.approvals.ledger.events import Advised, Asked, Damaged, Decided, follow
from sandgate.approvals.ledger.ledger import Ledger
from sandgate.approvals.ledger.pending import USES_MAX, PendingApproval, Resolution, shown
from sandgate.approvals.private_files import made_directory
from sandgate.config.state_directory import ensured_state
from sandgate.errors import SandgateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.approvals.prompts.advice import Said
    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.reviewers.async_reviewer import Hearing

__all__ = [
    "USES_MAX",
    "Advised",
    "Asked",
    "Damaged",
    "Decided",
    "Ledger",
    "PendingApproval",
    "Resolution",
    "follow",
    "kept_in",
    "open_ledger",
    "shown",
]

APPROVALS_NAME = "approvals"
LINE_COLUMNS = 4_000  # wider than any terminal: the program that shows the lines breaks them


def kept_in(ledger: Ledger) -> Hearing:
    """Puts what a model says about an open question beside it in the ledger, for the person who decides there."""

    def hear(request: ApprovalRequest, said: Said) -> None:
        from sandgate.approvals.prompts.advice import said_lines

        lines = said_lines(said, request.risk, colour=False, columns=LINE_COLUMNS)
        with suppress(SandgateError):  # words that cannot be kept are missing, and that is all
            ledger.advise(request.request_id, tuple(line.strip() for line in lines if line))

    return hear


def open_ledger(environ: Mapping[str, str]) -> Ledger:
    """The ledger of this user, made if need be and rid of what is long over.

    Raises ConfigError when there is no place for it, or when that is a link, another user's, or open to others.
    """
    state = ensured_state(environ)
    above = made_directory(state)
    try:
        os.close(made_directory(APPROVALS_NAME, within=above))
    finally:
        os.close(above)
    ledger = Ledger(os.path.join(state, APPROVALS_NAME))
    ledger.sweep()
    return ledger
