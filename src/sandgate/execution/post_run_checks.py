"""Looks at the protected names again when a command is over, by whatever it was supervised.

A supervisor can be killed, and a race lost; the disk does not lie. Nor does it tell who did it: what is there now under
a name that did not exist may be the work of another process on the host, and so may another file in the place of a
protected one. The first is moved away, since nothing protects it any more; the second had an owner before the command
came, so it is only reported. Files that the command may change if what they say is harmless are judged.
"""

from __future__ import annotations

import os
import stat
import time

from sandgate.execution.planted_files import FILES_CLOCK
from sandgate.places.git import DIRECTORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sandgate.execution.judged_files import PutBack
    from sandgate.protocol.confinement import AttemptOutcome, ConfinedCommand
    from sandgate.protocol.held_calls import PerformedCall
    from sandgate.sandbox.memory import Mark

    Identity = tuple[int, int, int]  # device, inode, type with the link bit
    Lifted = tuple[Identity | None, bytes]

EXCHANGED = "`{}` is protected, and is gone or another object now: look at it"
_TYPE_BITS = 0o170000
CONTENT_BYTES_MAX = 16 << 20  # of a file that is judged; larger than any that may come in its place
LOOKED_AT_MAX = 4096  # files and directories below a protected name that git alone was let change
# From so many names on, a directory is listed once, unless it is so large that asking for each costs less.
LISTED_FROM_NAMES, LISTED_ENTRIES_MAX = 8, 1000


class PostRunChecks:
    """Made just before the start of a plan.

    `marks` are known directories: in one that still shows the same mark nothing was made. Elsewhere each name is asked
    for, or found in a list of the directory.
    """

    __slots__ = (
        "_absent", "_any_case", "_before", "_began_ns", "_begun", "_given", "_judged", "_lifted", "_marks", "_now",
        "_permissions", "created", "exchanged", "looked",
    )  # fmt: skip

    def __init__(self, plan: ConfinedCommand, marks: Mapping[str, Mark] | None = None) -> None:
        permissions = plan.permissions
        self._absent = permissions.absent if plan.confined else ()
        self._begun = permissions.begun if plan.confined else ""
        self._any_case = permissions.case_insensitive
        self._before = {path: _identity(path) for path in permissions.read_only} if plan.confined else {}
        self._marks = marks or {}
        self._permissions = permissions
        self._judged = {path: _content(path) for path in permissions.judged} if plan.confined else {}
        self._lifted = {path: _as_lifted(path) for path in permissions.lifted} if plan.confined else {}
        self._began_ns = time.clock_gettime_ns(FILES_CLOCK) if self._judged or self._lifted else 0
        self._given: frozenset[str] = frozenset()  # what the supervisor made under a protected name, by somebody's yes
        self._now: dict[str, bool] = {}  # which of them still show the same, at one look
        self.looked = False
        self.created: tuple[str, ...] = ()  # protected names that did not exist, and do now
        self.exchanged: tuple[str, ...] = ()  # those that existed, and now are another object than then, or gone

    def look(self) -> None:
        """After its end. May be repeated."""
        self.looked = True
        self._now = {}
        before = self._before
        missing = [path for path, was in before.items() if was is None]
        groups = [*_absent_by_directory(self._absent).items(), *_by_directory(missing).items()]
        suspects = [name for directory, names in groups for name in self._suspects(directory, names)]
        created = [path for suspect in suspects for path in self._present(suspect)]
        self.created = tuple([path for path in created if path not in self._given and not self._is_gits(path)])
        if self._begun:
            from sandgate.execution.fresh_repository import is_fresh

            self.created += () if is_fresh(self._begun) else (self._begun,)
        self.exchanged = tuple(path for path, was in before.items() if was is not None and _identity(path) != was)

    def exchanged_lines(self, performed: tuple[PerformedCall, ...] = ()) -> list[str]:
        """What to say about those that were exchanged, but for what somebody's yes had done."""
        allowed = {path for each in performed for path in (each.path, each.other_path) if not each.error}
        return [EXCHANGED.format(path) for path in self.exchanged if path not in allowed]

    def settled(self, outcome: AttemptOutcome, put_back: PutBack) -> AttemptOutcome:
        """Once everything inside is gone: what may be changed if it is harmless, and is not, is put back."""
        self._given = _made_by_a_yes(outcome)
        self.created = tuple([path for path in self.created if path not in self._given])
        self.created += tuple(path for path, was in self._lifted.items() if not self._is_as_git_leaves_it(path, was))
        changed = {path: was[1] for path, was in self._judged.items() if self._has_changed(path, was[0])}
        if not changed:
            return outcome
        from sandgate.execution.judged_files import settled

        return settled(outcome, changed, self._permissions, put_back)

    def _is_gits(self, path: str) -> bool:
        """Whether a line of nothing but git can have made it meanwhile: a place of git's that obeys nothing new."""
        drafts = self._permissions.drafts
        if not drafts or not _exists(path):
            return False
        from sandgate.execution.git_pointers import is_sound

        return is_sound(path, drafts, self._permissions.open_places, self._absent)

    def _is_as_git_leaves_it(self, path: str, was: Lifted) -> bool:
        if not _exists(path):
            return True
        if _as_lifted(path) == was and (was[1] or not _is_changed_since(path, self._began_ns)):
            return True
        from sandgate.execution.git_pointers import is_sound

        return is_sound(path, self._permissions.drafts, self._permissions.open_places, self._lifted)

    def _has_changed(self, path: str, inode: int) -> bool:
        if not _exists(path):
            return False  # what is gone is not obeyed
        found = os.lstat(path)
        return found.st_ino != inode or found.st_ctime_ns >= self._began_ns

    def _present(self, name: str) -> Iterable[str]:
        """What is there under that name; under one that stands for an ending, what was not seen before."""
        directory, _, last = name.rpartition("/")
        if last[:2] != "*.":
            return (name,) if _exists(name) else ()
        try:
            found = [f"{directory}/{entry}" for entry in os.listdir(directory or "/") if entry.endswith(last[1:])]
        except OSError:
            return ()
        return [path for path in found if path not in self._before]

    def _suspects(self, directory: str, names: list[str]) -> Iterable[str]:
        """The names in `directory` that may have come to exist."""
        if self._is_unchanged(directory) or self._is_still_missing(directory):
            return ()
        if self._any_case or len(names) < LISTED_FROM_NAMES:
            return names if len(names) == 1 or _exists(directory or "/") else ()
        if (there := _entries(directory)) is None:
            return names
        start = len(directory) + 1
        return [name for name in names if name[start:] in there or name[start : start + 2] == "*."]

    def _is_unchanged(self, directory: str) -> bool:
        known = self._now.get(directory)
        if known is None:
            mark = self._marks.get(directory)
            known = self._now[directory] = mark is not None and _mark(directory) == mark
        return known

    def _is_still_missing(self, directory: str) -> bool:
        """Whether what should lead to it did not exist in a directory that has not changed since it was looked for."""
        above, below = directory, ""
        while above and above not in self._marks:
            below, above = above, above.rpartition("/")[0]
        if not above or not below or not self._is_unchanged(above):
            return False
        mark = self._marks[above]
        if _missing.get(below) == mark:
            return True
        if _exists(below):
            return False
        while len(_missing) >= _MISSING_MAX:
            _missing.pop(next(iter(_missing)), None)
        _missing[below] = mark
        return True


