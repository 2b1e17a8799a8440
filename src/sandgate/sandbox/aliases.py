"""Finds the other names of a file: a read-only mount covers a path, and a hard link is another path to the same file.

Only asked when a protected file really has several names, which is rare; then the writable part is searched, within
a limit. A search that cannot be finished refuses the command, or is said where a command may have made the file.
"""

from __future__ import annotations

import os

from sandgate.errors import ConfinementError
from sandgate.places.git import DIRECTORY as GIT
from sandgate.sandbox.roots import at_or_below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LINK_SCAN_ENTRIES_MAX = 50_000  # directory entries looked at to find the other names of one file
MADE_SCAN_ENTRIES_MAX = 5_000  # the same, for files that a command may have made; every command waits for it


def other_names(
    files: Iterable[str], tops: tuple[str, ...], companions: tuple[str, ...] = ()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The other names of `files` below `tops` and `companions`, and those of `files` of which not all were found.

    Raises `ConfinementError` when they cannot be found for a file that no command can have made: one directly in one of
    `tops`, in its git directory or in `companions`. The user who made any other one must not be able to stop all
    commands.
    """
    own: list[str] = []
    made: list[str] = []
    for path in files:
        (own if _is_own(path, tops, companions) else made).append(path)
    inside = dict.fromkeys((*tops, *companions))
    found = aliases_of(own, inside)
    try:
        return (*found, *aliases_of(made, inside, entries_max=MADE_SCAN_ENTRIES_MAX)), ()
    except ConfinementError:
        return found, tuple(made)


def _is_own(path: str, tops: tuple[str, ...], companions: tuple[str, ...]) -> bool:
    directory, git, _ = path.partition(f"/{GIT}/")
    return (directory if git else os.path.dirname(path)) in tops or at_or_below(path, companions)


def aliases_of(files: Iterable[str], roots: Iterable[str], *, entries_max: int | None = None) -> tuple[str, ...]:
    """Other names of `files` (hard links) below `roots`; the names given are not repeated.

    Raises `ConfinementError` when the roots are too large to be sure.
    """
    limit = LINK_SCAN_ENTRIES_MAX if entries_max is None else entries_max
    wanted: dict[tuple[int, int], int] = {}
    for file in files:
        facts = _facts(file)
        if facts is None:
            continue
        wanted[(facts.st_dev, facts.st_ino)] = facts.st_nlink
    given, looked_at = set(files), 0
    found: dict[str, None] = {}
    # The last is looked at first: beside the file, then the roots in their order. Roots may lie in each other.
    inside = list(roots)
    beside = {os.path.dirname(file) for file in given}
    pending = [*reversed(inside), *(each for each in beside if at_or_below(each, inside))]
    seen: set[str] = set()
    while pending and any(count > 0 for count in wanted.values()):
        directory = pending.pop()
        if directory in seen:
            continue
        seen.add(directory)
        try:
            entries = list(os.scandir(directory))
        except OSError:
            continue
        looked_at += len(entries)
        if looked_at > limit:
            raise ConfinementError(
                f"cannot protect `{next(iter(given))}`",
                why=f"it has hard links, and they were not found among {limit} directory entries",
                hint="replace it by a copy of its own: `cp FILE FILE.new && mv FILE.new FILE`",
            )
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                pending.append(entry.path)
            elif entry.is_file(follow_symlinks=False):
                facts = _facts(entry.path)
                if facts is not None and facts.st_nlink > 1 and (facts.st_dev, facts.st_ino) in wanted:
                    wanted[(facts.st_dev, facts.st_ino)] -= 1
                    found[entry.path] = None
    return tuple(path for path in found if path not in given)


def _facts(path: str) -> os.stat_result | None:
    """None for a name that is gone meanwhile: it is no alias any more."""
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None
