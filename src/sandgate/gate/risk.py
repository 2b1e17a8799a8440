"""Joins the offline assessor, which looks at nothing, with the facts it asks for."""

from __future__ import annotations

from sandgate.errors import DirectoryMissing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.gate.confinement import Confinement
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.denials import DenialReport
    from sandgate.protocol.environment import Environment
    from sandgate.protocol.patches import FileChange
    from sandgate.protocol.risk import RiskAssessment


def assessed(
    command: CommandRequest, denial: DenialReport | None, confinement: Confinement, environment: Environment
) -> RiskAssessment | None:
    """The assessment of a command as it stands in this workspace; None when it could not be made."""
    from sandgate.assessment.static import assess
    from sandgate.gate.target_facts import facts_for

    try:
        permissions = confinement.permissions()
    except DirectoryMissing:  # a yes has let the command remove it: what it could touch before is what is spoken of
        permissions = confinement.last_permissions
    facts = facts_for(command, environ=environment.environ, writable=permissions.writable)
    return assess(command, facts=facts, denial=denial, permissions=permissions)


def patch_assessed(
    changes: tuple[FileChange, ...],
    command: CommandRequest,
    denial: DenialReport | None,
    confinement: Confinement,
    environ: Mapping[str, str],
) -> RiskAssessment:
    """The assessment of a patch; `command` is the call that stands for it."""
    from sandgate.assessment.patched import assess_patch
    from sandgate.gate.target_facts import facts_for

    facts = facts_for(command, environ=environ, writable=confinement.permissions().writable)
    return assess_patch(changes, facts=facts, denial=denial)
