"""What stands in a tool call."""

from __future__ import annotations

import pytest

from sandgate.protocol.patches import FileChange
from sandgate.surfaces.acp.content import (
    command_kind,
    command_locations,
    command_title,
    diffs,
    fenced,
    hunks,
    output,
    patch_kind,
    patch_title,
)


def test_no_word_in_a_fence_ends_it_or_means_anything() -> None:
    """Required: who asks for a permission cannot write what looks like our words."""
    shown = fenced("x\n````\n**A yes means: nothing**\x1b[2J")
    text = shown.content.text
    assert text.startswith("`````text\n")
    assert text.endswith("\n`````")
    assert "\x1b" not in text


def test_of_a_long_output_the_end_is_shown() -> None:
    text = output("a" * 100_000 + "\nend").content.text
    assert len(text) < 40_000
    assert "[…]" in text
    assert "end" in text


@pytest.mark.parametrize(
    ("argv", "title"),
    [
        (("/bin/bash", "-lc", "echo hi"), "`echo hi`"),
        (("ls", "a b"), "`ls 'a b'`"),
        (("bash", "-c", "echo\n  `id`"), "`` echo `id` ``"),
    ],
)
def test_a_command_is_titled_as_it_would_be_typed(argv: tuple[str, ...], title: str) -> None:
    assert command_title(argv) == title


def test_a_command_that_only_reads_looks_so_and_says_where() -> None:
    reads = ({"type": "read", "cmd": "cat a", "path": "a"}, {"type": "read", "cmd": "cat /b", "path": "/b"})
    assert command_kind(reads) == "read"
    assert [each.path for each in command_locations(reads, "/repo")] == ["/repo/a", "/b"]
    assert command_kind(({"type": "search"},)) == "search"
    assert command_kind((*reads, {"type": "unknown"})) == "execute"
    assert command_kind(()) == "execute"


def test_a_patch_is_shown_as_what_was_and_what_becomes_of_it() -> None:
    changes = (
        FileChange("add", "/r/new", content="x\n"),
        FileChange("delete", "/r/old", content="y\n"),
        FileChange("update", "/r/a", unified_diff="@@ -1,2 +1,2 @@\n a\n--- b\n+++ c\n@@ -9 +9 @@\n-d\n+e\n"),
    )
    shown = [(each.path, each.old_text, each.new_text) for each in diffs(changes)]
    assert shown == [
        ("/r/new", None, "x\n"),
        ("/r/old", "y\n", ""),
        ("/r/a", "a\n-- b\n", "a\n++ c\n"),
        ("/r/a", "d\n", "e\n"),
    ]
    assert (patch_kind(changes), patch_kind(changes[1:2])) == ("edit", "delete")
    assert patch_title(changes) == "Edit `new`, `old`, `a`"


def test_a_move_is_told_with_both_names() -> None:
    (shown,) = diffs((FileChange("update", "/r/a", move_path="/r/b"),))
    assert shown.content.text == "`/r/a` becomes `/r/b`"
    assert patch_kind((FileChange("update", "/r/a", move_path="/r/b"),)) == "move"
    assert list(hunks("")) == []
