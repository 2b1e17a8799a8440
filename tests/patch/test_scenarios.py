"""The behaviour of patches on real files, one scenario a row."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandgate.errors import PatchDoesNotFit, PatchError, SandgateError
from sandgate.patch.apply import apply_plan
from sandgate.patch.disk_lookup import Tree
from sandgate.patch.parse import parse_patch
from sandgate.patch.plan import plan_patch
from support.suite.rows import every
from support.tool.patching import patched, planned, tree_of

Files = dict[str, bytes]


def lay_out(folder: Path, files: Files) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


FITTING: list[tuple[str, Files, str, Files]] = [
    ("1 add file", {}, "*** Add File: bar.md\n+only line", {"bar.md": b"only line\n"}),
    (
        "2 multiple operations",
        {"old": b"x\n", "edit": b"one\ntwo\n"},
        "*** Add File: deep/er/new\n+n\n*** Delete File: old\n*** Update File: edit\n@@\n-two\n+TWO",
        {"deep/er/new": b"n\n", "edit": b"one\nTWO\n"},
    ),
    (
        "3 multiple chunks",
        {"f": b"1\n2\n3\n4\n"},
        "*** Update File: f\n@@\n-2\n+two\n@@\n-4\n+four",
        {"f": b"1\ntwo\n3\nfour\n"},
    ),
    (
        "4 move to new directory",
        {"a/f": b"x\n", "a/near": b"n\n"},
        "*** Update File: a/f\n*** Move to: b/c/g\n@@\n-x\n+y",
        {"b/c/g": b"y\n", "a/near": b"n\n"},
    ),
    (
        "10 move overwrites destination",
        {"f": b"x\n", "g": b"gone\n"},
        "*** Update File: f\n*** Move to: g\n@@\n-x\n+y",
        {"g": b"y\n"},
    ),
    ("11 add overwrites", {"f": b"old\n"}, "*** Add File: f\n+new", {"f": b"new\n"}),
    (
        "14 trailing newline",
        {"f": b"no newline"},
        "*** Update File: f\n@@\n-no newline\n+one\n+two",
        {"f": b"one\ntwo\n"},
    ),
    ("16 pure addition chunk", {"f": b"a\n"}, "*** Update File: f\n@@\n+b\n+c", {"f": b"a\nb\nc\n"}),
    ("17 padded hunk header", {"f": b"a\n"}, "   *** Update File: f\n@@\n-a\n+b", {"f": b"b\n"}),
    (
        "19 unicode",
        {"f": "na\u00efve caf\u00e9\n".encode()},
        "*** Update File: f\n@@\n na\u00efve caf\u00e9\n+\u2705",
        {"f": "na\u00efve caf\u00e9\n\u2705\n".encode()},
    ),
    ("20a delete", {"f": b"a\n", "g": b"b\n"}, "*** Delete File: f", {"g": b"b\n"}),
    ("21 deletion only", {"f": b"1\n2\n3\n"}, "*** Update File: f\n@@\n 1\n-2\n 3", {"f": b"1\n3\n"}),
    ("22 end of file", {"f": b"1\n2\n"}, "*** Update File: f\n@@\n 1\n-2\n+two\n*** End of File", {"f": b"1\ntwo\n"}),
    (
        "24 stacked anchors",
        {"f": b"class A\n def m\n  x\nclass B\n def m\n  x\n"},
        "*** Update File: f\n@@ class B\n@@  def m\n-  x\n+  y",
        {"f": b"class A\n def m\n  x\nclass B\n def m\n  y\n"},
    ),
    (
        "25 line ends and mark kept",
        {"f": b"\xef\xbb\xbfa\r\nb\r\n"},
        "*** Update File: f\n@@\n-a\n+c\n b",
        {"f": b"\xef\xbb\xbfc\r\nb\r\n"},
    ),
    ("26 move to itself", {"f": b"a\n"}, "*** Update File: f\n*** Move to: ./f\n@@\n-a\n+b", {"f": b"b\n"}),
    ("28 insertion after its context", {"f": b"a\nb\n"}, "*** Update File: f\n@@ a\n+x", {"f": b"a\nx\nb\n"}),
    (
        "30 typographic quotes",
        {"f": "\u201cx\u201d \u2013 y\nb\n".encode()},
        '*** Update File: f\n@@\n-"x" - y\n+z\n b',
        {"f": b"z\nb\n"},
    ),
    (
        "32 same file twice",
        {"f": b"a\n"},
        "*** Update File: f\n@@\n-a\n+b\n*** Update File: f\n@@\n-b\n+c",
        {"f": b"c\n"},
    ),
    ("33a binary delete", {"f": b"\xff\0"}, "*** Delete File: f", {}),
    ("33c binary move", {"f": b"\xff\0"}, "*** Update File: f\n*** Move to: g", {"g": b"\xff\0"}),
    ("37 blank line between adds", {}, "*** Add File: a\n+x\n\n*** Add File: b\n+y", {"a": b"x\n", "b": b"y\n"}),
    ("delete and add again", {"f": b"a\n"}, "*** Delete File: f\n*** Add File: f\n+b", {"f": b"b\n"}),
    ("add and update", {}, "*** Add File: f\n+a\n*** Update File: f\n@@\n-a\n+b", {"f": b"b\n"}),
    (
        "move twice",
        {"a": b"x\n"},
        "*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** Update File: b\n*** Move to: c\n@@\n-y\n+z",
        {"c": b"z\n"},
    ),
    ("add and delete", {}, "*** Add File: f\n+a\n*** Delete File: f", {}),
]

UNFITTING: list[tuple[str, Files, str, str]] = [
    ("5 empty patch", {"f": b"a\n"}, "", "No files were modified."),
    ("6 missing context", {"f": b"a\n"}, "*** Update File: f\n@@\n-b\n+c", "Failed to find expected lines in {}/f:\nb"),
    ("7 missing delete", {"f": b"a\n"}, "*** Delete File: g", "Failed to delete file {}/g"),
    ("8 empty update hunk", {"f": b"a\n"}, "*** Update File: f", "Update file hunk for path 'f' is empty"),
    (
        "9 update needs a file",
        {},
        "*** Update File: g\n@@\n-a",
        "Failed to read file to update {}/g: No such file or directory (os error 2)",
    ),
    ("12 delete directory", {"d/f": b"a\n"}, "*** Delete File: d", "Failed to delete file {}/d"),
    (
        "15 failure after success",
        {"f": b"a\n"},
        "*** Add File: n\n+x\n*** Update File: f\n@@\n-b",
        "Failed to find expected lines in {}/f:\nb",
    ),
    (
        "29 end of file in the middle",
        {"f": b"a\nb\n"},
        "*** Update File: f\n@@\n-a\n*** End of File",
        "Failed to find expected lines in {}/f:\na",
    ),
    (
        "31 out of order",
        {"f": b"a\nb\n"},
        "*** Update File: f\n@@\n-b\n@@\n-a",
        "Failed to find expected lines in {}/f:\na",
    ),
    (
        "33b binary update",
        {"f": b"\xff\0"},
        "*** Update File: f\n@@\n-a",
        "Failed to read file to update {}/f: stream did not contain valid UTF-8",
    ),
    (
        "36 third hunk fails",
        {"f": b"a\n", "g": b"b\n"},
        "*** Delete File: f\n*** Update File: g\n@@\n-b\n+c\n*** Delete File: h",
        "Failed to delete file {}/h",
    ),
    ("add over a directory", {"d/f": b"a\n"}, "*** Add File: d\n+x", "Failed to write file {}/d"),
    ("add below a file", {"f": b"a\n"}, "*** Add File: f/g\n+x", "Failed to create parent directories for {}/f/g"),
    (
        "add below an added file",
        {},
        "*** Add File: f\n*** Add File: f/g\n+x",
        "Failed to create parent directories for {}/f/g",
    ),
    (
        "update after delete",
        {"f": b"a\n"},
        "*** Delete File: f\n*** Update File: f\n@@\n-a",
        "Failed to read file to update {}/f: No such file or directory (os error 2)",
    ),
]


@every("files, body, after", [row[1:] for row in FITTING])
def test_a_patch_that_fits_leaves_exactly_its_result(tmp_path: Path, files: Files, body: str, after: Files) -> None:
    lay_out(tmp_path, files)
    patched(tmp_path, body)
    assert {name: held for name, held in tree_of(tmp_path).items() if not name.endswith("/")} == after


@pytest.mark.parametrize(("files", "body", "what"), [row[1:] for row in UNFITTING], ids=[row[0] for row in UNFITTING])
def test_a_patch_that_does_not_fit_changes_nothing(tmp_path: Path, files: Files, body: str, what: str) -> None:
    lay_out(tmp_path, files)
    before = tree_of(tmp_path)
    with pytest.raises((PatchDoesNotFit, PatchError)) as caught:
        patched(tmp_path, body)
    assert isinstance(caught.value, SandgateError)
    assert (caught.value.what, tree_of(tmp_path)) == (what.format(tmp_path), before)


@pytest.mark.parametrize(
    "text",
    [" *** Begin Patch\n*** Add File: f\n+a\n*** End Patch ", "*** Begin Patch \n*** Add File: f\n+a\n *** End Patch"],
)
def test_padded_markers_are_markers(tmp_path: Path, text: str) -> None:
    """Scenarios 18 and 20b."""
    apply_plan(plan_patch(parse_patch(text), cwd=str(tmp_path), tree=Tree()), None)
    assert tree_of(tmp_path) == {"f": b"a\n"}


def test_27_an_executable_stays_one_when_it_moves(tmp_path: Path) -> None:
    lay_out(tmp_path, {"f": b"a\n"})
    (tmp_path / "f").chmod(0o755)
    patched(tmp_path, "*** Update File: f\n*** Move to: g\n@@\n-a\n+b")
    assert (tmp_path / "g").stat().st_mode & 0o7777 == 0o755


def test_32_verification_shows_the_composed_diff(tmp_path: Path) -> None:
    lay_out(tmp_path, {"f": b"1\n2\n3\n"})
    plan = planned(tmp_path, "*** Update File: f\n@@\n-1\n+one\n*** Update File: ./f\n@@\n-3\n+three")
    (change,) = plan.changes
    assert (change.path, change.unified_diff) == (f"{tmp_path}/f", "@@ -1,3 +1,3 @@\n-1\n+one\n 2\n-3\n+three\n")


def test_42_a_file_that_changed_since_is_not_overwritten(tmp_path: Path) -> None:
    lay_out(tmp_path, {"f": b"a\n", "g": b"x\n"})
    plan = planned(tmp_path, "*** Update File: g\n@@\n-x\n+y\n*** Update File: f\n@@\n-a\n+b")
    (tmp_path / "f").write_bytes(b"other\n")
    with pytest.raises(PatchDoesNotFit, match="changed after the patch was verified"):
        apply_plan(plan, None)
    assert tree_of(tmp_path) == {"f": b"other\n", "g": b"x\n"}


def test_43_five_hundred_chunks_in_ten_thousand_lines_find_their_places(tmp_path: Path) -> None:
    lines = [f"line {number} of the file" for number in range(10_000)]
    lay_out(tmp_path, {"f": "".join(f"{line}\n" for line in lines).encode()})
    chunks = "".join(f"\n@@\n {lines[at]}\n-{lines[at + 1]}\n+changed {at}" for at in range(0, 10_000, 20))
    patched(tmp_path, f"*** Update File: f{chunks}")
    assert (tmp_path / "f").read_text().count("changed") == 500


def test_the_umask_and_the_mode_of_an_overwritten_file_hold(tmp_path: Path) -> None:
    lay_out(tmp_path, {"f": b"a\n"})
    (tmp_path / "f").chmod(0o600)
    before = os.umask(0o027)
    try:
        patched(tmp_path, "*** Add File: f\n+b\n*** Add File: g\n+c")
    finally:
        os.umask(before)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in "fg"] == [0o600, 0o640]
