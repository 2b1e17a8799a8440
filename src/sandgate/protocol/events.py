"""What a session tells those who watch it.

Every event of a session has a number without gaps, so that a watcher that comes back asks for what it has missed. `id`
is the turn that caused it, "" before the first. Field names are those on the wire; `events_wire.py` writes them. The
conversation is here; what its model does is in `action_events.py`, and imported from here all the same.
"""

from __future__ import annotations

from sandgate.protocol.action_events import ApplyPatchApprovalRequest as ApplyPatchApprovalRequest
from sandgate.protocol.action_events import ApprovalResolved as ApprovalResolved
from sandgate.protocol.action_events import AutomaticReview as AutomaticReview
from sandgate.protocol.action_events import CustomPrompt as CustomPrompt
from sandgate.protocol.action_events import DelegateBegin as DelegateBegin
from sandgate.protocol.action_events import DelegateEnd as DelegateEnd
from sandgate.protocol.action_events import ExecApprovalRequest as ExecApprovalRequest
from sandgate.protocol.action_events import ExecCommandBegin as ExecCommandBegin
from sandgate.protocol.action_events import ExecCommandContinues as ExecCommandContinues
from sandgate.protocol.action_events import ExecCommandEnd as ExecCommandEnd
from sandgate.protocol.action_events import ExecCommandOutputDelta as ExecCommandOutputDelta
from sandgate.protocol.action_events import HistoryEntry as HistoryEntry
from sandgate.protocol.action_events import HistoryEntryResponse as HistoryEntryResponse
from sandgate.protocol.action_events import ListCustomPromptsResponse as ListCustomPromptsResponse
from sandgate.protocol.action_events import McpListToolsResponse as McpListToolsResponse
from sandgate.protocol.action_events import McpToolCallBegin as McpToolCallBegin
from sandgate.protocol.action_events import McpToolCallEnd as McpToolCallEnd
from sandgate.protocol.action_events import PatchApplyBegin as PatchApplyBegin
from sandgate.protocol.action_events import PatchApplyEnd as PatchApplyEnd
from sandgate.protocol.action_events import PlanStep as PlanStep
from sandgate.protocol.action_events import PlanUpdate as PlanUpdate
from sandgate.protocol.action_events import SandboxAssessment as SandboxAssessment
from sandgate.protocol.action_events import TerminalInteraction as TerminalInteraction
from sandgate.protocol.action_events import TurnDiff as TurnDiff
from sandgate.protocol.action_events import UndoCompleted as UndoCompleted
from sandgate.protocol.action_events import UndoStarted as UndoStarted
from sandgate.protocol.action_events import ViewImageToolCall as ViewImageToolCall
from sandgate.protocol.action_events import WebSearchBegin as WebSearchBegin
from sandgate.protocol.action_events import WebSearchEnd as WebSearchEnd
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal, TypeAlias

    from sandgate.protocol.items import Item
    from sandgate.protocol.review import ReviewOutput
    from sandgate.protocol.usage import RateLimits, TokenInfo

    AbortReason = Literal["interrupted", "replaced", "review_ended", "budget_limited"]


class Event(Record):
    """One thing that happened. `seq` counts from 0 in each session."""

    id: str
    seq: int
    msg: EventMessage
    delegate: Mapping[str, str] | None = None  # {"id", "kind"} of the sub-agent to which it happened


class SessionConfigured(Record):
    """Always the first."""

    session_id: str
    model: str
    cwd: str
    approval_policy: str
    sandbox_policy: Mapping[str, Any]
    model_provider_id: str
    reasoning_effort: str | None = None
    rollout_path: str | None = None  # None: nothing is kept
    forked_from_id: str | None = None
    initial_messages: tuple[Mapping[str, Any], ...] | None = None  # kept events of a resumed or forked session, as JSON
    history_log_id: int | None = None  # of what was typed in earlier sessions; None: it cannot be read
    history_entry_count: int | None = None


