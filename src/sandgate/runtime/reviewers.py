"""Who answers in this session, in order: prepared answers, the caller's reviewers, the person at the terminal."""

from __future__ import annotations

import os

from sandgate.config.features import ASSESSMENT
from sandgate.protocol.trace import Notice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from sandgate.approvals.advice import Advice
    from sandgate.approvals.chain import Reviewer
    from sandgate.config import Settings
    from sandgate.protocol.decisions import ApprovalRequest, Decision
    from sandgate.protocol.trace import Recorder
    from sandgate.runtime.confinement import Confinement
    from sandgate.runtime.model_risk import ModelRisk

    class Session(Protocol):
        """What a model needs of the session it works for."""

        settings: Settings
        confinement: Confinement
        record: Recorder

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
        from sandgate.approvals.human import TerminalReviewer

        return TerminalReviewer(colour=self._colour, start=self._start).review(request)

    def review_advised(self, request: ApprovalRequest, advice: Advice) -> Decision | None:
        """The same, with what is said about the question while the person decides."""
        from sandgate.approvals.human import TerminalReviewer

        return TerminalReviewer(colour=self._colour, start=self._start).review(request, advice)


def terminal_size() -> tuple[int, int] | None:
    """Columns and rows of the terminal that our messages go to; None where they go elsewhere, or it does not say."""
    try:
        columns, rows = os.get_terminal_size(STDERR)
    except (OSError, ValueError):
        return None
    return (columns, rows) if columns and rows else None


NO_MODEL = "the feature `{feature}` is on, but `assessment.model` names no model, so none is asked"


def advised(reviewers: tuple[Reviewer, ...], session: Session) -> tuple[Reviewer, ...]:
    """The same reviewers; a model looks at what people are asked, if the settings of this session want that."""
    settings = session.settings
    if ASSESSMENT not in settings.features:
        return reviewers
    wanted = settings.model_assessment
    if wanted is None:
        session.record(Notice("warning", NO_MODEL.format(feature=ASSESSMENT)))
        return reviewers
    from sandgate.runtime.advised import Advised

    # Not the session itself: one that nobody refers to must be able to end.
    confinement, environ, record, name = session.confinement, session.environ, session.record, session.new_id()

    def made() -> ModelRisk:
        from sandgate.runtime.model_risk import ModelRisk

        return ModelRisk(
            wanted,
            environ=environ,
            sandbox=settings.sandbox,
            permissions=confinement.permissions,
            tell=record,
            session=name,
        )

    return (Advised(reviewers, made),)


def reviewers_for(
    answers: tuple[str, ...], reviewers: tuple[Reviewer, ...], *, ask_at_terminal: bool, colour: bool
) -> tuple[Reviewer, ...]:
    """The reviewers that come after what was approved for the session. Raises RequestError for an unknown answer."""
    chain = list(reviewers)
    if answers:
        from sandgate.approvals.scripted import ScriptedReviewer

        chain.insert(0, ScriptedReviewer(answers))
    if ask_at_terminal:
        chain.append(_AtTerminal(colour=colour))
    return tuple(chain)
