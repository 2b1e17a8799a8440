"""Every form in which a terminal answers is read to its end, and no further."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.reviewers.terminal_talk import NOTHING, PLAIN, SEQUENCE_BYTES_MAX, begins_sequence, skip_sequence

ESCAPE = 0x1B
PARAMETERS = st.text("0123456789;:<=>?", max_size=60)
TEXT = st.text([chr(code) for code in range(0x20, 0x7F) if code != 0x5C], max_size=200)
REPORTS = st.one_of(
    st.builds("[{}{}".format, PARAMETERS.filter(bool), st.sampled_from("ABCHFRcnutyMIO~")),
    st.builds("[M{}".format, st.text([chr(code) for code in range(0x20, 0x100)], min_size=3, max_size=3)),
    st.builds("{}{}{}".format, st.sampled_from("]PX^_"), TEXT, st.sampled_from(["\x07", "\x1b\\"])),
    st.sampled_from(["[A", "OP", "O5A", "[[A", "\x1b[A", "x", "\x1bOb"]),
)  # fmt: skip


def read_from(data: bytes, first: int = ESCAPE) -> tuple[bytes, list[int]]:
    """What is left of it behind `first`, and how long each byte was waited for."""
    left, waits = list(data), []

    def read(milliseconds: int) -> int:
        waits.append(milliseconds)
        return left.pop(0) if left else NOTHING

    skip_sequence(first, read)
    return bytes(left), waits


@given(REPORTS, st.text("yaYAcun", max_size=3))
def test_a_report_is_read_to_its_end_and_no_key_behind_it(report: str, keys: str) -> None:
    assert read_from(report.encode() + keys.encode())[0] == keys.encode()


@given(
    st.one_of(
        st.builds("\x9b{}{}".format, PARAMETERS.filter(bool), st.sampled_from("ABCHFRcnutyMIO~")),
        st.builds("{}{}{}".format, st.sampled_from("\x9d\x90\x98\x9e\x9f"), TEXT, st.sampled_from(["\x07", "\x9c"])),
        st.sampled_from(["\x9bA", "\x8fP", "\x9b[A"]),
    ),
    st.text("yaYAcun", max_size=3),
    st.sampled_from(["utf-8", "latin-1"]),
)
def test_so_is_one_with_the_controls_of_one_byte(report: str, keys: str, encoding: str) -> None:
    """Required: a command can tell a terminal to send these (S8C1T), before anybody is asked."""
    data = report.encode(encoding)
    assert begins_sequence(data[0])
    assert read_from(data[1:] + keys.encode(), data[0])[0] == keys.encode()


def test_a_letter_of_a_text_does_not_end_it() -> None:
    """Of UTF-8 its bytes may be those of a control."""
    title = "l\u071cy".encode()
    assert b"\x9cy" in title
    assert read_from(b"]" + title + b"\x1b\\n")[0] == b"n"
    assert read_from(b"\x9d" + title + b"\xc2\x9cn", 0xC2)[0] == b"n"


@pytest.mark.parametrize("key", ["y", "\r", "\u00e9"])
def test_a_key_begins_nothing(key: str) -> None:
    assert not begins_sequence(key.encode()[0])


def test_a_letter_that_begins_as_a_control_does_is_read_alone() -> None:
    pound = "\u00a3".encode()
    assert read_from(pound[1:] + b"n", pound[0])[0] == b"n"


@pytest.mark.parametrize("open_end", ["[", "[?64;1", "]0;y", "P>|", "[M", "[M!", "O", ""])
def test_one_that_breaks_off_ends_with_the_wait(open_end: str) -> None:
    assert read_from(open_end.encode())[0] == b""


def test_one_that_never_ends_is_given_up() -> None:
    left, waits = read_from(b"]" + b"y" * (SEQUENCE_BYTES_MAX + 10))
    assert len(left) == 10
    assert len(waits) == SEQUENCE_BYTES_MAX + 1


def test_what_puts_the_terminal_right_first_ends_whatever_text_is_open() -> None:
    assert PLAIN.startswith("\x18\x1b\\")
