"""Commands in the languages of programs that are no shells: `!ls` in dc and ftp, `exec ls` in Tcl, `syscmd(ls)` in m4.

What such a program is told in words, or fed, is searched line by line for the marks behind which it takes a command,
by the manuals of the programs. For finding what must be stopped or asked about: a text too many does no harm.
"""

from __future__ import annotations

from itertools import islice

from sandgate.commandline.commission_rows import ESCAPES_TABLE
from sandgate.commandline.words import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

ESCAPES_MAX = 64  # of one text that are looked at; more than a search for what rules forbid reads, which then asks
# The command is what stands behind the first comma of such a call: `edit(x, 'ls')` (sqlite.org, "The edit() SQL
# function").
_CALLS: dict[str, str] = {"sqlite3": "edit"}
_OPENING = " \t\"'`([{@-:"
_BRACES = str.maketrans("{}", "  ")
_CLOSING = " \t\"'`)]};"


def _rows() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in ESCAPES_TABLE.strip().splitlines():
        names, _, marks = line.partition(" = ")
        found.update(dict.fromkeys(names.split(), tuple(mark.replace("_", " ") for mark in marks.split())))
    return found


ESCAPES = _rows()
# Of these every line that they are fed may be a command of a shell's form: `spawn ls`, `exec ls`.
LINEWISE = words_of("tclsh wish expect jimsh")


def escaped(name: str, text: str) -> Iterator[str]:
    """The commands in `text`, which the program `name` of `ESCAPING` takes for orders in its own language."""
    for rest in islice(_marked(name, text), ESCAPES_MAX):
        command = _bare(rest)
        if command:
            yield command
            if name in LINEWISE and "}" in command:  # Tcl's quotes
                yield command.translate(_BRACES)


def _marked(name: str, text: str) -> Iterator[str]:
    """What stands behind a mark, to the end of its line."""
    call = _CALLS.get(name)
    for line in text.splitlines():
        for mark in ESCAPES[name]:
            yield from [line[at:] for at in _ends(line, mark)]
        for at in _ends(line.lower(), call) if call is not None else ():
            yield line[at:].partition(",")[2]


def _ends(line: str, mark: str) -> Iterator[int]:
    """Where the mark ends, at the first places that it stands at."""
    at = line.find(mark)
    for _ in range(ESCAPES_MAX):
        if at < 0:
            return
        at += len(mark)
        yield at
        at = line.find(mark, at)


def _bare(text: str) -> str:
    """Without what the language puts around a command."""
    return text.lstrip(_OPENING).rstrip(_CLOSING)
