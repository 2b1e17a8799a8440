"""Variables whose values a script gives itself, so that it is known how each use of them begins.

`for f in a.py b.py; do sed -n 1,20p "$f"; done` can mean no option where the file stands, though it is the shell that
puts the names there. A use counts only when every value the script ever gives to the variable lets it count, which is
known at the script's end; so uses are noted with what they rely on, and asked about once more.
"""

from __future__ import annotations

from sandgate.commandline.expansions import prints_number, prints_path
from sandgate.commandline.words import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

ANYTHING, ONE_WORD, EVEN_BARE = 0, 1, 2  # what a use may rely on: nothing, only in quotes, also without quotes
_BEGINNINGS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./~_")
_SPLIT_BY_NOTHING = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./~_-+@:,=%")
_SETTING = words_of("eval source . trap let getopts select unset")  # what they set is not seen here
_GIVEN = dict.fromkeys(words_of("USER LOGNAME HOSTNAME"), EVEN_BARE)  # by the system, and names all of them


class SteadyVariables:
    """Values and uses of one script's variables."""

    def __init__(self, *, trusted: bool = True) -> None:
        self._trusted = trusted
        self._levels: dict[str, int] = dict(_GIVEN)
        self._used: dict[str, int] = {}

    def gives(self, name: str, text: str, *, certainty: str = "exact") -> None:
        """`text`, a word of this certainty (see bashwords.py), is what the shell makes a value of `name` from."""
        level = _level(text, certainty)
        known = self._levels.get(name)
        self._levels[name] = level if known is None else min(level, known)

    def forget(self, name: str) -> None:
        """Something is added to the variable, or it becomes a list."""
        self._levels[name] = ANYTHING

    def begins_well(self, name: str, *, quoted: bool) -> bool:
        """Whether a use of the variable here is known to begin like no option, as far as has been read."""
        needed = ONE_WORD if quoted else EVEN_BARE
        if not self._trusted or self._levels.get(name, ANYTHING) < needed:
            return False
        self._used[name] = max(needed, self._used.get(name, ANYTHING))
        return True

    def held(self, words: Collection[str], counted: Collection[str]) -> bool:
        """Whether all uses could rely on what they did. `words`: of all commands, some of which set variables;
        `counted`: variables in sums, which can set them too."""
        if not self._used:
            return True
        if not _SETTING.isdisjoint(words) or not self._used.keys().isdisjoint(counted):
            return False
        if EVEN_BARE in self._used.values() and ("IFS" in self._levels or "IFS" in words):
            return False
        return all(self._levels[name] >= needed and name not in words for name, needed in self._used.items())


def variable(text: str) -> str:
    """The name in `$name` or `${name}`; "" for anything else."""
    name = text[2:-1] if text[:2] == "${" and text[-1:] == "}" else text[1:]
    return name if text[:1] == "$" and name.isidentifier() and name.isascii() else ""


def _level(text: str, certainty: str) -> int:
    if prints_number(text):
        return EVEN_BARE
    if prints_path(text):
        return ONE_WORD
    if certainty == "unknown":
        return EVEN_BARE if _is_row_of_numbers(text) else ANYTHING
    if text[:1] not in _BEGINNINGS or "$" in text or "`" in text:
        return ANYTHING
    if certainty == "exact" and _SPLIT_BY_NOTHING.issuperset(text):
        return EVEN_BARE
    return ONE_WORD


def _is_row_of_numbers(text: str) -> bool:
    """`{1..9}`."""
    inner = text[1:-1]
    return text[:1] == "{" and text[-1:] == "}" and all(part.isdecimal() for part in inner.split(".."))
