"""Waits for plain texts in what a command prints: the usual case, and the cheap one.

As `wanted.py` has it: once any of the texts is complete, the one that begins first is the match, and of those that
begin there the longest.
"""

from __future__ import annotations

from sandgate.errors import RequestError
from sandgate.patterns.automaton import PATTERN_CHARS_MAX
from sandgate.patterns.wanted import PATTERNS_MAX, Match

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Literals:
    """Looks for the first of `texts`. RequestError when one cannot be used."""

    __slots__ = ("_bytes_before", "_match", "_overlap", "_texts", "_window")

    def __init__(self, texts: Sequence[bytes]) -> None:
        if not 0 < len(texts) <= PATTERNS_MAX:
            raise RequestError(f"wait for one to {PATTERNS_MAX} texts", why=f"there are {len(texts)}")
        for text in texts:
            if not 0 < len(text) <= PATTERN_CHARS_MAX:
                why = f"it has {len(text)} bytes; {PATTERN_CHARS_MAX} are the most"
                raise RequestError("a text to wait for is empty or too long", why=why)
        self._texts = tuple(texts)
        self._overlap = max(map(len, texts)) - 1  # a text may have begun so far back
        self._window = b""
        self._bytes_before = 0  # of the window
        self._match: Match | None = None

    def feed(self, data: bytes) -> Match | None:
        """The match, once there is one; then nothing more is looked at."""
        if self._match is not None:
            return self._match
        self._window += data
        self._match = self._found()
        if self._match is None:
            dropped = max(0, len(self._window) - self._overlap)
            self._window = self._window[dropped:]
            self._bytes_before += dropped
        return self._match

    def _found(self) -> Match | None:
        places = [at for text in self._texts if (at := self._window.find(text)) >= 0]
        if not places:
            return None
        start = min(places)
        there = [which for which, text in enumerate(self._texts) if self._window.startswith(text, start)]
        which = max(there, key=lambda number: (len(self._texts[number]), -number))
        end = start + len(self._texts[which])
        return Match(which, self._window[start:end].decode("utf-8", "surrogateescape"), self._bytes_before + end)
