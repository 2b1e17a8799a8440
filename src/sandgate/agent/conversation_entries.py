"""What was said in a session, as who judges its actions gets to see it: speakers and texts.

Only what a person typed is the user's. What a sub-agent is told was written by the model above it, so there it is the
agent's; notices of ours, instructions files and summaries are nobody's word and are left out.
"""

from __future__ import annotations

from sandgate.protocol.conversation import ConversationEntry
from sandgate.protocol.items import (
    CustomToolCall,
    CustomToolCallOutput,
    FunctionCall,
    FunctionCallOutput,
    LocalShellCall,
    Message,
    message_text,
)
from sandgate.session.synthetic_messages import is_real_user_message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandgate.protocol.items import Item


def conversation_entries(items: Iterable[Item], *, of_person: bool) -> tuple[ConversationEntry, ...]:
    """Oldest first; who shows them bounds them. `of_person`: a person talks to this session."""
    return tuple(entry for item in items if (entry := _entry(item, of_person=of_person)) is not None)


def _entry(item: Item, *, of_person: bool) -> ConversationEntry | None:
    match item:
        case Message() if item.role == "assistant":
            return ConversationEntry("assistant", message_text(item))
        case Message() if is_real_user_message(item):
            return ConversationEntry("user" if of_person else "assistant", message_text(item))
        case FunctionCall():
            return ConversationEntry("tool_call", f"{item.name} {item.arguments}")
        case CustomToolCall():
            return ConversationEntry("tool_call", f"{item.name} {item.input}")
        case LocalShellCall():
            return ConversationEntry("tool_call", f"local_shell {item.action.get('command', '')}")
        case FunctionCallOutput() | CustomToolCallOutput():
            return ConversationEntry("tool_result", _output_text(item))
        case _:
            return None


def _output_text(item: FunctionCallOutput | CustomToolCallOutput) -> str:
    if isinstance(item.output, str):
        return item.output
    return "\n".join(part.text for part in item.output if hasattr(part, "text"))
