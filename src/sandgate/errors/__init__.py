"""What can go wrong on our side, sorted by who can act on it.

A denial, a refusal, a non-zero exit and a timeout are values elsewhere; an exception means Sandgate could not
do its part. Every error says what happened, why, and what the reader can do; surfaces print exactly these
three. `code` is stable and goes on the wire.

Errors that a plain command cannot meet are loaded when a module asks for one by name.
"""

from __future__ import annotations

from sandgate.errors.command import (
    BackendUnavailable,
    ConfigError,
    ConfinementError,
    DirectoryMissing,
    LaunchError,
    MissingKey,
    ModelError,
    ProgramNotExecutable,
    ProgramNotFound,
    RequestError,
    RuleError,
    SandgateError,
    SetupFailed,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.errors.beyond_commands import (
        AlreadyDecided,
        ApprovalExpired,
        ApprovalsUnusable,
        CommandRefused,
        ContextWindowExceeded,
        ExternalServerFailed,
        ImageUnusable,
        InputNotTaken,
        Late,
        ModelFailed,
        NoOutput,
        PatchDoesNotFit,
        PatchError,
        PatchFailed,
        PortUnavailable,
        RequestTurnedAway,
        RetriesExhausted,
        SessionBusy,
        SessionEnded,
        SessionNotFound,
        StdinClosed,
        StorageError,
        StreamBroken,
        TerminalFailed,
        TerminalLimitReached,
        ToolArgumentsError,
        TranscriptUnreadable,
        UnknownApproval,
        UnknownTerminal,
        UsageLimitReached,
        UserMessageOutOfRange,
        VerificationFailed,
        Withdrawn,
    )

__all__ = [
    "AlreadyDecided",
    "ApprovalExpired",
    "ApprovalsUnusable",
    "BackendUnavailable",
    "CommandRefused",
    "ConfigError",
    "ConfinementError",
    "ContextWindowExceeded",
    "DirectoryMissing",
    "ExternalServerFailed",
    "ImageUnusable",
    "InputNotTaken",
    "Late",
    "LaunchError",
    "MissingKey",
    "ModelError",
    "ModelFailed",
    "NoOutput",
    "PatchDoesNotFit",
    "PatchError",
    "PatchFailed",
    "PortUnavailable",
    "ProgramNotExecutable",
    "ProgramNotFound",
    "RequestError",
    "RequestTurnedAway",
    "RetriesExhausted",
    "RuleError",
    "SandgateError",
    "SessionBusy",
    "SessionEnded",
    "SessionNotFound",
    "SetupFailed",
    "StdinClosed",
    "StorageError",
    "StreamBroken",
    "TerminalFailed",
    "TerminalLimitReached",
    "ToolArgumentsError",
    "TranscriptUnreadable",
    "UnknownApproval",
    "UnknownTerminal",
    "UsageLimitReached",
    "UserMessageOutOfRange",
    "VerificationFailed",
    "Withdrawn",
]


def __getattr__(name: str) -> object:
    if name[:1] == "_":  # the import system asks for names of its own
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import sandgate.errors.beyond_commands  # `from sandgate.errors import` would ask here again

    return getattr(sandgate.errors.beyond_commands, name)
