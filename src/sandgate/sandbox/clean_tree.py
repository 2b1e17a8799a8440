"""Whether `git reset --hard` throws nothing away: no file of the working tree has what no commit has.

So it is where the index is what the last commit is, each file is what the index says, and nothing lies where the other
commit has a file. That commit stays in the log of HEAD. A file that goes or changes is what the last commit has, byte
for byte: to git one is unchanged whose filter has left out what is new in it. What cannot be known without the
repository's own settings and programs counts as work: submodules, replaced objects, files that git was told not to look
at, indexes of other forms. Where the line itself may change what the revision means (`git fetch`), all files are
compared, and nothing else may lie in the tree.
"""

from __future__ import annotations

import hashlib
import os
import stat

from sandgate.places import git
from sandgate.sandbox.file_bytes import whole_bytes
from sandgate.sandbox.git_objects import tree_entries
from sandgate.sandbox.index_entries import UnreadIndex, index_entries, staged_tree
from sandgate.sandbox.listing import join
from sandgate.sandbox.old_objects import OldObjects, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sandgate.sandbox.git_objects import TreeEntry
    from sandgate.sandbox.index_entries import IndexEntry

INDEX_BYTES_MAX = 16 << 20
COMPARED_BYTES_MAX = 64 << 20  # of files that were touched since, all together
TREES_MAX = 2000  # that differ between the two commits
ABOVE_MAX = 64  # directories above the working directory in which the repository is looked for
CONFIG_BYTES_MAX = 1 << 20
PACKED_BYTES_MAX = 16 << 20  # of references
OTHERS_MAX = 10_000  # directories in which others than the index's files are looked for
LOG_BYTES_MAX = 4 << 20  # some twenty thousand entries
_HASH_BYTES = 20
_LINK, _REGULAR, _EXECUTABLE = 0o120000, (0o100644, 0o100755), 0o100
_DIRECTORIES = ("objects", "refs")


class _Work(Exception):
    """Something there may be work that no commit has."""


def loses_nothing(directory: str, revision: str, roots: Iterable[str], *, may_turn: bool = False) -> bool:
    """Whether a reset to `revision`, run in `directory`, does; of a repository at one of `roots`, absolute and real.
    `may_turn`: by then it may be any commit."""
    try:
        top = _top(directory)
        if top not in frozenset(roots):
            return False
        objects = OldObjects(join(top, git.DIRECTORY))
        try:
            _look(top, "" if may_turn else revision, objects)
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
    if os.path.lexists(join(own, "refs/replace")) or b"refs/replace/" in _packed(own):
        raise _Work  # what we read stands for something else
    if b"worktree" in whole_bytes(join(own, "config"), CONFIG_BYTES_MAX, follows=False).lower():
        raise _Work  # another tree, or settings of its own
    index_path = join(own, "index")
    seen_ns = os.stat(index_path).st_mtime_ns
    index = whole_bytes(index_path, INDEX_BYTES_MAX, follows=False)
    entries = index_entries(index)
    head = _commit("HEAD", objects)
    tree = _tree_of(head)
    if staged_tree(index).hex() != tree or not _is_logged(own, head):
        raise _Work
    files = _Files(top, seen_ns)
    files.compare(entries, frozenset((b"",)) if not revision else _Changes(top, objects).to(revision, tree))
    if not revision:
        files.refuse_others(entries)


def _packed(own: str) -> bytes:
    place = join(own, "packed-refs")
    return whole_bytes(place, PACKED_BYTES_MAX, follows=False) if os.path.lexists(place) else b""


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
    lines = whole_bytes(join(own, "logs/HEAD"), LOG_BYTES_MAX, follows=False).splitlines()
    return bool(lines) and lines[-1].split(b" ", 2)[1:2] == [name.encode()]


