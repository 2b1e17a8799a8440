"""Tells of files that something obeys later, made or changed while a command ran, where no sandbox refuses them.

What is compared is the disk before and after, so nothing depends on what a command let us see; it may also have been
another process that wrote meanwhile. Looked at are the directories that the search for protected names knows, the
shallow ones first, what came to exist in them, and where virtual environments among them keep their packages.
"""

from __future__ import annotations

import os
import time

from sandgate.places.git import DIRECTORY, STEPS, SUBMODULE_LIST
from sandgate.places.run_later import USUAL, watched
from sandgate.sandbox.listing import ENVIRONMENT_MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.protocol.permissions import EffectivePermissions
    from sandgate.sandbox.looking import Known

    Stamp = tuple[int, int, int]  # inode, size in bytes, change time in ns

DIRECTORIES_MAX = 64  # known ones, looked at after each command; about 1 µs each
NEW_DIRECTORIES_MAX = 1_024  # made meanwhile, and looked into
FILES_MAX = 64  # of which a change is told, and as many in one directory that is obeyed as a whole
NAMED_MAX = 4  # in the line
FILES_CLOCK = 5  # CLOCK_REALTIME_COARSE of <linux/time.h>: no file is stamped with an earlier time
WORKTREES_MAX = 64  # git directories that a command may write, of which a waiting rebase is told
CONTINUED_BY = "git rebase --continue"
ENVIRONMENTS_MAX = 8  # virtual environments, of which what each start of Python obeys is told


class Planted:
    """Made just before the start of a plan; `known` are directories by path, as the search has seen them."""

    __slots__ = ("_began_ns", "_known", "_packages", "_permissions", "_stamps", "_todo", "changed", "made")

    def __init__(self, plan: ConfinedCommand, known: Mapping[str, Known]) -> None:
        self._permissions = plan.permissions
        self._known = _shallow(plan.permissions.open_places, known) if plan.confined else {}
        self._stamps: dict[str, tuple[str, Stamp | None]] = {}  # path → who obeys it, and what it was
        self.made: dict[str, str] = {}  # path → who obeys it
        self.changed: dict[str, str] = {}
        self._began_ns = time.clock_gettime_ns(FILES_CLOCK)
        self._packages: dict[str, Stamp] = {}  # where environments keep their packages
        # What a rebase has still to do: path → what it was, None where there is none
        self._todo = {path: _stamp_at(path) for path in _waiting_rebases(plan.permissions, self._known)}
        for directory, (_, _, _, listing) in self._known.items():
            if ENVIRONMENT_MARK in listing.names and len(self._packages) < ENVIRONMENTS_MAX:
                self._packages |= _packages_of(directory)
            for name in listing.names:
                row = watched(directory, name)
                if row is not None and row.when_changed:
                    self._stamp(f"{directory}/{name}", row.obeyed_by)

    def look(self) -> None:
        """After its end."""
        for directory, (device, inode, changed_ns, listing) in self._known.items():
            now = _lstat(directory)
            if now is not None and (now.st_dev, now.st_ino, now.st_ctime_ns) != (device, inode, changed_ns):
                self._compare(directory, listing.names, listing.directories)
        for directory, before in self._packages.items():
            now = _lstat(directory)
            if now is not None and _stamp_of(now) != before:
                self._compare_packages(directory)
        for path, (obeyed_by, was) in self._stamps.items():
            now = _lstat(path)
            if now is not None and path not in self.made and _stamp_of(now) != was:
                self.changed[path] = obeyed_by

        for path, before_it in self._todo.items():
            stamp = _stamp_at(path)
            if stamp is not None and stamp != before_it:
                (self.made if before_it is None else self.changed)[path] = CONTINUED_BY

    def sentence(self, moved_away: tuple[str, ...] = ()) -> str:
        """One line for the person; empty when there is nothing to tell beside what is `moved_away`, and told so."""
        told = [f"`{path}` (made; {who})" for path, who in self.made.items() if path not in moved_away]
        told += [f"`{path}` (changed; {who})" for path, who in self.changed.items()]
        if not told:
            return ""
        more = f" and {len(told) - NAMED_MAX} more" if len(told) > NAMED_MAX else ""
        return f"look at what was written meanwhile, since it is obeyed later: {', '.join(told[:NAMED_MAX])}{more}"

    def _stamp(self, path: str, obeyed_by: str) -> None:
        """The file itself, or the files in a directory."""
        for each in (path, *_entries(path)[0]):
            if len(self._stamps) >= FILES_MAX:
                return
            found = _lstat(each)
            if found is not None:
                self._stamps[each] = (obeyed_by, _stamp_of(found))

    def _compare_packages(self, directory: str) -> None:
        """Hundreds of names may lie there, so they are not remembered: whatever came or changed bears a later time."""
        for path in _entries(directory)[0]:
            row = watched(directory, path.rpartition("/")[2])
            now = _lstat(path) if row is not None else None
            if row is not None and now is not None and now.st_ctime_ns >= self._began_ns and not _is_usual(path):
                self.made.setdefault(path, row.obeyed_by)

    def _compare(self, directory: str, names: Iterable[str], directories: Iterable[str]) -> None:
        before, known = frozenset(names), frozenset(directories)
        fresh = [(directory, before, known)]
        for _ in range(NEW_DIRECTORIES_MAX):
            if not fresh:
                return
            place, seen, entered = fresh.pop()
            files, inside = _entries(place)
            for path in (*files, *inside):
                name = path.rpartition("/")[2]
                row = watched(place, name) if name not in seen else None
                if row is not None:
                    if not self._is_no_news(path):
                        self.made[path] = row.obeyed_by
                elif path in inside and name not in entered and name not in seen:
                    fresh.append((path, frozenset(), frozenset()))

    def _is_no_news(self, path: str) -> bool:
        if not path.endswith(f"/{SUBMODULE_LIST}"):
            return _is_usual(path)
        from sandgate.execution.judged_files import is_harmless

        return is_harmless(path, self._permissions)


