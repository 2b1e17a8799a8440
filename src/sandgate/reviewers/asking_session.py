"""On whose behalf models are asked about the questions of a session.

A session without an agent has a name and nothing more. An agent fills in the rest once its conversation exists: which
model its turn has, and what was said.
"""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.config.assessor import ModelAssessment
    from sandgate.model.provider import Provider
    from sandgate.protocol.conversation import ConversationEntry


NO_MODEL = "no model is named for it (`assessment.model`), and there is none of the turn that could be asked"


class TurnModel(Record):
    """Who is asked, and how hard it should think."""

    model: str
    provider: Provider
    effort: str  # "none": it is not told to


class AskingSession:
    """Of one session. Read on the threads that ask."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.source = ""  # where the session comes from: "cli", or what a sub-agent is for; "": no agent's
        self.turn_model: Callable[[], TurnModel | None] | None = None  # None: there are no turns
        self.conversation: Callable[[], tuple[ConversationEntry, ...]] = tuple  # oldest first


def asked_about_risk(settings: ModelAssessment, asking: AskingSession) -> TurnModel | None:
    """The model that is named for it, or the turn's own; None where that is none that can be asked."""
    if settings.of_turn and asking.turn_model is not None:
        own = asking.turn_model()
        return own if own is None or settings.effort is None else own.but(effort=settings.effort)
    if not settings.model or settings.provider is None:
        return None
    return TurnModel(settings.model, settings.provider, settings.effort or settings.agent_effort)
