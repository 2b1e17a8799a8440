"""Takes away what a command made under a protected name in spite of the sandbox.

The supervisor refuses such names while it watches; a command that races it, or a kernel without a supervisor,
can still leave one behind. It must not stay where a later program on the host would run it, and it must not be lost
either: it is moved into Sandgate's own state directory, next to a note that says where it came from. The command is
over, but another one of the session may write there at the same moment: the directory is opened once, with no link on
the way, and names are changed in it alone. What lies on another file system and cannot be copied over, such as a pipe,
gets a name that no program looks for, where it is.
"""

from __future__ import annotations

import errno
import os
import stat
import time

from sandgate.kernel.beneath import open_canonical

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

DIRECTORY_NAME = "quarantine"
NOTE_NAME = "came-from"
INERT_SUFFIX = ".sandgate-quarantined-"  # and the time in nanoseconds
PRIVATE_MODE = 0o700


def quarantine(paths: Iterable[str], *, state_directory: str) -> list[str]:
    """Moves each existing path away. Returns one sentence per path for the person who ran the command.

    A path that cannot be moved is reported with the reason and stays; nothing is ever deleted.
    """
    return [_moved(path, state_directory) for path in paths if os.path.lexists(path)]


def put_back(path: str, content: bytes | None, why: str, *, state_directory: str) -> str:
    """Moves what is at `path` away and writes the `content` that was there before, if there was any."""
    directory, name = os.path.split(path)
    try:
        held = open_canonical(directory, os.O_PATH | os.O_DIRECTORY)
        try:
            place = _fresh_place(state_directory)
            _note(place, path)
            target = _move(held, directory, name, os.path.join(place, name))
            if content is not None:
                _write_new(held, name, content)
        finally:
            os.close(held)
    except OSError as problem:
        return (
            f"`{path}` says what git may obey later ({why}), and cannot be moved away: {problem.strerror}; look at it"
        )
    back = ", and what was there before is back" if content is not None else ""
    return f"`{path}` says what git may obey later ({why}): it was moved to `{target}`{back}"


def _write_new(directory: int, name: str, content: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(name, flags, 0o666, dir_fd=directory), "wb") as file:
        file.write(content)


def _moved(path: str, state_directory: str) -> str:
    directory, name = os.path.split(path)
    try:
        held = open_canonical(directory, os.O_PATH | os.O_DIRECTORY)
    except OSError as problem:
        if problem.errno in (errno.ELOOP, errno.ENOTDIR):
            return f"`{path}` was created in spite of its protection, and its directory is now a link; look at it"
        return _unmoved(path, problem)
    try:
        place = _fresh_place(state_directory)
        _note(place, path)
        target = _move(held, directory, name, os.path.join(place, name))
    except OSError as problem:
        return _unmoved(path, problem)
    finally:
        os.close(held)
    return f"`{path}` was created in spite of its protection and was moved to `{target}`"


def _unmoved(path: str, problem: OSError) -> str:
    return f"`{path}` was created in spite of its protection and cannot be moved away: {problem.strerror}"


def _fresh_place(state_directory: str) -> str:
    place = os.path.join(state_directory, DIRECTORY_NAME, f"{time.time_ns()}-{os.getpid()}")
    os.makedirs(place, mode=PRIVATE_MODE)
    return place


def _note(place: str, path: str) -> None:
    descriptor = os.open(os.path.join(place, NOTE_NAME), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.write(descriptor, os.fsencode(path) + b"\n")
    finally:
        os.close(descriptor)


def _move(held: int, directory: str, name: str, target: str) -> str:
    """Returns where it lies now."""
    try:
        os.rename(name, target, src_dir_fd=held)
    except OSError:
        return _move_across(held, directory, name, target)
    return target


def _move_across(held: int, directory: str, name: str, target: str) -> str:
    # The name goes first, at once and whatever lies below it; a copy takes long and may fail half-way.
    inert = f"{name}{INERT_SUFFIX}{time.time_ns()}"
    os.rename(name, inert, src_dir_fd=held, dst_dir_fd=held)
    left = os.path.join(directory, inert)
    here = f"/proc/self/fd/{held}/{inert}"  # in the directory we hold, whatever lies under its path by now
    if not _can_be_copied(here):
        return left
    import shutil  # heavy; only across file systems

    try:
        shutil.move(here, target)
    except (OSError, shutil.Error):
        return left
    return target


def _can_be_copied(path: str) -> bool:
    """Only files, directories and links: copying waits for the other end of a pipe."""
    kinds = [os.lstat(path).st_mode]
    for directory, directories, files in os.walk(path):
        kinds += [os.lstat(os.path.join(directory, name)).st_mode for name in (*directories, *files)]
    return all(stat.S_ISREG(kind) or stat.S_ISDIR(kind) or stat.S_ISLNK(kind) for kind in kinds)
