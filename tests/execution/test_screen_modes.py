"""Twin of `execution/screen_modes.py`: what a program has made of the terminal, from what it writes."""

from __future__ import annotations

import pytest

from sandgate.execution.screen_modes import MODES_MAX, ScreenModes

VIM = b"\x1b[?1049h\x1b[22;0;0t\x1b[>4;2m\x1b[?1h\x1b=\x1b[?2004h\x1b[1;24r\x1b[?25l"


def shown(*pieces: bytes) -> ScreenModes:
    modes = ScreenModes()
    for piece in pieces:
        modes.show(piece)
    return modes


def test_a_second_screen_is_left_and_entered_with_its_modes() -> None:
    modes = shown(VIM)
    assert modes.is_alternate
    assert modes.left() == b"\x1b[?1049l"
    assert modes.entered_again() == b"\x1b[?1049h\x1b[?1h\x1b[?2004h\x1b[?25l\x1b[>4;2m"
    assert modes.undone() == b"\x1b[?1l\x1b[?2004l\x1b[?25h\x1b[>4;0m\x1b[?1049l"


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_it_is_followed_however_it_is_cut(size: int) -> None:
    """Required: a pipe cuts where it likes."""
    pieces = [VIM[at : at + size] for at in range(0, len(VIM), size)]
    assert shown(*pieces).entered_again() == shown(VIM).entered_again()


@pytest.mark.parametrize("end", [b"\x1b[?1049l", b"\x1b[?25;1049l", b"\x1bc"])
def test_what_a_program_has_left_by_itself_is_left(end: bytes) -> None:
    modes = shown(b"text\x1b[?1049h", end, b"\r\n")
    assert (modes.is_alternate, modes.left()) == (False, b"")
    assert b"1049" not in modes.entered_again()


def test_a_line_that_was_begun_is_ended_before_the_question() -> None:
    assert shown(b"Password: ").left() == b"\n"
    assert shown(b"done\r\n").left() == b""
    assert shown().left() == b""


@pytest.mark.parametrize(
    ("said", "again"), [(b"\x1b[>1u", b"\x1b[=1u"), (b"\x1b[=5;1u", b"\x1b[=5u"), (b"\x1b[>1u\x1b[<u", b"")]
)
def test_how_keys_are_sent_is_said_again(said: bytes, again: bytes) -> None:
    assert shown(said).entered_again() == again


def test_what_would_move_the_cursor_or_clear_the_screen_is_not_said_again() -> None:
    assert shown(b"\x1b[?3h\x1b[?6h\x1b[?1048h").entered_again() == b""


def test_no_program_has_us_remember_without_end() -> None:
    """Required: bounded, whatever it writes; half a sequence that never ends is none."""
    modes = shown(
        *[b"\x1b[?%dh" % number for number in range(2000, 2000 + 10 * MODES_MAX)], b"\x1b[?" + b"1;" * 100_000
    )
    assert modes.entered_again().count(b"h") == MODES_MAX
    modes.show(b"049h")
    assert not modes.is_alternate
