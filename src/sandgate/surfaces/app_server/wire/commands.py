"""What is said about single commands of a client. Names are those of the wire."""

from typing import Any, Literal, Required, TypedDict

from sandgate.surfaces.app_server.wire.objects import SandboxPolicy


class WireTerminalSize(TypedDict):
    """In characters."""

    rows: int
    cols: int


class WireCommandExecParams(TypedDict, total=False):
    """What is to run, and how. `env` adds variables; null takes one away. Sizes in bytes."""

    command: Required[list[str]]
    processId: str | None
    tty: bool
    streamStdin: bool
    streamStdoutStderr: bool
    outputBytesCap: int | None
    disableOutputCap: bool
    timeoutMs: int | None
    disableTimeout: bool
    cwd: str | None
    env: dict[str, Any] | None
    size: WireTerminalSize | None
    sandboxPolicy: SandboxPolicy | None
    permissionProfile: None


class WireCommandExecResult(TypedDict):
    """How it ended: 124 after its time limit. What was streamed is not here again."""

    exitCode: int
    stdout: str
    stderr: str


class WireCommandExecWriteParams(TypedDict, total=False):
    """Bytes for its input, in Base64, and whether that was all."""

    processId: Required[str]
    deltaBase64: str | None
    closeStdin: bool


class WireCommandExecResizeParams(TypedDict):
    """Another size of its terminal."""

    processId: str
    size: WireTerminalSize


class WireCommandExecTerminateParams(TypedDict):
    """Which one is to end."""

    processId: str


class WireCommandOutputDelta(TypedDict):
    """A piece of its output, in Base64. `capReached`: what follows on this stream is not told."""

    processId: str
    stream: Literal["stdout", "stderr"]
    deltaBase64: str
    capReached: bool
