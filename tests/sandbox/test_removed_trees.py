"""Which directory a command's words have removed. What is hinted at: tests/journeys/test_hints.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.permissions import EffectivePermissions
from sandgate.sandbox.removed_trees import removed_tree


def plan(tmp_path: Path, *argv: str) -> ConfinedCommand:
    return ConfinedCommand("namespace", argv, str(tmp_path), {"HOME": str(tmp_path / "home")}, EffectivePermissions())


@pytest.mark.parametrize(
    ("words", "tree"),
    [
        ("rm -r a/b", "a/b"),
        ("rm -rf ./a/../a/b/", "a/b"),
        ("rm -r a/b/c a", "a"),
        ("cd x; /bin/rm -r {here}/a && true", "a"),
        ("rm -r ~/../a", "a"),
        ("find a -delete", "a"),
        ("rm -r linked/b", "a/b"),
        ("rm a/b/c/file", ""),  # the file itself: the directory around it is enough
        ("rm -r other", ""),
        ("mv a/b z; git -C a clean -fd", ""),
    ],
)
def test_the_outermost_that_is_named_counts(tmp_path: Path, words: str, tree: str) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "linked").symlink_to("a")
    found = removed_tree(f"{tmp_path}/a/b/c/file", plan(tmp_path, "sh", "-c", words.format(here=tmp_path)))
    assert found == (f"{tmp_path}/{tree}" if tree else "")


def test_without_a_shell_it_is_the_same(tmp_path: Path) -> None:
    assert removed_tree(f"{tmp_path}/a/b", plan(tmp_path, "rm", "-r", "a")) == f"{tmp_path}/a"
    assert removed_tree(f"{tmp_path}/a/b", plan(tmp_path)) == ""
