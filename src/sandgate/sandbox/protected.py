"""Finds the names inside a writable root that must not be changed from inside the sandbox.

They carry code or settings that a program runs later *outside*: git hooks and configuration, shell start-up files,
editor tasks, agent settings. A name that does not exist yet is as dangerous as one that does, so both are
reported. One walk per root (three levels) also finds nested repositories.

A protected name may be a symbolic link. The link itself is then protected (a mount on a link pins it). Where no
confined command can have made it, directly in the root, so is what it points to, unless that is the root: a link
further down may be any program's, and must not close other things. A protected file may have a second name (a hard
link) in the writable part; `aliases_of` finds those, because a read-only mount covers a path and not an inode.
"""

from __future__ import annotations

import os
import stat

from sandgate.errors import ConfinementError
from sandgate.places.git import BARE_DIRECTORIES, SUBMODULE_LIST
from sandgate.places.git import DIRECTORY as GIT
from sandgate.places.run_later import CLOSED_ENDINGS, CLOSED_NAMES, is_plain_name
from sandgate.sandbox.closing import Closing
from sandgate.sandbox.git_directories import GitDirectories
from sandgate.sandbox.listing import by_meaning, join
from sandgate.sandbox.mount_budget import bounded
from sandgate.sandbox.repositories import looks_like_git_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandgate.sandbox.closing import FoundProtected
    from sandgate.sandbox.listing import Listing
    from sandgate.sandbox.looking import Look
    from sandgate.sandbox.protection import Protection

DIRECTORIES_MAX = 65536  # directories listed in one root; further ones are closed
_LIST_ENDING = f"/{SUBMODULE_LIST}"
SHORT_DIRECTORY_BYTES = 4096  # size of a directory itself; one block on most disks, some 200 entries on tmpfs


def closed_names(protection: Protection) -> tuple[str, ...]:
    """The built-in ones and those that are asked for beside them."""
    return tuple(dict.fromkeys((*CLOSED_NAMES, *protection.optional_names)))


def protected_in(root: str, protection: Protection, look: Look, *, walk: bool) -> FoundProtected:
    """Everything protected below canonical directory `root`.

    `walk` is for directories that a person works in. Shared scratch space (`/tmp`) is only asked for the names
    themselves: it may hold a million entries, and what is nested there belongs to no project we protect.
    """
    search = _Search(root, protection, look)
    if walk:
        search.walk(root)
    else:
        search.probe(root)
    return search.found()


class _Names:
    """The names that are closed, taken apart."""

    __slots__ = ("deeper", "firsts", "protection", "top", "written")

    def __init__(self, protection: Protection) -> None:
        self.protection = protection
        self.written = [(name, *name.partition("/")) for name in closed_names(protection)]
        self.firsts = tuple(dict.fromkeys([first for _, first, _, _ in self.written]))
        self.top = frozenset([name for name, _, between, _ in self.written if not between])
        self.deeper: dict[str, list[str]] = {}  # first part of a name → what comes behind it
        for _, first, _, rest in self.written:
            if rest:
                self.deeper.setdefault(first, []).append(rest)


_last_names: _Names | None = None  # of a session they are always the same


def _names_of(protection: Protection) -> _Names:
    global _last_names
    names = _last_names
    if names is None or names.protection is not protection:
        names = _last_names = _Names(protection)
    return names


