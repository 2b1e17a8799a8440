"""On whose behalf models are asked about what an agent does: its session, and what was said there."""

from __future__ import annotations

from sandgate.agent.conversation_entries import conversation_entries
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.agent.options import Superior
    from sandgate.assessment.review_question import ConversationEntry
    from sandgate.reviewers.asking_session import AskingSession
    from sandgate.session.conversation import Conversation

    Heard = Callable[[], tuple[ConversationEntry, ...]]


class Origin(Record):
    """Which session it is, and where it comes from."""

    session_id: str
    source: str


def asked_on_behalf(
    asking: AskingSession | None, origin: Origin, conversation: Conversation, superior: Superior | None
) -> Heard:
    """Says it, if a model may be asked at all. What was said reaches up to the person's own words."""

    def heard() -> tuple[ConversationEntry, ...]:
        own = conversation_entries(conversation.history.items, of_person=superior is None)
        return own if superior is None else (*superior.heard(), *own)

    if asking is not None:
        asking.session_id, asking.source, asking.conversation = origin.session_id, origin.source, heard
    return heard
