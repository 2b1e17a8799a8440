"""The sentence for who found nobody at a port. Real servers are in tests/conversations/test_session_network.py."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from sandgate.terminals.port_owners import (
    ADDRESSES_SAID_MAX,
    COMMAND_SAID_CHARS,
    SERVERS_SAID_MAX,
    served_before,
    served_instead,
    showing,
)


class Serving:
    """As much of a live command as the sentence is made of."""

    def __init__(self, number: int, argv: tuple[str, ...]) -> None:
        self.identity = SimpleNamespace(terminal_id=number, command=SimpleNamespace(argv=argv))


def command(number: int, *argv: str) -> Any:
    return Serving(number, argv)


NPM = command(3, "sh", "-c", "npm start")


def test_it_names_the_command_and_its_ports() -> None:
    said = served_instead({NPM: (5173, 5174)}, ("127.0.0.1:5432", "[::1]:6000"))
    assert said == "nothing listens on 127.0.0.1:5432 or [::1]:6000 here; command 3 `npm start` listens on 5173, 5174"


def test_it_is_silent_where_it_would_say_nothing_new() -> None:
    """Nobody serves, only the seeker serves, nothing was sought, or somebody serves it by now."""
    sought = ("127.0.0.1:5432",)
    said = [
        served_instead({}, sought),
        served_instead({NPM: ()}, sought),
        served_instead({NPM: (5173,)}, sought, NPM),
        served_instead({NPM: (5173,)}, ()),
        served_instead({NPM: (5173,), command(4, "db"): (5432,)}, sought),
    ]
    assert said == [""] * 5


def test_it_stays_one_line_of_bounded_length() -> None:
    """Required: a command's own words cannot break out of it, nor can there be too many."""
    served = {command(at, "sh", "-c", "serve\n" * 99): (2_000 + at,) for at in range(SERVERS_SAID_MAX + 2)}
    said = served_instead(served, tuple(f"127.0.0.1:{at}" for at in range(1, 99)))
    assert said.count("127.0.0.1") == ADDRESSES_SAID_MAX
    assert said.endswith("; 2 more serve others")
    assert "\n" not in said
    assert len(said) < (SERVERS_SAID_MAX + 2) * (COMMAND_SAID_CHARS + 40)


def test_of_a_server_that_is_over_is_spoken_only_where_one_was_missed() -> None:
    said = served_before("npm start", tuple(f"127.0.0.1:{at}" for at in range(1, 99)))
    assert said.startswith(
        "nothing listens on 127.0.0.1:1 or 127.0.0.1:2 or 127.0.0.1:3 here; `npm start` has listened"
    )
    assert [served_before("", ("127.0.0.1:1",)), served_before("npm start", ())] == ["", ""]


def test_how_a_person_shows_a_port_is_a_line_to_be_typed() -> None:
    """A port that is below those of commands on the host gets another one there."""
    shown = "it listens on {}, for this session's commands alone; a person shows it in a browser with {}"
    assert [showing(ports) for ports in ((), (5173,), (80, 5173), (1, 2, 3, 4, 5))] == [
        "",
        shown.format("5173", "`sandgate ports serve 5173`"),
        shown.format("80, 5173", "`sandgate ports serve 8080:80` or `sandgate ports serve 5173`"),
        shown.format(
            "1, 2, 3 and 2 more",
            " or ".join(f"`sandgate ports serve {8_000 + port}:{port}`" for port in (1, 2, 3)),
        ),
    ]
