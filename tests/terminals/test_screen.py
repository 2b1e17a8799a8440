"""What a terminal's screen looks like."""

import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.errors import RequestError
from sandgate.terminals import screen as screen_module
from sandgate.terminals.emulator import CELL_CHARS_MAX
from sandgate.terminals.screen import (
    HURRIED_BYTES,
    RENDER_BYTES_MAX,
    TITLE_CHARS_MAX,
    Screen,
    ScreenView,
    screen_after,
)
from support.terminal.live import on_terminal

SLOW_S = 20  # a picture may take one second and a little; a busy machine more


def shown(data: bytes, *, rows: int = 4, columns: int = 20) -> list[str]:
    return list(screen_after(data, rows=rows, columns=columns).lines)


def test_a_picture_has_lines_a_cursor_and_a_title() -> None:
    assert screen_after(b"\x1b]2;editor\x07hello\r\n  world \x1b[?25l", rows=3, columns=10) == Screen(
        lines=("hello", "  world", ""),
        row=1,
        column=8,
        cursor_visible=False,
        alternate=False,
        title="editor",
        whole=True,
    )


def test_painting_moves_erases_and_scrolls() -> None:
    assert shown(b"one\r\ntwo\x1b[1;2HN\x1b[2;1H\x1b[Kthree") == ["oNe", "three", "", ""]
    assert shown(b"1\r\n2\r\n3\r\n4\r\n5") == ["2", "3", "4", "5"]
    assert shown(b"gone\x1b[2J\x1b[Hhere") == ["here", "", "", ""]
    assert shown(b"abcdef\x1b[3D\x1b[1Kx") == ["   xef", "", "", ""]


def test_a_second_screen_hides_the_first_and_gives_it_back() -> None:
    view = ScreenView(rows=4, columns=20)
    view.feed(b"$ vim\r\n\x1b[?1049h\x1b[Hfile\r\n~")
    inside = view.screen()
    assert (inside.alternate, inside.lines) == (True, ("file", "~", "", ""))
    view.feed(b"\x1b[?1049l$ ")
    after = view.screen()
    assert (after.alternate, after.lines, after.row) == (False, ("$ vim", "$", "", ""), 1)


def test_wide_and_combined_characters_stay_whole() -> None:
    assert shown("日本é|e\u0301|a\u200db".encode()) == ["日本é|é|ab", "", "", ""]
    assert shown("日本\x1b[1;1Hx".encode())[0].startswith("x")


def test_what_is_torn_between_two_feeds_is_put_together() -> None:
    view = ScreenView(rows=2, columns=20)
    for byte in "é\x1b[1;5H€!".encode():
        view.feed(bytes([byte]))
        view.screen()
    assert view.screen().lines == ("é   €!", "")


def test_nonsense_is_left_out() -> None:
    for nonsense in (
        b"\x1b[>4;2m",
        b"\x1b[?1;2c",
        b"\x1b[" + b"9" * 5000 + b"m",
        b"\x1b[9999L",
        b"\xff\xfe",
        b"\x1b[?4m",
    ):
        assert shown(b"a" + nonsense + b"\r\nb")[-4:][1] in ("b", ""), nonsense
    assert shown(b"\x1b[?3hwide") == ["wide", "", "", ""]
    assert len(screen_after(b"\x1b]2;" + b"t" * 5000 + b"\x07", rows=2, columns=9).title) == TITLE_CHARS_MAX


def test_a_resize_keeps_what_there_was() -> None:
    view = ScreenView(rows=3, columns=10)
    view.resize(rows=4, columns=5)
    view.feed(b"abcde\r\nfg")
    view.resize(rows=2, columns=3)
    view.feed(b"h")
    assert view.screen().lines == ("abc", "fgh")


