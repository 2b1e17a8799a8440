"""What a model is sent in one request of a conversation, and which session asks."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sandgate.protocol.items import Item


class Prompt(Record):
    """One request. The whole conversation goes along every time."""

    instructions: str
    input: tuple[Item, ...]
    tools: tuple[Mapping[str, Any], ...] = ()  # as the Responses API has them
    parallel_tool_calls: bool = False
    output_schema: Mapping[str, Any] | None = None  # JSON schema of the last message
    how: ModelSettings | None = None  # which model answers; None: the one that is asked, as it is set


class ModelSettings(Record):
    """Which model answers, and how."""

    model: str
    effort: str | None = None  # "none", "minimal", "low", "medium", "high", "xhigh"; None: the provider's own
    summary: str | None = None  # of thoughts: "auto", "concise", "detailed", "none"; None: not asked for
    verbosity: str | None = None  # "low", "medium", "high"; None: not said
    context_window: int | None = None  # tokens
    max_output_tokens: int | None = None


class Asking(Record):
    """On whose behalf, for gateways that route and meter."""

    session_id: str
    turn_id: str = ""
    delegate: str = ""  # "review", "compact", "collab_spawn" or a label; "": the session itself
    parent_id: str = ""  # of a delegate
