"""The change of one directory entry, in a form that can be taken back: also by another process, after a crash.

The new file is prepared under a spare name and then changes names with the old one, so a reader sees one or the
other and the old one is still there to be compared. A step remembers which inode was old and which is new: looking at
the names then tells how far it came, to any process at any time.
"""

from __future__ import annotations

import errno
import os
import stat

from sandgate.patch.disk_lookup import DEFAULT_MODE, FileState, file_state
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Kind = Literal["create", "replace", "delete", "in_place"]

SPARE_PREFIX = ".sandgate-"
KEPT_SUFFIX = "k"  # of a third name, only where names cannot be exchanged
PRIVATE_MODE = 0o600
PREPARE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
OVERWRITE_FLAGS = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
LOOK_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Step(Record):
    """`spare` is the other name in the same directory; `old` and `new` are inodes, 0 for none."""

    directory: str  # canonical
    device: int
    inode: int
    name: str
    spare: str
    kind: Kind
    old: int = 0
    new: int = 0

    @property
    def path(self) -> str:
        return os.path.join(self.directory, self.name)


class Changed(Exception):
    """Something else lies there than when the patch was verified."""


class CannotReplace(Exception):
    """The entry cannot be exchanged for another; it has to be written in place."""


def entry_at(directory: int, name: str) -> tuple[FileState | None, int]:
    """What lies at a name, and its inode. OSError as `tree.Tree.state`."""
    try:
        about = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None, 0
    if stat.S_ISLNK(about.st_mode):
        return FileState(b"", link=os.readlink(name, dir_fd=directory)), about.st_ino
    if not stat.S_ISREG(about.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")
    descriptor = os.open(name, LOOK_FLAGS, dir_fd=directory)
    try:
        return file_state(descriptor), os.fstat(descriptor).st_ino
    finally:
        os.close(descriptor)


def write_spare(directory: int, spare: str, after: FileState, *, owner: tuple[int, int] | None, settle: bool) -> int:
    """Writes the new file under its spare name; returns its inode. `owner`: whose it must be, for an existing file.

    Raises CannotReplace when we may not make such a file here.
    """
    if after.link is not None:
        os.symlink(after.link, spare, dir_fd=directory)
        return os.stat(spare, dir_fd=directory, follow_symlinks=False).st_ino
    # What no other user may read must not lie open for a moment either.
    mode = DEFAULT_MODE if after.mode is None else PRIVATE_MODE
    descriptor = os.open(spare, PREPARE_FLAGS, mode, dir_fd=directory)
    try:
        write_all(descriptor, after.content)
        if owner is not None:
            _give_to(descriptor, owner)
        for name, value in after.attributes:
            _set_attribute(descriptor, name, value)
        if after.mode is not None:
            os.fchmod(descriptor, after.mode)
        if settle:
            os.fsync(descriptor)
        return os.fstat(descriptor).st_ino
    finally:
        os.close(descriptor)


def write_all(descriptor: int, content: bytes) -> None:
    """Every byte, or OSError."""
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]


def _give_to(descriptor: int, owner: tuple[int, int]) -> None:
    about = os.fstat(descriptor)
    if (about.st_uid, about.st_gid) == owner:
        return
    try:
        os.fchown(descriptor, *owner)
    except OSError as problem:
        raise CannotReplace from problem


def _set_attribute(descriptor: int, name: str, value: bytes) -> None:
    try:
        os.setxattr(descriptor, name, value)
    except OSError:  # labels and the like are the system's business
        return


def commit(step: Step, directory: int, before: FileState | None, *, exchanging: bool) -> None:
    """Carries the step out. Raises Changed with the step possibly carried out, CannotReplace with nothing done.

    `exchanging`: names change hands in one system call. Without it, what another process saves between two calls
    of ours, some microseconds apart, is lost.
    """
    if step.kind == "create":
        _name_new(directory, step.spare, step.name)
    elif step.kind == "delete":
        os.rename(step.name, step.spare, src_dir_fd=directory, dst_dir_fd=directory)
    else:
        _swap(directory, step.spare, step.name, exchanging=exchanging)
    if step.kind != "create":
        state, inode = entry_at(directory, step.spare)
        if inode != step.old or state is None or not state.is_same(before):
            raise Changed


