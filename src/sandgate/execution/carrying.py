"""Carries over from a draft of a git directory what is harmless: objects first, then settings, then all else at once.

Git's own locks are taken (`NAME.lock`, made exclusively), so a git outside sees nothing half done, and each file is put
in place by a rename. What another process changed meanwhile is never overwritten. References, `HEAD`, the index and
what belongs to them are one thing: either all of it is carried over, or nothing.
"""

from __future__ import annotations

import errno
import os
import time

from sandgate.execution.draft_judgement import DraftJudgement
from sandgate.execution.held_tree import HeldTree
from sandgate.record import Record
from sandgate.sandbox.git_draft import Draft, read_draft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandgate.execution.draft_judgement import Accepted, Circumstances
    from sandgate.sandbox.git_draft import Unwanted

LOCK_WAIT_MS = 1_000  # for a git that works there at this moment
LOCK_RETRY_MS = 10
LOCKED = frozenset(("ref", "refs", "packed", "index", "config"))  # kinds that git locks
UNASKED = frozenset(("text", "log"))  # kinds that may have changed meanwhile
LASTING = frozenset(("ref", "refs", "packed"))  # of which git waits until they are on the disk
_NOT_REMOVED = frozenset(("refs", "refs/heads", "refs/tags", "refs/remotes", "logs", "logs/refs", "logs/refs/heads"))
_OF_REPOSITORIES = ("objects/info", "objects/pack", "refs/heads", "refs/tags")  # git takes none without them


class Carried(Record):
    """What came of a draft. `lost` says why the work itself was not carried over; "" when it was."""

    unwanted: tuple[Unwanted, ...] = ()
    lost: str = ""
    unset: tuple[tuple[str, str], ...] = ()  # files of settings that stay as they were, each with the setting at fault


