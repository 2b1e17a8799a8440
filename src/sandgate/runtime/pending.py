"""Opens the ledger of approvals that outlive a session, for whoever asks and whoever answers.

It lies in the state directory of the environment that counts: the one the asking server was started with, and the one
of the person who answers. The directory and the one above it must be ours alone, or somebody else could answer.
"""

from __future__ import annotations

import os

from sandgate.approvals.ledger import Ledger
from sandgate.approvals.news import Asked, Damaged, Decided, follow
from sandgate.approvals.pending import USES_MAX, PendingApproval, Resolution, shown
from sandgate.approvals.private_files import made_directory
from sandgate.runtime.state import ensured_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "USES_MAX",
    "Asked",
    "Damaged",
    "Decided",
    "Ledger",
    "PendingApproval",
    "Resolution",
    "follow",
    "open_ledger",
    "shown",
]

APPROVALS_NAME = "approvals"


def open_ledger(environ: Mapping[str, str]) -> Ledger:
    """The ledger of this user, made if need be and rid of what is long over.

    Raises ConfigError when there is no place for it, or when that is a link, somebody else's, or open to others.
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
