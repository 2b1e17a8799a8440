"""One application of a plan, from the first look to the last spare name: done, or taken back.

Until every new file is prepared no file in use has changed. The short time in which names change hands is
kept free of signals: an interrupt that arrives then is delivered afterwards, with the patch applied.
"""

from __future__ import annotations

import errno
import os

from sandgate.errors import PatchDoesNotFit, PatchFailed
from sandgate.patch import entry_changes
from sandgate.patch.entry_changes import CannotReplace, Changed, Step
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from signal import SIG_BLOCK, SIG_SETMASK, SIGHUP, SIGINT, SIGTERM, pthread_sigmask

    from sandgate.patch.directories import Directories
    from sandgate.patch.disk_lookup import FileState
    from sandgate.patch.journal import PatchJournal
    from sandgate.patch.plan import FileWrite
else:
    from _signal import SIG_BLOCK, SIG_SETMASK, SIGHUP, SIGINT, SIGTERM, pthread_sigmask

SETTLED_ONE_BY_ONE_MAX = 200  # files; more of them are settled by one sync of the whole disk
SINCE_VERIFIED = "changed after the patch was verified"
CHANGED_HINT = "read it again, and write the patch for what it says now"
OWN_COPY_HINT = "give it a copy of its own first: `cp FILE FILE.new && mv FILE.new FILE`"
LED_AWAY = frozenset({errno.ESTALE, errno.ELOOP, errno.EXDEV, errno.ENOENT, errno.ENOTDIR})
NOT_OURS_TO_REPLACE = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


class _Current(Record):
    """What lies at a place when a plan is applied; `owner` is its user and group."""

    state: FileState | None = None
    inode: int = 0
    owner: tuple[int, int] | None = None