def _shallow(roots: Iterable[str], known: Mapping[str, Known]) -> dict[str, Known]:
    """The known directories at and below `roots`, as far as there is room."""
    found: dict[str, Known] = {}
    level = [root for root in roots if root in known]
    while level and len(found) < DIRECTORIES_MAX:
        below: list[str] = []
        for directory in level[: DIRECTORIES_MAX - len(found)]:
            entry = known.get(directory)
            if entry is not None:
                found[directory] = entry
                below += [f"{directory}/{name}" for name in entry[3].directories[:DIRECTORIES_MAX]]
        level = below
    return found


def _waiting_rebases(permissions: EffectivePermissions, known: Mapping[str, Known]) -> list[str]:
    """Where rebases of repositories keep what is left to do, if commands may write there: those in `known` directories,
    and in the roots themselves, which are not known when they have just changed."""
    found: list[str] = []
    with_git = [directory for directory, entry in known.items() if DIRECTORY in entry[3].names]
    for git in _writable(permissions, tuple(dict.fromkeys((*permissions.open_places, *with_git)))):
        if len(found) < WORKTREES_MAX and os.path.isdir(git):
            found += [f"{each}/{STEPS}" for each in (git, *_entries(f"{git}/worktrees")[1])]
    return found[:WORKTREES_MAX]


_last: tuple[EffectivePermissions, tuple[str, ...], list[str]] | None = None


def _writable(permissions: EffectivePermissions, directories: tuple[str, ...]) -> list[str]:
    """Names of git directories in these, by what commands may write; the last ones are kept, as the next command mostly
    has the same permissions."""
    global _last
    last = _last
    if last is None or last[0] is not permissions or last[1] != directories:
        named = [f"{directory}/{DIRECTORY}" for directory in directories]
        last = _last = permissions, directories, [git for git in named if permissions.may_write(f"{git}/{STEPS}")]
    return last[2]


def _packages_of(environment: str) -> dict[str, Stamp]:
    """`lib/python3.x/site-packages` of a virtual environment, as it is."""
    found: dict[str, Stamp] = {}
    for library in _entries(f"{environment}/lib")[1]:
        packages = _lstat(f"{library}/site-packages")
        if packages is not None:
            found[f"{library}/site-packages"] = _stamp_of(packages)
    return found


def _entries(directory: str) -> tuple[list[str], list[str]]:
    """Paths of the files in a directory, and of the directories, links not followed; nothing in what is none."""
    files: list[str] = []
    directories: list[str] = []
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                (directories if entry.is_dir(follow_symlinks=False) else files).append(entry.path)
    except OSError:
        return [], []
    return files, directories


def _is_usual(path: str) -> bool:
    """Whether this is a file with just the content that its name has everywhere."""
    usual = USUAL.get(path.rpartition("/")[2])
    if usual is None:
        return False
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return os.read(file, max(map(len, usual)) + 1) in usual
    except OSError:
        return False
    finally:
        os.close(file)


def _lstat(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except OSError:
        return None


def _stamp_at(path: str) -> Stamp | None:
    found = _lstat(path)
    return None if found is None else _stamp_of(found)


def _stamp_of(found: os.stat_result) -> Stamp:
    return found.st_ino, found.st_size, found.st_ctime_ns