def _name_new(directory: int, spare: str, name: str) -> None:
    try:  # first what needs no library
        os.link(spare, name, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
    except FileExistsError as problem:
        raise Changed from problem
    except OSError:  # no hard links here
        from sandgate.kernel import renames

        try:
            renames.rename_new(directory, spare, name)
        except FileExistsError as problem:
            raise Changed from problem
        return
    os.unlink(spare, dir_fd=directory)


def _swap(directory: int, spare: str, name: str, *, exchanging: bool) -> None:
    try:
        if not (exchanging and _exchange(directory, spare, name)):
            _replace(directory, spare, name)
    except FileNotFoundError as problem:
        raise Changed from problem
    except OSError as problem:
        if problem.errno == errno.EBUSY:  # a mount lies on it
            raise CannotReplace from problem
        raise


def _exchange(directory: int, spare: str, name: str) -> bool:
    """False when that cannot be done here."""
    from sandgate.kernel import renames

    try:
        renames.exchange(directory, spare, name)
    except OSError as problem:
        if problem.errno in renames.UNSUPPORTED:
            return False
        raise
    return True


def _replace(directory: int, spare: str, name: str) -> None:
    kept = spare + KEPT_SUFFIX
    try:
        os.link(name, kept, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        raise
    except OSError as problem:  # no hard links here
        raise CannotReplace from problem
    try:
        os.rename(spare, name, src_dir_fd=directory, dst_dir_fd=directory)
    except OSError:
        os.unlink(kept, dir_fd=directory)
        raise
    os.rename(kept, spare, src_dir_fd=directory, dst_dir_fd=directory)


def check_unchanged(directory: int, step: Step, expected: bytes) -> None:
    """Raises Changed unless the old file lies there and holds what is expected."""
    state, inode = entry_at(directory, step.name)
    if inode != step.old or state is None or state.link is not None or state.content != expected:
        raise Changed


def overwrite(directory: int, step: Step, content: bytes) -> None:
    """Writes into the old file itself, so that all its names show it. Raises Changed when another lies there."""
    descriptor = os.open(step.name, OVERWRITE_FLAGS, dir_fd=directory)
    try:
        if os.fstat(descriptor).st_ino != step.old:
            raise Changed
        write_all(descriptor, content)
        os.ftruncate(descriptor, len(content))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def take_back(step: Step, directory: int) -> str | None:
    """Puts the old entry back, however far the step came; a sentence when another process's file is in the way.

    Steps of kind "in_place" are the caller's business: they need the old bytes.
    """
    name, spare = _inode(directory, step.name), _inode(directory, step.spare)
    if step.kind == "create":
        if name == step.new:
            os.unlink(step.name, dir_fd=directory)
        _drop(directory, step.spare, step.new)
        return None
    kept = _inode(directory, step.spare + KEPT_SUFFIX)
    if kept == step.old:
        return _restore_kept(step, directory, name)
    if spare == step.old:
        if name == 0:
            os.rename(step.spare, step.name, src_dir_fd=directory, dst_dir_fd=directory)
        elif step.kind == "replace" and name == step.new:
            _put_back(step, directory)
        else:
            return f"`{step.path}` was changed by another process; what it was before lies in `{step.spare}` beside it"
    elif spare not in (0, step.new) and step.kind in ("replace", "delete") and name in (0, step.new):
        _put_back(step, directory)  # it was not the old file that we took away
    _drop(directory, step.spare, step.new)
    return None


def _restore_kept(step: Step, directory: int, name: int) -> str | None:
    kept = step.spare + KEPT_SUFFIX
    if name == step.new:
        os.rename(kept, step.name, src_dir_fd=directory, dst_dir_fd=directory)
    else:
        _drop(directory, kept, step.old)
    _drop(directory, step.spare, step.new)
    return None


def _put_back(step: Step, directory: int) -> None:
    from sandgate.kernel import renames

    try:
        renames.exchange(directory, step.spare, step.name)
    except OSError:
        os.rename(step.spare, step.name, src_dir_fd=directory, dst_dir_fd=directory)


def finish(step: Step, directory: int) -> None:
    """Lets go of the old entry, and of every spare name."""
    _drop(directory, step.spare, step.old)
    _drop(directory, step.spare + KEPT_SUFFIX, step.old)
    if step.kind == "create":
        _drop(directory, step.spare, step.new)


def drop_spare(directory: int, spare: str) -> None:
    """Removes what was being prepared."""
    try:
        os.unlink(spare, dir_fd=directory)
    except FileNotFoundError:
        return


def _drop(directory: int, name: str, inode: int) -> None:
    if inode and _inode(directory, name) == inode:
        os.unlink(name, dir_fd=directory)


def _inode(directory: int, name: str) -> int:
    try:
        return os.stat(name, dir_fd=directory, follow_symlinks=False).st_ino
    except FileNotFoundError:
        return 0
