"""The concrete view of a confined command: permissions as an ordered list of mounts.

Pure. Everything starts read-only; each entry lies on top of the shallower ones, so the most specific wins:
`/repo` writable, `/repo/a` hidden, `/repo/a/b` writable gives a directory that shows nothing but a writable `b`.
"""

from __future__ import annotations

from sandgate.protocol.confinement import IN_MEMORY, Mount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from sandgate.protocol.confinement import MountKind
    from sandgate.protocol.permissions import EffectivePermissions

_HIDES = frozenset(("hide_directory", "hide_directory_with_openings", "hide_file"))


def mounts_of(permissions: EffectivePermissions, *, is_directory: Callable[[str], bool]) -> tuple[Mount, ...]:
    """The mounts, shallow first. At equal paths hidden beats read-only beats writable beats re-opened."""
    kinds: dict[str, MountKind] = dict.fromkeys((*permissions.reopened, *permissions.sockets), "read")
    kinds |= dict.fromkeys(permissions.writable, "write")
    kinds |= dict.fromkeys(permissions.read_only, "read")
    kinds |= dict.fromkeys(permissions.drafts, "overlay")
    read_only = frozenset(permissions.read_only)
    copies = dict(permissions.copies)
    opened = [*(path for path in kinds if path not in read_only), *copies]
    for path in permissions.hidden:
        kinds[path] = _hide(path, opened) if is_directory(path) else "hide_file"
    tmp = permissions.private_tmp
    sources = {} if tmp is None else {tmp.at: tmp.source or IN_MEMORY}
    for path in sources:
        kinds.setdefault(path, "read")
    ordered = sorted(kinds, key=lambda path: (path.count("/"), path))
    guards = _above_any((*permissions.read_only, *permissions.absent, *permissions.hidden))
    wanted = [path for path in ordered if path in copies or not _is_idle(path, kinds, guards, sources)]
    return tuple([Mount(kinds[path], path, sources.get(path, ""), copies.get(path)) for path in wanted])


def _hide(directory: str, opened: list[str]) -> MountKind:
    below = directory + "/"
    return "hide_directory_with_openings" if any(path.startswith(below) for path in opened) else "hide_directory"


def _is_idle(path: str, kinds: dict[str, MountKind], guards: set[str], sources: Collection[str]) -> bool:
    """Whether the entry above already has this effect.

    A writable directory inside a writable one is not idle while it has something to guard: as a mount point it
    cannot be renamed. With nothing to guard it only stands in the way of a program that replaces it.
    """
    place = path
    while place != "/" and (place := place.rpartition("/")[0] or "/") not in kinds:
        pass
    place = place if place in kinds and path != "/" else ""
    if path in sources or place in sources:  # the host's entry in a directory that is not the host's
        return False
    above = kinds.get(place, "read")
    if kinds[path] in _HIDES:
        return above in _HIDES
    return kinds[path] == above and (above == "read" or path not in guards)


def _above_any(paths: Iterable[str]) -> set[str]:
    above: set[str] = set()
    for path in paths:
        while path != "/" and (path := path.rpartition("/")[0] or "/") not in above:
            above.add(path)
    return above
