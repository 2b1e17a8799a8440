"""Looks up whether what a command deletes can be made again, for policy, which knows no disk.

That is what lies inside a writable root, was never given to git, holds no repository, no secret and no mount, and is
ignored by its repository, made by a build or by a command of this session; what lies in the project's own /tmp; and
what is not there. Each question has a limit, and behind it the answer is no: the reviewer is asked, as before.

A command of this session made a file that was born, and was changed last, while one ran. Nothing else is known of who
made it: what an editor saves in those moments counts as well, and what a command of ours replaces (decision 0058).
"""

from __future__ import annotations

import os
import stat
from fnmatch import fnmatchcase
from os.path import join

from sandgate.places import git, remade
from sandgate.places.secrets import named_for_secrets
from sandgate.sandbox.file_bytes import first_bytes, whole_bytes
from sandgate.sandbox.git_index import may_hold
from sandgate.sandbox.ignored import Ignoring
from sandgate.sandbox.looking import Look
from sandgate.sandbox.repositories import common_directory, pointed_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sandgate.protocol.deletions import Deletion

PATHS_MAX = 512  # that one command removes
LISTED_MAX = 20_000  # entries of directories that patterns are matched with
ENTRIES_MAX = 100_000  # below all paths of one command, which are walked for repositories
JUDGED_MAX = 4096  # of these, that are judged one by one
INDEX_BYTES_MAX = 64 << 20  # of one index
MOUNTS_BYTES_MAX = 4 << 20  # of the list of mounts
ABOVE_MAX = 64  # directories above a path in which its repository is looked for
SHARED_TMP = "/tmp"
MOUNTS = "/proc/self/mountinfo"
_GLOBS = "*?["


class _NotKnown(Exception):
    """Something is there that could not be made again, or more than is looked at."""


def can_be_made_again(
    deletion: Deletion,
    cwd: str,
    roots: Iterable[str],
    *,
    private_tmp: bool,
    ran: Callable[[int], bool] = lambda _moment_ns: False,
) -> bool:
    """Whether all that `deletion`, started in `cwd`, removes is of that kind.

    `roots`: where commands may write. `private_tmp`: whether /tmp is the project's own. `ran`: whether a command of the
    session ran at a moment, in nanoseconds since 1970.
    """
    directory = join(cwd, deletion.directory)
    looking = _Looking(frozenset(map(os.path.realpath, roots)), private_tmp, ran)
    try:
        if not os.path.isdir(directory):  # a `cd` there fails, and what follows works somewhere else
            return False
        if deletion.reset_to:
            from sandgate.sandbox.clean_tree import loses_nothing

            real = map(os.path.realpath, roots)
            return loses_nothing(directory, deletion.reset_to, real, may_turn=deletion.may_turn)
        if deletion.ignored_only:
            return looking.ignored_in(os.path.realpath(directory))
        paths = dict.fromkeys(join(directory, word) for word in deletion.words)
        paths |= dict.fromkeys(path for each in deletion.patterns for path in looking.matching(directory, each))
        if deletion.below and deletion.may_arrive:
            return False
        paths |= dict.fromkeys(
            path for each in deletion.below for path in looking.named(directory, each, deletion.name)
        )
        return len(paths) <= PATHS_MAX and all(looking.remade(path, deletion) for path in paths)
    except (OSError, ValueError, _NotKnown):
        return False


class _Repository:
    """One working tree and what git knows of it."""

    def __init__(self, top: str, own: str, common: str) -> None:
        self.top = top
        self.ignoring = Ignoring(top, common)
        index = join(own, "index")
        self._index = whole_bytes(index, INDEX_BYTES_MAX, follows=True) if os.path.lexists(index) else b""

    def inner(self, path: str) -> str:
        return path[len(self.top) + 1 :]

    def knows(self, path: str) -> bool:
        return may_hold(self._index, self.inner(path))


