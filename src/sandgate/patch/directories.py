"""The directories a patch writes in, held open: what was looked at is what is written to.

Every change is made by name in a directory we hold, never by a path. Confined, a directory is opened from its
writable root on, without a link on the way, and must still lie where the plan says. Many directories are not held at
once; one that is opened again must be the same one.
"""

from __future__ import annotations

import errno
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

HELD_MAX = 200  # descriptors
OPEN_FLAGS = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
NEW_DIRECTORY_MODE = 0o777  # the umask takes its part


class Directories:
    """Owns the descriptors; use it in a `with`. `roots`: the writable places of a confined patch; None: anywhere."""

    def __init__(self, roots: Iterable[str] | None, *, exact: bool = False) -> None:
        """`exact`: also without roots a directory must lie where the plan says, with no link on the way."""
        self._exact = exact
        self._roots = None if roots is None else sorted(roots, key=len, reverse=True)
        self._held: dict[str, int] = {}
        self._identities: dict[str, tuple[int, int]] = {}

    def __enter__(self) -> Directories:
        return self

    def __exit__(self, *_: object) -> None:
        while self._held:
            os.close(self._held.popitem()[1])

    def descriptor(self, path: str) -> int:
        """Of the directory at canonical `path`, valid until the next call. OSError ESTALE when it is another now."""
        descriptor = self._held.get(path)
        if descriptor is not None:
            return descriptor
        while len(self._held) >= HELD_MAX:
            os.close(self._held.pop(next(iter(self._held))))
        descriptor = self._open(path)
        try:
            about = os.fstat(descriptor)
            identity = (about.st_dev, about.st_ino)
            if self._identities.setdefault(path, identity) != identity:
                raise OSError(errno.ESTALE, "another directory lies there now")
        except BaseException:
            os.close(descriptor)
            raise
        self._held[path] = descriptor
        return descriptor

    def expect(self, path: str, identity: tuple[int, int]) -> None:
        """From now on only the directory with this device and inode will do."""
        self._identities[path] = identity

    def identity(self, path: str) -> tuple[int, int]:
        """Device and inode of a directory that was opened before."""
        return self._identities[path]

    def missing(self, path: str) -> list[str]:
        """Which directories have to be made for `path` to exist, outermost first."""
        absent: list[str] = []
        while path not in self._identities and not os.path.lexists(path):
            absent.append(path)
            path = os.path.dirname(path)
        return absent[::-1]

    def make(self, path: str) -> None:
        """One new directory, in one that exists. OSError EEXIST when something is there."""
        parent, name = os.path.split(path)
        os.mkdir(name, NEW_DIRECTORY_MODE, dir_fd=self.descriptor(parent))

    def remove(self, path: str) -> None:
        """The directory at `path`, if it is empty."""
        parent, name = os.path.split(path)
        held = self._held.pop(path, None)
        if held is not None:
            os.close(held)
        self._identities.pop(path, None)
        os.rmdir(name, dir_fd=self.descriptor(parent))

    def settle(self, path: str) -> None:
        """What was named in the directory stays so, also when the power fails."""
        descriptor = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self.descriptor(path))
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _open(self, path: str) -> int:
        if self._roots is None and not self._exact:
            return os.open(path, OPEN_FLAGS)
        from sandgate.kernel.places import path_of

        descriptor = self._open_from_root(path, self._roots or ())
        if path_of(descriptor) != path:
            os.close(descriptor)
            raise OSError(errno.ESTALE, "the directory was moved")
        return descriptor

    def _open_from_root(self, path: str, roots: Iterable[str]) -> int:
        from sandgate.kernel.beneath import open_beneath, open_canonical

        root = next((root for root in roots if path == root or path.startswith(root.rstrip("/") + "/")), None)
        if root is None:  # a single file was granted; its directory was not
            return open_canonical(path, OPEN_FLAGS)
        top = open_canonical(root, OPEN_FLAGS)
        try:
            return open_beneath(top, path[len(root) :].lstrip("/"), OPEN_FLAGS)
        finally:
            os.close(top)
