"""Finds the names inside a writable root that must not be changed from inside the sandbox.

They carry code or settings that somebody runs later *outside*: git hooks and configuration, shell start-up files,
editor tasks, agent settings. A name that does not exist yet is as dangerous as one that does, so both are
reported. One walk per root (three levels, cached by change time) also finds nested repositories.

A protected name may be a symbolic link. The link itself is then protected (a mount on a link pins it). Where no
confined command can have made it, directly in the root, so is what it points to, unless that is the root: a link
further down is anybody's, and must not close other things. A protected file may have a second name (a hard link) in
the writable part; `aliases_of` finds those, because a read-only mount covers a path and not an inode.
"""

from __future__ import annotations

import os
import stat

from sandgate.errors import ConfinementError
from sandgate.record import Record
from sandgate.sandbox.listing import by_meaning, exists, join, listed, same_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.permissions import GitProtection

GIT = ".git"
AGENT_NAMES = (".agents", ".codex", ".sandgate")
CODE_CARRIERS = (
    ".gitmodules",
    ".gitconfig",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".envrc",
    ".ripgreprc",
    ".mcp.json",
    ".vscode",
    ".idea",
    ".cursor",
    ".claude",
    ".gemini",
    ".husky",
    ".devcontainer",
    ".direnv",
)
# Off unless configured: everyday tasks edit them.
OPTIONAL_NAMES = (".gitattributes", ".npmrc", ".pre-commit-config.yaml", ".github/workflows")

# What stays read-only inside a git directory when commits are allowed. `commondir` redirects all the others.
GIT_CODE = ("hooks", "config", "config.worktree", "commondir", "info/attributes", "objects/info/alternates")
GIT_WORKTREE_CODE = ("config", "config.worktree", "commondir", "gitdir")

NESTED_DEPTH_DEFAULT = 3  # path components below the root
GIT_DIRECTORIES_MAX = 512  # in one root, submodules and worktrees included, opened for commits; further ones are closed
HITS_MAX = 8192  # protected paths in one root
DIRECTORIES_MAX = 65536  # directories listed in one root
SHORT_DIRECTORY_BYTES = 4096  # size of a directory itself; one block on most disks, some 200 entries on tmpfs
POINTER_BYTES_MAX = 4096  # of a `.git` pointer file


class Protection(Record):
    """How much is protected. The defaults are the strictest that everyday work survives."""

    git: GitProtection = "all"
    optional_names: tuple[str, ...] = ()  # beside the built-in ones; relative paths, such as OPTIONAL_NAMES
    nested_depth: int = NESTED_DEPTH_DEFAULT

    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*AGENT_NAMES, *CODE_CARRIERS, *self.optional_names)))


class Found(Record):
    """The protected paths of one root. `linked` are protected files that have further names."""

    protected: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    anchored: tuple[str, ...] = ()  # their parents must not be moved away
    companions: tuple[str, ...] = ()  # where a linked worktree keeps what a commit writes
    linked: tuple[str, ...] = ()
    ignores_case: bool = False


def protected_in(root: str, protection: Protection, *, walk: bool) -> Found:
    """Everything protected below canonical directory `root`.

    `walk` is for directories somebody works in. Shared scratch space (`/tmp`) is only asked for the names
    themselves: it may hold a million entries, and what is nested there belongs to nobody we protect.
    """
    search = _Search(root, protection)
    if walk:
        search.walk(root)
    else:
        search.probe(root)
    return search.found()


