"""Which user messages no person typed.

Much of what a model is told stands in user messages: where it works, what a file says, that a turn was ended. Such a
message is one block between two marks, and known by both, so that a person who quotes an opening mark is still heard.
It makes no event, is not counted when a session is forked, and is not kept by compaction.
"""

from __future__ import annotations

from sandgate.protocol.items import InputImage, Message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandgate.protocol.items import Item

ENVIRONMENT = "environment_context"
TURN_ABORTED = "turn_aborted"
USER_ACTION = "user_action"
USER_SHELL_COMMAND = "user_shell_command"
SUBAGENT_NOTIFICATION = "subagent_notification"
AGENTS_MD = "# AGENTS.md instructions for "
INSTRUCTIONS = "INSTRUCTIONS"
_Pair = tuple[str, str]


def _pair(tag: str) -> _Pair:
    return f"<{tag}>", f"</{tag}>"


# Marks are compared in small letters.
_CONTEXT_PAIRS = (
    _pair(ENVIRONMENT),
    (AGENTS_MD.lower(), f"</{INSTRUCTIONS.lower()}>"),
    _pair("user_instructions"),  # how other programs' older transcripts have what AGENTS.md says
)
_NOTICE_PAIRS = tuple(map(_pair, (TURN_ABORTED, USER_ACTION, USER_SHELL_COMMAND, SUBAGENT_NOTIFICATION, "skill")))
SUMMARY_PREFIX = (
    "[Sandgate: the conversation up to here was replaced by the summary below, because it had become too long. The"
    " messages of the person above it, as far as they are kept, are verbatim. Build on what is done, and check what"
    " matters before relying on it.]"
)


def is_session_prefix(message: Message) -> bool:
    """Whether a user message is one of ours: any of its texts stands between the marks of a pair."""
    return _has_block(message, _CONTEXT_PAIRS + _NOTICE_PAIRS)


def is_initial_context(item: Item) -> bool:
    """Whether it tells the surroundings, or what instructions files say: what a conversation has to begin with."""
    if not isinstance(item, Message):
        return False
    return item.role == "developer" or (item.role == "user" and _has_block(item, _CONTEXT_PAIRS))


def is_summary(message: Message) -> bool:
    """Whether it is the summary that a compaction left."""
    first = message.content[0] if message.content else None
    return first is not None and not isinstance(first, InputImage) and first.text.startswith(SUMMARY_PREFIX)


def is_real_user_message(item: Item) -> bool:
    """Whether a person said it."""
    return isinstance(item, Message) and item.role == "user" and not is_session_prefix(item) and not is_summary(item)


def real_user_messages(items: Iterable[Item]) -> tuple[Message, ...]:
    """What the person said, oldest first."""
    return tuple(item for item in items if isinstance(item, Message) and is_real_user_message(item))


def block(tag: str, body: str) -> str:
    """`body` between the marks of `tag`, on lines of their own; it cannot end the block."""
    return f"<{tag}>\n{without_end(body, tag)}\n</{tag}>"


def without_end(text: str, tag: str) -> str:
    """`text` in which no closing mark of `tag`, however it is written, is one any more."""
    import re

    return re.sub(rf"<(?=\s*/\s*{re.escape(tag)})", r"<\\", text, flags=re.IGNORECASE)


def _has_block(message: Message, pairs: tuple[_Pair, ...]) -> bool:
    texts = (part.text.strip() for part in message.content if not isinstance(part, InputImage))
    return any(_stands_between(text, *pair) for text in texts for pair in pairs)


def _stands_between(text: str, start: str, end: str) -> bool:
    return text[: len(start)].lower() == start and text[-len(end) :].lower() == end
