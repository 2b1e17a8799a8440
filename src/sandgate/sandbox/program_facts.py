"""Looks up which programs the words of a command lead to, and what else policy, which knows no disk, must know.

A word costs one look at each entry of PATH up to the one that has it. Nothing is opened or started.
"""

from __future__ import annotations

import os
from os.path import realpath

from sandgate.policy.program_places import SHARED, ProgramPlaces
from sandgate.policy.safety import SYSTEM_BINS
from sandgate.protocol.permissions import WorkspaceWrite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.deletions import Deletion
    from sandgate.protocol.permissions import SandboxPolicy

TEMPORARY_MAX = 16  # temporary directories of commands that are remembered
_BESIDE_THE_REPOSITORY = (
    "GIT_SSL_",
    "GIT_SSH",
    "GIT_HTTP_",
    "GIT_PROXY_",
    "GIT_AUTHOR_",
    "GIT_COMMITTER_",
    "GIT_TERMINAL_PROMPT",
    "GIT_ASKPASS",
    "GIT_PAGER",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_OPTIONAL_LOCKS",
    "GIT_PS1_",
)  # beginnings of variables of git that name no other repository, tree, index or settings
_REGULAR = 0o100000  # S_IFREG (inode(7))
_KIND_MASK = 0o170000  # S_IFMT


def programs_on_disk(
    sandbox: SandboxPolicy,
    workspace: str,
    *,
    tmp: Literal["private", "shared"] = "shared",
    ran: Callable[[int], bool] = lambda _moment_ns: False,
) -> Callable[[CommandRequest], ProgramPlaces]:
    """Where the programs of a command lie, in a session whose policy directory is `workspace`.

    What the workspace holds came from elsewhere: it counts as writable under a read-only policy as well.
    `tmp`: whose /tmp commands have, the project's own or that of all. `ran`: whether a command of the session ran at a
    moment, in nanoseconds since 1970.
    """
    roots = sandbox.writable_roots if isinstance(sandbox, WorkspaceWrite) else ()
    written = [workspace, *roots]
    both_ends = {"": (*written, *map(realpath, written))}  # by the temporary directory of the command

    def places(command: CommandRequest) -> ProgramPlaces:
        temporary = command.env.get("TMPDIR", "")
        known = both_ends.get(temporary)
        if known is None:
            more = (temporary, realpath(temporary)) if temporary[:1] == "/" else ()
            known = both_ends[""] + more
            if len(both_ends) < TEMPORARY_MAX:
                both_ends[temporary] = known

        def steered(argv: tuple[str, ...], vouched: int) -> str:
            from sandgate.sandbox.planted_orders import planted_orders

            return planted_orders(argv, vouched, command.cwd, (*known, *SHARED), command.env.get("HOME", ""))

        def remade(deletion: Deletion) -> bool:
            from sandgate.sandbox.deletion_facts import can_be_made_again

            if not isinstance(sandbox, WorkspaceWrite) or command.env.get("CDPATH"):
                return False
            if deletion.reset_to and any(map(_leads_git, command.env)):
                return False
            return can_be_made_again(deletion, command.cwd, written, private_tmp=tmp == "private", ran=ran)

        return ProgramPlaces(command.cwd, command.env.get("PATH"), known, program_at, steered=steered, remade=remade)

    return places


def _leads_git(variable: str) -> bool:
    """Whether it may lead git to another repository, tree, index or settings."""
    return variable.startswith("GIT_") and not variable.startswith(_BESIDE_THE_REPOSITORY)


def program_at(path: str) -> str | None:
    """The canonical path of the program file at `path`; None where there is none that could be executed."""
    try:
        if not os.access(path, os.X_OK):  # of all questions the cheapest, and mostly the last
            return None
        kind = os.lstat(path).st_mode & _KIND_MASK
        if kind == _REGULAR and path[: path.rfind("/")] in SYSTEM_BINS:
            return path
        real = realpath(path)
        return real if os.stat(real).st_mode & _KIND_MASK == _REGULAR else None
    except (OSError, ValueError):
        return None
