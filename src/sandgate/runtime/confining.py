"""Puts together what holds the commands of a session back, and what is said of their risk."""

from __future__ import annotations

from sandgate.config import for_confinement
from sandgate.gate.confinement import Confinement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.config import Settings
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.denials import DenialReport
    from sandgate.protocol.environment import Environment
    from sandgate.protocol.risk import RiskAssessment
    from sandgate.protocol.trace import Recorder
    from sandgate.runtime.project_caches import ProjectCaches


def confinement_of(settings: Settings, environment: Environment, record: Recorder) -> Confinement:
    """What makes the plans of one session."""
    return Confinement(for_confinement(settings, environment.environ), environment, record, _HomeCaches())


def assessed(
    command: CommandRequest, denial: DenialReport | None, confinement: Confinement, environment: Environment
) -> RiskAssessment | None:
    """The offline assessor, imported when it is first asked."""
    from sandgate.gate.risk import assessed as assess

    return assess(command, denial, confinement, environment)


class _HomeCaches:
    """Loaded with the first command that may use one."""

    def layers(self, homes: list[str]) -> ProjectCaches:
        from sandgate.runtime.project_caches import ProjectCaches

        return ProjectCaches(homes)

    def existing(self, homes: list[str]) -> tuple[str, ...]:
        from sandgate.runtime.project_caches import all_existing

        return all_existing(homes)