class _Search:
    def __init__(self, root: str, protection: Protection) -> None:
        self.root = root
        self.git_directories = 0
        self.protection = protection
        self.names = protection.names()
        self.top_names = frozenset(name for name in self.names if "/" not in name)
        self.protected: list[str] = []
        self.absent: list[str] = []
        self.anchored: list[str] = []
        self.companions: list[str] = []
        self.linked: list[str] = []
        self.ignores_case = False

    def found(self) -> Found:
        return Found(
            protected=tuple(dict.fromkeys(self.protected)),
            absent=tuple(dict.fromkeys(self.absent)),
            anchored=tuple(dict.fromkeys(self.anchored)),
            companions=tuple(dict.fromkeys(self.companions)),
            linked=tuple(dict.fromkeys(self.linked)),
            ignores_case=self.ignores_case,
        )

    def probe(self, root: str) -> None:
        """The names directly in `root`: out of its listing when that is short, else one question each."""
        wanted = (GIT, *self.top_names)
        self.ignores_case = same_file(root, join(os.path.dirname(root), os.path.basename(root).swapcase()))
        if os.stat(root).st_size <= SHORT_DIRECTORY_BYTES and not self.ignores_case:
            present = frozenset(os.listdir(root)).intersection(wanted)
        else:
            present = frozenset(name for name in wanted if exists(join(root, name)))
        self._top(root, present)

    def walk(self, root: str) -> None:
        listing = listed(root)
        self.ignores_case = listing.ignores_case
        self._top(root, listing.names)
        level = [join(root, name) for name in listing.directories]
        seen = 0
        for depth in range(2, self.protection.nested_depth + 1):
            deepest = depth == self.protection.nested_depth
            below: list[str] = []
            for directory in level:
                listing = listed(directory)
                self._nested(directory, listing.names)
                if not deepest:
                    below += [join(directory, name) for name in listing.directories]
            seen += len(level)
            if seen > DIRECTORIES_MAX or len(self.protected) > HITS_MAX:
                raise ConfinementError(
                    f"cannot find all protected files below `{root}`",
                    why=f"more than {DIRECTORIES_MAX} directories or {HITS_MAX} protected names",
                    hint="work in a smaller directory, or lower `sandbox.nested_depth`",
                )
            level = below

    def _top(self, root: str, present: frozenset[str]) -> None:
        actual = by_meaning(present) if self.ignores_case else {name: name for name in present}
        for name in (GIT, *self.names):
            first, _, rest = name.partition("/")
            path = join(root, actual.get(first, first))
            if first[0] != "." and exists(path):  # listings keep only names that start with a dot
                actual[first] = first
            if rest:
                path = join(path, rest)
            if first not in actual or (rest and not exists(path)):
                self.absent.append(path)
                if rest:
                    self.anchored.append(path)
            elif name == GIT:
                self._git(path, follows=True)
            else:
                self._protect(path, anchored=bool(rest), follows=True)
        if looks_like_git_directory(root):
            self._bare(root)
        elif GIT not in actual:
            self.absent.append(join(root, "HEAD"))  # without it git takes no directory for a bare repository

    def _nested(self, directory: str, present: frozenset[str]) -> None:
        if not present:
            return
        actual = by_meaning(present) if self.ignores_case else {name: name for name in present}
        for name, written in actual.items():
            if name == GIT:
                self._git(join(directory, written), follows=False)
            elif name in self.top_names:
                self._protect(join(directory, written), anchored=False, follows=False)

    def _protect(self, path: str, *, anchored: bool, follows: bool) -> None:
        self.protected.append(path)
        if anchored:
            self.anchored.append(path)
        facts = os.lstat(path)
        if stat.S_ISLNK(facts.st_mode):
            if follows:
                self._protect_target(path)
        elif stat.S_ISREG(facts.st_mode) and facts.st_nlink > 1:
            self.linked.append(path)

    def _protect_target(self, link: str) -> None:
        try:
            target = os.path.realpath(link, strict=True)
        except FileNotFoundError:
            self.absent.append(os.path.realpath(link))
        except OSError:  # a loop, or something that cannot be entered: it leads nowhere
            return
        else:
            if not self._is_root_or_above(target):
                self.protected.append(target)

    def _is_root_or_above(self, path: str) -> bool:
        return self.root == path or self.root.startswith(path.rstrip("/") + "/")

    def _git(self, path: str, *, follows: bool) -> None:
        """`.git` as a directory, a pointer file, or a link to either."""
        facts = os.lstat(path)
        is_directory = stat.S_ISDIR(facts.st_mode)
        if is_directory:
            self._git_directory(path, follows=follows)
            return
        self._protect(path, anchored=True, follows=follows)
        if stat.S_ISLNK(facts.st_mode):
            target = os.path.realpath(path)
            if os.path.isdir(target) and self._may_close(target, target, follows=follows):
                self._git_directory(target, follows=follows)
            return
        pointed = _pointed_to(path)
        if pointed is None:
            return
        shared = _common_directory(pointed)
        if not self._may_close(pointed, shared, follows=follows):
            return
        for directory in dict.fromkeys((pointed, shared)):
            self._git_directory(directory, follows=follows)
        if self.protection.git == "hooks-and-config" and _points_back(pointed, path):
            self.companions += [pointed, shared]

    def _may_close(self, git_directory: str, shared: str, *, follows: bool) -> bool:
        """Whether a pointer to a git directory is believed: it closes no root, and git would follow it as well."""
        if self._is_root_or_above(git_directory) or self._is_root_or_above(shared):
            return False
        return follows or looks_like_git_directory(shared)

    def _git_directory(self, path: str, *, follows: bool) -> None:
        self.git_directories += 1
        if self.protection.git == "all" or self.git_directories > GIT_DIRECTORIES_MAX:
            self.protected.append(path)
            self.anchored.append(path)
            self._note_linked_code(path)
        else:
            self._git_code(path, follows=follows)

    def _bare(self, root: str) -> None:
        """The root itself is a git directory: closed as a whole unless named, its code closed even then."""
        if self.protection.git == "all":
            self.protected.append(root)
        self._git_code(root, follows=True)

    def _git_code(self, directory: str, *, follows: bool) -> None:
        for name in GIT_CODE:
            self._code(directory, name, follows=follows)
        for module in self._gathered(join(directory, "modules")):
            if looks_like_git_directory(module):
                self._git_code(module, follows=False)
        for worktree in self._gathered(join(directory, "worktrees")):
            for name in GIT_WORKTREE_CODE:
                self._code(worktree, name, follows=False)
        self._note_linked_code(directory)

    def _gathered(self, directory: str) -> list[str]:
        """The directories in `directory`; none when it is a link or holds too many, and then it is closed itself."""
        is_link = os.path.islink(directory)
        inside = [] if is_link else _subdirectories(directory)
        self.git_directories += len(inside)
        if not is_link and (not inside or self.git_directories <= GIT_DIRECTORIES_MAX):
            return inside
        self._protect(directory, anchored=True, follows=False)
        return []

    def _code(self, directory: str, name: str, *, follows: bool) -> None:
        for above in _directories_of(name):
            if os.path.islink(place := join(directory, above)):  # a mount below it would land elsewhere
                self._protect(place, anchored=True, follows=False)
                return
        path = join(directory, name)
        self.anchored.append(path)
        if exists(path):
            self._protect(path, anchored=False, follows=follows)
            return
        self.absent.append(path)
        parent = os.path.dirname(path)
        if not exists(parent):  # else a prepared directory could be moved into its place
            self.absent.append(parent)

    def _note_linked_code(self, directory: str) -> None:
        files = [join(directory, "config")]
        hooks = join(directory, "hooks")
        files += [join(hooks, name) for name in _entries(hooks) if not name.endswith(".sample")]
        self.linked += [path for path in files if _has_other_names(path)]


