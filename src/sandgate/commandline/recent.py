"""Keeps what the last few scripts were read as.

One command line is asked about several times within a moment: for its verdict, its risk, the key of an approval, a
summary. All of them read the same text, and what is read from a text never changes.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CHARACTERS_MAX = 65_536  # of text kept by one reader; the last one is kept however long it is
TEXTS_MAX = 256


class Recent:
    """Answers by text; without room for another one, all go. Threads may share one: a text may be read twice."""

    __slots__ = ("_characters", "_kept")

    def __init__(self) -> None:
        self._kept: dict[str | bytes, Any] = {}
        self._characters = 0

    def get(self, text: str | bytes) -> Any:
        """What was kept for `text`, or None."""
        return self._kept.get(text)

    def keep(self, text: str | bytes, answer: Any) -> Any:
        """Gives back `answer`, which must never be changed."""
        kept = self._kept
        if text not in kept:
            if len(kept) >= TEXTS_MAX or self._characters + len(text) > CHARACTERS_MAX:
                kept.clear()
                self._characters = 0
            self._characters += len(text)
        kept[text] = answer
        return answer
