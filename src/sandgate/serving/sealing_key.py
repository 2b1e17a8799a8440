"""The key that seals what a server hands out and wants back unchanged. Kept, so that it is the same after a restart."""

from __future__ import annotations

import os

from sandgate.approvals.private_files import content, made_directory, removed, written_once
from sandgate.config.state_directory import ensured_state
from sandgate.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

KEY_NAME, KEY_BYTES = "sealing.key", 32


def sealing_key(environ: Mapping[str, str]) -> bytes:
    """This user's key, made when there is none. Confined commands see nothing of where it lies.

    Raises ConfigError where there is no place for it that is ours alone, and ApprovalsUnusable for a file that is not.
    """
    state = ensured_state(environ)
    directory = made_directory(state)
    try:
        key = content(directory, KEY_NAME)
        if key is not None and len(key) != KEY_BYTES:
            removed(directory, KEY_NAME)
            key = None
        if key is None:
            written_once(directory, KEY_NAME, os.urandom(KEY_BYTES))
            key = content(directory, KEY_NAME)
    finally:
        os.close(directory)
    if key is None or len(key) != KEY_BYTES:
        raise ConfigError("the sealing key cannot be kept", why=f"`{KEY_NAME}` in {state} goes away again")
    return key
