"""The tables: what several thousand programs and sub-commands do. Data only; a new program is a new line in a family.

`entry_for` finds the entry of a command by its longest known name: `git stash drop` before `git stash` before `git`.
A command pays for what it names and not for all we know: a family is imported when a program of it is first asked
for. Which families a program is in stands in `index`; whoever adds a program to a family has it written anew, and a
test says so.
"""

from __future__ import annotations

import sys

from sandgate.assessment.knowledge.index import PROGRAMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sandgate.assessment.knowledge.entry import Entry

LONGEST_NAME = 5  # words: `gcloud compute instances delete`
# Families of programs that distributions bring, and no registry of packages for one language.
SYSTEM_FAMILIES = frozenset(
    ("reading", "text", "network", "system", "archives", "disks", "daemons", "machine", "distributions")
)

_families_of: dict[str, tuple[str, ...]] = {}  # program → families; where two know a name, the later is believed
for _family, _programs in PROGRAMS:
    _only = (_family,)
    for _program in _programs.split():
        _families_of[_program] = (*_families_of[_program], _family) if _program in _families_of else _only
_opened: dict[str, dict[str, list[Entry]]] = {}  # family → program → entries
_asked: set[str] = set()  # programs
_known: dict[str, Entry] = {}  # the entries of all programs asked for so far
_beginnings: set[str] = set()  # of their names: `git stash` of `git stash drop`


class _Entries:
    """All entries by name, like a dictionary that is read; going through them imports every family."""

    __slots__ = ()

    def get(self, name: str, otherwise: Entry | None = None) -> Entry | None:
        """The entry of exactly this name."""
        _ask(name)
        return _known.get(name, otherwise)

    def __getitem__(self, name: str) -> Entry:
        _ask(name)
        return _known[name]

    def __contains__(self, name: str) -> bool:
        _ask(name)
        return name in _known

    def __iter__(self) -> Iterator[str]:
        _ask_all()
        return iter(_known)

    def __len__(self) -> int:
        _ask_all()
        return len(_known)

    def values(self) -> tuple[Entry, ...]:
        """Every entry, each once."""
        _ask_all()
        return tuple(_known.values())


class _Prefixes:
    """The beginnings of longer names."""

    __slots__ = ()

    def __contains__(self, name: str) -> bool:
        _ask(name)
        return name in _beginnings


ENTRIES = _Entries()
PREFIXES = _Prefixes()


def entry_for(words: Sequence[str]) -> Entry | None:
    """The entry whose name is the longest beginning of `words` (program and operands)."""
    name = words[0]
    best = ENTRIES.get(name)
    for word in words[1:LONGEST_NAME]:
        if name not in _beginnings:
            break
        name = f"{name} {word}"
        best = _known.get(name, best)
    return best


def knows(program: str) -> bool:
    """Whether the tables say anything about this program, alone or with sub-commands."""
    return program in _families_of or (" " in program and (program in ENTRIES or program in PREFIXES))


def comes_with_system(program: str) -> bool:
    """Whether all that is known of this program is what it does as a part of the system, as with `ls`."""
    families = _families_of.get(program, ())
    return bool(families) and SYSTEM_FAMILIES.issuperset(families)


def _ask(name: str) -> None:
    """Make known what the tables say about the program that `name` begins with."""
    program = name if name in _families_of else name.partition(" ")[0]
    if program in _asked or program not in _families_of:
        return
    _asked.add(program)
    for family in _families_of[program]:
        for entry in _entries_of(family).get(program, ()):
            _known[entry.name] = entry
            words = entry.name.split(" ")
            _beginnings.update([" ".join(words[:count]) for count in range(1, len(words))])


def _ask_all() -> None:
    for program in _families_of:
        _ask(program)


def _entries_of(family: str) -> dict[str, list[Entry]]:
    """The entries of a family by the program they are about, in the order of the table."""
    found = _opened.get(family)
    if found is None:
        module = f"{__name__}.{family}"
        __import__(module)
        found = _opened[family] = {}
        for entry in sys.modules[module].ENTRIES:
            found.setdefault(entry.name.partition(" ")[0], []).append(entry)
    return found
