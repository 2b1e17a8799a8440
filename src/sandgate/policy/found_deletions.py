"""Deletions of what `find` finds by its name: `find . -name __pycache__ -exec rm -rf {} +`.

Every further test only narrows what is found, as long as nothing is turned round or joined by `or`; so each thing it
finds lies below a start and is named so. Pure.
"""

from __future__ import annotations

from sandgate.commandline.words import program_name, words_of
from sandgate.protocol.deletions import Deletion

TYPE_CHECKING = False
if TYPE_CHECKING:
    Argv = tuple[str, ...]

# find(1): tests and switches, by the number of words behind them; whatever is not here may do more than narrow.
_NARROWS_BY_A_WORD = frozenset(
    words_of(
        "-name -iname -path -ipath -wholename -iwholename -regex -iregex -type -maxdepth -mindepth -mtime -mmin -ctime "
        "-cmin -atime -amin -newer -size -user -group -perm -links -inum"
    )
)
_NARROWS = frozenset(words_of("-prune -depth -d -empty -xdev -mount -print -print0 -readable -writable -executable"))
_READ_OTHERWISE = frozenset("[\\")  # in a name: fnmatch(3) takes classes, `[^x]` and a backslash for more than we do
_FOUND = "{}"


def deleting_each(argv: Argv) -> tuple[Argv, Deletion] | None:
    """The command that this `find` runs for each thing it finds, and what that deletes; `argv` is exact.

    None where it is anything but one `rm` of things that are found by their name.
    """
    if program_name(argv[0]) != "find":
        return None
    at = next((at for at, word in enumerate(argv) if at and word[:1] in "-(!,"), len(argv))
    starts, name = argv[1:at] or (".",), ""
    while at < len(argv):
        word = argv[at]
        if word == "-exec":
            inner = argv[at + 1 : -1]
            is_last = argv[-1] in (";", "+") and ";" not in inner and _is_removal(inner)
            is_read_alike = name and _READ_OTHERWISE.isdisjoint(name)
            return (inner, Deletion(below=starts, name=name)) if is_last and is_read_alike else None
        if word in _NARROWS_BY_A_WORD:
            if word == "-name":
                name = argv[at + 1] if at + 1 < len(argv) else ""
            at += 2
        elif word in _NARROWS:
            at += 1
        else:
            return None
    return None


def _is_removal(inner: Argv) -> bool:
    """`rm` with its options, of the thing that was found and of nothing else."""
    if len(inner) < 2 or inner[0] != "rm" or inner[-1] != _FOUND:
        return False
    options = inner[1:-1]
    return all(word[:1] == "-" and _FOUND not in word for word in options) and "--" not in options[:-1]
