"""Looks at the protected names again when a command is over, whatever its supervisor said or could not say.

A supervisor can be killed, its last packet lost, and a race lost too; the disk does not lie. Nor does it tell who did
it: what is there now under a name that did not exist may be the work of somebody else on the host, and so may another
file in the place of a protected one. The first is moved away, since nobody protects it any more; the second had
an owner before the command came, so it is only reported.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.confinement import ConfinedCommand

    Identity = tuple[int, int, int]  # device, inode, type with the link bit

_TYPE_BITS = 0o170000


class Aftermath:
    """Made just before the start of a plan; asked after its end. One lstat a name each time."""

    __slots__ = ("_absent", "_before")

    def __init__(self, plan: ConfinedCommand) -> None:
        permissions = plan.permissions
        self._absent = permissions.absent if plan.confined else ()
        self._before = {path: _identity(path) for path in permissions.read_only} if plan.confined else {}

    def created(self) -> tuple[str, ...]:
        """Protected names that did not exist, and do now."""
        missing = (path for path, before in self._before.items() if before is None)
        return tuple(path for path in (*self._absent, *missing) if _identity(path) is not None)

    def exchanged(self) -> tuple[str, ...]:
        """Protected names that existed, and now are another object than then, or gone."""
        return tuple(p for p, before in self._before.items() if before is not None and _identity(p) != before)


def _identity(path: str) -> Identity | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mode & _TYPE_BITS
