"""Chooses directories to close as a whole where more is protected than a view can have mounts for. Pure.

Each protected path costs a mount of every command. A program that plants thousands of them must not make a workspace
unusable, nor have one of them unprotected: a directory that holds many is closed with all it contains, and the person
is told which.
"""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from sandgate.sandbox.closing import FoundProtected


MOUNTS_MAX = 1_024  # protected paths in one root, and what holds them in place; further ones are closed together
CROWDED_NAMED_MAX = 3  # in one sentence
MOUNTS_WANTED = 512  # a mount takes a command 0.1 to 0.3 ms; more are gathered where one directory holds a crowd
CROWD = 64  # mounts below one directory


class Cover(Record):
    """What is closed instead of all that was found."""

    paths: tuple[str, ...]
    mounts: int  # that it takes
    directories: tuple[str, ...] = ()  # those among `paths` that stand for what they contain


def bounded(
    found: FoundProtected, root: str, unlisted: Sequence[str], directories: Callable[[], Iterable[str]]
) -> FoundProtected:
    """`found` with no more than the view has mounts for. `unlisted` are directories that were not looked into, and
    `directories` tells the names of those directly in canonical `root`."""
    pins = {above for path in found.anchored for above in _between(path, root)}
    covering = cover(found.protected, pins, root, limit=min(MOUNTS_WANTED, MOUNTS_MAX), least=CROWD)
    if covering.mounts > MOUNTS_MAX:
        covering = cover(found.protected, pins, root, limit=MOUNTS_MAX)
    if covering.mounts > MOUNTS_MAX:
        return _closed(found, root, directories())
    if not covering.directories and not unlisted:
        return found
    closed = covering.directories
    return found.but(
        protected=covering.paths,
        absent=outside_of(found.absent, closed, root),
        anchored=(*outside_of(found.anchored, closed, root), *closed),
        linked=outside_of(found.linked, closed, root),
        covered=tuple(dict.fromkeys((*closed, *outside_of(unlisted, closed, root)))),
    )


def _closed(found: FoundProtected, root: str, directories: Iterable[str]) -> FoundProtected:
    """The root and all in it, but for directories with nothing to protect in them."""
    below = root.rstrip("/") + "/"
    inside = [path for path in found.protected if path.startswith(below)]
    holders = {below + path[len(below) :].partition("/")[0] for path in inside}
    spared = [below + name for name in directories if below + name not in holders]
    return found.but(
        protected=tuple(path for path in found.protected if not path.startswith(below)),
        absent=(),
        anchored=(),
        linked=(),
        overfull=True,
        spared=tuple(spared[:MOUNTS_MAX]),
    )


def cover(paths: Sequence[str], pins: Collection[str], root: str, *, limit: int, least: int = 2) -> Cover:
    """Paths that contain all of `paths`, which lie below canonical `root`; no more than `limit`, if that can be had by
    closing directories that hold at least `least` of them.

    `pins` are the directories that need a mount of their own so that no command moves them away; they count like paths.
    The directory that holds most is taken first; of two that hold as many, the one further down, which closes less.
    """
    kept = tuple(dict.fromkeys(paths))
    if len(kept) + len(pins) <= limit:
        return Cover(kept, len(kept) + len(pins))
    counted = (*kept, *pins)
    held: dict[str, int] = dict.fromkeys(pins, 1)
    for path in counted:
        for above in _between(path, root):
            held[above] = held.get(above, 0) + 1
    chosen = _choose(held, root, spare=len(counted) - limit, least=least)
    outside = outside_of(kept, chosen, root)
    needed = len(chosen) + len(outside) + len(outside_of(pins, chosen, root))
    return Cover((*chosen, *outside), needed, chosen)


def _choose(held: Mapping[str, int], root: str, *, spare: int, least: int) -> tuple[str, ...]:
    """Directories, with how many mounts each saves, until `spare` are saved or nothing saves any."""
    chosen: dict[str, int] = {}
    for directory in sorted(held, key=lambda place: (-held[place], -place.count("/"), place)):
        if spare <= 0 or held[directory] < least:
            break
        if not chosen.keys().isdisjoint(_between(directory, root)):
            continue
        saved = held[directory] - 1
        for inside in [other for other in chosen if other.startswith(directory + "/")]:
            spare += chosen.pop(inside)
        chosen[directory] = saved
        spare -= saved
    return tuple(chosen)


def outside_of(paths: Iterable[str], directories: Iterable[str], root: str) -> tuple[str, ...]:
    """Those of `paths` that lie in none of `directories`, all of them below `root`."""
    closed = frozenset(directories)
    return tuple([path for path in paths if path not in closed and closed.isdisjoint(_between(path, root))])


def _between(path: str, root: str) -> list[str]:
    """The directories strictly between `root` and `path`; none for what lies elsewhere."""
    if not path.startswith(root.rstrip("/") + "/"):
        return []
    places = []
    while len(path := path.rpartition("/")[0]) > len(root):
        places.append(path)
    return places


def crowded_sentence(places: tuple[str, ...]) -> str:
    """Which directories are closed as a whole, and why."""
    named = ", ".join(f"`{place}`" for place in places[:CROWDED_NAMED_MAX])
    more = len(places) - CROWDED_NAMED_MAX
    said = f"{named}{f' and {more} more' if more > 0 else ''}"
    why = "more protected names, such as `.envrc` or `.git`, than a sandbox has mounts for"
    return f"read-only as a whole: {said}, because there are {why}"
