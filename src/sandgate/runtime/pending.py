"""Opens the ledger of approvals that outlive a session, for whoever asks and whoever answers.

It lies in the state directory of the environment that counts: the one the asking server was started with, and the one
of the person who answers. The directory and the one above it must be ours alone, or somebody else could answer.
"""

from __future__ import annotations

import os

from sandgate.approvals.ledger import Ledger
from sandgate.approvals.news import Asked, Damaged, Decided, follow
from sandgate.approvals.pending import PendingApproval, Resolution, shown
from sandgate.approvals.private_files import DIRECTORY_MODE, made_directory
from sandgate.config.paths import state_directory
from sandgate.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Asked", "Damaged", "Decided", "Ledger", "PendingApproval", "Resolution", "follow", "open_ledger", "shown"]

APPROVALS_NAME = "approvals"


def open_ledger(environ: Mapping[str, str]) -> Ledger:
    """The ledger of this user, made if need be and rid of what is long over.

    Raises ConfigError when there is no place for it, or when that is a link, somebody else's, or open to others.
    """
    state, above = made_state(environ, "approvals")
    try:
        os.close(made_directory(APPROVALS_NAME, within=above))
    finally:
        os.close(above)
    ledger = Ledger(os.path.join(state, APPROVALS_NAME))
    ledger.sweep()
    return ledger


def made_state(environ: Mapping[str, str], kept: str) -> tuple[str, int]:
    """The path and a descriptor of this user's state directory, made if need be; `kept`: what for.

    Raises ConfigError as `open_ledger` does.
    """
    state = state_directory(environ)
    if state is None:
        raise ConfigError(f"there is no place to keep {kept}", why="you have no home directory", hint="set `$HOME`")
    try:
        os.makedirs(os.path.dirname(state), DIRECTORY_MODE, exist_ok=True)
    except OSError as problem:
        raise ConfigError(f"cannot make `{os.path.dirname(state)}`", why=str(problem.strerror)) from problem
    return state, made_directory(state)
