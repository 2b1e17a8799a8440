"""What the supervisor itself has made for a command: the command's own, whatever else lies there.

Names are kept with the object that was made under them: either alone could be somebody else's by now. The same as
native/own_names.c.
"""

from __future__ import annotations

import os
from contextlib import suppress

from sandgate.kernel.beneath import open_canonical
from sandgate.kernel.object_identity import identity_at
from sandgate.kernel.path_access import upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.kernel.object_identity import ObjectIdentity

OWN_NAMES_MAX = 1024  # at one time, beside those in directories of our making; one more is not made
OWN_TREES_MAX = 256  # directories among them: each is a descriptor that we hold


class OwnName:
    """One of them."""

    __slots__ = ("grant", "identity", "is_made", "is_passing", "tree")

    def __init__(
        self, identity: ObjectIdentity, grant: int, *, is_made: bool, is_passing: bool, tree: int = -1
    ) -> None:
        self.identity = identity
        self.grant = grant  # within which it was made
        self.is_made = is_made  # False: what was there, moved aside
        self.is_passing = is_passing  # to be gone with the command, unless it got another name
        self.tree = tree  # of a directory: everything below it is the command's own; -1: none


class OwnNames:
    """Those of one command. Owns the descriptors of its trees."""

    def __init__(self) -> None:
        self._names: dict[str, OwnName] = {}
        self._trees = 0

    def at(self, path: str) -> OwnName | None:
        """The entry for exactly this path. What lies there now is still to be compared."""
        return self._names.get(path)

    def tree_above(self, path: str) -> tuple[str, OwnName] | None:
        """The nearest directory of our making above `path`, and where it lies."""
        if not self._trees:
            return None
        for above in upwards(os.path.dirname(path)):
            own = self._names.get(above)
            if own is not None and own.tree >= 0:
                return above, own
        return None

    def has_room(self, *, for_tree: bool = False) -> bool:
        return len(self._names) < OWN_NAMES_MAX and (not for_tree or self._trees < OWN_TREES_MAX)

    def remember(self, path: str, own: OwnName) -> None:
        """Its `tree` becomes ours."""
        self._forget(path)
        self._names[path] = own
        self._trees += own.tree >= 0

    def move(self, old: str, new: str | None) -> None:
        """Follows a rename, for the name and for all below it. `new` None: it is gone.

        A name of its own makes a passing one last; not that of another passing one, whose place it takes.
        """
        moved, replaced = self._names.get(old), self._names.get(new or "")
        if moved is not None:
            moved.is_passing = replaced is not None and replaced.is_passing
        if new not in (None, old):
            self._forget(new)
        below = old + "/"
        for path in [path for path in self._names if path == old or path.startswith(below)]:
            if new is None:
                self._forget(path)
                continue
            own = self._names.pop(path)
            self._names[new + path[len(old) :]] = own

    def close(self) -> None:
        """The command is over: what was to go with it goes, if it is still what was made."""
        for path, own in list(self._names.items()):
            if own.is_passing:
                with suppress(OSError):
                    _remove_if_same(path, own.identity)
            self._forget(path)

    def _forget(self, path: str) -> None:
        own = self._names.pop(path, None)
        if own is not None and own.tree >= 0:
            os.close(own.tree)
            self._trees -= 1


def _remove_if_same(path: str, identity: ObjectIdentity) -> None:
    directory, _, name = path.rpartition("/")
    parent = open_canonical(directory or "/", os.O_PATH | os.O_DIRECTORY)
    try:
        if identity_at(parent, name)[0] == identity:
            os.unlink(name, dir_fd=parent)
    finally:
        os.close(parent)
