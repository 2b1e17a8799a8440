"""A provider's own words, made fit for a message: short, plainly visible, and without anything secret of ours.

Providers like to repeat the key that they turn away, whole or in part. So it is not the whole secret that is looked for
but every few characters of it, before anything is cut.
"""

from __future__ import annotations

from sandgate.display import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

WORDS_MAX = 400  # characters of a provider's words in a message
READ_MAX = 4096  # characters that are looked at
PIECE = 6  # characters in a row that give a secret away; a shorter secret counts as a whole
SECRET_MIN = 4  # characters; what is shorter is a version number or the like, and in every other message by chance
REMOVED = "[removed]"


class Quoting:
    """What may be repeated of what a provider says. It shows nothing of what it keeps to itself."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._pieces = {piece for secret in secrets for piece in _pieces(secret.lower())}

    def words(self, text: object) -> str:
        """At most `WORDS_MAX` characters on one line; "" for what is no text."""
        if not isinstance(text, str):
            return ""
        return one_line(self._without_secrets(text[:READ_MAX]), limit=WORDS_MAX)

    def _without_secrets(self, text: str) -> str:
        lowered = text.lower()
        folded = lowered if len(lowered) == len(text) else text  # a few letters become two
        secret = [False] * len(text)
        for piece in self._pieces:
            start = folded.find(piece)
            while start >= 0:
                end = min(start + len(piece), len(text))
                secret[start:end] = [True] * (end - start)
                start = folded.find(piece, start + 1)
        shown: list[str] = []
        for character, hidden in zip(text, secret, strict=True):
            if not hidden:
                shown.append(character)
            elif not shown or shown[-1] != REMOVED:
                shown.append(REMOVED)
        return "".join(shown)


def _pieces(secret: str) -> set[str]:
    if len(secret) <= PIECE:
        return {secret} if len(secret) >= SECRET_MIN else set()
    return {secret[start : start + PIECE] for start in range(len(secret) - PIECE + 1)}
