"""Collects what must not be changed below writable roots, and what must not come to exist there."""

from __future__ import annotations

import os
import stat

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.sandbox.looking import Look


class FoundProtected(Record):
    """The protected paths below one root or more. `linked` are protected files that have further names."""

    protected: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    anchored: tuple[str, ...] = ()  # their parents must not be moved away
    companions: tuple[str, ...] = ()  # where a linked worktree keeps what a commit writes
    drafts: tuple[str, ...] = ()  # git directories among `protected` that a command may change in a draft
    judged: tuple[str, ...] = ()  # files among `protected` and `absent` whose content can be judged when a command ends
    linked: tuple[str, ...] = ()
    ignores_case: bool = False
    repositories: tuple[Repository, ...] = ()
    notes: tuple[str, ...] = ()  # sentences: what could not be looked at
    covered: tuple[str, ...] = ()  # directories among `protected` that are closed because they hold too many
    overfull: bool = False  # the root holds too many itself: it is closed, but for the directories in `spared`
    spared: tuple[str, ...] = ()


class Repository(Record):
    """A git directory that serves a working tree below a root. Canonical paths."""

    worktree: str
    git_directory: str  # the worktree's own: its index lies there
    common: str  # where hooks, settings and the list of worktrees lie; mostly the same
    is_trusted: bool  # no confined command can have made it


class Closing:
    """What one search has found so far."""

    def __init__(self, roots: tuple[str, ...], look: Look) -> None:
        self.roots = roots
        self.look = look
        self.protected: list[str] = []
        self.absent: list[str] = []
        self.anchored: list[str] = []
        self.companions: list[str] = []
        self.drafts: list[str] = []
        self.linked: list[str] = []
        self.repositories: list[Repository] = []
        self.notes: list[str] = []

    def found(self, *, ignores_case: bool = False) -> FoundProtected:
        """All of it, each path once."""
        return FoundProtected(
            protected=tuple(dict.fromkeys(self.protected)),
            absent=tuple(dict.fromkeys(self.absent)),
            anchored=tuple(dict.fromkeys(self.anchored)),
            companions=tuple(dict.fromkeys(self.companions)),
            drafts=tuple(dict.fromkeys(self.drafts)),
            linked=tuple(dict.fromkeys(self.linked)),
            ignores_case=ignores_case,
            repositories=tuple(dict.fromkeys(self.repositories)),
            notes=tuple(dict.fromkeys(self.notes)),
        )

    def close(self, path: str) -> None:
        """As it is, with what leads to it."""
        self.protected.append(path)
        self.anchored.append(path)

    def protect(self, path: str, *, anchored: bool, follows: bool) -> None:
        """`follows` also closes what a link leads to: only where no confined command can have made the link."""
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

    def note_absent(self, path: str, *, anchored: bool) -> None:
        """A name that must not come to exist."""
        self.absent.append(path)
        if anchored:
            self.anchored.append(path)

    def is_root_or_above(self, path: str) -> bool:
        """Whether closing `path` would close a whole root."""
        return any(root == path or root.startswith(path.rstrip("/") + "/") for root in self.roots)

    def _protect_target(self, link: str) -> None:
        led = self.look.follow(link)
        if led is None:
            self._protect_nowhere(link)
        elif not self.is_root_or_above(led.real):
            self.protected.append(led.real)

    def _protect_nowhere(self, link: str) -> None:
        """What a link leads to may be made; unless it is a loop, or something that cannot be entered."""
        try:
            os.stat(link)
        except FileNotFoundError:
            self.absent.append(os.path.realpath(link))
        except OSError:
            self.look.cannot_be_kept()