class _Search:
    def __init__(self, root: str, protection: Protection, look: Look) -> None:
        self.root = root
        self.look = look
        self.protection = protection
        self.closing = Closing((root,), look)
        self.git = GitDirectories(self.closing, protection.git)
        names = _names_of(protection)
        self.names, self.firsts, self.top_names, self.deeper = names.written, names.firsts, names.top, names.deeper
        self.unlisted: list[str] = []  # directories that were not looked into
        self.ignores_case = False

    def found(self) -> FoundProtected:
        self._close_locked()
        found = self.closing.found(ignores_case=self.ignores_case)
        if self.protection.git == "draft":
            lists = [path for path in (*found.protected, *found.absent) if path.endswith(_LIST_ENDING)]
            found = found.but(judged=tuple(filter(self._can_be_judged, lists)))
        found = found.but(protected=tuple(dict.fromkeys((*found.protected, *self.unlisted))))
        return bounded(found, self.root, self.unlisted, lambda: self.look.listing(self.root).directories)

    def probe(self, root: str) -> None:
        """The names directly in `root`: out of its listing when that is short, else one question each."""
        wanted = (GIT, *self.firsts)
        self.ignores_case = self.look.is_same_file(root, join(os.path.dirname(root), os.path.basename(root).swapcase()))
        about = self.look.lstat(root)
        if about is not None and about.st_size <= SHORT_DIRECTORY_BYTES and not self.ignores_case:
            present = frozenset(self.look.names(root)).intersection(wanted)
        else:
            present = frozenset(name for name in wanted if self.look.exists(join(root, name)))
        self._top(root, present)

    def walk(self, root: str) -> None:
        listing = self.look.listing(root)
        self.ignores_case = listing.ignores_case
        self._top(root, listing.names)
        level = [join(root, name) for name in listing.directories]
        seen = 0
        for depth in range(2, self.protection.nested_depth + 1):
            deepest = depth == self.protection.nested_depth
            below: list[str] = []
            self.unlisted += level[max(0, DIRECTORIES_MAX - seen) :]
            level = level[: max(0, DIRECTORIES_MAX - seen)]
            for directory in level:
                listing = self.look.listing(directory)
                self._nested(directory, listing)
                if set(BARE_DIRECTORIES).issubset(listing.directories) and looks_like_git_directory(
                    directory, self.look
                ):
                    self.git.bare(directory, follows=False)
                if not deepest:
                    below += [join(directory, name) for name in listing.directories]
            seen += len(level)
            level = below

    def _top(self, root: str, present: frozenset[str]) -> None:
        actual = _spellings(present, self.ignores_case)
        missing = []
        for name, first, _, rest in ((GIT, GIT, "", ""), *self.names):
            written = actual.get(_key(first, True) if self.ignores_case else first, [])
            if not written and first[0] != "." and not is_plain_name(first) and self.look.exists(join(root, first)):
                written = [first]  # listings keep only names of the table, and those that start with a dot
            for each in written:
                self._top_name(name, join(root, each), rest)
            if not written:
                missing.append(name)
        missing += [f"*{ending}" for ending in CLOSED_ENDINGS]
        at = root.rstrip("/")
        self.closing.absent += [name if name[:1] == "/" else f"{at}/{name}" for name in missing]
        self._endings(root, present, follows=True)
        if looks_like_git_directory(root, self.look):
            self.git.bare(root, follows=True)
        elif GIT not in actual:
            self.git.never_bare(root)

    def _top_name(self, name: str, path: str, rest: str) -> None:
        if name == GIT:
            self.git.named(path, follows=True)
        elif not rest:
            self.closing.protect(path, anchored=False, follows=True)
        else:
            self._deeper(path, rest, follows=True)

    def _deeper(self, directory: str, rest: str, *, follows: bool) -> None:
        """A name of several parts, whose first is there."""
        if self.look.is_link(directory):  # a mount below it would land elsewhere
            self.closing.protect(directory, anchored=False, follows=follows)
        elif self.look.exists(path := join(directory, rest)):
            self.closing.protect(path, anchored=True, follows=follows)
        elif follows:
            self._note_absent(path)

    def _endings(self, directory: str, present: frozenset[str], *, follows: bool) -> None:
        for name in present:
            if name.lower().endswith(CLOSED_ENDINGS):
                self.closing.protect(join(directory, name), anchored=False, follows=follows)

    def _note_absent(self, path: str) -> None:
        """What it would lie in can only be pinned when it is there; else the supervisor lets nothing be moved there."""
        self.closing.absent.append(path)
        if self.look.exists(os.path.dirname(path)):
            self.closing.anchored.append(path)

    def _nested(self, directory: str, listing: Listing) -> None:
        """A directory may ignore case by itself, below one in which case counts."""
        if not listing.names:
            return
        folds = listing.ignores_case
        self.ignores_case |= folds
        actual = _spellings(listing.names, folds)
        for written in actual.get(GIT, ()):
            self.git.named(join(directory, written), follows=False)
        for name in self._nested_names(actual, folds):
            for written in actual[_key(name, folds)]:
                self.closing.protect(join(directory, written), anchored=False, follows=False)
        for first, below in self.deeper.items():
            for written in actual.get(_key(first, folds), ()):
                for rest in below:
                    self._deeper(join(directory, written), rest, follows=False)
        self._endings(directory, listing.names, follows=False)

    def _can_be_judged(self, path: str) -> bool:
        """A list of submodules under its one name, there or not."""
        if path in self.closing.linked:
            return False
        facts = self.look.lstat(path)
        return facts is None or stat.S_ISREG(facts.st_mode)

    def _nested_names(self, actual: dict[str, list[str]], folds: bool) -> Iterable[str]:
        if folds:
            return [name for name in self.top_names if name.lower() in actual]
        return self.top_names.intersection(actual)

    def _close_locked(self) -> None:
        """What is in a directory that keeps us out cannot be known, and a command could open it: it stays as it is."""
        for path in self.look.locked:
            if self.closing.is_root_or_above(path):
                raise ConfinementError(
                    f"cannot look for protected files in `{self.root}`",
                    why=f"`{path}` is yours and its mode keeps you out, and a command could change that",
                    hint=f"give yourself access: `chmod u+rx {path}`",
                )
            self.closing.close(path)


def _spellings(present: frozenset[str], folds: bool) -> dict[str, list[str]]:
    return by_meaning(present) if folds else {name: [name] for name in present}


def _key(name: str, folds: bool) -> str:
    """As `_spellings` has it."""
    return name.lower() if folds else name
