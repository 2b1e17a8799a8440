"""The lines of a file, in its own spelling and in looser ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.patch.text import EXACT, LOOSENESSES, PLAIN, RIGHT_STRIPPED, STRIPPED, FileText, loosened

LINES = st.lists(st.text("ab \r", max_size=3), max_size=6)


@pytest.mark.parametrize("content", [b"", b"a\n", b"a\n\n", b"\n", b"a\r\nb\r\n", b"\xef\xbb\xbfa\n"])
def test_a_file_that_is_not_changed_stays_as_it_is(content: bytes) -> None:
    assert FileText(content).to_bytes() == content


@pytest.mark.parametrize(("content", "finished"), [(b"a", b"a\n"), (b"a\r\nb", b"a\r\nb\r\n"), (b"a\nb\r", b"a\nb\n")])
def test_a_missing_final_newline_is_added_in_the_files_own_style(content: bytes, finished: bytes) -> None:
    assert FileText(content).to_bytes() == finished


def test_a_file_without_lines_is_empty_and_loses_its_mark() -> None:
    text = FileText(b"\xef\xbb\xbfa\n")
    text.replace(0, 1, [])
    assert text.to_bytes() == b""


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(UnicodeDecodeError):
        FileText(b"\xff")


def test_new_lines_end_like_their_neighbours() -> None:
    text = FileText(b"a\r\nb\n")
    assert [text.ending_at(index) for index in range(3)] == ["\r", "\r", ""]


def test_each_view_is_looser_than_the_one_before() -> None:
    line = ["  \u201cx\u201d \u2014 y\u00a0z  \r"]
    assert loosened(line, EXACT) == ["  \u201cx\u201d \u2014 y\u00a0z  "]
    assert loosened(line, RIGHT_STRIPPED) == ["  \u201cx\u201d \u2014 y\u00a0z"]
    assert loosened(line, STRIPPED) == ["\u201cx\u201d \u2014 y\u00a0z"]
    assert loosened(line, PLAIN) == ['"x" - y z']


@given(LINES, st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3), LINES), max_size=4))
def test_views_and_counts_change_with_the_lines(lines: list[str], edits: list[tuple[int, int, list[str]]]) -> None:
    text = FileText("".join(f"{line}\n" for line in lines).encode())
    for looseness in range(LOOSENESSES):
        text.counts(looseness)
    for start, count, new in edits:
        start = min(start, len(text.lines))
        text.replace(start, min(count, len(text.lines) - start), new)
        for looseness in range(LOOSENESSES):
            view = text.view(looseness)
            assert view == loosened(text.lines, looseness) or (looseness == EXACT and view is text.lines)
            assert {line: n for line, n in text.counts(looseness).items() if n} == {x: view.count(x) for x in view}
