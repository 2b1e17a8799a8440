"""One turn as it was asked for. What is changed meanwhile is for the next one."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sandgate.model.prompt import ModelSettings
    from sandgate.protocol.permissions import ApprovalPolicy, SandboxPolicy


class SessionSettings(Record):
    """What holds from one turn to the next."""

    session_id: str
    cwd: str
    instructions: str
    model: ModelSettings
    provider_id: str
    approval: ApprovalPolicy
    sandbox: SandboxPolicy
    stream_max_retries: int = 5
    parallel_tool_calls: bool = True
    compact_at_tokens: int | None = None  # None: never by itself
    token_budget: int | None = None  # of the whole session, new input and output; None: no end
    delegate: str = ""  # what this session is for another one; "": it works for no other
    parent_id: str = ""
    changed: tuple[str, ...] = ()  # which of these turns have asked for, in names of the wire


class Turn(Record):
    """A snapshot."""

    turn_id: str
    settings: SessionSettings
    output_schema: Mapping[str, Any] | None = None
