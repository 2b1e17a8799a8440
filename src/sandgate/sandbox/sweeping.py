"""Clears away the private directories of projects that no command used for a day: see `private_tmp.py`.

A stale directory first gets another name, in one step, so that who comes back to the project makes a fresh one; then
it is emptied, as far as the limits of one sweep go. What lies in it is the work of commands and may be anything: no
link is followed, no other file system is entered, and every directory is emptied from the top of the stale one, where
those found in it are moved first. So neither depth nor a path can lead elsewhere, whatever a process exchanges
meanwhile.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from itertools import islice

from sandgate.sandbox.private_tmp import DIRECTORY_FLAGS, DIRECTORY_NAME, OWN_MODE

STALE_PREFIX = ".gone-"
UNUSED_S = 24 * 60 * 60
PROJECTS_MAX = 256  # looked at in one sweep
ENTRIES_MAX = 20_000  # removed in one sweep; the next goes on
WORK_MS_MAX = 500
_NS_PER_MS = 1_000_000
_PLACE = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def sweep(state: str, *, entries_max: int = ENTRIES_MAX) -> int:
    """Removes what is stale; how many entries went. Raises nothing: what cannot be removed stays."""
    try:
        above = os.open(os.path.join(state, DIRECTORY_NAME), DIRECTORY_FLAGS)
    except OSError:
        return 0
    try:
        return _Sweep(above, entries_max).run()
    finally:
        os.close(above)


def sweep_beside(state: str) -> None:
    """The same, beside what we do; our end at any time does no harm."""
    from _thread import start_new_thread

    start_new_thread(sweep, (state,))


class _Sweep:
    def __init__(self, above: int, entries_max: int) -> None:
        self._above = above
        self._left = entries_max
        self._until_ns = time.monotonic_ns() + WORK_MS_MAX * _NS_PER_MS
        self.removed = 0

    def run(self) -> int:
        for name in _some_names(self._above, PROJECTS_MAX):
            if not self._may_go_on():
                break
            try:
                self._look_at(name)
            except OSError:
                continue
        return self.removed

    def _may_go_on(self) -> bool:
        return self.removed < self._left and time.monotonic_ns() < self._until_ns

    def _look_at(self, name: str) -> None:
        held = os.open(name, DIRECTORY_FLAGS, dir_fd=self._above)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)  # BlockingIOError: a session uses it
            if not name.startswith(STALE_PREFIX):
                if time.time() - os.fstat(held).st_mtime < UNUSED_S:
                    return
                stale = STALE_PREFIX + _fresh()
                os.rename(name, stale, src_dir_fd=self._above, dst_dir_fd=self._above)
                name = stale
            if self._is_emptied(held):
                os.rmdir(name, dir_fd=self._above)
        finally:
            os.close(held)

    def _is_emptied(self, top: int) -> bool:
        """Whether nothing is left in it. A round that removes nothing is the last."""
        device = os.fstat(top).st_dev
        while names := _some_names(top, self._left):
            before = self.removed
            for name in names:
                if not self._may_go_on():
                    return False
                self._remove(name, top, device)
            if self.removed == before:
                return False
        return True

    def _remove(self, name: str, top: int, device: int) -> None:
        if self._is_unlinked(name, top):
            return
        inside = _opened(name, top, device)
        if inside is None:
            return
        try:
            for child in _some_names(inside, self._left):
                if not self._may_go_on():
                    return
                if not self._is_unlinked(child, inside):
                    self._hoist(child, inside, top, device)
        finally:
            os.close(inside)
        try:
            os.rmdir(name, dir_fd=top)
            self.removed += 1
        except OSError:
            return

    def _is_unlinked(self, name: str, directory: int) -> bool:
        """False for a directory."""
        try:
            os.unlink(name, dir_fd=directory)
        except OSError as problem:
            return problem.errno not in (errno.EISDIR, errno.EPERM)
        self.removed += 1
        return True

    def _hoist(self, name: str, directory: int, top: int, device: int) -> None:
        child = _opened(name, directory, device)  # to be moved it must be writable itself
        if child is None:
            return
        os.close(child)
        try:
            os.rename(name, STALE_PREFIX + _fresh(), src_dir_fd=directory, dst_dir_fd=top)
        except OSError:
            return


def _some_names(directory: int, limit: int) -> list[str]:
    with os.scandir(directory) as entries:
        return [entry.name for entry in islice(entries, limit)]


def _opened(name: str, directory: int, device: int) -> int | None:
    """A directory of ours on this file system, made accessible first; None for anything else."""
    try:
        place = os.open(name, _PLACE, dir_fd=directory)
    except OSError:
        return None
    try:
        if os.fstat(place).st_dev != device:
            return None
        itself = f"/proc/self/fd/{place}"
        os.chmod(itself, OWN_MODE)
        return os.open(itself, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    finally:
        os.close(place)


def _fresh() -> str:
    return os.urandom(8).hex()
