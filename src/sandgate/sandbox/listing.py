"""Directory listings, remembered as long as the directory does not change.

A walk over a workspace asks the same few hundred directories before every command. The kernel's change time tells
whether the answer still holds; unlike the modification time, no program can set it.
"""

from __future__ import annotations

import os
import time

from sandgate.record import Record

UNSETTLED_NS = 50_000_000  # a directory changed this recently may change again within one clock tick
NEVER_ENTERED = frozenset(("node_modules", ".git"))


class Listing(Record):
    """One directory: its protected-looking names and its subdirectories."""

    names: frozenset[str]
    directories: tuple[str, ...]
    ignores_case: bool = False


# directory → (change time, what it holds)
_listings: dict[str, tuple[int, Listing]] = {}


def listed(directory: str) -> Listing:
    """What `directory` holds; empty when it is gone, or unreadable for us and so for the command."""
    try:
        changed_ns = os.stat(directory, follow_symlinks=False).st_ctime_ns
        known = _listings.get(directory)
        if known is not None and known[0] == changed_ns:
            return known[1]
        listing = _read(directory)
    except OSError:
        return Listing(frozenset(), ())
    if time.time_ns() - changed_ns > UNSETTLED_NS:
        _listings[directory] = (changed_ns, listing)
    return listing


def _read(directory: str) -> Listing:
    """Only names that start with a dot (or may be folded into one) are kept: every protected name does."""
    names, directories, sample = [], [], ""
    with os.scandir(directory) as entries:
        for entry in entries:
            name = entry.name
            if name[0] == "." or not name[0].isascii():
                names.append(name)
            elif not sample and name[0].isalpha():
                sample = name
            if name not in NEVER_ENTERED and entry.is_dir(follow_symlinks=False):
                directories.append(name)
    sample = sample or next((name for name in names if name.swapcase() != name), "")
    here = join(directory, sample) if sample else directory
    swapped = join(os.path.dirname(here), os.path.basename(here).swapcase())
    return Listing(frozenset(names), tuple(directories), swapped != here and same_file(here, swapped))


def by_meaning(names: frozenset[str]) -> dict[str, str]:
    """Names as a case-insensitive file system compares them → names as written."""
    return {_folded(name): name for name in names}


def _folded(name: str) -> str:
    if name.isascii():
        return name.lower()
    import unicodedata

    visible = "".join(char for char in name if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFC", visible).casefold()


def exists(path: str) -> bool:
    """Whether there is anything of that name, be it a link to nowhere."""
    try:
        os.lstat(path)
    except OSError:
        return False
    return True


def same_file(one: str, other: str) -> bool:
    """Whether two different names are one file."""
    try:
        return one != other and os.path.samestat(os.lstat(one), os.lstat(other))
    except OSError:
        return False


def join(directory: str, name: str) -> str:
    """`name` below canonical `directory`; cheaper than the library's, which is called thousands of times here."""
    return name if name.startswith("/") else f"{directory.rstrip('/')}/{name}"
