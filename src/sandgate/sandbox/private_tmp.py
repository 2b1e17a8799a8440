"""The directory that a project's commands have as /tmp: kept between them, and gone when no command used it for a day.

It lies in Sandgate's own state directory, which no command sees and no other user may enter, so no other can make it
beforehand or look into it. Who uses it holds a shared lock (flock(2)) on the directory around it, for as long as the
session lasts; who clears up (`sweeping.py`) takes that lock alone.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time

DIRECTORY_NAME = "tmp"  # in the state directory; and in each project's directory there, the one that is shown
STAMP = ".swept"  # beside them; its change tells when a session last looked for stale ones
SWEEP_EVERY_S = 60 * 60  # between two sweeps of one user
OWN_MODE = 0o700
SHOWN_MODE = 0o1777
NAME_BYTES_MAX = 200  # of a file name that says a path; longer paths go by a digest
RENEW_EVERY_S = 60  # that it is used; a day is what counts
TAKE_TRIES = 8
DIRECTORY_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OTHERS, _OTHERS_MAY_WRITE = 0o077, 0o022


class PrivateDirectory:
    """One project's directory, in use as long as this exists. `path` is canonical."""

    __slots__ = ("_held", "_renewed_s", "path")

    def __init__(self, path: str, held: int) -> None:
        self.path = path
        self._held = held
        self._renewed_s = time.monotonic()

    def renew(self) -> bool:
        """It is used now; False when it was removed."""
        now_s = time.monotonic()
        try:
            if now_s - self._renewed_s > RENEW_EVERY_S:
                os.utime(self._held)
                self._renewed_s = now_s
            return stat.S_ISDIR(os.lstat(self.path).st_mode)
        except OSError:
            return False

    def take_alone(self) -> bool:
        """From now on no other session of the project uses it, or begins; False, at once, where one does."""
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fcntl.flock(self._held, fcntl.LOCK_SH)  # a conversion that fails gives up what was held
            return False
        return True

    def share_again(self) -> None:
        """Others may use it as well; waits for one that took it alone just now: as long as one command runs."""
        if self._held >= 0:
            fcntl.flock(self._held, fcntl.LOCK_SH)

    def close(self) -> None:
        """This session uses it no more."""
        if self._held >= 0:
            os.close(self._held)
            self._held = -1

    def __del__(self) -> None:
        self.close()


def place_name(project: str) -> str:
    """A file name for the canonical path `project`, another one for every path."""
    name = project.replace("%", "%25").replace("+", "%2B").replace("/", "+")
    if len(os.fsencode(name)) <= NAME_BYTES_MAX:
        return name
    import hashlib

    return "%" + hashlib.sha256(os.fsencode(project)).hexdigest()


def named_place(name: str) -> str:
    """The path that `place_name` made `name` of; the name itself where it made a digest."""
    return name.replace("+", "/").replace("%2B", "+").replace("%25", "%") if name.startswith("+") else name


def private_directory(state: str, project: str) -> PrivateDirectory | None:
    """The directory for commands of `project`, made if need be; None where there can be none that is ours alone."""
    try:
        above = _made_closed(f"{_made_alone(state)}/{DIRECTORY_NAME}")
        place = f"{above}/{place_name(project)}"
        for _ in range(TAKE_TRIES):
            held = _taken(place)
            if held is not None:
                private = PrivateDirectory(place, held)  # closes itself, should the next step fail
                private.path = _shown_in(place)
                return private
    except OSError:
        return None
    return None


def _taken(place: str) -> int | None:
    """A descriptor with the shared lock; None when the directory was cleared away meanwhile."""
    try:
        _made_closed(place)
        held = os.open(place, DIRECTORY_FLAGS)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(held, fcntl.LOCK_SH)
        if os.path.samestat(os.fstat(held), os.lstat(place)):
            os.utime(held)
            return held
    except FileNotFoundError:
        pass
    except BaseException:
        os.close(held)
        raise
    os.close(held)
    return None


def _made_alone(directory: str) -> str:
    """Canonical. Raises OSError where it is not ours, or others may change what lies in it."""
    if not os.path.isdir(directory):
        os.makedirs(directory, OWN_MODE, exist_ok=True)
    real = os.path.realpath(directory)
    found = os.lstat(real)
    if not _is_ours_alone(found):
        raise PermissionError(directory)
    return real


def _made_closed(directory: str) -> str:
    """The same, and no other user may enter it. What it lies in is canonical."""
    try:
        found = os.lstat(directory)
    except FileNotFoundError:
        found = None
    if found is None or not _is_ours_alone(found):
        directory = _made_alone(directory)
        found = os.lstat(directory)
    if found.st_mode & _OTHERS:
        os.chmod(directory, OWN_MODE)
    return directory


def _is_ours_alone(found: os.stat_result) -> bool:
    return found.st_uid == os.geteuid() and stat.S_ISDIR(found.st_mode) and not found.st_mode & _OTHERS_MAY_WRITE


def is_due(state: str) -> bool:
    """Whether no session has swept for SWEEP_EVERY_S; then it is our turn, and no other's."""
    stamp = os.path.join(state, DIRECTORY_NAME, STAMP)
    try:
        if time.time() - os.lstat(stamp).st_mtime < SWEEP_EVERY_S:
            return False
    except OSError:
        pass
    try:
        os.close(os.open(stamp, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        os.utime(stamp)
    except OSError:
        return False
    return True


def _shown_in(place: str) -> str:
    """Canonical, as `place` is."""
    shown = f"{place}/{DIRECTORY_NAME}"
    try:
        os.mkdir(shown, OWN_MODE)
        os.chmod(shown, SHOWN_MODE)  # its parents keep all others out; programs look at the bits
    except FileExistsError:
        if os.path.islink(shown):
            raise
    return shown
