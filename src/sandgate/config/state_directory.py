"""The directory where what outlives a session lies: open approvals, keys, tokens. No confined command sees it."""

from __future__ import annotations

import os

from sandgate.approvals.private_files import DIRECTORY_MODE, made_directory
from sandgate.config.paths import state_directory
from sandgate.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def ensured_state(environ: Mapping[str, str]) -> str:
    """The directory for what outlives a session, made if need be. Raises ConfigError where it cannot be ours alone."""
    state = state_directory(environ)
    if state is None:
        raise ConfigError("there is no place to keep secrets", why="you have no home directory", hint="set `$HOME`")
    try:
        os.makedirs(os.path.dirname(state), DIRECTORY_MODE, exist_ok=True)
    except OSError as problem:
        raise ConfigError(f"cannot make `{os.path.dirname(state)}`", why=str(problem.strerror)) from problem
    os.close(made_directory(state))
    return state
