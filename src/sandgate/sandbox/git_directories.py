"""Closes git directories: as a whole, or what in them is code when commits are allowed.

`.git` may be a directory, a file that names one, or a link to either, and any program may have made it: what it names
is believed as far as closing that closes no root, and git would follow it as well.
"""

from __future__ import annotations

import os
import stat

from sandgate.places.git import BARE_DIRECTORIES, BARE_MARK, CODE, COMMON, WORKTREE_CODE
from sandgate.sandbox.closing import Repository
from sandgate.sandbox.listing import join
from sandgate.sandbox.repositories import common_directory, looks_like_git_directory, pointed_to, points_back

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.permissions import GitProtection
    from sandgate.sandbox.closing import Closing
    from sandgate.sandbox.looking import Look

GIT_DIRECTORIES_MAX = 512  # in one root, submodules and worktrees included, opened for commits; further ones are closed
MODULE_NAME_PARTS_MAX = 4  # of a submodule's name: `vendor/lib` has two


class GitDirectories:
    """Those below some roots; what is closed goes to `closing`. `follows`: no confined command can have made it."""

    def __init__(self, closing: Closing, mode: GitProtection) -> None:
        self.closing = closing
        self.look = closing.look
        self.mode = mode
        self.count = 0

    def named(self, path: str, *, follows: bool) -> None:
        """`.git` as a directory, a pointer file, or a link to either."""
        facts = self.look.lstat(path)
        if facts is not None and stat.S_ISDIR(facts.st_mode):
            self._directory(path, follows=follows)
            self._serves(path, path, path, follows=follows)
            return
        self.closing.protect(path, anchored=True, follows=follows)
        if facts is not None and stat.S_ISLNK(facts.st_mode):
            target = self.look.real(path)
            if self.look.is_directory(target) and self._may_close(target, target, follows=follows):
                self._directory(target, follows=follows)
                self._serves(path, target, target, follows=follows)
            return
        self._pointer(path, follows=follows)

    def bare(self, directory: str, *, follows: bool) -> None:
        """A directory that is a git directory itself: closed as a whole only when it is the root, its code always."""
        if self.mode != "hooks-and-config" and directory in self.closing.roots:
            self.closing.protected.append(directory)
        self.count += 1
        if self.count > GIT_DIRECTORIES_MAX:
            self.closing.close(directory)
            return
        self._code_of(directory, follows=follows)
        self.closing.repositories.append(Repository(directory, directory, directory, follows))

    def never_bare(self, directory: str) -> None:
        """Sees to it that a directory, which is no bare repository, is not made one.

        The first name that is missing must not come to exist. What is there already is its owner's: it is never noted
        as absent, or it would be taken away after the command as something that the command had made.
        """
        if not self.look.exists(mark := join(directory, BARE_MARK)):
            self.closing.note_absent(mark, anchored=directory not in self.closing.roots)
            return
        missing = [name for name in BARE_DIRECTORIES if not self.look.is_directory(join(directory, name))]
        is_linked = self.look.exists(join(directory, COMMON))
        for name in WORKTREE_CODE if is_linked else (COMMON, *missing):
            self._code(directory, name, follows=False)

    def _pointer(self, path: str, *, follows: bool) -> None:
        pointed = pointed_to(path, self.look)
        if pointed is None:
            return
        shared = common_directory(pointed, self.look)
        if not self._may_close(pointed, shared, follows=follows):
            return
        for directory in dict.fromkeys((pointed, shared)):
            self._directory(directory, follows=follows)
        self._serves(path, pointed, shared, follows=follows)
        if self.mode != "all" and points_back(pointed, path, self.look):
            self.closing.companions += [pointed, shared]

    def _serves(self, path: str, git_directory: str, shared: str, *, follows: bool) -> None:
        worktree = os.path.dirname(path)
        self.closing.repositories.append(Repository(worktree, git_directory, shared, follows))

    def _may_close(self, git_directory: str, shared: str, *, follows: bool) -> bool:
        if self.closing.is_root_or_above(git_directory) or self.closing.is_root_or_above(shared):
            return False
        return follows or looks_like_git_directory(shared, self.look)

    def _directory(self, path: str, *, follows: bool) -> None:
        self.count += 1
        if self.mode != "hooks-and-config" or self.count > GIT_DIRECTORIES_MAX:
            self.closing.close(path)
            if self.mode == "draft":
                self.closing.drafts.append(path)
            self._note_linked_code(path)
        else:
            self._code_of(path, follows=follows)

    def _code_of(self, directory: str, *, follows: bool) -> None:
        for name in CODE:
            self._code(directory, name, follows=follows)
        self._modules(join(directory, "modules"), MODULE_NAME_PARTS_MAX)
        for worktree in self._gathered(join(directory, "worktrees")):
            for name in WORKTREE_CODE:
                self._code(worktree, name, follows=False)
        self._note_linked_code(directory)

    def _modules(self, directory: str, parts: int) -> None:
        """Submodules' git directories; a name with a slash is a directory more."""
        for module in self._gathered(directory):
            if looks_like_git_directory(module, self.look):
                self._code_of(module, follows=False)
            elif parts > 1:
                self._modules(module, parts - 1)

    def _gathered(self, directory: str) -> list[str]:
        """The directories in `directory`; none when it is a link or holds too many, and then it is closed itself."""
        is_link = self.look.is_link(directory)
        inside = [] if is_link else subdirectories(directory, self.look)
        self.count += len(inside)
        if not is_link and (not inside or self.count <= GIT_DIRECTORIES_MAX):
            return inside
        self.closing.protect(directory, anchored=True, follows=False)
        return []

    def _code(self, directory: str, name: str, *, follows: bool) -> None:
        for above in _directories_of(name):
            if self.look.is_link(place := join(directory, above)):  # a mount below it would land elsewhere
                self.closing.protect(place, anchored=True, follows=False)
                return
        path = join(directory, name)
        self.closing.anchored.append(path)
        if self.look.exists(path):
            self.closing.protect(path, anchored=False, follows=follows)
            return
        self.closing.absent.append(path)
        parent = os.path.dirname(path)
        if not self.look.exists(parent):  # else a prepared directory could be moved into its place
            self.closing.absent.append(parent)

    def _note_linked_code(self, directory: str) -> None:
        files = [join(directory, "config")]
        hooks = join(directory, "hooks")
        files += [join(hooks, name) for name in self.look.names(hooks) if not name.endswith(".sample")]
        self.closing.linked += [path for path in files if _has_other_names(path, self.look)]


def subdirectories(directory: str, look: Look) -> list[str]:
    """The paths of the directories in `directory`, links not among them."""
    paths = (join(directory, name) for name in look.names(directory))
    return [path for path in paths if look.is_directory(path) and not look.is_link(path)]


def _directories_of(name: str) -> list[str]:
    """`objects`, `objects/info` for `objects/info/alternates`."""
    parts = name.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _has_other_names(path: str, look: Look) -> bool:
    facts = look.lstat(path)
    return facts is not None and stat.S_ISREG(facts.st_mode) and facts.st_nlink > 1
