"""Whether `git reset --hard` throws nothing away: no file of the working tree has what no commit has.

So it is where the index is what the last commit is, each file is what the index says, and nothing lies where the other
commit has a file. That commit stays in the log of HEAD. What cannot be known without the repository's own settings and
programs counts as work: filters, submodules, files that git was told not to look at, indexes of other forms.
"""

from __future__ import annotations

import hashlib
import os
import stat

from sandgate.places import git
from sandgate.sandbox.git_objects import tree_entries
from sandgate.sandbox.index_entries import UnreadIndex, index_entries, staged_tree
from sandgate.sandbox.listing import join
from sandgate.sandbox.old_objects import OldObjects, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandgate.sandbox.git_objects import TreeEntry
    from sandgate.sandbox.index_entries import IndexEntry

INDEX_BYTES_MAX = 16 << 20
COMPARED_BYTES_MAX = 64 << 20  # of files that were touched since, all together
TREES_MAX = 2000  # that differ between the two commits
ABOVE_MAX = 64  # directories above the working directory in which the repository is looked for
CONFIG_BYTES_MAX = 1 << 20
LOG_END_BYTES = 4096
_HASH_BYTES = 20
_LINK, _REGULAR, _EXECUTABLE = 0o120000, (0o100644, 0o100755), 0o100
_DIRECTORIES = ("objects", "refs")


class _Work(Exception):
    """Something there may be work that no commit has."""


def loses_nothing(directory: str, revision: str, roots: Iterable[str]) -> bool:
    """Whether a reset to `revision`, run in `directory`, does; of a repository at one of `roots`, absolute and real."""
    try:
        top = _top(directory)
        if top not in frozenset(roots):
            return False
        objects = OldObjects(join(top, git.DIRECTORY))
        try:
            _look(top, revision, objects)
        finally:
            objects.close()
    except (OSError, ValueError, UnreadIndex, Unreadable, _Work):
        return False
    return True


def _top(directory: str) -> str:
    """The working tree around, whose repository lies in it and is no bare one."""
    place = os.path.realpath(directory)
    for _ in range(ABOVE_MAX):
        own = join(place, git.DIRECTORY)
        if os.path.lexists(own):
            if not stat.S_ISDIR(os.lstat(own).st_mode) or os.path.lexists(join(own, "commondir")):
                raise _Work
            return place
        if place == "/" or all(os.path.isdir(join(place, name)) for name in _DIRECTORIES):
            raise _Work  # git takes it for a bare repository
        place = os.path.dirname(place)
    raise _Work


def _look(top: str, revision: str, objects: OldObjects) -> None:
    own = join(top, git.DIRECTORY)
    if b"worktree" in _content(join(own, "config"), CONFIG_BYTES_MAX).lower():
        raise _Work  # another tree, or settings of its own
    index_path = join(own, "index")
    seen_ns = os.stat(index_path).st_mtime_ns
    index = _content(index_path, INDEX_BYTES_MAX)
    entries = index_entries(index)
    head = _commit("HEAD", objects)
    tree = _tree_of(head)
    if staged_tree(index).hex() != tree or not _is_logged(own, head):
        raise _Work
    _Files(top, seen_ns).compare(entries)
    wanted = _tree_of(_commit(revision, objects))
    if wanted != tree:
        _Arrivals(top, objects).look(tree, wanted, "")


def _commit(name: str, objects: OldObjects) -> bytes:
    found = objects.read(name)
    if found is None or found[0] != b"commit":
        raise _Work
    return found[1]


def _tree_of(commit: bytes) -> str:
    word, _, name = commit.partition(b"\n")[0].partition(b" ")
    if word != b"tree" or len(name) != 2 * _HASH_BYTES:
        raise _Work
    return name.decode("ascii")


def _is_logged(own: str, head: bytes) -> bool:
    """Whether the log of HEAD, which brings the commit back, ends with it."""
    name = hashlib.sha1(b"commit %d\0" % len(head) + head, usedforsecurity=False).hexdigest()
    with open(join(own, "logs/HEAD"), "rb", opener=_without_waiting) as log:
        log.seek(max(0, os.fstat(log.fileno()).st_size - LOG_END_BYTES))
        lines = log.read(LOG_END_BYTES).splitlines()
    return bool(lines) and lines[-1].split(b" ", 2)[1:2] == [name.encode()]


class _Files:
    """Compares files with what the index says of them; `seen_ns`: when it was written."""

    def __init__(self, top: str, seen_ns: int) -> None:
        self._top = os.fsencode(top)
        self._seen_ns = seen_ns
        self._directories = {b""}  # that are there, and no links
        self._left = COMPARED_BYTES_MAX

    def compare(self, entries: list[IndexEntry]) -> None:
        for entry in entries:
            above, _, _ = entry.path.rpartition(b"/")
            if above not in self._directories:
                self._enter(above)
            self._compare(entry)

    def _enter(self, directory: bytes) -> None:
        above, _, _ = directory.rpartition(b"/")
        if above not in self._directories:
            self._enter(above)
        if not stat.S_ISDIR(os.lstat(self._top + b"/" + directory).st_mode):
            raise _Work
        self._directories.add(directory)

    def _compare(self, entry: IndexEntry) -> None:
        path = self._top + b"/" + entry.path
        about = os.lstat(path)
        is_link = stat.S_ISLNK(about.st_mode)
        if is_link != (entry.mode == _LINK) or not (is_link or _has_mode(about.st_mode, entry.mode)):
            raise _Work
        times = (*divmod(about.st_ctime_ns, 10**9), *divmod(about.st_mtime_ns, 10**9))
        known = times == entry.changed and about.st_size & 0xFFFFFFFF == entry.size
        if known and max(about.st_mtime_ns, about.st_ctime_ns) < self._seen_ns:
            return
        self._left -= about.st_size
        if self._left < 0 or _blob(os.readlink(path) if is_link else _content(path, about.st_size)) != entry.blob:
            raise _Work


class _Arrivals:
    """Looks whether something lies where one commit has a file and the other, the one of now, has none."""

    def __init__(self, top: str, objects: OldObjects) -> None:
        self._top = top
        self._objects = objects
        self._left = TREES_MAX

    def look(self, old: str, new: str, below: str) -> None:
        before = {entry.name: entry for entry in self._entries(old)}
        for entry in self._entries(new):
            inner = join(below, os.fsdecode(entry.name)) if below else os.fsdecode(entry.name)
            was = before.get(entry.name)
            if was is None:
                if entry.is_gitlink or os.path.lexists(join(self._top, inner)):
                    raise _Work
            elif was.is_gitlink or entry.is_gitlink or was.is_tree != entry.is_tree:
                raise _Work
            elif entry.is_tree and was.points_to != entry.points_to:
                self.look(was.points_to, entry.points_to, inner)

    def _entries(self, name: str) -> list[TreeEntry]:
        self._left -= 1
        found = self._objects.read(name) if self._left >= 0 else None
        if found is None or found[0] != b"tree":
            raise _Work
        return tree_entries(found[1], _HASH_BYTES)


def _has_mode(mode: int, recorded: int) -> bool:
    return stat.S_ISREG(mode) and recorded in _REGULAR and bool(mode & _EXECUTABLE) == bool(recorded & _EXECUTABLE)


def _blob(content: bytes) -> bytes:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).digest()


def _content(path: str | bytes, most: int) -> bytes:
    with open(path, "rb", opener=_without_waiting) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise _Work
    return content


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOFOLLOW)
