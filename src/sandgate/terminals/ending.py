"""How a live command that is over went, as the result of a command."""

from __future__ import annotations

from sandgate.protocol.commands import CommandResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.terminals.interfaces import Live


def result_of(terminal: Live) -> CommandResult:
    """Its transcript is all there is of its output: a terminal has one stream, and so has our pipe."""
    ended = terminal.ended
    assert ended is not None  # it is over, and did start
    printed = terminal.output.transcript()
    return CommandResult(
        exit_code=ended.exit_code,
        signal=ended.signal,
        termination=terminal.stopped_by or ("exited" if ended.signal is None else "signaled"),
        stdout=printed,
        stderr=b"",
        aggregated=printed,
        stdout_omitted_bytes=terminal.output.omitted_bytes,
        duration_ms=terminal.duration_ms,
    )
