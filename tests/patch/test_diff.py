"""Unified diffs: right, bounded, safe to print."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.patch.diff import SHOWN_LINES_MAX, changes, shown_diff, unified_diff

WORDS = st.lists(st.sampled_from("abcdefg"), max_size=30)


@pytest.mark.parametrize(
    ("old", "new", "diff"),
    [
        ("a\n", "a\n", ""),
        ("a\nb\nc\nd\n", "a\nB\nc\nd\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"),
        ("", "a\n", "@@ -0,0 +1 @@\n+a\n"),
        ("a\n", "", "@@ -1 +0,0 @@\n-a\n"),
        ("a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"),
        ("a\nb\nc\nd\ne\n", "A\nb\nc\nd\nE\n", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -4,2 +4,2 @@\n d\n-e\n+E\n"),
    ],
)
def test_a_change_is_shown_with_one_line_around_it(old: str, new: str, diff: str) -> None:
    assert unified_diff(old, new) == diff


@given(WORDS, WORDS)
def test_what_is_not_in_a_change_is_equal(old: list[str], new: list[str]) -> None:
    at = other = 0
    for change in changes(old, new):
        assert old[at : change.old_start] == new[other : change.new_start]
        assert (change.old_start, change.new_start) == (at, other) or change.old_start > at or not at
        at, other = change.old_end, change.new_end
    assert old[at:] == new[other:]


def test_a_small_change_in_a_large_file_stays_small() -> None:
    old = [f"line {number % 700}" for number in range(20_000)]
    new = [*old[:5000], "x", *old[5001:12_000], *old[12_003:]]
    found = changes(old, new)
    assert sum(change.old_end - change.old_start + change.new_end - change.new_start for change in found) == 5


def test_ten_thousand_changes_are_found_without_comparing_everything() -> None:
    old = [f"line {number}" for number in range(20_000)]
    new = [f"{line}!" if number % 2 else line for number, line in enumerate(old)]
    assert len(changes(old, new)) == 10_000


def test_printing_it_obeys_nothing_in_it() -> None:
    assert shown_diff("+\x1b[2J\u202e\n-\ta\n") == ["+\\x1b[2J\\u202e", "-    a"]
    assert shown_diff("+x\n" * 1000)[-1] == f"… {1000 - SHOWN_LINES_MAX} more lines"


@pytest.mark.skipif(shutil.which("patch") is None, reason="no patch program")
@given(old=WORDS, new=WORDS)
def test_the_patch_program_understands_it(
    tmp_path_factory: pytest.TempPathFactory, old: list[str], new: list[str]
) -> None:
    before, after = ("".join(f"{line}\n" for line in lines) for lines in (old, new))
    diff = unified_diff(before, after, context=3)
    if not diff or not before or not after:
        return
    file = Path(tmp_path_factory.mktemp("diff")) / "f"
    file.write_text(before)
    subprocess.run(["patch", "-s", str(file)], input=diff, text=True, check=True, capture_output=True)
    assert file.read_text() == after


def test_every_hunk_header_counts_its_lines() -> None:
    diff = unified_diff("a\nb\nc\n" * 40, "a\nb\nc\n" * 20 + "x\n" + "a\nc\n" * 20)
    for header, body in re.findall(r"@@ (.*) @@\n((?:[ +-].*\n)*)", diff):
        old, new = (int(part.partition(",")[2] or 1) for part in header.split())
        signs = [line[0] for line in body.splitlines()]
        assert (signs.count(" ") + signs.count("-"), signs.count(" ") + signs.count("+")) == (old, new)
