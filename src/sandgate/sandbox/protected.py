"""Finds the names inside a writable root that must not be changed from inside the sandbox.

They carry code or settings that somebody runs later *outside*: git hooks and configuration, shell start-up files,
editor tasks, agent settings. A name that does not exist yet is as dangerous as one that does, so both are
reported. One walk per root (three levels) also finds nested repositories.

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
from sandgate.sandbox.listing import by_meaning, join
from sandgate.sandbox.repositories import common_directory, looks_like_git_directory, pointed_to, points_back

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.permissions import GitProtection
    from sandgate.sandbox.looking import Look

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


def protected_in(root: str, protection: Protection, look: Look, *, walk: bool) -> Found:
    """Everything protected below canonical directory `root`.

    `walk` is for directories somebody works in. Shared scratch space (`/tmp`) is only asked for the names
    themselves: it may hold a million entries, and what is nested there belongs to nobody we protect.
    """
    search = _Search(root, protection, look)
    if walk:
        search.walk(root)
    else:
        search.probe(root)
    return search.found()


class _Search:
    def __init__(self, root: str, protection: Protection, look: Look) -> None:
        self.root = root
        self.look = look
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
        self._close_locked()
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
            for directory in level:
                listing = self.look.listing(directory)
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
        actual = self._spellings(present)
        for name in (GIT, *self.names):
            first, _, rest = name.partition("/")
            if first[0] != "." and self.look.exists(join(root, first)):
                actual[first] = [first]  # listings keep only names that start with a dot
            for written in actual.get(first, ()):
                self._top_name(name, join(join(root, written), rest) if rest else join(root, written))
            if first not in actual:
                self._note_absent(join(root, name), anchored=bool(rest))
        if looks_like_git_directory(root, self.look):
            self._bare(root)
        elif GIT not in actual:
            self.absent.append(join(root, "HEAD"))  # without it git takes no directory for a bare repository

    def _top_name(self, name: str, path: str) -> None:
        if name == GIT:
            self._git(path, follows=True)
        elif "/" not in name or self.look.exists(path):
            self._protect(path, anchored="/" in name, follows=True)
        else:
            self._note_absent(path, anchored=True)

    def _note_absent(self, path: str, *, anchored: bool) -> None:
        self.absent.append(path)
        if anchored:
            self.anchored.append(path)

    def _spellings(self, present: frozenset[str]) -> dict[str, list[str]]:
        return by_meaning(present) if self.ignores_case else {name: [name] for name in present}

    def _nested(self, directory: str, present: frozenset[str]) -> None:
        if not present:
            return
        for name, spelled in self._spellings(present).items():
            for written in spelled:
                if name == GIT:
                    self._git(join(directory, written), follows=False)
                elif name in self.top_names:
                    self._protect(join(directory, written), anchored=False, follows=False)

    def _close_locked(self) -> None:
        """What is in a directory that keeps us out cannot be known, and a command could open it: it stays as it is."""
        for path in self.look.locked:
            if self._is_root_or_above(path):
                raise ConfinementError(
                    f"cannot look for protected files in `{self.root}`",
                    why=f"`{path}` is yours and its mode keeps you out, and a command could change that",
                    hint=f"give yourself access: `chmod u+rx {path}`",
                )
            self.protected.append(path)
            self.anchored.append(path)

    def _protect(self, path: str, *, anchored: bool, follows: bool) -> None:
        self.protected.append(path)
        if anchored:
            self.anchored.append(path)
        facts = self.look.lstat(path)
        if facts is None:  # it went this very moment, and a mount needs something to lie on
            self.protected.remove(path)
            self.absent.append(path)
        elif stat.S_ISLNK(facts.st_mode):
            if follows:
                self._protect_target(path)
        elif stat.S_ISREG(facts.st_mode) and facts.st_nlink > 1:
            self.linked.append(path)

    def _protect_target(self, link: str) -> None:
        led = self.look.follow(link)
        if led is None:
            self._protect_nowhere(link)
        elif not self._is_root_or_above(led.real):
            self.protected.append(led.real)

    def _protect_nowhere(self, link: str) -> None:
        """What a link leads to may be made; unless it is a loop, or something that cannot be entered."""
        try:
            os.stat(link)
        except FileNotFoundError:
            self.absent.append(os.path.realpath(link))
        except OSError:
            self.look.cannot_be_kept()

    def _is_root_or_above(self, path: str) -> bool:
        return self.root == path or self.root.startswith(path.rstrip("/") + "/")

    def _git(self, path: str, *, follows: bool) -> None:
        """`.git` as a directory, a pointer file, or a link to either."""
        facts = self.look.lstat(path)
        if facts is not None and stat.S_ISDIR(facts.st_mode):
            self._git_directory(path, follows=follows)
            return
        self._protect(path, anchored=True, follows=follows)
        if facts is not None and stat.S_ISLNK(facts.st_mode):
            target = self.look.real(path)
            if self.look.is_directory(target) and self._may_close(target, target, follows=follows):
                self._git_directory(target, follows=follows)
            return
        pointed = pointed_to(path, self.look)
        if pointed is None:
            return
        shared = common_directory(pointed, self.look)
        if not self._may_close(pointed, shared, follows=follows):
            return
        for directory in dict.fromkeys((pointed, shared)):
            self._git_directory(directory, follows=follows)
        if self.protection.git == "hooks-and-config" and points_back(pointed, path, self.look):
            self.companions += [pointed, shared]

    def _may_close(self, git_directory: str, shared: str, *, follows: bool) -> bool:
        """Whether a pointer to a git directory is believed: it closes no root, and git would follow it as well."""
        if self._is_root_or_above(git_directory) or self._is_root_or_above(shared):
            return False
        return follows or looks_like_git_directory(shared, self.look)

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
            if looks_like_git_directory(module, self.look):
                self._git_code(module, follows=False)
        for worktree in self._gathered(join(directory, "worktrees")):
            for name in GIT_WORKTREE_CODE:
                self._code(worktree, name, follows=False)
        self._note_linked_code(directory)

    def _gathered(self, directory: str) -> list[str]:
        """The directories in `directory`; none when it is a link or holds too many, and then it is closed itself."""
        is_link = self.look.is_link(directory)
        inside = [] if is_link else _subdirectories(directory, self.look)
        self.git_directories += len(inside)
        if not is_link and (not inside or self.git_directories <= GIT_DIRECTORIES_MAX):
            return inside
        self._protect(directory, anchored=True, follows=False)
        return []

    def _code(self, directory: str, name: str, *, follows: bool) -> None:
        for above in _directories_of(name):
            if self.look.is_link(place := join(directory, above)):  # a mount below it would land elsewhere
                self._protect(place, anchored=True, follows=False)
                return
        path = join(directory, name)
        self.anchored.append(path)
        if self.look.exists(path):
            self._protect(path, anchored=False, follows=follows)
            return
        self.absent.append(path)
        parent = os.path.dirname(path)
        if not self.look.exists(parent):  # else a prepared directory could be moved into its place
            self.absent.append(parent)

    def _note_linked_code(self, directory: str) -> None:
        files = [join(directory, "config")]
        hooks = join(directory, "hooks")
        files += [join(hooks, name) for name in self.look.names(hooks) if not name.endswith(".sample")]
        self.linked += [path for path in files if _has_other_names(path, self.look)]


def _directories_of(name: str) -> list[str]:
    """`objects`, `objects/info` for `objects/info/alternates`."""
    parts = name.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _subdirectories(directory: str, look: Look) -> list[str]:
    paths = (join(directory, name) for name in look.names(directory))
    return [path for path in paths if look.is_directory(path) and not look.is_link(path)]


def _has_other_names(path: str, look: Look) -> bool:
    facts = look.lstat(path)
    return facts is not None and stat.S_ISREG(facts.st_mode) and facts.st_nlink > 1
