"""The default backend on Linux: namespaces, a read-only view with holes, and a watching supervisor."""

from __future__ import annotations

import os
import sys

from sandgate.protocol.confinement import ConfinedCommand
from sandgate.sandbox.backend import DEFAULT_LIMITS, confined_environment
from sandgate.sandbox.view import mounts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.confinement import Limits, Mount, ReportMode
    from sandgate.protocol.permissions import BackendName, EffectivePermissions

GUARANTEES = (
    "no-write-outside-roots",
    "no-metadata-changes",
    "protected-names",
    "secrets-hidden",
    "host-sockets-hidden",
    "process-isolation",
    "tree-kill",
    "no-new-privs",
)


class NamespaceBackend:
    """Plans for `kernel.helper`."""

    kind: BackendName = "namespace"

    def confine(
        self,
        command: CommandRequest,
        permissions: EffectivePermissions,
        *,
        limits: Limits = DEFAULT_LIMITS,
        report: ReportMode = "report",
    ) -> ConfinedCommand:
        return ConfinedCommand(
            backend=self.kind,
            argv=command.argv,
            cwd=_entered(command.cwd, permissions),
            env=confined_environment(command, permissions, self.kind),
            permissions=permissions,
            mounts=_mounts(permissions),
            report=report,
            limits=limits,
            tty=command.tty,
            guarantees=guarantees(permissions, report),
        )


def _entered(directory: str, permissions: EffectivePermissions) -> str:
    """The directory as the command will see it: what the host has there need not be it."""
    global _last_entered
    last = _last_entered
    if last is not None and last[0] is permissions and last[1] == directory:
        return last[2]  # the same permissions rest on the same look at the disk
    tmp = permissions.private_tmp
    plain = os.path.normpath(directory)
    entered = plain if tmp is not None and tmp.holds(plain) else os.path.realpath(directory)
    _last_entered = (permissions, directory, entered)
    return entered


_last_entered: tuple[EffectivePermissions, str, str] | None = None
_known: dict[int, tuple[EffectivePermissions, tuple[Mount, ...]]] = {}  # by identity; the oldest go first
KNOWN_MAX = 8  # sessions of one process take turns


def _mounts(permissions: EffectivePermissions) -> tuple[Mount, ...]:
    """The last ones of some sessions are kept, since the next command mostly wants the same.

    The same permissions rest on the same look at the disk, so what is hidden is still of the kind it was.
    """
    known = _known.get(id(permissions))
    if known is not None and known[0] is permissions:
        return known[1]
    hanging = sys.modules.get("sandgate.sandbox.hanging")  # there where some mount had to be asked whether it answers
    mounts = mounts_of(permissions, is_directory=os.path.isdir if hanging is None else hanging.is_directory)
    _known[id(permissions)] = permissions, mounts
    for oldest in list(_known)[:-KNOWN_MAX]:  # other threads may have made room
        _known.pop(oldest, None)
    return mounts


def guarantees(permissions: EffectivePermissions, report: ReportMode) -> tuple[str, ...]:
    """What a plan promises. Names that do not exist yet are refused by the supervisor, so only while it watches."""
    promised = list(GUARANTEES)
    if permissions.private_tmp is not None:
        promised.append("private-tmp")
    if permissions.network == "off":
        promised.append("network-off")
    if report == "report":
        promised += ["missing-protected-names", "exact-denials", "held-calls"]
    return tuple(promised)
