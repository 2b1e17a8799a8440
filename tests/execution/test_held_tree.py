"""Files below a directory that is held: whoever exchanges a directory for a link gets nothing written elsewhere."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandgate.execution.held_tree import HeldTree


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[HeldTree]:
    top = tmp_path / "top"
    top.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/secret").write_text("s")
    (top / "link").symlink_to(tmp_path / "elsewhere")
    held = os.open(top, os.O_RDONLY | os.O_DIRECTORY)
    yield HeldTree(held, str(top))
    os.close(held)


def test_a_file_is_made_with_its_directories_and_read(tree: HeldTree) -> None:
    tree.write_new("a/b/c", b"text", 0o6777)
    assert tree.read("a/b/c", 10) == b"text"
    about = tree.about("a/b/c")
    assert about is not None
    assert about.st_mode & 0o7111 == 0  # neither to be executed nor with an identity
    tree.rename("a/b/c", "d")
    assert (tree.about("a/b/c"), tree.read("a/b/d", 10)) == (None, b"text")


def test_nothing_takes_the_place_of_another(tree: HeldTree) -> None:
    tree.write_new("a", b"1", 0o644)
    with pytest.raises(FileExistsError):
        tree.write_new("a", b"2", 0o644)


def test_links_are_not_followed(tree: HeldTree, tmp_path: Path) -> None:
    """Required: this process can write where the command cannot."""
    with pytest.raises(OSError, match="symbolic"):
        tree.write_new("link/new", b"x", 0o644)
    with pytest.raises(OSError, match="symbolic"):
        tree.read("link/secret", 10)
    tree.unlink("link/secret")
    assert tree.about("link/secret") is None
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["secret"]


def test_what_is_larger_or_no_file_is_not_read(tree: HeldTree, tmp_path: Path) -> None:
    tree.write_new("a", b"12345", 0o644)
    os.mkfifo(tmp_path / "top/pipe")
    for name in ("a", "pipe", "link"):
        with pytest.raises(OSError):  # noqa: PT011 # each has a reason of its own
            tree.read(name, 4)
    assert tree.read("missing", 4) is None


def test_only_empty_directories_go(tree: HeldTree) -> None:
    tree.write_new("a/b", b"", 0o644)
    assert not tree.is_removed("a")
    tree.unlink("a/b")
    assert tree.is_removed("a")
    assert tree.changed_ns("a") == 0
