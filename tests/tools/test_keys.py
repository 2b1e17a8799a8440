from __future__ import annotations

import curses

import pytest

from sandgate.tools.keys import KEYS, typed


def test_control_keys_send_what_a_terminal_makes_signals_of() -> None:
    assert typed(("ctrl-c", "ctrl-d", "ctrl-z", "ctrl-backslash")) == "\x03\x04\x1a\x1c"


def test_keys_are_sent_in_order() -> None:
    assert typed(("up", "enter", "space")) == "\x1b[A\r "


@pytest.mark.parametrize(
    ("key", "capability"),
    [
        *[(f"f{number}", f"kf{number}") for number in range(1, 13)],
        *[("insert", "kich1"), ("delete", "kdch1"), ("page-up", "kpp"), ("page-down", "knp"), ("shift-tab", "kcbt")],
        *[("backspace", "kbs"), ("enter", "cr")],
    ],
)
def test_keys_send_what_the_terminal_database_says_of_xterm(key: str, capability: str) -> None:
    try:
        curses.setupterm("xterm-256color", fd=2)
    except curses.error:
        pytest.skip("no description of xterm on this machine")
    described = (curses.tigetstr(capability) or b"").decode()
    if key == "backspace" and described == "\b":
        pytest.skip("this machine's xterm sends ^H for backspace; the line discipline expects DEL")
    assert KEYS[key] == described
