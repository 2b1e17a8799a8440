"""What an update does to the lines of one file."""

from __future__ import annotations

import pytest

from sandgate.errors import PatchDoesNotFit
from sandgate.patch.compute import carry_out, compute_update
from sandgate.patch.hunks import UpdateFile
from sandgate.patch.parse import parse_patch
from sandgate.patch.text import FileText
from support.tool.patching import wrapped


def updated(content: str, body: str, *, strict_unique: bool = False) -> tuple[str, int, tuple[str, ...]]:
    (hunk,) = parse_patch(wrapped(f"*** Update File: f\n{body}")).hunks
    assert isinstance(hunk, UpdateFile)
    text = FileText(content.encode())
    computed = compute_update(text, hunk.chunks, path="/f", strict_unique=strict_unique)
    carry_out(text, computed)
    return text.to_bytes().decode(), computed.fuzz, computed.warnings


@pytest.mark.parametrize(
    ("before", "body", "after"),
    [
        ("a\nb\nc\nd\n", "@@\n-b\n+B\n@@\n-d\n+D", "a\nB\nc\nD\n"),
        ("a\nb\nc\n", "@@\n a\n-b\n c", "a\nc\n"),
        ("a\nb", "@@\n-b\n+c", "a\nc\n"),
        ("a\n", "@@\n-a", ""),
        ("a\n", "@@\n+b\n+c", "a\nb\nc\n"),
        ("a\n\n", "@@\n+b", "a\nb\n\n"),
        ("", "@@\n+b", "b\n"),
        ("a\nb\nc\n", "@@ a\n+x", "a\nx\nb\nc\n"),
        ("a\nb\n", "@@ a\n+x\n@@ b\n+y", "a\nx\nb\ny\n"),
        ("a\nb\n", "@@\n+x\n@@\n+y", "a\nb\nx\ny\n"),
        ("k\nx\nk\nx\n", "@@ k\n@@ k\n-x\n+y", "k\nx\nk\ny\n"),
        ("a\nb\na\n", "@@\n-a\n+z\n*** End of File", "a\nb\nz\n"),
        ("a\nb\n", "@@\n a\n-b\n+c\n\n", "a\nc\n"),
        ("a\nb\n", "@@\n a\n-b\n+c\n\n\n\n@@\n+d", "a\nc\nd\n"),
        ("a\r\nb\r\nc\r\n", "@@\n a\n-b\n+B\n+BB", "a\r\nB\r\nBB\r\nc\r\n"),
        ("a\r\nb", "@@\n-b\n+c", "a\r\nc\r\n"),
        ("\ufeffa\nb\n", "@@\n-a\n+c", "\ufeffc\nb\n"),
        ("it\u2019s \u2014 so\nb\n", "@@\n it's - so\n-b\n+c", "it\u2019s \u2014 so\nc\n"),
        ("a  \nb\n", "@@\n a\n-b\n+c", "a  \nc\n"),
    ],
)
def test_lines_change_where_they_are_meant_to(before: str, body: str, after: str) -> None:
    assert updated(before, body)[0] == after


@pytest.mark.parametrize(
    ("before", "body", "what"),
    [
        ("a\n", "@@\n-x\n y", "Failed to find expected lines in /f:\nx\ny"),
        ("a\n", "@@ nowhere\n-a", "Failed to find context 'nowhere' in /f"),
        ("a\nb\n", "@@\n-b\n@@\n-a", "Failed to find expected lines in /f:\na"),
        ("a\nb\nc\n", "@@\n-a\n*** End of File", "Failed to find expected lines in /f:\na"),
        (
            "a\nb\n",
            "@@\n-a\n-b\n@@\n-b\n*** End of File",
            "Chunks overlap in /f: one ends at line 2, another begins at line 2",
        ),
    ],
)
def test_what_does_not_fit_is_told_word_for_word(before: str, body: str, what: str) -> None:
    with pytest.raises(PatchDoesNotFit) as caught:
        updated(before, body)
    assert caught.value.what == what


@pytest.mark.parametrize(
    ("before", "body", "fuzz"),
    [("a\n", "@@\n-a", 0), ("a \n", "@@\n-a", 1), (" a\n", "@@\n-a", 100), ("\u2014\n", "@@\n--", 1000)],
)
def test_looseness_is_told_as_a_number(before: str, body: str, fuzz: int) -> None:
    assert updated(before, body)[1] == fuzz


@pytest.mark.parametrize(
    ("before", "body", "after"),
    [
        (
            "    if a:\n        b\n",
            "@@\n if a:\n-    b\n+    c\n+\n+        d",
            "    if a:\n        c\n\n            d\n",
        ),
        ("if a:\n  b\n", "@@\n   if a:\n-    b\n+    c", "if a:\n  c\n"),
        ("  a\n      b\n", "@@\n a\n-b\n+c", "  a\nc\n"),
    ],
)
def test_new_lines_follow_the_files_indentation_where_the_difference_is_uniform(
    before: str, body: str, after: str
) -> None:
    assert updated(before, body)[0] == after


def test_a_chunk_that_fits_twice_is_applied_once_and_told() -> None:
    assert updated("a\nb\na\n", "@@\n-a\n+c") == (
        "c\nb\na\n",
        0,
        ("matched 1 of 2 places in /f, the one at line 1",),
    )


def test_a_chunk_that_fits_twice_can_be_refused() -> None:
    with pytest.raises(PatchDoesNotFit, match="matched 1 of 2 places"):
        updated("a\nb\na\n", "@@\n-a\n+c", strict_unique=True)
    assert updated("a\nb\na\n", "@@ b\n-a\n+c", strict_unique=True)[0] == "a\nb\nc\n"


def test_a_chunk_that_does_not_fit_leaves_the_text_alone() -> None:
    text = FileText(b"a\nb\n")
    (hunk,) = parse_patch(wrapped("*** Update File: f\n@@\n-a\n+x\n@@\n-nothing")).hunks
    assert isinstance(hunk, UpdateFile)
    with pytest.raises(PatchDoesNotFit):
        compute_update(text, hunk.chunks, path="/f")
    assert text.to_bytes() == b"a\nb\n"
