"""Whether commits show a submodule where no index has one: then git would enter what lies there and obey it.

A tree does not know where it hangs, and an old one may be hung where it never was. So each commit is followed from its
root, beside the commit that the repository stood at before: what is the same there needs no look.
"""

from __future__ import annotations

import re

from sandgate.sandbox.git_objects import tree_entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sandgate.sandbox.git_objects import TreeEntry

    Read = Callable[[str], tuple[bytes, bytes] | None]

TREES_MAX = 200_000  # looked at for one draft
TAGS_MAX = 8  # that name one another
_TREE_OF_COMMIT = re.compile(rb"tree ([0-9a-f]{40}|[0-9a-f]{64})\n")
_OBJECT_OF_TAG = re.compile(rb"object ([0-9a-f]{40}|[0-9a-f]{64})\n")


class Stray(Exception):
    """A submodule that no index has, or more than is looked at; the argument says it."""


class CommitWalk:
    """`new` are objects of the draft by name, `old` reads those that were there; `known` are the paths of submodules
    that an index has."""

    def __init__(self, new: Mapping[str, tuple[bytes, bytes]], old: Read, known: frozenset[bytes]) -> None:
        self._new = new
        self._old = old
        self._known = known
        self._seen: set[tuple[str, bytes]] = set()
        self._before: dict[str, dict[bytes, TreeEntry]] = {}  # entries of old trees

    def follow(self, names: Iterable[str]) -> None:
        """Each of these objects to its end. Raises Stray, and what `old` raises."""
        base = self._entries_of_head()
        for name in dict.fromkeys(names):
            tree = self._tree_of(name)
            if tree is not None:
                self._tree(tree, b"", base)

    def follow_trees(self, hung: Mapping[bytes, str]) -> None:
        """The same for directories that an index has as a whole: path, with a slash behind, and name of the tree."""
        for path, name in hung.items():
            self._tree(name, path, {})

    def _entries_of_head(self) -> dict[bytes, TreeEntry]:
        """Of the commit that the repository stood at before; none before the first."""
        commit = self._old("HEAD")
        leads = _TREE_OF_COMMIT.match(commit[1]) if commit is not None and commit[0] == b"commit" else None
        return self._entries(leads[1].decode()) if leads is not None else {}

    def _read(self, name: str) -> tuple[bytes, bytes] | None:
        return self._new.get(name) or self._old(name)

    def _tree_of(self, name: str) -> str | None:
        for _ in range(TAGS_MAX):
            found = self._read(name)
            if found is None or found[0] == b"blob":
                return None
            kind, content = found
            if kind == b"tree":
                return name
            leads = (_TREE_OF_COMMIT if kind == b"commit" else _OBJECT_OF_TAG).match(content)
            if leads is None:
                raise Stray(f"`{name}` has another form")
            name = leads[1].decode()
        raise Stray(f"`{name}` is a tag of a tag of a tag")

    def _tree(self, root: str, path: bytes, base: dict[bytes, TreeEntry]) -> None:
        level = [(root, path, base)]
        while level:
            name, above, before = level.pop()
            if (name, above) in self._seen:
                continue
            self._seen.add((name, above))
            if len(self._seen) > TREES_MAX:
                raise Stray(f"its commits have more than {TREES_MAX} directories that are new where they are")
            found = self._read(name)
            if found is None or found[0] != b"tree":
                continue  # it is not there: git stops at it, too
            for entry in tree_entries(found[1], len(name) // 2):
                was = before.get(entry.name)
                if was == entry:
                    continue
                below = above + entry.name
                if entry.is_gitlink and below not in self._known and not (was is not None and was.is_gitlink):
                    place = below.decode("utf-8", "replace")
                    raise Stray(f"a commit of it has a submodule `{place}` that its index has not")
                if entry.is_tree:
                    level.append((entry.points_to, below + b"/", self._entries_before(was)))

    def _entries_before(self, was: TreeEntry | None) -> dict[bytes, TreeEntry]:
        return self._entries(was.points_to) if was is not None and was.is_tree else {}

    def _entries(self, tree: str) -> dict[bytes, TreeEntry]:
        if tree not in self._before:
            found = self._old(tree)
            entries = tree_entries(found[1], len(tree) // 2) if found is not None and found[0] == b"tree" else []
            self._before[tree] = {entry.name: entry for entry in entries}
        return self._before[tree]