class PatchTransaction:
    """Carries `writes` out once."""

    def __init__(
        self,
        writes: tuple[FileWrite, ...],
        directories: Directories,
        journal: PatchJournal,
        *,
        exchanging: bool,
        in_place: frozenset[str] = frozenset(),  # files whose bytes never lie under a spare name
    ) -> None:
        self._in_place = in_place
        self._writes = writes
        self._directories = directories
        self._journal = journal
        self._exchanging = exchanging
        self._spares: list[tuple[str, str]] = []  # directory and name, one for each write
        self._steps: list[tuple[Step, FileWrite]] = []
        self._overwritten: list[tuple[Step, FileWrite]] = []
        self._settle_each = len(writes) <= SETTLED_ONE_BY_ONE_MAX
        self._at: FileWrite | None = None  # what an error is about
        self.made: list[str] = []

    def carry_out(self) -> None:
        """Raises PatchDoesNotFit or PatchFailed with everything as it was, or with words about what is not."""
        try:
            self._prepare()
        except BaseException as problem:
            with _uninterrupted():
                self._fail(problem)
        with _uninterrupted():
            try:
                self._change()
            except BaseException as problem:
                self._fail(problem)
            self._clear()

    def _prepare(self) -> None:
        current = [self._compared(write) for write in self._writes]
        self._announce()
        for write in self._writes:
            self._make_parents(write)
        for write, now, (_, spare) in zip(self._writes, current, self._spares, strict=True):
            self._at = write
            self._stage(write, now, spare)
        self._journal.changing([step for step, _ in self._steps])

    def _compared(self, write: FileWrite) -> _Current:
        """What lies there now. Raises Changed when the plan says otherwise."""
        self._at = write
        directory, name = os.path.split(write.place)
        if write.before is None and self._directories.missing(directory):
            return _Current()
        try:
            descriptor = self._directories.descriptor(directory)
        except OSError as problem:
            if problem.errno in LED_AWAY:
                raise Changed from problem
            raise
        state, inode = entry_changes.entry_at(descriptor, name)
        if state is None or write.before is None:
            if state is not write.before:
                raise Changed
            return _Current()
        # A name that was added since may be a way to a file which was not approved.
        if not state.is_same(write.before) or (state.links > 1 and write.before.links == 1):
            raise Changed
        about = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
        return _Current(state, inode, (about.st_uid, about.st_gid))

    def _announce(self) -> None:
        token = os.urandom(8).hex()
        self._spares = [
            (os.path.dirname(write.place), f"{entry_changes.SPARE_PREFIX}{token}-{index}")
            for index, write in enumerate(self._writes)
        ]
        planned: dict[str, None] = {}
        for write in self._writes:
            if write.after is not None:
                planned |= dict.fromkeys(self._directories.missing(os.path.dirname(write.place)))
        self._journal.staging(self._spares, list(planned))

    def _make_parents(self, write: FileWrite) -> None:
        self._at = write
        if write.after is None:
            return
        for directory in self._directories.missing(os.path.dirname(write.place)):
            try:
                self._directories.make(directory)
            except OSError as problem:
                what = f"Failed to create parent directories for {write.path}"
                raise PatchFailed(what, why=str(problem.strerror)) from problem
            self.made.append(directory)

    def _stage(self, write: FileWrite, now: _Current, spare: str) -> None:
        directory, name = os.path.split(write.place)
        descriptor = self._directories.descriptor(directory)
        device, inode = self._directories.identity(directory)
        step = Step(directory, device, inode, name, spare, "delete", old=now.inode)
        if write.after is not None:
            step = step.but(kind="create" if now.state is None else "replace")
            try:
                step = step.but(new=self._prepared(descriptor, spare, write, write.after, now))
            except CannotReplace:
                entry_changes.drop_spare(descriptor, spare)
                _check_only_name(write, now.state)
                step = step.but(kind="in_place")
        self._steps.append((step, write))

    def _prepared(self, descriptor: int, spare: str, write: FileWrite, after: FileState, now: _Current) -> int:
        """The inode of the new file. Raises CannotReplace when the old one has to stay the file it is."""
        state, before = now.state, write.before
        may_overwrite = state is not None and state.link is None and after.link is None
        if state is not None and may_overwrite and write.place in self._in_place:
            raise CannotReplace
        if state is not None and before is not None and may_overwrite:
            # What the plan does not change stays as it is now, not as it was when the plan was made.
            if after.mode == before.mode:
                after = after.but(mode=state.mode)
            if after.attributes == before.attributes:
                after = after.but(attributes=state.attributes)
        try:
            return entry_changes.write_spare(descriptor, spare, after, owner=now.owner, settle=self._settle_each)
        except OSError as problem:
            if may_overwrite and problem.errno in NOT_OURS_TO_REPLACE:
                raise CannotReplace from problem
            raise

    def _change(self) -> None:
        # What is overwritten comes last: it shows under all its names, and one of those may be deleted here too.
        for step, write in sorted(self._steps, key=lambda pair: pair[0].kind == "in_place"):
            self._at = write
            self._commit(step, write)
        if self._settle_each:
            for directory in dict.fromkeys(directory for directory, _ in self._spares):
                self._directories.settle(directory)
        else:
            os.sync()
        self._journal.done()

    def _commit(self, step: Step, write: FileWrite) -> None:
        descriptor = self._directories.descriptor(step.directory)
        if step.kind != "in_place":
            try:
                entry_changes.commit(step, descriptor, write.before, exchanging=self._exchanging)
                return
            except CannotReplace:
                entry_changes.drop_spare(descriptor, step.spare)
                _check_only_name(write, write.before)
        before, after = write.before, write.after
        if before is None or after is None or before.link is not None or after.link is not None:
            raise Changed
        self._journal.overwriting(len(self._overwritten), step, before.content, after.content)
        entry_changes.check_unchanged(descriptor, step, before.content)
        self._overwritten.append((step, write))
        entry_changes.overwrite(descriptor, step, after.content)

    def _fail(self, problem: BaseException) -> None:
        """Takes everything back and raises what went wrong in the words that models know."""
        left = self._take_back()
        because = "; ".join(left)
        if isinstance(problem, PatchFailed):
            raise PatchFailed(problem.what, why="; ".join((problem.why, *left)), hint=problem.hint) from problem
        path = self._at.path if self._at is not None else ""
        if isinstance(problem, Changed):
            raise PatchDoesNotFit(f"{path} {SINCE_VERIFIED}", why=because, hint=CHANGED_HINT) from problem
        if isinstance(problem, OSError):
            why = "; ".join((str(problem.strerror), *left))
            raise PatchFailed(f"{_failed_deed(self._at)} {path}", why=why) from problem
        raise problem

    def _take_back(self) -> list[str]:
        """Everything as it was; sentences about what is not. The journal stays where that is so."""
        left: list[str] = []
        overwritten = {step.path for step, _ in self._overwritten}
        for step, write in reversed(self._overwritten):
            _attempt(left, step.path, lambda step=step, write=write: self._rewrite(step, write))  # type: ignore[misc]
        for step, _ in reversed(self._steps):
            if step.kind != "in_place" and step.path not in overwritten:
                _attempt(left, step.path, lambda step=step: self._restore(step))  # type: ignore[misc]
        staged = {step.spare for step, _ in self._steps}
        for directory, spare in self._spares:
            if spare not in staged:
                _attempt(left, directory, lambda d=directory, s=spare: self._drop(d, s))  # type: ignore[misc]
        for directory in reversed(self.made):
            _attempt(left, directory, lambda d=directory: self._directories.remove(d))  # type: ignore[misc]
        if left:
            self._journal.abandon()
        else:
            self._journal.close()
        return left

    def _restore(self, step: Step) -> str | None:
        return entry_changes.take_back(step, self._directories.descriptor(step.directory))

    def _rewrite(self, step: Step, write: FileWrite) -> None:
        if write.before is not None:
            entry_changes.overwrite(self._directories.descriptor(step.directory), step, write.before.content)

    def _drop(self, directory: str, spare: str) -> None:
        if not self._directories.missing(directory):
            entry_changes.drop_spare(self._directories.descriptor(directory), spare)

    def _clear(self) -> None:
        left: list[str] = []
        for step, _ in self._steps:
            _attempt(left, step.path, lambda step=step: self._finish(step))  # type: ignore[misc]
        if left:
            self._journal.abandon()
        else:
            self._journal.close()

    def _finish(self, step: Step) -> None:
        entry_changes.finish(step, self._directories.descriptor(step.directory))


def _attempt(left: list[str], path: str, deed: Callable[[], str | None]) -> None:
    try:
        problem = deed()
    except OSError as error:
        problem = f"`{path}` could not be put back: {error.strerror}"
    except Changed:
        problem = f"`{path}` was changed by another process and was not put back"
    if problem:
        left.append(problem)


def _check_only_name(write: FileWrite, now: FileState | None) -> None:
    """What is written in place shows under each of its names, and a patch changes those it names and no others."""
    if now is not None and now.links > 1:
        what = f"it has {now.links} names, and it can only be written in place, where each of them would change"
        raise PatchFailed(f"Failed to write file {write.path}", why=what, hint=OWN_COPY_HINT)


def _failed_deed(write: FileWrite | None) -> str:
    if write is None or write.after is not None:
        return "Failed to write file"
    return "Failed to remove original" if write.is_original else "Failed to delete file"


class _uninterrupted:  # noqa: N801 - reads as the word it is in a `with`
    """Signals that end a program wait until the block is left."""

    def __enter__(self) -> None:
        self._before = pthread_sigmask(SIG_BLOCK, (SIGINT, SIGTERM, SIGHUP))

    def __exit__(self, *_: object) -> None:
        pthread_sigmask(SIG_SETMASK, self._before)