class _Files:
    """Compares files with what the index says of them; `seen_ns`: when it was written."""

    def __init__(self, top: str, seen_ns: int) -> None:
        self._top = os.fsencode(top)
        self._seen_ns = seen_ns
        self._directories = {b""}  # that are there, and no links
        self._left = COMPARED_BYTES_MAX

    def compare(self, entries: list[IndexEntry], closely: frozenset[bytes]) -> None:
        """`closely`: files, and directories whose files, are compared byte for byte."""
        for entry in entries:
            above, _, _ = entry.path.rpartition(b"/")
            if above not in self._directories:
                self._enter(above)
            self._compare(entry, closely=bool(closely) and not closely.isdisjoint(_around(entry.path)))

    def refuse_others(self, entries: list[IndexEntry]) -> None:
        """After `compare`: whatever else lies in the tree, an empty directory as well, could be in somebody's way."""
        known = frozenset(entry.path for entry in entries) | self._directories
        if len(self._directories) > OTHERS_MAX:
            raise _Work
        for directory in self._directories:
            for name in os.listdir(self._top + b"/" + directory):
                path = directory + b"/" + name if directory else name
                if path not in known and path != os.fsencode(git.DIRECTORY):
                    raise _Work

    def _enter(self, directory: bytes) -> None:
        above, _, _ = directory.rpartition(b"/")
        if above not in self._directories:
            self._enter(above)
        if not stat.S_ISDIR(os.lstat(self._top + b"/" + directory).st_mode):
            raise _Work
        self._directories.add(directory)

    def _compare(self, entry: IndexEntry, *, closely: bool) -> None:
        path = self._top + b"/" + entry.path
        about = os.lstat(path)
        is_link = stat.S_ISLNK(about.st_mode)
        if is_link != (entry.mode == _LINK) or not (is_link or _has_mode(about.st_mode, entry.mode)):
            raise _Work
        times = (*divmod(about.st_ctime_ns, 10**9), *divmod(about.st_mtime_ns, 10**9))
        known = times == entry.changed and about.st_size & 0xFFFFFFFF == entry.size
        if not closely and known and max(about.st_mtime_ns, about.st_ctime_ns) < self._seen_ns:
            return
        self._left -= about.st_size
        if self._left < 0 or _blob(_content(path, about)) != entry.blob:
            raise _Work


def _around(path: bytes) -> Iterator[bytes]:
    """The path, and each directory it lies in; the last is the top."""
    while path:
        yield path
        path, _, _ = path.rpartition(b"/")
    yield b""


class _Changes:
    """What goes or changes between two commits. Nothing may lie where the one of now has no file, and the other has."""

    def __init__(self, top: str, objects: OldObjects) -> None:
        self._top = top
        self._objects = objects
        self._left = TREES_MAX
        self._found: set[bytes] = set()

    def to(self, revision: str, tree: str) -> frozenset[bytes]:
        """The paths, relative, of files and of directories that go as a whole; `tree` is that of now."""
        wanted = _tree_of(_commit(revision, self._objects))
        if wanted != tree:
            self._look(tree, wanted, "")
        return frozenset(self._found)

    def _look(self, old: str, new: str, below: str) -> None:
        before = {entry.name: entry for entry in self._entries(old)}
        for entry in self._entries(new):
            inner = join(below, os.fsdecode(entry.name)) if below else os.fsdecode(entry.name)
            was = before.pop(entry.name, None)
            if was is None:
                if entry.is_gitlink or os.path.lexists(join(self._top, inner)):
                    raise _Work
            elif was.is_gitlink or entry.is_gitlink or was.is_tree != entry.is_tree:
                raise _Work
            elif (was.points_to, was.mode) == (entry.points_to, entry.mode):
                continue
            elif entry.is_tree:
                self._look(was.points_to, entry.points_to, inner)
            else:
                self._found.add(os.fsencode(inner))
        self._found.update(os.fsencode(below) + b"/" + name if below else name for name in before)

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


def _content(path: bytes, about: os.stat_result) -> bytes:
    return os.readlink(path) if stat.S_ISLNK(about.st_mode) else whole_bytes(path, about.st_size, follows=False)
