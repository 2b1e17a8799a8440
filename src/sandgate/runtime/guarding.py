"""Puts the automatic reviewer into a session, when the configuration asks for one and the policy lets it answer."""

from __future__ import annotations

from sandgate.protocol.permissions import Granular
from sandgate.protocol.trace import Notice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.approvals.chain import Reviewer
    from sandgate.config import Settings
    from sandgate.model.client import ModelClient
    from sandgate.protocol.decisions import ApprovalRequest, Decision
    from sandgate.protocol.permissions import ApprovalPolicy
    from sandgate.protocol.trace import Recorder
    from sandgate.runtime.environment import Environment

NOT_HERE = "people answer here: under the approval policy `{policy}`, `approvals_reviewer` has no effect"


def applies(approval: ApprovalPolicy) -> bool:
    """Whether a model may answer at all (approvals.md section 9)."""
    return approval == "on-request" or isinstance(approval, Granular)


def automatic_reviewer(
    settings: Settings, environment: Environment, record: Recorder
) -> Callable[[tuple[Reviewer, ...]], Reviewer] | None:
    """Makes the reviewer from the people who come after it; None where people answer."""
    asked = settings.auto_review
    if asked is None:
        return None
    if not applies(settings.approval):
        record(Notice("warning", NOT_HERE.format(policy=settings.approval)))
        return None

    def reviewer(people: tuple[Reviewer, ...]) -> Reviewer:
        from sandgate.approvals.overrides import Overrides
        from sandgate.assessment.model_prompt import policy_summary
        from sandgate.assessment.review_question import Circumstances
        from sandgate.runtime.guardian import GuardianReviewer
        from sandgate.runtime.state import ensured_state

        policy = settings.approval if isinstance(settings.approval, str) else "granular"
        listening = [tell for one in people if (tell := getattr(one, "when_given_up", None)) is not None]
        return GuardianReviewer(
            _client(settings, environment),
            Circumstances(policy, policy_summary(settings.sandbox)),
            record=record,
            overrides=Overrides(ensured_state(environment.environ)),
            then=_InOrder(people) if people else None,
            on_denial=asked.on_denial,
            policy=asked.policy,
            deadline_ms=asked.timeout_ms,
            when_cancelled=listening[0] if listening else lambda _tell: None,
        )

    return reviewer


def _client(settings: Settings, environment: Environment) -> Callable[[], ModelClient]:
    def client() -> ModelClient:
        from sandgate.model.client import ModelClient

        asked = settings.auto_review
        if asked is None:
            raise AssertionError("no automatic reviewer is configured")
        return ModelClient(asked.provider, model=asked.model, environ=environment.environ, effort=asked.effort)

    return client


class _InOrder:
    """Several reviewers as one: the first who answers."""

    def __init__(self, reviewers: tuple[Reviewer, ...]) -> None:
        self._reviewers = reviewers

    def review(self, request: ApprovalRequest) -> Decision | None:
        answers = (reviewer.review(request) for reviewer in self._reviewers)
        return next((answer for answer in answers if answer is not None), None)
