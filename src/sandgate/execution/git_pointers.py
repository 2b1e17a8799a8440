"""Whether the `.git` file of a submodule or a linked worktree leads where git itself would have it lead.

Then what git obeys there lies in a git directory of a person, of which every change was judged. A repository that a
command may have made is none: what was in it before it had a draft was not looked at.
"""

from __future__ import annotations

import os

from sandgate.execution.plain_file import read_plain
from sandgate.places.git import BARE_MARK, DIRECTORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

POINTER_BYTES_MAX = 4096
_BEGINNING = b"gitdir: "
_HOLDERS = ("modules", "worktrees")


def is_sound(path: str, drafts: Iterable[str], roots: Iterable[str], absent: Iterable[str] = ()) -> bool:
    """Of what came to exist at `path`: such a file, or a directory that has nothing else of git directly in the places
    below it that are named in `absent`. `drafts` are the git directories of the workspace, whose roots are `roots`."""
    if path.endswith(f"/{DIRECTORY}"):
        return _leads_into(path, _believed(os.path.dirname(path), drafts, tuple(roots)))
    below = [name for name in absent if name.startswith(f"{path}/")]
    return (
        bool(below)
        and os.path.isdir(path)
        and not os.path.islink(path)
        and not os.path.lexists(f"{path}/{BARE_MARK}")
        and all(not os.path.lexists(name) or is_sound(name, drafts, roots, absent) for name in below)
    )


def pointer_content(path: str) -> bytes:
    """What such a file says; nothing where it is none."""
    try:
        return read_plain(path, POINTER_BYTES_MAX)[1]
    except OSError:
        return b""


def _believed(place: str, drafts: Iterable[str], roots: tuple[str, ...]) -> list[str]:
    """Those of `drafts` that no command can have made, for whose working tree `place` may be a part of.

    Directly in a root, or outside of all, they are a person's. Below one, a command may have made another beside or
    around: so the only one on the way to `place` counts, since some repository there knows the place.
    """
    way = [f"{above}/{DIRECTORY}" for above in _above(place, roots) if os.path.isdir(f"{above}/{DIRECTORY}")]
    return [
        draft
        for draft in drafts
        if os.path.dirname(draft) in roots or not _above(os.path.dirname(draft), roots) or way == [draft]
    ]


def _above(place: str, roots: tuple[str, ...]) -> list[str]:
    """The directories around `place`, from the outermost root on."""
    around = [root for root in roots if place.startswith(f"{root.rstrip('/')}/")]
    if not around:
        return []
    found, root = [], min(around, key=len)
    while place != root and place != "/":
        place = os.path.dirname(place)
        found.append(place)
    return found


def _leads_into(path: str, drafts: Iterable[str]) -> bool:
    """In the words that git uses and no others: what stands there is a path to git, links on its way included."""
    content = pointer_content(path)
    place = os.path.dirname(path)
    named = os.fsdecode(content.removeprefix(_BEGINNING).removesuffix(b"\n"))
    if not content.startswith(_BEGINNING) or any(char < " " for char in named) or os.path.realpath(place) != place:
        return False
    target = os.path.normpath(os.path.join(place, named))
    inside = any(target.startswith(f"{draft}/{holder}/") for draft in drafts for holder in _HOLDERS)
    return (
        inside
        and named in (target, os.path.relpath(target, place))
        and os.path.realpath(target) == target
        and os.path.isfile(f"{target}/{BARE_MARK}")
    )