class TaskStarted(Record):
    """A turn begins."""

    turn_id: str
    started_at: int  # seconds since 1970
    model_context_window: int | None = None


class TaskComplete(Record):
    """A turn ended by itself."""

    turn_id: str
    completed_at: int  # seconds since 1970
    duration_ms: int
    last_agent_message: str | None = None
    time_to_first_token_ms: int | None = None


class TurnAborted(Record):
    """A turn was ended from outside."""

    turn_id: str
    reason: AbortReason


class Failed(Record):
    """The turn, or the start of a part of the session, failed; the session goes on. On the wire: `error`."""

    message: str
    code: str = ""  # of our errors


class StreamError(Record):
    """The connection to the model broke and is tried again."""

    message: str
    additional_details: str | None = None  # why


class Warned(Record):
    """On the wire: `warning`."""

    message: str


class BackgroundEvent(Record):
    """Progress, in words."""

    message: str


class DeprecationNotice(Record):
    """A setting has a new name."""

    summary: str
    details: str | None = None


class TokenCount(Record):
    """The gauge, or what is known of limits, has changed."""

    info: TokenInfo | None = None
    rate_limits: RateLimits | None = None


class UserMessage(Record):
    """What the person said is part of the conversation."""

    message: str
    images: tuple[str, ...] = ()


class AgentMessage(Record):
    """A whole message of the model."""

    message: str


class AgentMessageDelta(Record):
    """A piece of one."""

    delta: str


class AgentReasoning(Record):
    """A whole summary of what the model thought."""

    text: str


class AgentReasoningDelta(Record):
    """A piece of one."""

    delta: str


class AgentReasoningSectionBreak(Record):
    """Another part of the summary begins."""


class ItemStarted(Record):
    """An item of the conversation begins."""

    turn_id: str
    item: Item
    item_id: str


class ItemCompleted(Record):
    """An item of the conversation is complete."""

    turn_id: str
    item: Item
    item_id: str


class EnteredReviewMode(Record):
    """A review begins."""

    prompt: str
    user_facing_hint: str = ""


class ExitedReviewMode(Record):
    """A review is over; without a result when it was ended early."""

    review_output: ReviewOutput | None = None


class ContextCompacted(Record):
    """The history was replaced by a summary."""


class RawResponseItem(Record):
    """An item as it was recorded, for clients that want all of them."""

    item: Item


class ShutdownComplete(Record):
    """Always the last."""


if TYPE_CHECKING:
    EventMessage: TypeAlias = (
        SessionConfigured
        | TaskStarted
        | TaskComplete
        | TurnAborted
        | Failed
        | StreamError
        | Warned
        | BackgroundEvent
        | DeprecationNotice
        | TokenCount
        | UserMessage
        | AgentMessage
        | AgentMessageDelta
        | AgentReasoning
        | AgentReasoningDelta
        | AgentReasoningSectionBreak
        | ItemStarted
        | ItemCompleted
        | ExecCommandBegin
        | ExecCommandOutputDelta
        | ExecCommandContinues
        | TerminalInteraction
        | ExecCommandEnd
        | ExecApprovalRequest
        | ApplyPatchApprovalRequest
        | ApprovalResolved
        | SandboxAssessment
        | AutomaticReview
        | PatchApplyBegin
        | PatchApplyEnd
        | TurnDiff
        | HistoryEntryResponse
        | ListCustomPromptsResponse
        | McpListToolsResponse
        | McpToolCallBegin
        | McpToolCallEnd
        | WebSearchBegin
        | WebSearchEnd
        | ViewImageToolCall
        | PlanUpdate
        | DelegateBegin
        | DelegateEnd
        | EnteredReviewMode
        | ExitedReviewMode
        | ContextCompacted
        | UndoStarted
        | UndoCompleted
        | RawResponseItem
        | ShutdownComplete
    )
