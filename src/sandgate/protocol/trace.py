"""What happens to a command, told as it happens. Surfaces turn these into lines, JSON or widgets."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Literal

    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.decisions import ApprovalRequest, Attempt, Decision
    from sandgate.protocol.denials import Denial
    from sandgate.protocol.patches import FileChange
    from sandgate.protocol.permissions import EffectivePermissions
    from sandgate.protocol.risk import RiskAssessment, RiskCategory, RiskLevel
    from sandgate.protocol.usage import TokenUsage

    AssessmentStatus = Literal["success", "parse_error", "no_output", "model_error", "timeout", "cancelled", "skipped"]
    Stream = Literal["stdout", "stderr"]
    NoticeKind = Literal["warning", "background_event"]
    ReviewStatus = Literal["in_progress", "approved", "denied", "timed_out", "aborted", "failed"]
    TerminalStatus = Literal["completed", "failed", "declined"]


class CommandBegan(Record):
    """An attempt is about to start."""

    call_id: str
    command: CommandRequest
    attempt: int  # from 1
    backend: str


class OutputArrived(Record):
    """A piece of output, as read; it may split a character."""

    call_id: str
    stream: Stream
    chunk: bytes


class OutputLost(Record):
    """What the command wrote could not be passed on; it was captured all the same, and the command ran on."""

    call_id: str
    stream: Stream
    errno: int
    message: str


class RefusedMeanwhile(Record):
    """What the sandbox refused to a command that still runs; its end has all of it again."""

    call_id: str
    denials: tuple[Denial, ...]
    permissions: EffectivePermissions
    inside_line: bool  # a line of the command's output is not ended


class CommandEnded(Record):
    """An attempt is over, with what the sandbox says about it."""

    call_id: str
    command: CommandRequest
    attempt: Attempt


class ApprovalRequested(Record):
    """A reviewer is being asked. Told before the reviewer answers."""

    request: ApprovalRequest


class ApprovalAnswered(Record):
    """The answer to the request with the same id."""

    request_id: str
    decision: Decision


class AutoReview(Record):
    """An automatic review began, or is over. Told twice for every review, with the same id."""

    review_id: str  # the call's id; of the question after a denial, with `:retry`
    request_id: str  # the question it answers
    status: ReviewStatus
    risk_level: str  # low, medium, high, critical; "" when there is no opinion
    user_authorization: str  # unknown, low, medium, high; "" when there is no opinion
    rationale: str  # the reviewer's words, or what went wrong
    action: Mapping[str, object]  # as JSON values; of a patch only its files
    call_id: str = ""
    usage: TokenUsage | None = None  # what it cost; None: not known, nothing was sent, or it is not over


class ApprovalUpdated(Record):
    """There is more to say about a question that is still open: its risk, instead of the one it was asked with."""

    request_id: str
    risk: RiskAssessment


class RiskLatency(Record):
    """A model was asked about a command, and this is how long that took. Told once, before `RiskAssessed`."""

    call_id: str
    duration_ms: int


class RiskAssessed(Record):
    """What became of asking a model about a question. Told once. Holds nothing of what was asked or answered."""

    call_id: str
    status: AssessmentStatus
    duration_ms: int
    prompt_version: str
    level: RiskLevel | None = None  # the model's own, not what is shown; None unless `status` is success
    categories: tuple[RiskCategory, ...] = ()
    request_id: str = ""  # the question
    usage: TokenUsage | None = None  # what it cost; None: not known, or nothing was sent


class TerminalBegan(Record):
    """A command that may live on was started, or was to be: then its end follows at once and says why not."""

    call_id: str
    process_id: int  # what a model calls the session
    command: CommandRequest
    tty: bool


class TerminalInput(Record):
    """Something was typed into a live command, or it was only looked at."""

    call_id: str  # of the call that started the command
    process_id: int
    stdin: str  # "" for a look; input that the terminal does not echo is replaced by words


class TerminalEnded(Record):
    """A live command is over. Told once for every `TerminalBegan`, after its last output."""

    call_id: str
    process_id: int
    exit_code: int  # -1: it never ran, or Sandgate ended it
    output: bytes  # the whole transcript, its two ends when it was long
    omitted_bytes: int  # what the transcript does not keep
    deltas: int  # `OutputArrived` told
    deltas_omitted_bytes: int  # output of which none was told
    duration_ms: int
    status: TerminalStatus
    message: str = ""  # why it was declined or failed


class PatchBegan(Record):
    """A patch is about to be applied, or was to be: then its end follows at once and says why not."""

    call_id: str
    changes: tuple[FileChange, ...]
    auto_approved: bool  # no reviewer was asked


class PatchEnded(Record):
    """What became of it. Told once for every `PatchBegan`."""

    call_id: str
    changes: tuple[FileChange, ...]
    stdout: str
    stderr: str
    status: TerminalStatus


class Notice(Record):
    """One line about what Sandgate itself does or had to leave out."""

    kind: NoticeKind
    message: str


TraceRecord = (
    CommandBegan
    | OutputArrived
    | OutputLost
    | RefusedMeanwhile
    | CommandEnded
    | ApprovalRequested
    | ApprovalAnswered
    | AutoReview
    | ApprovalUpdated
    | RiskLatency
    | RiskAssessed
    | TerminalBegan
    | TerminalInput
    | TerminalEnded
    | PatchBegan
    | PatchEnded
    | Notice
)

if TYPE_CHECKING:
    Recorder = Callable[[TraceRecord], None]
