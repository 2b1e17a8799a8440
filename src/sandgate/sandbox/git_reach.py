"""What a repository reaches beside its own directory, and what a plain `git status` outside would therefore run.

A submodule that was never fetched is an empty directory; a `.git` that a command puts there is run by the next `git
status` of the repository around it. So the index, `.gitmodules` and the list of worktrees say where such a name must
not come to exist, at any depth. The settings say which files in the workspace git loads or runs.

A repository that a confined command may have made closes nothing outside its own working tree.
"""

from __future__ import annotations

import os

from sandgate.commandline import git_settings
from sandgate.places import git as names
from sandgate.sandbox.closing import Closing, Repository
from sandgate.sandbox.enclosing_repository import repository_around
from sandgate.sandbox.git_config import CONFIG_BYTES_MAX, Allowance, Named, named_places, users_files
from sandgate.sandbox.git_directories import GitDirectories, subdirectories
from sandgate.sandbox.listing import join
from sandgate.sandbox.repositories import POINTER_BYTES_MAX, looks_like_git_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandgate.protocol.permissions import GitProtection
    from sandgate.sandbox.closing import FoundProtected
    from sandgate.sandbox.looking import Look

INDEX_BYTES_MAX = 64 << 20  # of one index; some 600 000 files
REPOSITORIES_MAX = 256  # looked into below all roots
UNTRUSTED_INDEX_BYTES_MAX = 256 << 20  # of all repositories that a confined command may have made
UNTRUSTED_SETTINGS_BYTES_MAX = 2 << 20  # the same, of settings; a MiB takes a third of a second
UNTRUSTED_NAMED_MAX = 1024  # places that settings of all these name
UNTRUSTED_PARTS_MAX = 64  # of a submodule's path in one of these
UNTRUSTED_ALL_PARTS_MAX = 16_384  # of all these paths; each is looked at, 0.3 s for so many
SUBMODULES_MAX = 2048  # of all of them
ALTERNATES_BYTES_MAX = 1 << 16


def reached(
    roots: tuple[str, ...],
    repositories: tuple[Repository, ...],
    mode: GitProtection,
    homes: tuple[str, ...],
    look: Look,
    *,
    settings: tuple[str, ...] = (),
) -> FoundProtected:
    """What to close for the sake of `repositories` and of those around `roots`. All paths canonical.

    `settings` are files of settings beside the usual ones.
    """
    reach = _Reach(Closing(roots, look), mode, homes, users_files(homes, settings))
    around = [found for root in roots if (found := repository_around(root, look)) is not None]
    # Those that no command can have planted come first: whatever limit is reached, it is not by crowding them out.
    reach.follow(sorted((*around, *repositories), key=lambda repository: not repository.is_trusted))
    return reach.closing.found()