EXPENSIVE = {
    "clearing": b"\x1b[2J",
    "clearing below": b"\x1b[H\x1b[J",
    "filling": b"\x1b#8",
    "inserting lines": b"\x1b[H\x1b[L",
    "inserting characters": b"\x1b[4h\x1b[Gxxxxxxx",
    "reverse": b"\x1b[?5h\x1b[?5l",
    "accents": "\u0301".encode(),
    "accents on one letter": "\x1b[2G\u0301".encode(),
    "accents apart": "\x1b[2Ga\u0301".encode(),
    "text": b"some ordinary text\r\n",
    "colours": b"\x1b[31mx\x1b[0m",
    "resets": b"\x1bc",
    "alternating": b"\x1b[?1049hx\x1b[?1049l",
}


@pytest.mark.slow
@pytest.mark.parametrize("piece", EXPENSIVE.values(), ids=EXPENSIVE.keys())
def test_megabytes_of_anything_take_bounded_time(piece: bytes) -> None:
    """Required: what a program prints must not decide how long we are busy."""
    began = time.monotonic()
    picture = screen_after(piece * (2_000_000 // len(piece)), rows=60, columns=200)
    assert time.monotonic() - began < SLOW_S
    assert not picture.whole
    assert max(map(len, picture.lines)) <= 200 * CELL_CHARS_MAX


def test_the_end_of_much_output_is_shown_on_the_right_screen() -> None:
    filler = b"x" * 99 + b"\r\n"
    many = filler * (2 * RENDER_BYTES_MAX // len(filler) + 10)
    picture = screen_after(b"\x1b[?1049h" + many + b"\x1b[2J\x1b[Hend", rows=2, columns=20)
    assert (picture.lines, picture.alternate, picture.whole) == (("end", ""), True, False)
    assert not screen_after(b"\x1b[?1049h\x1b[?1049l" + many, rows=2, columns=20).alternate


def test_memory_stays_bounded_while_nobody_looks() -> None:
    view = ScreenView(rows=2, columns=9)
    for _ in range(100):
        view.feed(b"y" * 65_536)
    assert len(view._pending) <= 2 * RENDER_BYTES_MAX + 65_536
    assert view.screen().lines == ("y" * 9, "y" * len(view.screen().lines[1]))


@given(st.lists(st.sampled_from([b"\x1b", b"[", b"]", b"?", b"1049", b"h", b"l", b"J", b"K", b";", b"3", b"x", b"\n"])))
def test_no_sequence_raises(parts: list[bytes]) -> None:
    picture = screen_after(b"".join(parts), rows=3, columns=5)
    assert len(picture.lines) == 3


def test_a_real_program_is_shown_as_it_paints() -> None:
    view = ScreenView(rows=24, columns=80)
    with on_terminal("less", "/etc/passwd") as live:
        view.feed(live.printed(b"root:"))
        assert any(line.startswith("root:") for line in view.screen().lines)


@pytest.mark.parametrize(("rows", "columns"), [(0, 80), (24, 0), (-1, 80), (301, 80), (24, 501)])
def test_an_impossible_size_is_the_caller_s_mistake(rows: int, columns: int) -> None:
    with pytest.raises(RequestError, match="a terminal cannot have"):
        ScreenView(rows=rows, columns=columns)
    with pytest.raises(RequestError, match="a terminal cannot have"):
        ScreenView(rows=2, columns=2).resize(rows=rows, columns=columns)


WITHOUT_PYTE = """
import sys
sys.modules["pyte"] = None
from sandgate.errors import SandgateError
from sandgate.terminals.screen import ScreenView
view = ScreenView(rows=2, columns=2)
view.feed(b"x")
try:
    view.screen()
except SandgateError as error:
    print(error.hint)
"""


def test_without_pyte_output_is_taken_and_a_picture_is_one_clear_error() -> None:
    source = screen_module.__file__.rpartition("/sandgate/")[0]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PYTE], env={"PYTHONPATH": source}, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("pip install 'sandgate[screen]', or ask for plain output\n", "")
    assert HURRIED_BYTES < RENDER_BYTES_MAX