def carry_over(upper: str, real: HeldTree, circumstances: Circumstances) -> Carried:
    """Everything in the directory `upper` that may be is done to the git directory `real`."""
    draft = read_draft(upper, real.path)
    if draft == Draft():
        return Carried()
    if draft.is_overfull:
        return Carried(draft.unwanted, "the command wrote more files there than are looked at")
    held = os.open(upper, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        return _Carrying(real, DraftJudgement(HeldTree(held, upper), real, draft, circumstances)).run()
    finally:
        os.close(held)


class _Changed(Exception):
    """Another process changed it, or works on it; the argument is the path."""


class _Carrying:
    def __init__(self, real: HeldTree, judgement: DraftJudgement) -> None:
        self.real = real
        self.judgement = judgement
        self.locks: list[str] = []

    def run(self) -> Carried:
        judged = self.judgement
        judged.index()
        judged.objects.carry(self._new_object)
        judged.rest()
        judged.commits_lead_nowhere()
        for accepted in judged.settings:
            try:
                self._all_or_nothing([accepted], [], [])
            except (_Changed, OSError):
                judged.files.refuse("write", accepted.path)
        lost = judged.files.blocked or self._state()
        return Carried(
            (*judged.files.draft.unwanted, *judged.files.refused.values()), lost, tuple(judged.unset.items())
        )

    def _state(self) -> str:
        judged = self.judgement
        try:
            self._all_or_nothing(judged.state, judged.gone, judged.objects.late)
            for directory in judged.files.draft.left:
                if directory.partition("/")[0] not in ("objects", "hooks", "info", "modules"):
                    self._leave(directory)
        except _Changed as problem:
            return "" if judged.is_only_a_look() else f"somebody else changed `{problem}` meanwhile{judged.commits()}"
        except OSError as problem:
            return f"it cannot be written ({errno.errorcode.get(problem.errno or 0)}){judged.commits()}"
        return ""

    def _new_object(self, path: str, content: bytes) -> None:
        """Never in the place of another."""
        made = f"{os.path.dirname(path)}/tmp_obj_{os.urandom(6).hex()}"
        try:
            self.real.write_new(made, content, 0o444, lasting=path.startswith("objects/pack/"))
            self.real.rename(made, os.path.basename(path))
        except BaseException:
            self.real.unlink(made)
            raise

    def _all_or_nothing(self, accepted: list[Accepted], gone: list[str], late: list[tuple[str, bytes]]) -> None:
        """Raises `_Changed` or OSError before anything but a name in the way of another is touched."""
        self._same_directories(accepted)
        ready: list[tuple[str, str]] = []
        try:
            for path in gone:
                if not path.startswith("logs/"):
                    self._locked(path)
            self._unchanged([*(one.path for one in accepted if one.kind not in UNASKED), *gone])
            gone = [path for path in gone if not self._is_in_the_way(path, accepted)]
            for one in accepted:
                ready.append((self._prepared(one), os.path.basename(one.path)))
            for path, content in late:
                self._new_object(path, content)
            while ready:
                self.real.rename(*ready[0])
                ready.pop(0)
            for path in gone:
                self.real.unlink(path)
        finally:
            for path in (*(made for made, _ in ready), *self.locks):
                self.real.unlink(path)
            self.locks.clear()
        for directory in [*dict.fromkeys(os.path.dirname(path) for path in gone)]:
            self._leave(directory)

    def _prepared(self, one: Accepted) -> str:
        """The file beside its place, under the name of git's lock or a name of ours."""
        if one.path == "HEAD" or one.path.endswith("/HEAD"):
            for directory in _OF_REPOSITORIES if one.path.startswith("modules/") else ():
                self.real.make_directories(f"{os.path.dirname(one.path)}/{directory}")
        if one.kind in LOCKED:
            made = self._locked(one.path, one.content, one.mode, lasting=one.kind in LASTING)
            self.locks.remove(made)
        else:
            made = f"{one.path}.{os.urandom(6).hex()}.lock"
            self.real.write_new(made, one.content, one.mode)
        try:
            if one.kind not in UNASKED:
                self._unchanged([one.path])  # the lock is ours: from here on it stays as it is
            if one.written_ns:
                self.real.set_changed(made, one.written_ns)
        except BaseException:
            self.real.unlink(made)
            raise
        return made

    def _locked(self, path: str, content: bytes = b"", mode: int = 0o644, *, lasting: bool = False) -> str:
        lock = f"{path}.lock"
        until = time.monotonic() + LOCK_WAIT_MS / 1000
        while True:
            try:
                self.real.write_new(lock, content, mode, lasting=lasting)
            except FileExistsError:
                if time.monotonic() > until:
                    raise _Changed(self._named(path)) from None
                time.sleep(LOCK_RETRY_MS / 1000)
            else:
                self.locks.append(lock)
                return lock

    def _is_in_the_way(self, path: str, accepted: Iterable[Accepted]) -> bool:
        """A reference `a` that is gone makes room for `a/b`, and the other way round: it goes at once."""
        if not any(one.path.startswith(f"{path}/") or path.startswith(f"{one.path}/") for one in accepted):
            return False
        self.real.unlink(path)
        if (lock := f"{path}.lock") in self.locks:
            self.real.unlink(lock)
            self.locks.remove(lock)
        self._leave(os.path.dirname(path))
        return True

    def _unchanged(self, paths: Iterable[str]) -> None:
        for path in paths:
            if self.real.changed_ns(path) > self.judgement.circumstances.began_ns:
                raise _Changed(self._named(path))

    def _same_directories(self, accepted: Iterable[Accepted]) -> None:
        """A reference that is not there now was not there then; asked before our own locks change the directory."""
        for one in accepted:
            if one.path.startswith("refs/") and self.real.about(one.path) is None:
                self._unchanged([os.path.dirname(one.path), "packed-refs"])

    def _leave(self, directory: str) -> None:
        """Removes directories that nothing is in any more."""
        while directory and directory not in _NOT_REMOVED and self.real.is_removed(directory):
            directory = os.path.dirname(directory)

    def _named(self, path: str) -> str:
        return f"{self.real.path}/{path}"
