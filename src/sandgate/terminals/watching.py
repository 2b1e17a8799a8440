"""Waits for something in the output of a live command, or for its end."""

from __future__ import annotations

from time import monotonic

from sandgate.patterns.literals import Literals
from sandgate.patterns.wanted import Match, Wanted
from sandgate.terminals.waiting import Wait

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.patterns.wanted import Patterns
    from sandgate.terminals.interfaces import Live
    from sandgate.terminals.waiting import Steps

FOREVER_MS = 86_400_000 * 365  # a lock takes no longer wait


def watch(
    terminal: Live, wanted: Sequence[bytes | str | Wanted], *, timeout_ms: int, offset: int | None = None
) -> Steps[Match | None]:
    """Until one of the texts or patterns appears in the output; `Match.end` is the offset behind it.

    Looked for from `offset` on; without one, from behind the last thing that was waited for like that. None when the
    command is over, or the time is up, first. Raises RequestError for patterns that cannot be used.
    """
    patterns = patterns_for(wanted)
    deadline = monotonic() + timeout_ms / 1000
    at = terminal.cursor if offset is None else offset
    fed = 0
    while True:
        seen, over = terminal.changes.count, terminal.over
        piece = terminal.read(at)
        at = piece.end
        match = patterns.feed(piece.data)
        if match is not None:
            match = Match(match.which, match.text, piece.offset_of(match.end - fed))
            if offset is None:
                terminal.cursor = match.end
            return match
        fed += len(piece.data)
        left = deadline - monotonic()
        if over or left <= 0:
            return None
        yield Wait(terminal.changes, seen, left)


def await_end(terminal: Live, timeout_ms: int | None = None) -> Steps[int | None]:
    """Until it is over, all output read; its exit code, None when it is not within `timeout_ms`."""
    deadline = monotonic() + (FOREVER_MS if timeout_ms is None else timeout_ms) / 1000
    while True:
        seen = terminal.endings.count
        if terminal.over:
            return terminal.exit_code
        left = deadline - monotonic()
        if left <= 0:
            return None
        yield Wait(terminal.endings, seen, left)


def patterns_for(wanted: Sequence[bytes | str | Wanted]) -> Literals | Patterns:
    """What follows the output for these; plain texts are cheaper to follow. Raises RequestError."""
    if isinstance(wanted, str | bytes | Wanted):
        wanted = [wanted]  # else each letter would be waited for
    if all(isinstance(each, bytes) for each in wanted):
        return Literals(wanted)  # type: ignore[arg-type]
    from sandgate.patterns.wanted import Patterns

    given = [each if isinstance(each, Wanted) else Wanted(_as_text(each)) for each in wanted]
    if any(each.regex for each in given):
        return Patterns(given)
    return Literals([each.text.encode("utf-8", "surrogateescape") for each in given])


def _as_text(wanted: bytes | str) -> str:
    return wanted if isinstance(wanted, str) else wanted.decode("utf-8", "surrogateescape")
