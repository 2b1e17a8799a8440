"""The sentence about a server in another sandbox. Whole programs are in tests/journeys/test_ports.py."""

from __future__ import annotations

import pytest

from sandgate.kernel.sandboxes import Sandbox
from sandgate.terminals import served_elsewhere as module
from sandgate.terminals.served_elsewhere import ADDRESSES_SAID_MAX, served_elsewhere

SERVER = Sandbox(7, 8, ("serve", "--token", "x"), 6, ("sandgate", "run"), True, (5173, 5174))


@pytest.mark.parametrize(
    ("running", "sought"),
    [((), "127.0.0.1:5173"), ((SERVER,), "127.0.0.1:5175"), ((SERVER.but(own_network=False),), "127.0.0.1:5173")],
)
def test_nothing_is_said_where_nobody_serves_it(
    monkeypatch: pytest.MonkeyPatch, running: tuple[Sandbox, ...], sought: str
) -> None:
    monkeypatch.setattr(module, "sandboxes", lambda: running)
    assert served_elsewhere((sought,)) == ""


def test_it_says_how_to_reach_it_and_nothing_of_the_other_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: it may be another project's command, and whoever reads this a model."""
    monkeypatch.setattr(module, "sandboxes", lambda: (SERVER,))
    said = served_elsewhere(("[::1]:5174", "127.0.0.1:9"))
    assert said.startswith("another sandboxed command serves [::1]:5174 on a loopback of its own")
    assert said.endswith("`sandgate ports serve 5174`")
    assert "token" not in said


def test_it_names_few_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "sandboxes", lambda: (SERVER.but(ports=tuple(range(2_000, 3_000))),))
    said = served_elsewhere(tuple(f"127.0.0.1:{port}" for port in range(2_000, 3_000)))
    assert said.count("127.0.0.1") == ADDRESSES_SAID_MAX
