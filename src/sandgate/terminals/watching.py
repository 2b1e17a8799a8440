"""Waits for something in the output of a live command, or for its end."""

from __future__ import annotations

from time import monotonic

from sandgate.terminals.waiting import Wait

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.terminals.patterns import Match, Wanted
    from sandgate.terminals.terminal import Terminal
    from sandgate.terminals.waiting import Steps

FOREVER_MS = 86_400_000 * 365  # a lock takes no longer wait


def watch(
    terminal: Terminal, wanted: Sequence[bytes | str | Wanted], *, timeout_ms: int, offset: int = 0
) -> Steps[Match | None]:
    """Until one of the texts or patterns appears in the output from `offset` on; `Match.end` is the offset behind it.

    None when the command is over, or the time is up, first. Raises RequestError for patterns that cannot be used.
    """
    from sandgate.terminals.patterns import Patterns, Wanted

    patterns = Patterns([each if isinstance(each, Wanted) else Wanted(_as_text(each)) for each in wanted])
    deadline, at = monotonic() + timeout_ms / 1000, offset
    skipped = 0  # bytes that are no longer kept: the patterns never see them
    while True:
        seen, over = terminal.changes.count, terminal.over
        piece = terminal.read(at)
        at = piece.end
        skipped += piece.omitted_bytes
        match = patterns.feed(piece.data)
        if match is not None:
            return match.but(end=match.end + offset + skipped)
        left = deadline - monotonic()
        if over or left <= 0:
            return None
        yield Wait(terminal.changes, seen, left)


def await_end(terminal: Terminal, timeout_ms: int | None = None) -> Steps[int | None]:
    """Until it is over, all output read; its exit code, None when it is not within `timeout_ms`."""
    deadline = monotonic() + (FOREVER_MS if timeout_ms is None else timeout_ms) / 1000
    while True:
        seen = terminal.changes.count
        if terminal.over:
            return terminal.exit_code
        left = deadline - monotonic()
        if left <= 0:
            return None
        yield Wait(terminal.changes, seen, left)


def _as_text(wanted: bytes | str) -> str:
    return wanted if isinstance(wanted, str) else wanted.decode("utf-8", "surrogateescape")