def looks_like_git_directory(path: str) -> bool:
    """What git itself checks before it takes a directory for a repository."""
    return exists(join(path, "HEAD")) and all(os.path.isdir(join(path, name)) for name in ("objects", "refs"))


def _pointed_to(pointer: str) -> str | None:
    """The git directory a `.git` file names; None when the file is no proper pointer."""
    text = _first_bytes(pointer)
    if not text.startswith("gitdir:"):
        return None
    path = _named_in(os.path.dirname(pointer), text[len("gitdir:") :])
    return path if path and os.path.isdir(path) else None


def _common_directory(git_directory: str) -> str:
    """Where a linked worktree keeps objects, references, hooks and configuration."""
    path = _named_in(git_directory, _first_bytes(join(git_directory, "commondir")))
    return path if path and os.path.isdir(path) else git_directory


def _points_back(git_directory: str, pointer: str) -> bool:
    """Whether the git directory agrees that it belongs here; anybody can write a pointer *to* something."""
    return _named_in(git_directory, _first_bytes(join(git_directory, "gitdir"))) == pointer


def _named_in(directory: str, text: str) -> str | None:
    """The canonical path that `text`, which anybody may have written, names from `directory`."""
    name = text.strip()
    return os.path.realpath(join(directory, name)) if name and "\0" not in name else None


def _first_bytes(path: str) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return os.fsdecode(os.read(descriptor, POINTER_BYTES_MAX))
    except OSError:
        return ""
    finally:
        os.close(descriptor)


def _directories_of(name: str) -> list[str]:
    """`objects`, `objects/info` for `objects/info/alternates`."""
    parts = name.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _subdirectories(directory: str) -> list[str]:
    paths = (join(directory, name) for name in _entries(directory))
    return [path for path in paths if os.path.isdir(path) and not os.path.islink(path)]


def _entries(directory: str) -> list[str]:
    try:
        return os.listdir(directory)
    except OSError:
        return []


def _has_other_names(path: str) -> bool:
    try:
        facts = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISREG(facts.st_mode) and facts.st_nlink > 1