class _Reach:
    def __init__(self, closing: Closing, mode: GitProtection, homes: tuple[str, ...], files: tuple[str, ...]) -> None:
        self.closing = closing
        self.look = closing.look
        self.git = GitDirectories(closing, mode)
        self.homes = homes
        self.files = files  # of settings that hold for every repository
        self.submodules = 0
        self.index_bytes = UNTRUSTED_INDEX_BYTES_MAX
        self.named = UNTRUSTED_NAMED_MAX
        self.parts = UNTRUSTED_ALL_PARTS_MAX
        self.settings = Allowance(UNTRUSTED_SETTINGS_BYTES_MAX)

    def follow(self, repositories: list[Repository]) -> None:
        """One after the other, and those that they lead to."""
        seen: dict[str, None] = {}
        for repository in repositories:  # grows
            if repository.worktree in seen:
                continue
            seen[repository.worktree] = None
            if len(seen) > REPOSITORIES_MAX:
                self.closing.notes.append(f"only {REPOSITORIES_MAX} repositories were searched for submodules")
                return
            for place in self._places_with_git(repository):
                if place not in seen:
                    self._place_with_git(place)
            for named in self._named(repository)[: None if repository.is_trusted else self.named]:
                self.named -= not repository.is_trusted
                self._close_named(named, repository)
            repositories += self.closing.repositories
            self.closing.repositories.clear()
        if min(self.settings.left, self.index_bytes, self.named, self.parts) <= 0:
            self.closing.notes.append(
                "repositories with indexes or settings of unusual size were not searched to the end"
            )

    def _places_with_git(self, repository: Repository) -> Iterable[str]:
        """Directories in which git expects a `.git` that belongs to this repository."""
        found = dict.fromkeys((*self._gitlinks(repository), *self._gitmodules(repository)))
        if not repository.is_trusted:
            found = {name: None for name in found if self._affords(name.count("/") + 1)}
        self.submodules += len(found)
        if self.submodules > SUBMODULES_MAX:
            self.closing.notes.append(f"submodules beyond {SUBMODULES_MAX} are protected only where they were found")
            return
        yield from [join(repository.worktree, name) for name in found]
        for directory in subdirectories(join(repository.common, "worktrees"), self.look):
            path = self.look.text(join(directory, "gitdir"), POINTER_BYTES_MAX, follows=False).strip()
            if path.startswith("/") and "\0" not in path:
                yield self.look.real(os.path.dirname(os.path.normpath(path)))

    def _affords(self, parts: int) -> bool:
        """Whether a path of so many parts, in a repository that a command may have made, is followed."""
        if parts > UNTRUSTED_PARTS_MAX:
            return False
        self.parts -= parts
        return self.parts >= 0

    def _gitlinks(self, repository: Repository) -> list[str]:
        from sandgate.sandbox.git_index import gitlinks, is_split

        index = self._index(join(repository.git_directory, "index"), repository)
        if not is_split(index):
            return gitlinks(index)
        shared = [name for name in self.look.names(repository.git_directory) if name.startswith("sharedindex.")]
        every = [index, *(self._index(join(repository.git_directory, name), repository) for name in shared)]
        return [link for one in every for link in gitlinks(one)]

    def _index(self, path: str, repository: Repository) -> bytes:
        facts = self.look.lstat(path)
        if facts is None:
            return b""
        if not repository.is_trusted:
            self.index_bytes -= facts.st_size
            if self.index_bytes <= 0:
                return b""
        if facts.st_size > INDEX_BYTES_MAX:
            self.closing.notes.append(
                f"`{path}` is larger than {INDEX_BYTES_MAX >> 20} MiB: only submodules in `.gitmodules` are protected"
            )
            return b""
        return self.look.settled_bytes(path, INDEX_BYTES_MAX)

    def _gitmodules(self, repository: Repository) -> list[str]:
        text = self.look.settled_text(join(repository.worktree, ".gitmodules"), CONFIG_BYTES_MAX)
        settings = git_settings.settings_in(text) if text else []
        paths = [value for key, value in settings if key.startswith("submodule.") and key.endswith(".path")]
        return [
            path for path in map(os.path.normpath, paths) if path[0] != "/" and path.split("/")[0] not in ("..", ".")
        ]

    def _place_with_git(self, place: str) -> None:
        """Closes the `.git` in `place`, or sees to it that none comes to exist there."""
        path = join(place, names.DIRECTORY)
        if not self._is_inside(path):
            return
        if self.look.real(place) != place:  # a link on the way: git does not follow it, and it may go
            self.closing.note_absent(path, anchored=False)
        elif self.look.exists(path):
            self.git.named(path, follows=False)
        elif self.look.is_directory(place):
            self.closing.note_absent(path, anchored=True)
            if looks_like_git_directory(place, self.look):
                self.git.bare(place, follows=False)
            else:
                self.git.never_bare(place)
        else:
            self.closing.note_absent(path, anchored=False)
            if self.look.is_directory(os.path.dirname(place)) and not self.look.exists(place):
                self.closing.note_absent(place, anchored=True)  # else a prepared directory could be moved there

    def _named(self, repository: Repository) -> list[Named]:
        own = (join(repository.common, "config"), join(repository.git_directory, "config.worktree"))
        worktree, homes = repository.worktree, self.homes
        if repository.is_trusted:
            named = named_places((*self.files, *own), worktree, homes, self.look)
        else:
            named = named_places(self.files, worktree, homes, self.look)
            named += named_places(own, worktree, homes, self.look, self.settings)
        return [*named, *self._alternates(repository)]

    def _alternates(self, repository: Repository) -> list[Named]:
        objects = join(repository.common, "objects")
        text = self.look.settled_text(join(objects, "info/alternates"), ALTERNATES_BYTES_MAX)
        lines = [line.strip() for line in text.splitlines() if line[:1] not in ("", "#") and "\0" not in line]
        return [Named("directory", os.path.normpath(join(objects, line))) for line in lines]

    def _close_named(self, named: Named, repository: Repository) -> None:
        """`named` may lie anywhere; only what is inside a root can be changed."""
        directory, name = os.path.split(named.path)
        path = join(self.look.real(directory), name)
        trusted = repository.is_trusted
        if named.kind == "directory" and self.closing.is_root_or_above(path) and trusted:
            self._close_hooks(path)
        if not self._is_inside(path) or not (trusted or path.startswith(repository.worktree + "/")):
            return
        if self.look.exists(path):
            if named.kind != "word" or not self.look.is_directory(path):
                self.closing.protect(path, anchored=True, follows=trusted)
        elif self.look.is_directory(os.path.dirname(path)):
            self.closing.note_absent(path, anchored=True)
        elif named.kind != "word":
            self.closing.note_absent(path, anchored=False)

    def _close_hooks(self, directory: str) -> None:
        """`core.hooksPath = .`: a whole root cannot be closed."""
        for name in names.HOOKS:
            path = join(directory, name)
            if self._is_inside(path) and self.look.exists(path):
                self.closing.protect(path, anchored=False, follows=True)
            elif self._is_inside(path):
                self.closing.note_absent(path, anchored=False)

    def _is_inside(self, path: str) -> bool:
        within = any(path.startswith(root.rstrip("/") + "/") for root in self.closing.roots)
        return within and not self.closing.is_root_or_above(path)
