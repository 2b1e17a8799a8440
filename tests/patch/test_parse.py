"""The patch language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.errors import PatchError
from sandgate.patch.hunks import AddFile, Chunk, DeleteFile, Hunk, Patch, UpdateFile
from sandgate.patch.parse import PATCH_CHARACTERS_MAX, parse_partial, parse_patch
from support.suite.rows import every
from support.tool.patching import wrapped


def hunks(body: str) -> tuple[Hunk, ...]:
    return parse_patch(wrapped(body)).hunks


def test_every_kind_of_hunk_is_read() -> None:
    assert hunks(
        "*** Add File: a b\n+one\n+\n*** Delete File: c\n*** Update File: d\n*** Move to: e\n@@ def f():\n x\n-y\n+z\n"
        "*** End of File"
    ) == (
        AddFile("a b", "one\n\n"),
        DeleteFile("c"),
        UpdateFile("d", (Chunk(("def f():",), (" x", "-y", "+z"), at_end=True),), "e"),
    )


def test_an_add_without_lines_is_an_empty_file() -> None:
    assert hunks("*** Add File: a") == (AddFile("a", ""),)


def test_an_empty_patch_parses() -> None:
    assert parse_patch("*** Begin Patch\n*** End Patch") == Patch(())


def test_the_first_chunk_needs_no_header() -> None:
    assert hunks("*** Update File: a\n-x\n+y") == (UpdateFile("a", (Chunk((), ("-x", "+y")),)),)


def test_a_move_needs_no_chunk() -> None:
    assert hunks("*** Update File: a\n*** Move to: b") == (UpdateFile("a", (), "b"),)


def test_stacked_headers_become_anchors_in_order() -> None:
    assert hunks("*** Update File: a\n@@ class B\n@@ def m():\n-x") == (
        UpdateFile("a", (Chunk(("class B", "def m():"), ("-x",)),)),
    )


def test_blank_lines_between_hunks_are_skipped() -> None:
    assert hunks("\n*** Add File: a\n+x\n\n*** Add File: b\n\n*** Delete File: c") == (
        AddFile("a", "x\n"),
        AddFile("b", ""),
        DeleteFile("c"),
    )


def test_a_blank_line_in_a_chunk_is_an_empty_context_line() -> None:
    assert hunks("*** Update File: a\n@@\n x\n\n-y") == (UpdateFile("a", (Chunk((), (" x", " ", "-y")),)),)


def test_padding_around_markers_and_headers_is_dropped() -> None:
    text = "\n  *** Begin Patch \n   *** Delete File: a  \n *** End Patch\t\n\n"
    assert parse_patch(text).hunks == (DeleteFile("a"),)


@pytest.mark.parametrize("start", ["<<EOF", "<<'EOF'", '<<"EOF"'])
def test_a_heredoc_around_the_patch_is_taken_off(start: str) -> None:
    assert parse_patch(f"{start}\n{wrapped('*** Delete File: a')}EOF\n").hunks == (DeleteFile("a"),)


def test_carriage_returns_are_dropped() -> None:
    text = wrapped("*** Update File: a\n@@ x\n-y\n+z").replace("\n", "\r\n")
    assert parse_patch(text).hunks == (UpdateFile("a", (Chunk(("x",), ("-y", "+z")),)),)


def test_the_environment_line_is_accepted() -> None:
    assert parse_patch(wrapped("*** Environment ID: box\n*** Delete File: a")) == Patch((DeleteFile("a"),), "box")


HEADERS = "Valid hunk headers: '*** Add File: {path}', '*** Delete File: {path}', '*** Update File: {path}'"
SIGNS = "Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)"
UPDATE = "*** Update File: a\n"


@pytest.mark.parametrize(
    ("body", "line", "what"),
    [
        ("*** Frobnicate File: a", 2, f"'*** Frobnicate File: a' is not a valid hunk header. {HEADERS}"),
        ("*** Add File: a\n+x\nloose", 4, f"'loose' is not a valid hunk header. {HEADERS}"),
        ("*** add file: a", 2, f"'*** add file: a' is not a valid hunk header. {HEADERS}"),
        ("*** Update File: a", 2, "Update file hunk for path 'a' is empty"),
        (UPDATE + "*** Delete File: b", 2, "Update file hunk for path 'a' is empty"),
        (UPDATE + "@@", 4, "Update hunk does not contain any lines"),
        (UPDATE + "@@\n*** End of File", 4, "Update hunk does not contain any lines"),
        (UPDATE + "@@\nbad", 4, f"Unexpected line found in update hunk: 'bad'. {SIGNS}"),
        (UPDATE + "bad", 3, f"Unexpected line found in update hunk: 'bad'. {SIGNS}"),
        (UPDATE + "@@\n-x\nbad", 5, "Expected update hunk to start with a @@ context marker, got: 'bad'"),
        (
            UPDATE + "@@\n-x\n*** End of File\n-y",
            6,
            "Expected update hunk to start with a @@ context marker, got: '-y'",
        ),
        ("*** Delete File: a\0b", 2, "a path contains a NUL character"),
    ],
)
def test_a_bad_hunk_is_told_with_its_line(body: str, line: int, what: str) -> None:
    """Required: these texts are known to models."""
    with pytest.raises(PatchError) as caught:
        hunks(body)
    assert (caught.value.line, caught.value.what) == (line, what)
    assert caught.value.tool_text == f"invalid hunk at line {line}, {what}"
    assert caught.value.program_text == f"Invalid patch hunk on line {line}: {what}"


FIRST = "The first line of the patch must be '*** Begin Patch'"
LAST = "The last line of the patch must be '*** End Patch'"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", FIRST),
        ("hello", FIRST),
        ("*** Begin Patch", LAST),
        ("*** Begin Patch\n*** Add File: a\n+x", LAST),
        ("*** Begin Patch\n*** End Patch\nthat is all", LAST),
        ("<<EOF\n*** Begin Patch\nEOF", FIRST),
        ("<<EOX\n*** Begin Patch\n*** End Patch\nEOX", FIRST),
    ],
)
def test_a_bad_frame_is_told_without_a_line(text: str, what: str) -> None:
    with pytest.raises(PatchError) as caught:
        parse_patch(text)
    assert (caught.value.line, caught.value.what) == (None, what)
    assert caught.value.tool_text == f"invalid patch: {what}"
    assert caught.value.program_text == f"Invalid patch: {what}"


@pytest.mark.parametrize("text", ["diff --git a/x b/x\nindex 1..2\n", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"])
def test_a_unified_diff_is_recognised(text: str) -> None:
    with pytest.raises(PatchError, match="git apply"):
        parse_patch(text)


def test_a_huge_patch_is_one_clear_error() -> None:
    with pytest.raises(PatchError, match="longer than"):
        parse_patch("x" * (PATCH_CHARACTERS_MAX + 1))


WHOLE = wrapped("*** Add File: a\n+x\n+y\n*** Update File: b\n@@ c\n-d\n+e\n@@\n f\n-g\n*** Delete File: h")


def test_a_patch_still_being_written_shows_what_is_there() -> None:
    assert parse_partial("*** Begin Patch\n*** Add File: a\n+x\n+un").hunks == (AddFile("a", "x\n"),)
    assert parse_partial("*** Begin Patch\n*** Update File: b\n@@ c\n-d\n@").hunks == (
        UpdateFile("b", (Chunk(("c",), ("-d",)),)),
    )
    assert parse_partial("*** Begin Patch\n*** Update File: b\n@@ c\n").hunks == (UpdateFile("b", ()),)
    assert parse_partial(WHOLE) == parse_patch(WHOLE)


@every("length", range(len("*** Begin Patch\n"), len(WHOLE)))
def test_every_beginning_of_a_patch_can_be_shown(length: int) -> None:
    assert len(parse_partial(WHOLE[:length]).hunks) <= 3


@every("length", range(len(WHOLE) - 1))
def test_no_beginning_of_a_patch_is_taken_for_the_whole(length: int) -> None:
    """Required: a truncated patch is one clear error."""
    if WHOLE[:length].strip() == WHOLE.strip():
        return
    with pytest.raises(PatchError):
        parse_patch(WHOLE[:length])


def printed(patch: Patch) -> str:
    lines = []
    for hunk in patch.hunks:
        match hunk:
            case AddFile(path, content):
                lines += [f"*** Add File: {path}", *(f"+{line}" for line in content.split("\n")[:-1])]
            case DeleteFile(path):
                lines.append(f"*** Delete File: {path}")
            case UpdateFile(path, chunks, move_path):
                lines += [f"*** Update File: {path}", *([f"*** Move to: {move_path}"] if move_path else [])]
                for chunk in chunks:
                    lines += [f"@@ {anchor}" for anchor in chunk.anchors] or ["@@"]
                    lines += [*chunk.lines, *(["*** End of File"] if chunk.at_end else [])]
    return wrapped("\n".join(lines))


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0"), max_size=8)
PATHS = TEXT.map(str.strip).filter(bool)
CHUNKS = st.builds(
    Chunk,
    st.lists(TEXT.filter(bool), max_size=2).map(tuple),
    st.lists(st.tuples(st.sampled_from(" +-"), TEXT).map("".join), min_size=1, max_size=4).map(tuple),
    st.booleans(),
)
HUNKS = st.one_of(
    st.builds(AddFile, PATHS, st.lists(TEXT, max_size=3).map(lambda lines: "".join(f"{line}\n" for line in lines))),
    st.builds(DeleteFile, PATHS),
    st.builds(UpdateFile, PATHS, st.lists(CHUNKS, min_size=1, max_size=3).map(tuple), st.none() | PATHS),
)


@given(st.builds(Patch, st.lists(HUNKS, max_size=4).map(tuple)))
def test_what_is_printed_is_read_as_the_same(patch: Patch) -> None:
    assert parse_patch(printed(patch)) == patch


@given(st.text(max_size=200))
def test_any_text_gives_a_patch_or_a_patch_error(text: str) -> None:
    try:
        parse_patch(wrapped(text))
    except PatchError:
        return
