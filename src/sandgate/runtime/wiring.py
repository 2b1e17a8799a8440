"""Makes the parts of a session from its settings: what holds commands back, who answers, what is written down of it.

What only some sessions or questions want is loaded with the first that does.
"""

from __future__ import annotations

from sandgate.approvals.answering import WrittenAnswers
from sandgate.config import for_confinement
from sandgate.config.features import ASSESSMENT
from sandgate.gate.confinement import Confinement
from sandgate.sandbox.program_facts import programs_on_disk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sandgate.approvals.chain import Reviewer
    from sandgate.config import Settings
    from sandgate.policy.program_places import ProgramPlaces
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.confinement import ConfinementSettings
    from sandgate.protocol.denials import DenialReport
    from sandgate.protocol.environment import Environment
    from sandgate.protocol.risk import RiskAssessment
    from sandgate.protocol.trace import Recorder
    from sandgate.reviewers.assembly import ReviewedSession

    Making = Callable[[ConfinementSettings, Environment, Recorder], Confinement]


def confinement_of(
    settings: Settings, environment: Environment, record: Recorder, making: Making = Confinement
) -> Confinement:
    """What makes the plans of one session."""
    return making(for_confinement(settings, environment.environ), environment, record)


def places_of(
    settings: Settings, environment: Environment, confinement: Confinement
) -> Callable[[CommandRequest], ProgramPlaces]:
    """Where the programs of a command lie, and what its deletions would lose."""

    def ran(moment_ns: int) -> bool:
        return confinement.new_repositories().running.ran(moment_ns)

    return programs_on_disk(settings.sandbox, environment.cwd, tmp=settings.tmp, ran=ran)


def risk_of(
    command: CommandRequest, denial: DenialReport | None, confinement: Confinement, environment: Environment
) -> RiskAssessment | None:
    """The offline assessor, imported when it is first asked."""
    from sandgate.gate.risk import assessed as assess

    return assess(command, denial, confinement, environment)


def who_answers(reviewers: tuple[Reviewer, ...], session: ReviewedSession) -> tuple[Reviewer, ...]:
    """The reviewers, with a model in their place or beside them where the settings say so."""
    if session.settings.auto_review is None and ASSESSMENT not in session.settings.features:
        return reviewers
    from sandgate.reviewers.assembly import answering

    return answering(reviewers, session)


def written_answers(environ: Mapping[str, str], tell: Recorder, *, required: bool) -> WrittenAnswers:
    """What writes answers into the journal of the user's state directory, which is made with the first."""

    def state() -> str:
        from sandgate.config.state_directory import ensured_state

        return ensured_state(environ)

    return WrittenAnswers(state, tell, required=required)
