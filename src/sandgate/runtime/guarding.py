"""Puts the automatic reviewer into a session, when the configuration asks for one and the policy lets it answer."""

from __future__ import annotations

from sandgate.protocol.permissions import Granular
from sandgate.protocol.trace import Notice
from sandgate.runtime.reviewers import advised

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sandgate.approvals.chain import Reviewer
    from sandgate.config.reviewer import AutoReviewSettings
    from sandgate.model.client import ModelClient
    from sandgate.protocol.decisions import ApprovalRequest, Decision
    from sandgate.protocol.permissions import ApprovalPolicy
    from sandgate.runtime.reviewers import Session

NOT_HERE = "people answer here: under the approval policy `{policy}`, `approvals_reviewer` has no effect"


def answering(reviewers: tuple[Reviewer, ...], session: Session) -> tuple[Reviewer, ...]:
    """Who answers in this session: a model in place of people, or people with a model beside them, as settings say."""
    if session.settings.auto_review is None:
        return advised(reviewers, session)
    prepared = tuple(one for one in reviewers if getattr(one, "automatic", False))
    people = advised(tuple(one for one in reviewers if one not in prepared), session)
    reviewer = automatic_reviewer(people, session)
    return (*prepared, *people) if reviewer is None else (*prepared, reviewer)


def applies(approval: ApprovalPolicy) -> bool:
    """Whether a model may answer at all (approvals.md section 9)."""
    return approval == "on-request" or isinstance(approval, Granular)


def automatic_reviewer(people: tuple[Reviewer, ...], session: Session) -> Reviewer | None:
    """The reviewer who stands before `people`; None, and a warning, where policy leaves answering to them."""
    settings = session.settings
    asked = settings.auto_review
    if asked is None:
        return None
    if not applies(settings.approval):
        session.record(Notice("warning", NOT_HERE.format(policy=settings.approval)))
        return None
    from sandgate.approvals.overrides import Overrides
    from sandgate.assessment.model_prompt import policy_summary
    from sandgate.assessment.review_question import Circumstances
    from sandgate.runtime.guardian import GuardianReviewer
    from sandgate.runtime.state import ensured_state

    policy = settings.approval if isinstance(settings.approval, str) else "granular"
    listening = [tell for one in people if (tell := getattr(one, "when_given_up", None)) is not None]
    return GuardianReviewer(
        _client(asked, session.environ),
        Circumstances(policy, policy_summary(settings.sandbox), session.new_id()),
        record=session.record,
        overrides=Overrides(ensured_state(session.environ)),
        then=_InOrder(people) if people else None,
        on_denial=asked.on_denial,
        policy=asked.policy,
        deadline_ms=asked.timeout_ms,
        when_cancelled=listening[0] if listening else lambda _tell: None,
    )


def _client(asked: AutoReviewSettings, environ: Mapping[str, str]) -> Callable[[], ModelClient]:
    def client() -> ModelClient:
        from sandgate.model.client import ModelClient

        return ModelClient(asked.provider, model=asked.model, environ=environ, effort=asked.effort)

    return client


class _InOrder:
    """Several reviewers as one: the first who answers."""

    def __init__(self, reviewers: tuple[Reviewer, ...]) -> None:
        self._reviewers = reviewers

    def review(self, request: ApprovalRequest) -> Decision | None:
        answers = (reviewer.review(request) for reviewer in self._reviewers)
        return next((answer for answer in answers if answer is not None), None)
