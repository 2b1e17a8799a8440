"""What a reviewer reads of a patch is what the patch does, whatever is in the files and their names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.approvals.prompts.patch_lines import LINES_MAX, change_lines, heading
from sandgate.approvals.prompts.prompt import choice_lines, prompt_lines, question
from sandgate.patch.diff import unified_diff
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import ApprovalRequest
from sandgate.protocol.patches import FileChange, difference

# What ends a line somewhere: for a terminal, for Unicode, for str.splitlines.
BREAKS = ("\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")
FORGED = "add /repo/harmless.txt (+1 -0)"
SIGNS = ("+", "-", " ", "@@ ", "\\")
HOSTILE = st.text(st.sampled_from(("a", "+", "-", " ", "@", "\\", "\n", "\t", "\x1b", "\u202e", *BREAKS)), max_size=30)


def update(old: str, new: str, path: str = "/repo/file") -> FileChange:
    return FileChange("update", path, unified_diff=unified_diff(old, new))


def added(content: str) -> FileChange:
    return FileChange("add", "/repo/file", content)


def deleted(content: str) -> FileChange:
    return FileChange("delete", "/repo/file", content)


def asked(*changes: FileChange) -> ApprovalRequest:
    command = CommandRequest(("apply_patch",), "/work", {})
    return ApprovalRequest("request", "call", "initial", command, "", changes=changes)


def test_every_file_has_a_heading_and_its_difference_under_it() -> None:
    changes = (
        added("one\ntwo\n"),
        update("a\nb\nc\n", "a\nB\nc\n"),
        update("x\n", "x\n").but(unified_diff="", move_path="/repo/elsewhere"),
        deleted("gone\n"),
    )
    headings = [
        "add /repo/file (+2 -0)",
        "update /repo/file (+1 -1)",
        "update /repo/file -> /repo/elsewhere (+0 -0)",
        "delete /repo/file (+0 -1)",
    ]
    assert change_lines(changes) == [
        *headings,  # all of them first: what is folded away hides none
        "add /repo/file (+2 -0)",
        "+one",
        "+two",
        "update /repo/file (+1 -1)",
        "@@ -1,3 +1,3 @@",
        " a",
        "-b",
        "+B",
        " c",
        "update /repo/file -> /repo/elsewhere (+0 -0)",
        "delete /repo/file (+0 -1)",
        "-gone",
    ]


def test_a_last_line_without_a_newline_is_a_line() -> None:
    assert difference(added("one\ntwo")) == ["+one", "+two"]


@pytest.mark.parametrize("ending", BREAKS)
@pytest.mark.parametrize("made", [added, deleted], ids=["add", "delete"])
def test_what_ends_a_line_elsewhere_does_not_end_one_in_a_file_that_comes_or_goes(made: object, ending: str) -> None:
    """Required: the rest would stand there without its sign, as if it were ours."""
    assert callable(made)
    lines = change_lines((made(f"harmless{ending}{FORGED}\n"),))
    assert len(lines) == 2
    assert FORGED not in lines


@pytest.mark.parametrize("ending", BREAKS)
def test_what_ends_a_line_elsewhere_does_not_end_one_in_a_changed_file(ending: str) -> None:
    """Required: as above; a file with `\\f` or U+2028 in it must not be able to write a heading."""
    lines = change_lines((update("old\n", f"harmless{ending}{FORGED}\n"),))
    assert FORGED not in lines
    assert len(lines) == 4


@given(HOSTILE, HOSTILE)
def test_no_content_of_a_file_that_comes_or_goes_looks_like_a_line_of_ours(before: str, after: str) -> None:
    for change in (added(before), deleted(after)):
        first, *lines = change_lines((change,))
        assert first == heading(change)
        assert all(line.startswith(("+", "-")) and line.isprintable() for line in lines)


@given(HOSTILE, HOSTILE)
def test_no_content_of_a_changed_file_looks_like_a_line_of_ours(before: str, after: str) -> None:
    change = update(before, after)
    first, *lines = change_lines((change,))
    assert first == heading(change)
    assert all(line.startswith(SIGNS) and line.isprintable() for line in lines)


@given(st.text(max_size=30).map(lambda name: f"/repo/{name}"))
def test_a_name_stays_on_its_line_and_shows_what_is_in_it(name: str) -> None:
    (line,) = change_lines((update("", "").but(path=name, move_path=name),))
    assert line.isprintable()
    assert line.startswith("update /repo/")


@pytest.mark.parametrize("text", ["\x1b[2J", "a\u202eb", "zero\u200bwidth", "bell\x07", "back\x08space"])
def test_nothing_in_a_patch_reaches_the_terminal_as_an_order(text: str) -> None:
    """Required: a terminal must not obey a file."""
    for change in (added(text), update("old\n", f"{text}\n"), deleted(text).but(path=f"/repo/{text}")):
        assert all(line.isprintable() for line in change_lines((change,)))


@pytest.mark.parametrize(
    ("change", "counts"),
    [
        (added("a\nb\n"), "(+2 -0)"),
        (update("a\n", "b\nc\n"), "(+2 -1)"),
        pytest.param(added("++ twice\n-- three\n"), "(+2 -0)"),
        pytest.param(update("-- a comment in SQL\n", "++ x\n"), "(+1 -1)"),
        pytest.param(deleted("-- a comment in SQL\n"), "(+0 -1)"),
    ],
)
def test_the_counts_are_those_of_the_lines(change: FileChange, counts: str) -> None:
    """Required: a heading that says less than happens is what a hurried reader goes by."""
    assert heading(change).endswith(counts)


def test_a_patch_without_end_is_cut_and_says_so() -> None:
    lines = change_lines((added("x\n" * (LINES_MAX + 10)), deleted("y\n")))
    assert len(lines) == LINES_MAX + 1
    assert lines[-1] == "(13 more lines of this file, and what comes after it)"


def test_the_line_that_says_so_cannot_be_forged() -> None:
    lines = change_lines((added("(11 more lines of this file, and what comes after it)\n"),))
    assert lines[1].startswith("+")


def test_no_line_of_a_file_stands_where_the_prompt_has_its_own() -> None:
    """Required: a file that spells out the choices must not look like them."""
    plain = asked(added("x\n"))
    ours = [*choice_lines(plain), question(plain), "sandgate: approval needed", "  Reason: fine"]
    shown = prompt_lines(asked(added("".join(f"{line}\n" for line in ours))), colour=False)
    for line in ours:
        assert shown.count(line) <= (line == "sandgate: approval needed")
    assert [line for line in shown if any(text.strip() in line for text in ours[:-2])] != []


def test_a_long_line_goes_on_behind_a_mark() -> None:
    shown = prompt_lines(asked(added("x" * 74 + "  [y] yes, once: apply it\n")), colour=False)
    assert not any(line.startswith("  [") for line in shown)


def test_what_is_lost_by_a_change_is_said_in_its_heading() -> None:
    assert change_lines((added("x\n").but(replaces=True),))[0] == "add /repo/file (+1 -0, replaces what is there)"
