"""What a session tells about what its model does: commands, patches, tools, sub-agents, and who is asked.

`events.py` has the rest, and is where all of them are imported from.
"""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.protocol.patches import FileChange
    from sandgate.protocol.risk import RiskAssessment
    from sandgate.protocol.trace import ReviewStatus
    from sandgate.protocol.usage import TokenUsage

    StepStatus = Literal["pending", "in_progress", "completed"]
    CommandStatus = Literal["completed", "failed", "declined"]


class ExecCommandBegin(Record):
    """A command is about to start."""

    call_id: str
    turn_id: str
    command: tuple[str, ...]
    cwd: str
    parsed_cmd: tuple[Mapping[str, Any], ...] = ()
    is_user_shell_command: bool = False
    process_id: str | None = None


class ExecCommandOutputDelta(Record):
    """A command printed this."""

    call_id: str
    chunk: bytes
    stream: Literal["stdout", "stderr"] = "stdout"


class ExecCommandContinues(Record):
    """A command lives on beyond the answer that the model got about it."""

    call_id: str  # of the call that began it
    turn_id: str
    process_id: str
    formatted_output: str  # what the model read
    status: Literal["in_progress"] = "in_progress"


class TerminalInteraction(Record):
    """Something was typed into a live command, or the model looked at it."""

    call_id: str  # of the call that began it
    turn_id: str
    process_id: str
    stdin: str  # "" for a look; input that the terminal does not echo is replaced by words


class ExecCommandEnd(Record):
    """What a command came to; also one that never ran (`declined`, or `failed` with an `error`)."""

    call_id: str
    turn_id: str
    command: tuple[str, ...]
    cwd: str
    aggregated_output: str
    exit_code: int | None  # None: it never ran; -1: it could not be started, or Sandgate ended it
    duration_ms: int
    formatted_output: str  # what the model read; the output, where it has not read of the end
    status: CommandStatus
    process_id: str | None = None  # the number under which it could be typed into
    error: str | None = None  # why it never ran, or why Sandgate ended it
    stdout: str | None = None  # None: the streams were one
    stderr: str | None = None


class ExecApprovalRequest(Record):
    """A reviewer has to decide about a command. `request` is what it sees; `delegate` names the sub-agent that asks."""

    call_id: str
    approval_id: str
    turn_id: str
    request: ApprovalRequest
    delegate: Mapping[str, str] | None = None  # {"id", "kind"}
    parsed_cmd: tuple[Mapping[str, Any], ...] = ()  # what the command looks like it does, for displays


class ApplyPatchApprovalRequest(Record):
    """The same about a patch."""

    call_id: str
    approval_id: str
    turn_id: str
    request: ApprovalRequest
    delegate: Mapping[str, str] | None = None


class ApprovalResolved(Record):
    """A question is answered or gone: a client that shows it takes it down."""

    approval_id: str
    call_id: str
    decision: str
    source: str


class SandboxAssessment(Record):
    """What is known about the risk of a command that a reviewer is being asked about."""

    approval_id: str
    call_id: str
    status: str  # "static", of what is known offline; else what became of asking a model: see `trace.AssessmentStatus`
    risk: RiskAssessment | None = None
    duration_ms: int | None = None  # of asking a model; 0: nothing was sent
    prompt_version: str = ""
    token_usage: TokenUsage | None = None  # what asking cost
    total_token_usage: TokenUsage | None = None  # of all such questions of the session; not part of its own


class AutomaticReview(Record):
    """A model looks at a question in place of a person: that it does, and then, with the same id, what it came to."""

    id: str
    target_item_id: str  # the question: its `approval_id`
    call_id: str
    turn_id: str
    status: ReviewStatus
    action: Mapping[str, Any]  # what is judged; of a patch only its files
    risk_level: str = ""  # low, medium, high, critical; "" when there is no opinion
    user_authorization: str = ""  # unknown, low, medium, high; "" when there is no opinion
    rationale: str = ""  # the reviewer's words, or what went wrong
    token_usage: TokenUsage | None = None  # what it cost
    total_token_usage: TokenUsage | None = None  # of all automatic reviews of the session; not part of its own


class PatchApplyBegin(Record):
    """A patch is about to be applied."""

    call_id: str
    turn_id: str
    auto_approved: bool
    changes: tuple[FileChange, ...]


class PatchApplyEnd(Record):
    """What a patch came to."""

    call_id: str
    turn_id: str
    success: bool
    stdout: str
    stderr: str
    changes: tuple[FileChange, ...] = ()
    status: CommandStatus = "completed"


class TurnDiff(Record):
    """Everything the turn's patches have changed so far."""

    unified_diff: str


class CustomPrompt(Record):
    """A prompt that the person keeps in a file."""

    name: str
    path: str
    content: str
    description: str | None = None
    argument_hint: str | None = None


class ListCustomPromptsResponse(Record):
    """The prompts that the person keeps in files, by name."""

    custom_prompts: tuple[CustomPrompt, ...]


class HistoryEntry(Record):
    """What the person typed in some session."""

    session_id: str
    ts: int  # seconds since 1970
    text: str


class HistoryEntryResponse(Record):
    """What was typed at that place of the history; None where there is nothing any more."""

    offset: int
    log_id: int
    entry: HistoryEntry | None = None


class McpListToolsResponse(Record):
    """The tools of other servers, by the names that the model calls them by."""

    tools: Mapping[str, Mapping[str, Any]]


class McpToolCallBegin(Record):
    """A tool of an MCP server is called."""

    call_id: str
    turn_id: str
    server: str
    tool: str
    arguments: Mapping[str, Any] | None = None


class McpToolCallEnd(Record):
    """What such a call came to."""

    call_id: str
    turn_id: str
    server: str
    tool: str
    duration_ms: int
    success: bool
    result: Mapping[str, Any] | None = None  # of MCP: content, structuredContent
    error: str | None = None
    arguments: Mapping[str, Any] | None = None
    declined: bool = False  # it was not called, and `error` says why


class WebSearchBegin(Record):
    """The provider searches the web."""

    call_id: str


class WebSearchEnd(Record):
    """The provider has searched the web."""

    call_id: str
    query: str


class ViewImageToolCall(Record):
    """The model looks at a picture on this machine."""

    call_id: str
    path: str


class PlanStep(Record):
    """One step of a plan."""

    step: str
    status: StepStatus


class PlanUpdate(Record):
    """The model says what it is going to do, and how far it is."""

    plan: tuple[PlanStep, ...]
    explanation: str | None = None


class DelegateBegin(Record):
    """A sub-agent starts on behalf of this turn."""

    call_id: str
    delegate_id: str
    kind: str
    prompt: str


class DelegateEnd(Record):
    """What a sub-agent came to."""

    call_id: str
    delegate_id: str
    kind: str
    status: Literal["completed", "failed", "interrupted", "limit_reached"]
    last_agent_message: str | None = None


class UndoStarted(Record):
    """Patches are being taken back."""

    message: str | None = None


class UndoCompleted(Record):
    """Whether they were."""

    success: bool
    message: str | None = None
