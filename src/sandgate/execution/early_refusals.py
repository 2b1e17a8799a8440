"""Tells what was refused to a command while it still runs, and where in its output that can be said.

What ends soon is told about at its end, with what came of it: most refusals are met by programs that go on without.
Who retries for minutes is told of while it does. A line of ours does not begin in the middle of one of the command's,
unless that one stays open for long.
"""

from __future__ import annotations

from sandgate.protocol.commands import NS_PER_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sandgate.execution.capture import Stream
    from sandgate.protocol.denials import Refused

    Tell = Callable[[tuple[Refused, ...], bool], None]  # what was refused, and whether a line of the command is open

TOLD_AFTER_MS = 1_000  # of a command that runs on after a refusal
LINE_LIMIT_MS = 5_000  # after a refusal, that the end of the command's own line is waited for


class Meanwhile:
    """One run. Made only where the caller wants to hear."""

    __slots__ = ("_line_is_open", "_seen", "_since_ns", "_tell")

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._seen = 0
        self._since_ns = 0  # of the oldest refusal that is not told; 0: none
        self._line_is_open = False

    def output(self, _stream: Stream, chunk: bytes) -> None:
        """A piece of the command's output was passed on, or will be."""
        self._line_is_open = chunk[-1:] != b"\n"

    def wait_ms(self, limit_ms: int | None, now_ns: int) -> int | None:
        """How long may be waited before `look` is due, `limit_ms` at most."""
        if not self._since_ns:
            return limit_ms
        age_ms = (now_ns - self._since_ns) // NS_PER_MS
        left_ms = max(0, (TOLD_AFTER_MS if age_ms < TOLD_AFTER_MS else LINE_LIMIT_MS) - age_ms)
        return left_ms if limit_ms is None else min(limit_ms, left_ms)

    def look(self, now_ns: int, refused: Sequence[Refused], *, held_back: bool) -> None:
        """Tells what is new in `refused` once it is time. `held_back`: output is still on its way."""
        if len(refused) == self._seen:
            return
        self._since_ns = self._since_ns or now_ns
        age_ms = (now_ns - self._since_ns) // NS_PER_MS
        inside_line = self._line_is_open or held_back
        if age_ms < (LINE_LIMIT_MS if inside_line else TOLD_AFTER_MS):
            return
        new = tuple(refused[self._seen :])
        self._seen, self._since_ns = len(refused), 0
        self._tell(new, inside_line)
        self._line_is_open = False