def _made_by_a_yes(outcome: AttemptOutcome) -> frozenset[str]:
    """What the supervisor put in its place because it was granted by name; trees cover no protected name."""
    return frozenset([each.other_path or each.path for each in outcome.performed if not each.error])


_MISSING_MAX = 1024  # names
_missing: dict[str, Mark] = {}  # what was not there, and what the directory that it would lie in showed then
_RECENT_MAX = 16  # sets of names; as many sessions of a process can be at work
_recent: dict[int, tuple[tuple[str, ...], dict[str, list[str]]]] = {}


def _absent_by_directory(names: tuple[str, ...]) -> dict[str, list[str]]:
    """Kept, since the next command mostly has the same."""
    known = _recent.get(id(names))  # no other object has this number while we keep them
    if known is None:
        while len(_recent) >= _RECENT_MAX:
            _recent.pop(next(iter(_recent)), None)
        known = _recent[id(names)] = (names, _by_directory(names))
    return known[1]


def _by_directory(names: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(name.rpartition("/")[0], []).append(name)
    return found


def _mark(directory: str) -> Mark | None:
    try:
        found = os.lstat(directory)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_ctime_ns


def _entries(directory: str) -> set[str] | None:
    """The names in a directory; None where there are too many, or it cannot be read."""
    names: set[str] = set()
    try:
        with os.scandir(directory or "/") as entries:
            for entry in entries:
                names.add(entry.name)
                if len(names) > LISTED_ENTRIES_MAX:
                    return None
    except OSError:
        return None
    return names


def _exists(path: str) -> bool:
    """Be it a link to nowhere. A third of the price of a failing lstat, and nearly all of them fail."""
    return os.access(path, os.F_OK, effective_ids=True, follow_symlinks=False)


def _content(path: str) -> tuple[int, bytes | None]:
    """Inode and content of a file that is judged; 0 and None where there is none."""
    if not _exists(path):
        return 0, None
    from sandgate.execution.plain_file import read_plain

    try:
        return read_plain(path, CONTENT_BYTES_MAX, one_name=False)
    except OSError:  # a link or a pipe by now, or it keeps its owner out; what comes in its place is judged as new
        return (_identity(path) or (0, 0))[1], None


def _as_lifted(path: str) -> Lifted:
    """What it is, and what it says if it leads git elsewhere."""
    if not path.endswith(f"/{DIRECTORY}"):
        return _identity(path), b""
    from sandgate.execution.git_pointers import pointer_content

    return _identity(path), pointer_content(path)


def _is_changed_since(path: str, began_ns: int) -> bool:
    """Whether anything at or below it is of later; also where that cannot be told."""
    waiting = [path]
    for _ in range(LOOKED_AT_MAX):
        if not waiting:
            return False
        place = waiting.pop()
        try:
            found = os.lstat(place)
            below = os.listdir(place) if stat.S_ISDIR(found.st_mode) else ()
        except OSError:
            return True
        if found.st_ctime_ns >= began_ns:
            return True
        waiting += [f"{place}/{name}" for name in below]
    return True


def _identity(path: str) -> Identity | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mode & _TYPE_BITS