class _Looking:
    """One question; what it asked twice is remembered."""

    def __init__(self, roots: frozenset[str], private_tmp: bool, ran: Callable[[int], bool]) -> None:
        self._roots = roots
        self._ran = ran
        self._private_tmp = private_tmp
        self._tmp = os.path.realpath(SHARED_TMP)
        self._repositories: dict[str, _Repository | None] = {}
        self._mounts: tuple[str, ...] | None = None
        self._listed = self._walked = self._judged = 0

    def matching(self, directory: str, pattern: str) -> list[str]:
        """What a shell makes of the pattern: the paths that fit, or the pattern itself."""
        found = ["/"] if pattern[:1] == "/" else [directory]
        for part in filter(None, pattern.split("/")):
            found = [path for place in found for path in self._fitting(place, part)]
            if len(found) > PATHS_MAX:
                raise _NotKnown
        return found or [join(directory, pattern)]

    def named(self, directory: str, start: str, name: str) -> list[str]:
        """What find(1) finds by `name` from `start`, or more: where its locale counts bytes, `?` is a part of a letter.

        What lies in such a directory goes with it, and is not listed.
        """
        found, top = [], join(directory, start)
        name = name.replace("?", "*")
        if fnmatchcase(os.path.basename(top.rstrip("/")) or "/", name):
            found.append(top)
        pending = [top] if _is_real_directory(top) else []
        while pending:
            for entry in self._entries(pending.pop()):
                if fnmatchcase(entry.name, name):
                    found.append(entry.path)
                elif entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
            if len(found) > PATHS_MAX:
                raise _NotKnown
        return found

    def remade(self, written: str, deletion: Deletion) -> bool:
        """Whether `written`, absolute and as the command says it, is nothing or something that can be made again."""
        above, name = os.path.split(written.rstrip("/"))
        if name in ("", ".", "..") or "\0" in written:
            return False
        directory = os.path.realpath(above)
        path = join(directory, name)
        if not self._is_inside(path):
            return self._is_in_own_tmp(path)
        if _names_a_repository(path):
            return False
        about = _lstat(path)
        if about is None:
            return not deletion.may_arrive
        if stat.S_ISLNK(about.st_mode) and written[-1:] == "/":
            return False
        is_directory = stat.S_ISDIR(about.st_mode)
        return _is_spelled_so(directory, name, about) and self._is_made(path, is_directory=is_directory)

    def ignored_in(self, directory: str) -> bool:
        """Whether nothing that is ignored in `directory` and below is a secret. What git knows it does not delete."""
        repository = self._repository_of(directory)
        if repository is None or not (directory in self._roots or self._is_inside(directory)):
            return False
        pending = [directory]
        while pending:
            for entry in self._entries(pending.pop()):
                if entry.name == git.DIRECTORY:
                    continue
                self._count_judged()
                is_directory = entry.is_dir(follow_symlinks=False)
                if repository.ignoring.ignores(repository.inner(entry.path), is_directory=is_directory):
                    if named_for_secrets(entry.name):
                        return False
                elif is_directory:
                    pending.append(entry.path)
        return True

    def _fitting(self, place: str, part: str) -> list[str]:
        if not any(mark in part for mark in _GLOBS):
            return [path] if os.path.lexists(path := join(place, part)) else []
        if part[0] == "." and (fnmatchcase(".", part) or fnmatchcase("..", part)):
            raise _NotKnown
        if not os.path.isdir(place):
            return []
        found = []
        with os.scandir(place) as entries:
            for entry in entries:
                self._listed += 1
                if self._listed > LISTED_MAX:
                    raise _NotKnown
                if fnmatchcase(entry.name, part) and (entry.name[0] != "." or part[0] == "."):
                    found.append(entry.path)
        return found

    def _is_inside(self, path: str) -> bool:
        return any(path.startswith(root.rstrip("/") + "/") for root in self._roots)

    def _is_in_own_tmp(self, path: str) -> bool:
        """In the project's own /tmp nothing lies but what commands made; a root below it is shown there as it is."""
        if not self._private_tmp or not path.startswith(self._tmp + "/"):
            return False
        return not any(f"{root}/".startswith(f"{path}/") for root in self._roots)

    def _is_made(self, path: str, *, is_directory: bool) -> bool:
        name = os.path.basename(path)
        if named_for_secrets(name) or self._holds_mount(path):
            return False
        if any(f"{root}/".startswith(f"{path}/") for root in self._roots):
            return False
        repository = self._repository_of(os.path.dirname(path))
        if repository is not None and repository.knows(path):
            return False
        wholly = self._is_remade(path, repository, is_directory=is_directory)
        return self._below(path, repository, wholly=wholly) if is_directory else wholly

    def _is_remade(self, path: str, repository: _Repository | None, *, is_directory: bool) -> bool:
        if repository is not None and repository.ignoring.ignores(repository.inner(path), is_directory=is_directory):
            return True
        return _is_built(path, is_directory=is_directory) or (not is_directory and self._is_made_here(path))

    def _is_made_here(self, path: str) -> bool:
        """Of a directory that says nothing: others may have put files of theirs into it."""
        about = os.lstat(path)
        if about.st_nlink != 1 or not self._ran(about.st_ctime_ns):
            return False
        from sandgate.kernel.birth import born_ns

        born = born_ns(path)
        return born is not None and self._ran(born)

    def _below(self, top: str, repository: _Repository | None, *, wholly: bool) -> bool:
        """Whether no repository lies below; and, unless the whole is, whether each file can be made again."""
        pending = [(top, wholly)]
        while pending:
            directory, whole = pending.pop()
            for entry in self._entries(directory):
                if entry.name.lower() == git.DIRECTORY:
                    return False
                is_directory = entry.is_dir(follow_symlinks=False)
                each = whole or self._is_judged_remade(entry, repository, is_directory=is_directory)
                if is_directory:
                    pending.append((entry.path, each))
                elif not each:
                    return False
        return True

    def _is_judged_remade(self, entry: os.DirEntry[str], repository: _Repository | None, *, is_directory: bool) -> bool:
        self._count_judged()
        if not is_directory and named_for_secrets(entry.name):
            return False
        return self._is_remade(entry.path, repository, is_directory=is_directory)

    def _count_judged(self) -> None:
        self._judged += 1
        if self._judged > JUDGED_MAX:
            raise _NotKnown

    def _entries(self, directory: str) -> list[os.DirEntry[str]]:
        with os.scandir(directory) as entries:
            found = []
            for entry in entries:
                self._walked += 1
                if self._walked > ENTRIES_MAX:
                    raise _NotKnown
                found.append(entry)
        return found

    def _holds_mount(self, path: str) -> bool:
        """Whether something is mounted there or below, be it of the same file system."""
        if self._mounts is None:
            lines = whole_bytes(MOUNTS, MOUNTS_BYTES_MAX, follows=True).split(b"\n")
            places = [line.split(b" ")[4] for line in lines if line]
            self._mounts = tuple([os.fsdecode(place.decode("unicode_escape").encode("latin-1")) for place in places])
        return any(f"{mount}/".startswith(f"{path}/") for mount in self._mounts)

    def _repository_of(self, directory: str) -> _Repository | None:
        """The one whose working tree `directory` lies in; git takes the nearest."""
        if directory not in self._repositories:
            self._repositories[directory] = _repository_around(directory)
        return self._repositories[directory]


