"""Decides by names alone whether a call lies within what was allowed a command at its refused calls.

A grant for one path names it, so it may even be a protected one. A grant for a tree names only its root: what is
protected or hidden below stays so, and so does whatever lies behind a dot. The same as native/grants.c; what names mean
is said by `path_access` here, and by the view there.
"""

from __future__ import annotations

import os
import stat

from sandgate.protocol.names_beside import extends_name, is_behind_dot, lie_beside, looks_like
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.kernel.deeds import Spot, Wish
    from sandgate.kernel.object_identity import ObjectIdentity
    from sandgate.kernel.own_names import OwnNames
    from sandgate.kernel.path_access import PathAccess
    from sandgate.protocol.permissions import Grant

GRANTS_MAX = 2048  # of one command, those of its plan included; one more is not given
KINDS = ("write_path", "write_root", "new_entry", "remove", "metadata")
_CREATING = ("create", "temporary")


class Permit(Record):
    """Why a wish is granted, and what is still to be compared when it is carried out."""

    grant: int  # its number
    own: ObjectIdentity | None = None  # the object must be this one
    becomes_own: bool = False  # what is made is to be remembered
    is_passing: bool = False  # and to be gone with the command
    tree: int = -1  # descriptor of a directory of our making
    below: str = ""  # then the path from there


class GivenGrants:
    """The grants of one command, with what was made for it."""

    def __init__(self, access: PathAccess, own: OwnNames) -> None:
        self._access = access
        self._own = own
        self._grants: list[tuple[str, str]] = []  # kind, path

    def __len__(self) -> int:
        return len(self._grants)

    def add(self, grant: Grant) -> None:
        """Those of other kinds, and those that name no place below the root, give nothing here."""
        path = grant.value.rstrip("/")
        given = (grant.kind, path)
        if grant.kind in KINDS and path.startswith("/") and given not in self._grants and len(self) < GRANTS_MAX:
            self._grants.append(given)

    def permit(self, wish: Wish, spot: Spot, *, directory: bool = False) -> Permit | None:
        """Whether `wish` may be carried out there; `directory`: it makes one."""
        permit = self._by_making(wish, spot.path)
        if permit is not None:
            return permit
        for number, (kind, path) in enumerate(self._grants):
            if not self._reaches(kind, path, wish, spot.path):
                continue
            becomes_own = wish in _CREATING and kind != "write_root"
            if becomes_own and not self._own.has_room(for_tree=directory):
                continue
            passing = becomes_own and kind == "write_path" and not looks_like(spot.path, path)
            return Permit(number, becomes_own=becomes_own, is_passing=passing)
        return None

    def permit_for_setting_aside(self, old: Spot, new: Spot) -> Permit | None:
        """Whether `old` may become the new name `new`, beside it: then it is the command's own."""
        if new.exists or not self._own.has_room() or not self._serves_to_replace("create", new.path, old.path):
            return None
        given = ("write_path", old.path)
        return Permit(self._grants.index(given)) if given in self._grants else None

    def may_be_moved(self, old: Spot, new: Spot) -> bool:
        """False for what no grant makes right: it would show what is hidden, or lose what is protected."""
        access = self._access
        if access.holds_kept(old.path) or access.holds_kept(new.path):
            return False
        if access.readable(old.path) or self.is_made_by_us(old.path):
            return True
        # Whatever lies in a directory of our making may be read: so nothing hidden comes to lie there.
        return not access.readable(new.path) and self._own.tree_above(new.path) is None

    def may_be_opened(self, spot: Spot, flags: int) -> bool:
        """A descriptor for writing can be opened again for reading: so what is hidden must be emptied first."""
        if not spot.exists or self._access.readable(spot.path) or self.is_made_by_us(spot.path):
            return True
        return flags & os.O_ACCMODE == os.O_WRONLY and bool(flags & os.O_TRUNC)

    def _by_making(self, wish: Wish, path: str) -> Permit | None:
        own = None if wish in _CREATING else self._own.at(path)
        if own is not None:
            return Permit(own.grant, own=own.identity)
        found = self._own.tree_above(path)
        if found is None or self._access.closed_between(found[0], path):
            return None
        root, tree = found
        return Permit(tree.grant, tree=tree.tree, below=path[len(root) + 1 :])

    def _reaches(self, kind: str, granted: str, wish: Wish, path: str) -> bool:
        exact = path == granted
        match kind:
            case "write_root":
                return self._in_tree(path, granted) and not is_behind_dot(path, granted)
            case "new_entry":
                return wish in _CREATING and (exact or self._goes_with_made(path, granted))
            case "metadata":
                return wish == "metadata" and exact
            case "remove":
                return wish == "remove" and (exact or self._in_tree(path, granted))
            case _:
                if wish in _CREATING:
                    return exact or self._serves_to_replace(wish, path, granted)
                return exact and wish in ("metadata", "write")

    def _in_tree(self, path: str, root: str) -> bool:
        return path.startswith(root + "/") and not self._access.closed_between(root, path)

    def _serves_to_replace(self, wish: Wish, path: str, replaced: str) -> bool:
        """Beside a file that may be changed, new names serve to replace it: they look like its own, or nobody else can
        have made them. The latter go with the command, and begin with no dot, as what programs obey does.
        """
        if not lie_beside(path, replaced) or self._access.is_guarded(path):
            return False
        hides = os.path.basename(path).startswith(".") or not self._access.readable(path)
        return looks_like(path, replaced) or (wish == "temporary" and not hides)

    def _goes_with_made(self, path: str, made: str) -> bool:
        """As long as that is a file which the command itself has made."""
        if not extends_name(path, made) or self._access.is_guarded(path) or not self._access.readable(path):
            return False
        own = self._own.at(made)
        return own is not None and own.is_made and own.tree < 0

    def is_made_by_us(self, path: str) -> bool:
        """Whether what is found there was not there before; a further name makes nothing."""
        own = self._own.at(path)
        return own.is_made if own is not None else self._own.tree_above(path) is not None


def wish_for_new_name(spot: Spot) -> Wish:
    """What arrives at a name, by rename: something new, in place of a directory, or in place of a file."""
    if not spot.exists:
        return "create"
    return "remove" if spot.kind == stat.S_IFDIR else "write"
