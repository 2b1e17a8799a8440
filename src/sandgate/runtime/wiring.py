"""Makes the parts of a session from its settings: what holds commands back, who answers, what is written down of it.

What only some sessions or questions want is loaded with the first that does.
"""

from __future__ import annotations

from _thread import allocate_lock

from sandgate.config import for_confinement
from sandgate.config.features import ASSESSMENT
from sandgate.gate.confinement import Confinement
from sandgate.sandbox.program_facts import programs_on_disk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sandgate.approvals.chain import Reviewer
    from sandgate.approvals.written_answers import WriteDown
    from sandgate.config import Settings
    from sandgate.policy.program_places import ProgramPlaces
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.confinement import ConfinementSettings
    from sandgate.protocol.decisions import ApprovalRequest, Attempt, Decision
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


class WrittenAnswers:
    """Writes an answer down, and says what it counts for; made with the first answer. Threads may share it."""

    def __init__(self, environ: Mapping[str, str], tell: Recorder, *, required: bool) -> None:
        self._said = environ, tell, required
        self._making = allocate_lock()
        self._write_down: WriteDown | None = None

    def __call__(self, request: ApprovalRequest, decision: Decision) -> Decision:
        with self._making:
            if self._write_down is None:
                from sandgate.approvals.written_answers import written_down
                from sandgate.config.state_directory import ensured_state

                environ, tell, required = self._said
                self._write_down = written_down(lambda: ensured_state(environ), tell, required=required)
        return self._write_down(request, decision)

    def performed(self, call_id: str, command: CommandRequest, attempt: Attempt) -> None:
        """Writes down what was carried out for a run."""
        from sandgate.approvals.written_answers import write_performed
        from sandgate.config.state_directory import ensured_state

        environ, tell, _ = self._said
        write_performed(lambda: ensured_state(environ), tell, call_id, command, attempt)
