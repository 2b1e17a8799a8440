"""What was said in a session, as who judges its actions gets to see it."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Speaker = Literal["user", "assistant", "tool_call", "tool_result"]


class ConversationEntry(Record):
    """One entry of the conversation that led to an action."""

    speaker: Speaker
    text: str
