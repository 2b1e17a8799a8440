"""Who answers in this session, in order: prepared answers, the caller's reviewers, the person at the terminal.

The automatic reviewer stands in their place when the configuration asks for one and the policy lets it answer.
"""

from __future__ import annotations

import os

from sandgate.protocol.permissions import Granular
from sandgate.protocol.trace import Notice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol

    from sandgate.approvals.chain import Reviewer
    from sandgate.approvals.prompts.advice import Advice
    from sandgate.config import Settings
    from sandgate.config.reviewer import AutoReviewSettings
    from sandgate.model.client import ModelClient
    from sandgate.protocol.decisions import ApprovalRequest, Decision
    from sandgate.protocol.permissions import ApprovalPolicy, EffectivePermissions
    from sandgate.protocol.trace import Recorder
    from sandgate.reviewers.asking_session import AskingSession
    from sandgate.reviewers.model_risk import ModelRisk

    class Permitting(Protocol):
        """Says what commands may touch, looked up when it is asked."""

        def permissions(self) -> EffectivePermissions: ...

    class ReviewedSession(Protocol):
        """What a model needs of the session it works for."""

        settings: Settings
        record: Recorder
        asking: AskingSession | None

        @property
        def confinement(self) -> Permitting: ...
        @property
        def environ(self) -> Mapping[str, str]: ...
        @staticmethod
        def new_id() -> str: ...


STDERR = 2


class _AtTerminal:
    """The terminal reviewer, imported only when a question really reaches it."""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour
        self._start = terminal_size()  # before a command that shares the terminal can change it

    def review(self, request: ApprovalRequest) -> Decision | None:
        return self.review_advised(request, None)

    def review_advised(self, request: ApprovalRequest, advice: Advice | None) -> Decision | None:
        """The same, with what is said about the question while the person decides."""
        from sandgate.reviewers.terminal import TerminalReviewer

        reviewer = TerminalReviewer(colour=self._colour, start=self._start)
        if request.stage != "held":
            return reviewer.review(request) if advice is None else reviewer.review(request, advice)
        from sandgate.reviewers.while_held import asked_meanwhile

        return asked_meanwhile(reviewer, request, advice)


def terminal_size() -> tuple[int, int] | None:
    """Columns and rows of the terminal that our messages go to; None where they go elsewhere, or it does not say."""
    try:
        columns, rows = os.get_terminal_size(STDERR)
    except (OSError, ValueError):
        return None
    return (columns, rows) if columns and rows else None


NOT_HERE = "people answer here: under the approval policy `{policy}`, `approvals_reviewer` has no effect"


def advised(reviewers: tuple[Reviewer, ...], session: ReviewedSession) -> tuple[Reviewer, ...]:
    """The same reviewers; a model looks at what people are asked, if the settings of this session want that."""
    settings = session.settings
    wanted = settings.model_assessment
    if wanted is None:
        return reviewers
    from sandgate.reviewers.with_risk_advice import WithRiskAdvice

    # Not the session itself: a session that no caller refers to must be able to end.
    confinement, environ, record, asking = session.confinement, session.environ, session.record, _asking(session)

    def made() -> ModelRisk:
        from sandgate.reviewers.model_risk import ModelRisk

        return ModelRisk(
            wanted,
            environ=environ,
            sandbox=settings.sandbox,
            permissions=confinement.permissions,
            tell=record,
            asking=asking,
        )

    return (WithRiskAdvice(reviewers, made, form_wait_ms=wanted.form_wait_ms),)


def reviewers_for(
    answers: tuple[str, ...], reviewers: tuple[Reviewer, ...], *, ask_at_terminal: bool, colour: bool
) -> tuple[Reviewer, ...]:
    """The reviewers that come after what was approved for the session. Raises RequestError for an unknown answer."""
    chain = list(reviewers)
    if answers:
        from sandgate.reviewers.prepared import ScriptedReviewer

        chain.insert(0, ScriptedReviewer(answers))
    if ask_at_terminal:
        chain.append(_AtTerminal(colour=colour))
    return tuple(chain)


def answering(reviewers: tuple[Reviewer, ...], session: ReviewedSession) -> tuple[Reviewer, ...]:
    """Who answers in this session: a model in place of people, or people with a model beside them, as settings say."""
    if session.settings.auto_review is None:
        return advised(reviewers, session)
    prepared = tuple(one for one in reviewers if getattr(one, "automatic", False))
    people = advised(tuple(one for one in reviewers if one not in prepared), session)
    reviewer = automatic_reviewer(people, session)
    return (*prepared, *people) if reviewer is None else (*prepared, reviewer)


def applies(approval: ApprovalPolicy) -> bool:
    """Whether a model may answer at all."""
    return approval == "on-request" or isinstance(approval, Granular)


def automatic_reviewer(people: tuple[Reviewer, ...], session: ReviewedSession) -> Reviewer | None:
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
    from sandgate.assessment.review_question import ReviewCircumstances
    from sandgate.config.state_directory import ensured_state
    from sandgate.reviewers.model_reviewer import ModelReviewer

    policy = settings.approval if isinstance(settings.approval, str) else "granular"
    listening = [tell for one in people if (tell := getattr(one, "when_given_up", None)) is not None]
    return ModelReviewer(
        _client(asked, session.environ),
        ReviewCircumstances(policy, policy_summary(settings.sandbox)),
        asking=_asking(session),
        record=session.record,
        overrides=Overrides(ensured_state(session.environ)),
        then=_InOrder(people) if people else None,
        on_denial=asked.on_denial,
        policy=asked.policy,
        deadline_ms=asked.timeout_ms,
        when_cancelled=listening[0] if listening else lambda _tell: None,
    )


def _asking(session: ReviewedSession) -> AskingSession:
    """For whom its models are asked; an agent says more of it later."""
    if session.asking is None:
        from sandgate.reviewers.asking_session import AskingSession

        session.asking = AskingSession(session.new_id())
    return session.asking


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
