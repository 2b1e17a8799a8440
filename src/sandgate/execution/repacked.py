"""What `git gc` writes anew and was there before: objects in another pack, references in one file. It is no news."""

from __future__ import annotations

import os
import posixpath

from sandgate.sandbox.git_objects import Checked, tree_entries
from sandgate.sandbox.old_objects import OldObjects, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

REFERENCES_MAX = 10_000  # of one file that are compared with what they were


def without_old(checked: Checked, directory: str) -> Checked:
    """The same without the objects that the git directory `directory` has; all of them where that cannot be known."""
    old = OldObjects(directory)
    try:
        new = tuple([each for each in checked.leading if old.read(each[0]) is None])
    except Unreadable:
        return checked
    finally:
        old.close()
    links = frozenset(
        entry.name
        for name, kind, content in new
        if kind == b"tree"
        for entry in tree_entries(content, len(name) // 2)
        if entry.is_gitlink
    )
    return checked.but(gitlinks=links, leading=new)


def same_references(path: str, packed: bytes, now: Callable[[str], bytes | None]) -> frozenset[bytes]:
    """The objects that lines of the `packed-refs` at `path` name for references which name just them already.

    `now` reads a reference. What a tag leads to stands in a line of its own behind it. None for other files.
    """
    directory, file = posixpath.split(path)
    if file != "packed-refs":
        return frozenset()
    told: set[bytes] = set()
    same = False
    for line in packed.split(b"\n")[:REFERENCES_MAX]:
        name, _, reference = line.partition(b" ")
        if line[:1] == b"^":
            name = line[1:]
        else:
            before = now(posixpath.join(directory, os.fsdecode(reference))) if reference[:5] == b"refs/" else None
            same = before is not None and before.strip() == name
        if same:
            told.add(name)
    return frozenset(told)