def _repository_around(directory: str) -> _Repository | None:
    place = directory
    for _ in range(ABOVE_MAX):
        path = join(place, git.DIRECTORY)
        if os.path.lexists(path):
            look = Look()
            own = os.path.realpath(path) if os.path.isdir(path) else pointed_to(path, look)
            if own is None:
                raise _NotKnown
            return _Repository(place.rstrip("/"), own, common_directory(own, look))
        if place == "/":
            return None
        place = os.path.dirname(place)
    raise _NotKnown


def _is_built(path: str, *, is_directory: bool) -> bool:
    """By its name, or by what lies in or beside it."""
    above, name = os.path.split(path)
    if any(os.path.isfile(join(above, source)) for source in remade.made_beside(name)):
        return is_directory == (name in remade.MADE_FROM)
    if not is_directory:
        return name.endswith(remade.BYTECODE)
    if remade.is_cache(name) or any(os.path.isfile(join(path, mark)) for mark in remade.MARKS):
        return True
    if name.endswith(remade.EGG_ENDING):
        return os.path.isfile(join(path, remade.EGG_MARK))
    tag = join(path, remade.CACHE_TAG)
    return os.path.isfile(tag) and _begins(tag, remade.CACHE_SIGNATURE)


def _names_a_repository(path: str) -> bool:
    return git.DIRECTORY in path.lower().split("/")


def _is_spelled_so(directory: str, name: str, about: os.stat_result) -> bool:
    """Where case does not count, whether the directory has exactly this name: the lists of git are compared by it."""
    other = _lstat(join(directory, name.swapcase()))
    if name == name.swapcase() or other is None or not os.path.samestat(about, other):
        return True
    return name in os.listdir(directory)


def _is_real_directory(path: str) -> bool:
    """Also with a `/` behind a link, which find(1) follows then."""
    about = _lstat(path)
    return about is not None and stat.S_ISDIR(about.st_mode)


def _lstat(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None


def _begins(path: str, signature: bytes) -> bool:
    return first_bytes(path, len(signature), follows=True) == signature
