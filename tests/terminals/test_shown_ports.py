"""Which port a person means, and what is said where it cannot be shown. What is shown: tests/journeys/test_ports.py."""

from __future__ import annotations

import pytest

from sandgate.errors import RequestError
from sandgate.terminals.shown_ports import HOST_PORT_MIN, PORT_MAX, SHOWN_MAX, PortWish, port_wish, port_wishes


def test_a_port_is_shown_at_its_own_number_or_at_another() -> None:
    assert [port_wish(text) for text in ("5173", "8080:80", f"{HOST_PORT_MIN}:{PORT_MAX}")] == [
        PortWish(5173, 5173),
        PortWish(80, 8080),
        PortWish(PORT_MAX, HOST_PORT_MIN),
    ]


@pytest.mark.parametrize("text", ["", ":", "http", "-1", "+5173", "5173 ", "9" * 5_000, "1:2:3", "localhost:5173", "¹"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(RequestError, match="is no port"):
        port_wish(text)


def test_one_command_shows_a_bounded_number() -> None:
    assert len(port_wishes(("5173",) * SHOWN_MAX)) == SHOWN_MAX
    with pytest.raises(RequestError, match=f"at most {SHOWN_MAX}"):
        port_wishes(("5173",) * (SHOWN_MAX + 1))
