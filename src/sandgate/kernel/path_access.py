"""What a command may do at a path: what a kernel rule allows, what we do for it, or nothing. Pure but for one stat.

The most specific entry wins, as `EffectivePermissions` says. Landlock cannot express that: it has rules for
whole directories without a protected name in them, and the supervisor decides about all other paths.
"""

from __future__ import annotations

import os
import posixpath
import unicodedata

from sandgate.places.run_later import ending_form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sandgate.protocol.permissions import EffectivePermissions

    Identity = tuple[int, int]  # device, inode


def upwards(path: str) -> Iterator[str]:
    """`path` and every directory above it."""
    yield path
    while path != "/":
        path = posixpath.dirname(path)
        yield path


def _all_upwards(paths: Iterable[str]) -> set[str]:
    """The paths and every directory above one of them; hundreds of names lie in a few directories."""
    found: set[str] = set()
    for path in paths:
        for above in upwards(path):
            if above in found:
                break
            found.add(above)
    return found


class PathAccess:
    """Answers for one running command."""

    def __init__(
        self,
        permissions: EffectivePermissions,
        granted: Mapping[str, Identity],  # rules that allow everything
        shown: Mapping[str, Identity],  # rules that allow reading
    ) -> None:
        self._fold = permissions.case_insensitive
        self._granted = granted
        self._shown = shown
        self._writable = frozenset(permissions.writable)
        closed = (*permissions.read_only, *permissions.absent, *permissions.hidden)
        self._closed = frozenset(map(self._key, closed))
        self._endings = frozenset([path for path in map(self._key, permissions.absent) if "/*." in path])
        self._above_absent = _all_upwards(posixpath.dirname(self._key(path)) for path in permissions.absent)
        self._above_closed = _all_upwards(map(self._key, closed))
        self._above_kept: set[str] | None = None  # made when it is asked for
        self._closed_names = closed
        self._hidden = frozenset(permissions.hidden)
        self._reopened = frozenset((*permissions.reopened, *permissions.writable))

    def writable(self, path: str) -> bool:
        """Whether the command may change what lies at `path` (canonical)."""
        for above in upwards(path):
            key = self._key(above)
            if key in self._closed or ending_form(key) in self._endings:
                return False
            if above in self._writable:
                return True
        return False

    def readable(self, path: str) -> bool:
        """Whether the command may read what lies at `path`."""
        for above in upwards(path):
            if above in self._hidden:
                return False
            if above in self._reopened:
                return True
        return True

    def movable(self, path: str) -> bool:
        """Whether `path` may get another name or go: it lies in a writable directory, nothing closed in it."""
        if self._key(path) in self._above_closed:
            return False
        return self.writable(path) and self.writable(posixpath.dirname(path))

    def may_receive(self, path: str) -> bool:
        """Whether what exists may get `path` as its name: it could bring along what must not come to exist."""
        return self._key(path) not in self._above_absent and self.writable(path)

    def is_guarded(self, path: str) -> bool:
        """Whether exactly this name is closed, there or not."""
        key = self._key(path)
        return key in self._closed or ending_form(key) in self._endings

    def closed_between(self, root: str, path: str) -> bool:
        """Whether something on the way from `root` to `path`, which lies below it, takes away."""
        for above in upwards(path):
            if above == root or len(above) <= len(root):
                return False
            if self.is_guarded(above):
                return True
        return False

    def holds_closed(self, path: str) -> bool:
        """Whether something that is closed lies below `path`, there or not; then `path` is not `movable`."""
        return self._key(path) in self._above_closed

    def holds_kept(self, path: str) -> bool:
        """Whether at `path`, or below it, lies a place that the command has, or below it one that is closed to it."""
        if self._above_kept is None:
            below_closed = _all_upwards(posixpath.dirname(self._key(each)) for each in self._closed_names)
            self._above_kept = below_closed | _all_upwards(map(self._key, self._writable))
        return self._key(path) in self._above_kept

    def by_kernel(self, path: str) -> bool:
        """Whether a Landlock rule covers `path`, and still sits on the directory it was made for."""
        for above in upwards(path):
            identity = self._granted.get(above)
            if identity is not None:
                return above != path and identity_of(above) == identity
        return False

    def shown_by_kernel(self, path: str) -> bool:
        """Whether a rule lets the command read `path` by itself."""
        for above in upwards(path):
            identity = self._granted.get(above) or self._shown.get(above)
            if identity is not None:
                return identity_of(above) == identity
        return False

    def has_rule(self, path: str) -> bool:
        """Whether a rule was made for exactly this file: a device, say."""
        identity = self._granted.get(path)
        return identity is not None and identity_of(path) == identity

    def _key(self, path: str) -> str:
        return unicodedata.normalize("NFC", path).casefold() if self._fold else path


def identity_of(path: str) -> Identity | None:
    """What lies at `path` itself, links not followed; None for nothing."""
    try:
        status = os.stat(path, follow_symlinks=False)
    except OSError:
        return None
    return (status.st_dev, status.st_ino)
