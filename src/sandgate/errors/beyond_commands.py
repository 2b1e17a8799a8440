"""What can go wrong beside it: in live terminals, patches, kept approvals, models, sessions and servers of others."""

from __future__ import annotations

from sandgate.errors.command import LaunchError, ModelError, RequestError, SandgateError


class ToolArgumentsError(RequestError):
    """The arguments of a tool call are not what the tool takes; a model reads `what` and tries again."""

    code = "bad_tool_arguments"


class TerminalLimitReached(LaunchError):
    """No room for one more live command, here or on this machine."""

    code = "terminal_limit_reached"


class UnknownTerminal(RequestError):
    """No live command has this number, or it has ended and said so already."""

    code = "unknown_terminal"


class StdinClosed(RequestError):
    """The command has no input that could be written to."""

    code = "stdin_closed"


class InputNotTaken(SandgateError):
    """What was typed could not be handed to the command."""

    code = "input_not_taken"


class TerminalFailed(SandgateError):
    """A live command was ended by Sandgate before it was done."""

    code = "terminal_failed"


class PortUnavailable(SandgateError):
    """A port of a sandboxed command cannot be shown on this host as asked. Nothing listens."""

    code = "port_unavailable"


class CommandRefused(SandgateError):
    """Policy, a rule or a reviewer said no, where the caller wanted an answer and not a passage. Nothing ran."""

    code = "refused"


class PatchError(RequestError):
    """A patch is not written in the patch language.

    `line` counts from 1 at the begin marker; None when the patch as a whole is meant. The two forms are what models
    and scripts know from other tools, and are part of the contract.
    """

    code = "bad_patch"

    def __init__(self, what: str, *, line: int | None = None, why: str = "", hint: str = "") -> None:
        super().__init__(what, why=why, hint=hint)
        self.line = line

    @property
    def tool_text(self) -> str:
        """As the tool says it."""
        return f"invalid patch: {self}" if self.line is None else f"invalid hunk at line {self.line}, {self}"

    @property
    def program_text(self) -> str:
        """As the command line program says it."""
        return f"Invalid patch: {self}" if self.line is None else f"Invalid patch hunk on line {self.line}: {self}"


class PatchDoesNotFit(RequestError):
    """A well-formed patch and the files on the disk disagree; nothing was changed."""

    code = "patch_does_not_fit"


class PatchFailed(SandgateError):
    """The system refused a step of applying a patch; what was done was taken back, or `why` says what was not."""

    code = "patch_failed"


class VerificationFailed(RequestError):
    """A patch that a tool was given is no patch, or does not fit; `what` is the sentence a model knows."""

    code = "patch_verification_failed"


class UnknownApproval(RequestError):
    """No question has this id, or more than one begins like it."""

    code = "unknown_approval"


class ApprovalExpired(RequestError):
    """The question was not answered in time, and no answer counts any more."""

    code = "approval_expired"


class AlreadyDecided(RequestError):
    """The question had another answer before this one. `what` names the answer that stands."""

    code = "already_decided"


class ApprovalsUnusable(SandgateError):
    """A record of an approval is damaged, or cannot be kept. It never counts as approval."""

    code = "approvals_unusable"


class ModelFailed(ModelError):
    """The request could not be sent, was turned away, or its answer broke off."""


class NoOutput(ModelError):
    """The model's turn ended without a message."""

    code = "no_output"


class Late(ModelError):
    """There was no complete answer within the deadline; the connection is closed."""

    code = "timeout"


class Withdrawn(ModelError):
    """The caller does not want the answer any more; the connection is closed."""

    code = "cancelled"


class StreamBroken(ModelError):
    """The connection ended before the answer was complete; asking again may help, after `retry_after_ms` if given."""

    code = "stream_broken"

    def __init__(self, what: str, *, why: str = "", hint: str = "", retry_after_ms: int | None = None) -> None:
        super().__init__(what, why=why, hint=hint)
        self.retry_after_ms = retry_after_ms


class RequestTurnedAway(ModelError):
    """The provider refuses this request for what it is: asking again cannot help."""

    code = "request_turned_away"


class RetriesExhausted(ModelError):
    """The provider could not be reached, or did not answer, as often as it may be tried."""

    code = "retries_exhausted"


class ContextWindowExceeded(ModelError):
    """The conversation is longer than the model can hold."""

    code = "context_window_exceeded"


class UsageLimitReached(ModelError):
    """The provider's account has no more room; asking again cannot help before that changes."""

    code = "usage_limit_reached"


class StorageError(SandgateError):
    """A transcript, or the index over them, cannot be used."""

    code = "storage_error"


class TranscriptUnreadable(StorageError):
    """A transcript does not say whose it is, is empty, or is of a version we do not know."""

    code = "transcript_unreadable"


class SessionNotFound(RequestError):
    """No session has this id, or more than one begins like it."""

    code = "session_not_found"


class SessionBusy(RequestError):
    """Another process goes on with this session; `pid` is its number, 0 when it is not known."""

    code = "session_busy"

    def __init__(self, what: str, *, pid: int = 0, why: str = "", hint: str = "") -> None:
        super().__init__(what, why=why, hint=hint)
        self.pid = pid


class UserMessageOutOfRange(RequestError):
    """The session has no user message of that number to fork before."""

    code = "user_message_out_of_range"


class SessionEnded(RequestError):
    """The session is over; nothing can be asked of it any more."""

    code = "session_ended"


class ImageUnusable(RequestError):
    """A file cannot be shown to a model: it may not be read, is no picture, or is too large."""

    code = "image_unusable"


class ExternalServerFailed(SandgateError):
    """A server of others could not be started, or does not speak the protocol."""

    code = "external_server_failed"
