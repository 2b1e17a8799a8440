"""How much of a command is too much: to be judged, and to be repeated in a sentence.

The assessor stops after so many commands and says so. A command that nobody has judged to its end may not run unasked
because its beginning only reads, so policy counts the same way and stops at the same number.
"""

from __future__ import annotations

from sandgate.commandline.words import joined, program_name
from sandgate.commandline.wrappers import STARTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.commandline import Segments

    Argv = tuple[str, ...]

JUDGED_MAX = 2_000  # commands of one command line that are judged, about half a second
# Words that are judged beyond those that were written: of what commands start in turn, of what words become; about
# half a second of deletions.
STARTED_WORDS_MAX = 20_000
STARTED_CHARACTERS_EACH = 8  # of a script that is started: as much work as a word
TOO_LONG = f"more commands than are judged ({JUDGED_MAX})"
_NESTED_MAX = 8  # wrappers inside one another that the safe list looks through; each one is judged, too
_CHARACTERS_EACH_MIN = 3  # `w;w` in a script: shorter texts cannot hold too many, whatever they say
_BETWEEN = (" ", "\t", "\n", ";", "|", "&")  # one of these stands between any two programs of a script
ECHOED_CHARACTERS_MAX = 2_000  # of a command that is repeated in a reason; the person is shown all of it elsewhere
_TAIL_CHARACTERS = 500  # of these, kept from its end


def too_long(what: Segments) -> bool:
    """Whether `what` has more commands than are judged. Counts too many rather than too few."""
    if sum(map(len, what.argv)) * _NESTED_MAX < JUDGED_MAX * _CHARACTERS_EACH_MIN:
        return False
    if what.script is None or what.script.beyond_limits:
        return _weight(what.argv) > JUDGED_MAX
    known: dict[int, int] = {}  # a command that comes again may be the same value
    total = 1
    for command in what.script.commands:
        found = known.get(id(command))
        if found is None:
            found = known[id(command)] = _weight(command.argv) if command.words else 1
        total += found
    return total > JUDGED_MAX


def _weight(argv: Argv) -> int:
    """One; for a command that starts others as many as its words may hold."""
    if program_name(argv[0]) not in STARTERS:
        return 1
    inside = sum([1 + sum(map(word.count, _BETWEEN)) for word in argv])
    read_again = len(argv) * _NESTED_MAX * JUDGED_MAX // STARTED_WORDS_MAX
    return max(min(inside, _NESTED_MAX), read_again) if inside == len(argv) else inside + _NESTED_MAX


def echoed(argv: Argv) -> str:
    """The command as a sentence repeats it: its middle is left out, and counted, when it is long."""
    text = joined(argv)
    if len(text) <= ECHOED_CHARACTERS_MAX:
        return text
    head = text[: ECHOED_CHARACTERS_MAX - _TAIL_CHARACTERS]
    left_out = len(text) - ECHOED_CHARACTERS_MAX
    return f"{head} […{left_out} characters left out…] {text[-_TAIL_CHARACTERS:]}"
