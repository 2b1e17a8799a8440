"""No sandbox: for `danger-full-access`, an external sandbox, and an escalation that was approved."""

from __future__ import annotations

from sandgate.protocol.confinement import ConfinedCommand
from sandgate.sandbox.backend import DEFAULT_LIMITS, network_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.confinement import Limits, ReportMode
    from sandgate.protocol.permissions import BackendName, EffectivePermissions


class NoBackend:
    """Plans that promise nothing. Only permissions that say so get one."""

    kind: BackendName = "none"

    def confine(
        self,
        command: CommandRequest,
        permissions: EffectivePermissions,
        *,
        limits: Limits = DEFAULT_LIMITS,
        report: ReportMode = "off",  # noqa: ARG002 - nothing watches an unconfined command
    ) -> ConfinedCommand:
        if permissions.confined:
            raise AssertionError("a command that must be confined was about to run without a sandbox")
        return ConfinedCommand(
            backend=self.kind,
            argv=command.argv,
            cwd=command.cwd,
            env={**command.env, **network_marks(permissions)},
            permissions=permissions,
            report="off",
            limits=limits,
            tty=command.tty,
        )
