"""On whose behalf models are asked about what an agent does: its session, and what was said there."""

from __future__ import annotations

from sandgate.agent.conversation_entries import conversation_entries
from sandgate.errors import ConfigError
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from sandgate.agent.options import Superior
    from sandgate.model.prompt import ModelSettings
    from sandgate.protocol.conversation import ConversationEntry
    from sandgate.reviewers.asking_session import AskingSession, TurnModel
    from sandgate.session.conversation import Conversation
    from sandgate.session.turn import SessionSettings

    Heard = Callable[[], tuple[ConversationEntry, ...]]


class Origin(Record):
    """Which session it is, where it comes from, and which model its turns have."""

    session_id: str
    source: str
    turn_model: Callable[[], TurnModel | None] = lambda: None


def origin_of(
    settings: SessionSettings, source: str, model: Callable[[], ModelSettings], values: Mapping[str, Any]
) -> Origin:
    """`source`: of a session that works for no other. `model`: of the turn. `values`: of the configuration."""

    def turn_model() -> TurnModel | None:
        return model_of_turn(model(), settings.provider_id, values)

    return Origin(settings.session_id, settings.delegate or source, turn_model)


def asked_on_behalf(
    asking: AskingSession | None, origin: Origin, conversation: Conversation, superior: Superior | None
) -> Heard:
    """Says it, if a model may be asked at all. What was said reaches up to the person's own words."""

    def heard() -> tuple[ConversationEntry, ...]:
        own = conversation_entries(conversation.history.items, of_person=superior is None)
        return own if superior is None else (*superior.heard(), *own)

    if asking is not None:
        asking.session_id, asking.source, asking.conversation = origin.session_id, origin.source, heard
        asking.turn_model = origin.turn_model
    return heard


def model_of_turn(how: ModelSettings, provider_id: str, values: Mapping[str, Any]) -> TurnModel | None:
    """Who answers the turn, where single questions can be put there: not to a script, nor over another wire."""
    from sandgate.config.providers import questioned_provider
    from sandgate.reviewers.asking_session import TurnModel

    try:
        return TurnModel(how.model, questioned_provider(provider_id, values), how.effort or "none")
    except ConfigError:
        return None
