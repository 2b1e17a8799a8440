"""A person's word against an automatic reviewer's no: this exact action may go through, once, within the hour.

The mark is a file named by the action's digest, in a directory that no confined command can see. Using it removes it,
and removing a file succeeds for one caller only.
"""

from __future__ import annotations

import json
import os
import time

from sandgate.approvals.private_files import changed_at, made_directory, marked_once, removed
from sandgate.protocol.wire import change_json, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.decisions import ApprovalRequest

VALID_S = 3_600  # seconds; later the person must say it again
DIRECTORY = "overrides"


def action_digest(request: ApprovalRequest) -> str:
    """SHA-256 in hexadecimal over what would run, where, with which grants; the same for the same action only."""
    from hashlib import sha256

    command = request.command
    said = {
        "argv": command.argv,
        "cwd": command.cwd,
        "variables": sorted(command.set_variables),
        "wish": command.wish,
        "tty": command.tty,
        "grants": sorted((grant.kind, grant.value) for grant in request.grants),
        "changes": [[change.path, change_json(change)] for change in request.changes],
        "keys": [[key.family, *key.argv] for key in request.keys],
    }
    if request.binding is not None:
        said["bound"] = [[seen.kind, seen.path, seen.state] for seen in request.binding.places]
    text = json.dumps(plain(said), sort_keys=True, separators=(",", ":"))
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Overrides:
    """The marks in one state directory."""

    def __init__(self, state: str) -> None:
        self._path = os.path.join(state, DIRECTORY)

    def allow_once(self, digest: str) -> bool:
        """Leave the mark; False when it is there already. Raises ConfigError, ApprovalsUnusable."""
        directory = made_directory(self._path)
        try:
            self._drop_if_old(directory, digest)
            return marked_once(directory, digest)
        finally:
            os.close(directory)

    def take(self, digest: str) -> bool:
        """Whether the action may go through; true once for one mark. Raises ConfigError."""
        if not os.path.lexists(self._path):
            return False
        directory = made_directory(self._path)
        try:
            self._drop_if_old(directory, digest)
            os.unlink(digest, dir_fd=directory)
        except FileNotFoundError:
            return False
        finally:
            os.close(directory)
        return True

    def _drop_if_old(self, directory: int, digest: str) -> None:
        made = changed_at(directory, digest)
        if made is not None and not 0 <= time.time() - made <= VALID_S:
            removed(directory, digest)
