"""Which paths a repository ignores, by its own files: gitignore(5).

`.gitignore` in every directory on the way, and `info/exclude`; the user's own list is not read, so what only that has
is not ignored here. Where a file says more than is read, or something unusual, the answer is "not ignored". Case
counts, but for what is taken back (`!name`): one more thing that is not ignored does no harm.
"""

from __future__ import annotations

import os
from fnmatch import fnmatchcase

from sandgate.record import Record

BYTES_MAX = 1 << 18  # of one file
PATTERNS_MAX = 2048  # in one file
PARTS_MAX = 64  # of one path, and of one pattern
_UNUSUAL = ("\\", "[^", "[:")
EVERYWHERE = "**"


class Pattern(Record):
    """One line of such a file."""

    parts: tuple[str, ...]
    anchored: bool = False  # counts from the directory of the file, else from anywhere below
    directories_only: bool = False
    takes_back: bool = False

    def fits(self, parts: tuple[str, ...], *, is_directory: bool) -> bool:
        """Whether this is about the path with these parts, relative to the file's directory."""
        if self.directories_only and not is_directory:
            return False
        parts = parts if self.anchored else parts[-1:]
        mine = self.parts
        if self.takes_back:
            parts, mine = tuple([part.lower() for part in parts]), tuple([part.lower() for part in mine])
        return _fit(mine, parts)


OPAQUE = Pattern((EVERYWHERE,), anchored=True, takes_back=True)  # stands for what was not understood


class Ignoring:
    """One repository: `top` is its working tree, `common` its git directory. Canonical paths; files are read once."""

    def __init__(self, top: str, common: str) -> None:
        self._top = top
        self._everywhere = read_patterns(f"{common}/info/exclude")
        self._below: dict[str, tuple[Pattern, ...]] = {}

    def ignores(self, inner: str, *, is_directory: bool) -> bool:
        """Whether `inner`, relative to the top, is ignored itself or lies in a directory that is."""
        parts = tuple(inner.split("/"))
        if len(parts) > PARTS_MAX:
            return False
        return any(
            self._ignored(parts[:count], is_directory=is_directory or count < len(parts))
            for count in range(1, len(parts) + 1)
        )

    def _ignored(self, parts: tuple[str, ...], *, is_directory: bool) -> bool:
        """By the last pattern that fits, of the file that lies nearest."""
        for depth in range(len(parts) - 1, -1, -1):
            for pattern in reversed(self._patterns(parts[:depth])):
                if pattern.fits(parts[depth:], is_directory=is_directory):
                    return not pattern.takes_back
        return any(
            not pattern.takes_back
            for pattern in [each for each in self._everywhere if each.fits(parts, is_directory=is_directory)][-1:]
        )

    def _patterns(self, directory: tuple[str, ...]) -> tuple[Pattern, ...]:
        path = "/".join((self._top, *directory, ".gitignore"))
        if path not in self._below:
            self._below[path] = read_patterns(path)
        return self._below[path]


def read_patterns(path: str) -> tuple[Pattern, ...]:
    """The patterns in a file, in order. One that is no plain file has none: git follows no link there either."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ()
    with open(descriptor, "rb") as file:
        try:
            text = file.read(BYTES_MAX + 1)
        except OSError:
            return (OPAQUE,)
    lines = text.split(b"\n")
    if len(text) > BYTES_MAX or len(lines) > PATTERNS_MAX:
        return (OPAQUE,)
    found = [pattern_of(os.fsdecode(line.removesuffix(b"\r"))) for line in lines]
    return tuple([pattern for pattern in found if pattern is not None])


def pattern_of(line: str) -> Pattern | None:
    """The pattern that a line says; None for an empty one, a comment, and an unusual one that only ignores more."""
    text = line.lstrip("\ufeff").rstrip(" ")
    if not text or text[0] == "#":
        return None
    takes_back = text[0] == "!"
    text = text[takes_back:]
    parts = text.strip("/").split("/")
    if any(mark in text for mark in _UNUSUAL) or len(parts) > PARTS_MAX or not all(parts):
        return OPAQUE if takes_back else None
    return Pattern(tuple(parts), "/" in text.rstrip("/"), text[-1] == "/", takes_back)


def _fit(pattern: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """`**` stands for any number of parts; behind the last slash, for at least one."""
    reached = {0}  # how many parts the pattern so far may stand for
    for at, each in enumerate(pattern):
        if each == EVERYWHERE:
            least = min(reached) + (at == len(pattern) - 1 and at > 0)
            reached = set(range(least, len(parts) + 1))
        else:
            reached = {count + 1 for count in reached if count < len(parts) and fnmatchcase(parts[count], each)}
        if not reached:
            return False
    return len(parts) in reached
