"""Has a model look at questions while people do: which ones, how many at once, and what is remembered.

Imported with the first question to ask about. No question ever waits for it, and nothing rests on it: a question
is shown with the offline risk, and gets more words if they come in time.
"""

from __future__ import annotations

import os
from collections import deque
from contextlib import contextmanager
from threading import Lock, Thread

from sandgate.approvals.keys import canonical
from sandgate.approvals.prompts.prompt import DENIALS_SHOWN_MAX, denial_text, is_input
from sandgate.assessment.model_answer import parsed_answer
from sandgate.assessment.model_prompt import PROMPT_VERSION, SCHEMA, Subject, policy_summary, risk_question
from sandgate.config.features import ASSESSMENT
from sandgate.errors import Late, ModelError, ModelFailed, NoOutput, Withdrawn
from sandgate.gate.policies import as_judged
from sandgate.model.question import ModelQuestion
from sandgate.protocol.trace import Notice
from sandgate.reviewers.asking_session import NO_MODEL, asked_about_risk
from sandgate.reviewers.consultation import Consultation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping

    from sandgate.assessment.model_answer import ModelAnswer
    from sandgate.config.assessor import ModelAssessment
    from sandgate.model.client import ModelClient
    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.protocol.permissions import EffectivePermissions, SandboxPolicy
    from sandgate.protocol.trace import AssessmentStatus, TraceRecord
    from sandgate.reviewers.asking_session import AskingSession, TurnModel

CONCURRENT_MAX = 2  # requests at the same time, of one session; further ones wait for their turn
REMEMBERED_MAX = 512  # answers, of one session; the oldest goes
TAG_BYTES = 8
SOURCE = "risk_assessment"
NOBODY = "the feature `{feature}` is on, but {why}"
STATUS: dict[type[ModelError], AssessmentStatus] = {
    Late: "timeout",
    Withdrawn: "cancelled",
    NoOutput: "no_output",
    ModelFailed: "model_error",
}


class ModelRisk:
    """The model of one session. `permissions` says what commands may touch, looked up on another thread."""

    def __init__(
        self,
        settings: ModelAssessment,
        *,
        environ: Mapping[str, str],
        sandbox: SandboxPolicy,
        permissions: Callable[[], EffectivePermissions],
        tell: Callable[[TraceRecord], None],
        asking: AskingSession,
    ) -> None:
        self._settings = settings
        self._environ = environ
        self._policy = policy_summary(sandbox)
        self._permissions = permissions
        self._tell = tell
        self._asking = asking
        self._said_so = False  # that no model can be asked
        self._guard = Lock()
        self._waiting: deque[Consultation] = deque()
        self._working = 0
        self._remembered: dict[Hashable, ModelAnswer] = {}

    @contextmanager
    def about(self, request: ApprovalRequest) -> Iterator[Consultation | None]:
        """Asks about this question until the block is left; None when it is not one to ask about."""
        if not self._concerns(request):
            yield None
            return
        consultation = Consultation(request, self._tell)
        try:
            with self._guard:
                known = self._remembered.get(self._key(request, self._whom()))
            if known is not None:
                consultation.answered(known)
            else:
                self._begin(consultation)
            yield consultation
        finally:
            with self._guard:
                if consultation in self._waiting:
                    self._waiting.remove(consultation)
            consultation.end()

    def _concerns(self, request: ApprovalRequest) -> bool:
        """A patch shows all it does, and typed input is no command."""
        if not request.command.argv or request.changes or is_input(request):
            return False
        return request.stage != "initial" or self._settings.when == "all"

    def _begin(self, consultation: Consultation) -> None:
        with self._guard:
            if self._working >= CONCURRENT_MAX:
                self._waiting.append(consultation)
                return
            self._working += 1
        Thread(target=self._work, args=(consultation,), name="sandgate-model-risk", daemon=True).start()

    def _work(self, consultation: Consultation | None) -> None:
        while consultation is not None:
            try:
                self._consult(consultation)
            except Exception as error:  # a fault of ours costs words, never a question (invariant 12)
                consultation.failed("model_error", type(error).__name__)
            with self._guard:
                consultation = self._waiting.popleft() if self._waiting else None
                if consultation is None:
                    self._working -= 1

    def _consult(self, consultation: Consultation) -> None:
        whom = self._whom()
        if whom is None:
            self._say_nobody()
            consultation.failed("skipped", NO_MODEL)
            return
        try:
            asked = self._question(consultation.request)
        except ValueError as problem:
            consultation.failed("skipped", str(problem))
            return
        if not consultation.begin():
            return
        try:
            text = self._client(whom).answer(
                asked,
                deadline_ms=self._settings.timeout_ms,
                cancelled=consultation.cancelled,
                count=consultation.cost,
            )
        except ModelError as problem:
            consultation.failed(STATUS.get(type(problem), "model_error"), problem.what)
            return
        answer = parsed_answer(text)
        if answer is None:
            consultation.failed("parse_error")
            return
        self._remember(self._key(consultation.request, whom), answer)
        consultation.answered(answer)

    def _whom(self) -> TurnModel | None:
        return asked_about_risk(self._settings, self._asking)

    def _say_nobody(self) -> None:
        """Once: the feature is on, so somebody expects words."""
        with self._guard:
            said, self._said_so = self._said_so, True
        if not said:
            self._tell(Notice("warning", NOBODY.format(feature=ASSESSMENT, why=NO_MODEL)))

    def _client(self, whom: TurnModel) -> ModelClient:
        """Imported on the thread that asks: a person must not wait for it to see the question."""
        from sandgate.model.client import ModelClient

        return ModelClient(whom.provider, model=whom.model, environ=self._environ, effort=whom.effort)

    def _question(self, request: ApprovalRequest) -> ModelQuestion:
        permissions = self._permissions()
        subject = Subject(
            argv=as_judged(request.command).argv,
            cwd=request.command.cwd,
            policy=self._policy,
            writable=permissions.writable,
            protected=permissions.read_only,
            failure=_failure(request),
        )
        instructions, text = risk_question(subject, tag=os.urandom(TAG_BYTES).hex())
        asking = self._asking
        return ModelQuestion(instructions, text, SCHEMA, SOURCE, parent=asking.session_id, parent_source=asking.source)

    def _key(self, request: ApprovalRequest, whom: TurnModel | None) -> Hashable:
        command = as_judged(request.command)
        denials = request.denial.denials if request.denial is not None else ()
        kinds = frozenset((each.operation, each.layer) for each in denials)
        return canonical(command.argv), command.cwd, self._policy, kinds, whom and whom.model, PROMPT_VERSION

    def _remember(self, key: Hashable, answer: ModelAnswer) -> None:
        with self._guard:
            self._remembered[key] = answer
            while len(self._remembered) > REMEMBERED_MAX:
                del self._remembered[next(iter(self._remembered))]


def _failure(request: ApprovalRequest) -> str:
    """What the sandbox stopped, a line each."""
    if request.denial is None:
        return ""
    lines = [denial_text(denial) for denial in request.denial.denials[:DENIALS_SHOWN_MAX]]
    more = len(request.denial.denials) - len(lines) + request.denial.omitted
    return "\n".join([*lines, f"{more} more"] if more else lines)
