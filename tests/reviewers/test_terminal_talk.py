"""Every form in which a terminal answers is read to its end, and no further."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.reviewers.terminal_talk import NOTHING, PLAIN, SEQUENCE_BYTES_MAX, skip_sequence

PARAMETERS = st.text("0123456789;:<=>?", max_size=60)
TEXT = st.text([chr(code) for code in range(0x20, 0x7F) if code != 0x5C], max_size=200)
REPORTS = st.one_of(
    st.builds("[{}{}".format, PARAMETERS.filter(bool), st.sampled_from("ABCHFRcnutyMIO~")),
    st.builds("[M{}".format, st.text([chr(code) for code in range(0x20, 0x100)], min_size=3, max_size=3)),
    st.builds("{}{}{}".format, st.sampled_from("]PX^_"), TEXT, st.sampled_from(["\x07", "\x1b\\"])),
    st.sampled_from(["[A", "OP", "O5A", "[[A", "\x1b[A", "x", "\x1bOb"]),
)  # fmt: skip


def read_from(data: bytes) -> tuple[bytes, list[int]]:
    """What is left of it, and how long each byte was waited for."""
    left, waits = list(data), []

    def read(milliseconds: int) -> int:
        waits.append(milliseconds)
        return left.pop(0) if left else NOTHING

    skip_sequence(read)
    return bytes(left), waits


@given(REPORTS, st.text("yaYAcun", max_size=3))
def test_a_report_is_read_to_its_end_and_no_key_behind_it(report: str, keys: str) -> None:
    assert read_from(report.encode() + keys.encode())[0] == keys.encode()


@pytest.mark.parametrize("open_end", ["[", "[?64;1", "]0;y", "P>|", "[M", "[M!", "O", ""])
def test_one_that_breaks_off_ends_with_the_wait(open_end: str) -> None:
    assert read_from(open_end.encode())[0] == b""


def test_one_that_never_ends_is_given_up() -> None:
    left, waits = read_from(b"]" + b"y" * (SEQUENCE_BYTES_MAX + 10))
    assert len(left) == 10
    assert len(waits) == SEQUENCE_BYTES_MAX + 1


def test_what_puts_the_terminal_right_first_ends_whatever_text_is_open() -> None:
    assert PLAIN.startswith("\x18\x1b\\")
