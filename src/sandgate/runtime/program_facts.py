"""Looks up which programs the words of a command lead to, for policy, which knows no disk.

A word costs one look at each entry of PATH up to the one that has it. Nothing is opened or started.
"""

from __future__ import annotations

import os
from os.path import realpath

from sandgate.policy.program_places import ProgramPlaces
from sandgate.protocol.permissions import WorkspaceWrite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.permissions import SandboxPolicy

_REGULAR = 0o100000  # S_IFREG (inode(7))
_KIND_MASK = 0o170000  # S_IFMT


def programs_on_disk(sandbox: SandboxPolicy, workspace: str) -> Callable[[CommandRequest], ProgramPlaces]:
    """Where the programs of a command lie, in a session whose policy directory is `workspace`.

    What the workspace holds came from somebody else: it counts as writable under a read-only policy as well.
    """
    roots = sandbox.writable_roots if isinstance(sandbox, WorkspaceWrite) else ()

    def places(command: CommandRequest) -> ProgramPlaces:
        temporary = command.env.get("TMPDIR", "")
        written = [workspace, *roots, *([temporary] if temporary[:1] == "/" else ())]
        return ProgramPlaces(
            command.cwd, command.env.get("PATH"), (*written, *[realpath(place) for place in written]), program_at
        )

    return places


def program_at(path: str) -> str | None:
    """The canonical path of the program file at `path`; None where there is none that could be executed."""
    try:
        if os.stat(path).st_mode & _KIND_MASK != _REGULAR or not os.access(path, os.X_OK):
            return None
        return realpath(path)
    except (OSError, ValueError):
        return None
