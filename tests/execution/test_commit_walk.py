"""Commits are followed from their root, beside the commit that stood before."""

from __future__ import annotations

import hashlib

import pytest

from sandgate.execution.commit_walk import TREES_MAX, CommitWalk, Stray

LINK = b"\x11" * 20  # a commit of another repository


class Objects(dict[str, tuple[bytes, bytes]]):
    """A repository in memory."""

    def add(self, kind: bytes, content: bytes) -> str:
        name = hashlib.sha1(b"%s %d\0%s" % (kind, len(content), content), usedforsecurity=False).hexdigest()
        self[name] = (kind, content)
        return name

    def tree(self, **entries: tuple[bytes, bytes]) -> str:
        return self.add(
            b"tree", b"".join(b"%s %s\0%s" % (mode, name.encode(), to) for name, (mode, to) in entries.items())
        )

    def commit(self, tree: str) -> str:
        return self.add(b"commit", f"tree {tree}\nauthor a\n\nx".encode())


def at(tree: str) -> tuple[bytes, bytes]:
    return b"40000", bytes.fromhex(tree)


FILE = (b"100644", b"\x22" * 20)
SUBMODULE = (b"160000", LINK)


def follow(old: Objects, new: Objects, *names: str, known: frozenset[bytes] = frozenset(), head: str = "") -> None:
    CommitWalk(new, lambda name: old.get(head if name == "HEAD" else name), known).follow(names)


def test_a_submodule_is_known_by_its_whole_path() -> None:
    old, new = Objects(), Objects()
    commit = new.commit(new.tree(evil=at(new.tree(sub=SUBMODULE))))
    with pytest.raises(Stray, match="evil/sub"):
        follow(old, new, commit, known=frozenset((b"sub", b"gone/sub")))
    follow(old, new, commit, known=frozenset((b"evil/sub",)))


def test_what_stands_where_it_stood_needs_no_look() -> None:
    """Required: an ordinary commit costs what it changes, and a submodule that is there stays."""
    old, new = Objects(), Objects()
    kept = "ab" * 20  # nobody can read it
    head = old.commit(old.tree(a=FILE, deep=at(kept), lib=SUBMODULE))
    other = (b"100644", b"\x33" * 20)
    follow(old, new, new.commit(new.tree(a=other, deep=at(kept), lib=(b"160000", b"\x44" * 20))), head=head)


def test_an_old_tree_elsewhere_is_looked_through() -> None:
    old, new = Objects(), Objects()
    with_link = old.tree(sub=SUBMODULE)
    head = old.commit(old.tree(old=at(with_link)))
    with pytest.raises(Stray, match="evil/sub"):
        follow(old, new, new.commit(new.tree(old=at(with_link), evil=at(with_link))), head=head)


def test_a_reference_to_an_old_commit_is_followed_as_well() -> None:
    old = Objects()
    commit = old.commit(old.tree(vendor=at(old.tree(lib=SUBMODULE))))
    tag = old.add(b"tag", f"object {commit}\ntype commit\n".encode())
    with pytest.raises(Stray, match="vendor/lib"):
        follow(old, Objects(), tag)


def test_a_file_a_missing_object_and_no_first_commit_lead_nowhere() -> None:
    new = Objects()
    follow(Objects(), new, new.add(b"blob", b"x"), "00" * 20, new.commit(new.tree(a=FILE, gone=at("cd" * 20))))


def test_tags_of_tags_and_what_has_no_form_end(monkeypatch: pytest.MonkeyPatch) -> None:
    new = Objects()
    name = new.commit(new.tree(a=FILE))
    for _ in range(9):
        name = new.add(b"tag", f"object {name}\n".encode())
    with pytest.raises(Stray, match="tag of a tag"):
        follow(Objects(), new, name)
    with pytest.raises(Stray, match="another form"):
        follow(Objects(), new, new.add(b"commit", b"parent first\n"))
    assert TREES_MAX > 1
    monkeypatch.setattr("sandgate.execution.commit_walk.TREES_MAX", 1)
    with pytest.raises(Stray, match="more than 1 directories"):
        follow(Objects(), new, new.commit(new.tree(a=at(new.tree(b=FILE)))))


def test_a_directory_that_an_index_has_as_a_whole_is_looked_through() -> None:
    """Required: git makes entries of it when the index is no longer sparse."""
    old = Objects()
    tree = old.tree(deep=at(old.tree(sub=SUBMODULE)))
    CommitWalk({}, old.get, frozenset((b"dir/deep/sub",))).follow_trees({b"dir/": tree})
    with pytest.raises(Stray, match="evil/deep/sub"):
        CommitWalk({}, old.get, frozenset((b"dir/deep/sub",))).follow_trees({b"evil/": tree})
