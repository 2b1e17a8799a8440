"""Whether the `.git` file of a submodule or a linked worktree leads where git itself would have it lead.

Then what git obeys there lies in a git directory of the workspace, of which every change was judged.
"""

from __future__ import annotations

import os
import stat

from sandgate.places.git import BARE_MARK, DIRECTORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

POINTER_BYTES_MAX = 4096
_BEGINNING = b"gitdir: "
_HOLDERS = ("modules", "worktrees")


def is_sound(path: str, drafts: Iterable[str], absent: Iterable[str] = ()) -> bool:
    """Of what came to exist at `path`: such a file, or a directory that has nothing else of git directly in the places
    below it that are named in `absent`. `drafts` are the git directories of the workspace."""
    if path.endswith(f"/{DIRECTORY}"):
        return _leads_into(path, drafts)
    below = [name for name in absent if name.startswith(f"{path}/")]
    return (
        bool(below)
        and os.path.isdir(path)
        and not os.path.islink(path)
        and not os.path.lexists(f"{path}/{BARE_MARK}")
        and all(not os.path.lexists(name) or is_sound(name, drafts, absent) for name in below)
    )


def _leads_into(path: str, drafts: Iterable[str]) -> bool:
    try:
        content = _content(path)
    except OSError:
        return False
    if not content.startswith(_BEGINNING) or content.count(b"\n") > 1:
        return False
    place = os.path.dirname(path)
    target = os.path.normpath(os.path.join(place, os.fsdecode(content[len(_BEGINNING) :].removesuffix(b"\n"))))
    inside = any(target.startswith(f"{draft}/{holder}/") for draft in drafts for holder in _HOLDERS)
    return inside and os.path.realpath(target) == target and os.path.isfile(f"{target}/{BARE_MARK}")


def _content(path: str) -> bytes:
    held = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(held, "rb") as file:
        about = os.fstat(held)
        if not stat.S_ISREG(about.st_mode) or about.st_nlink > 1:
            return b""
        return file.read(POINTER_BYTES_MAX)
