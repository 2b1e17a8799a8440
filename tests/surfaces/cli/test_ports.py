"""`sandgate ports` where it has nothing to do. What it shows: tests/journeys/test_ports.py."""

from __future__ import annotations

import json

import pytest

from sandgate.kernel.sandboxes import Sandbox
from sandgate.surfaces.cli import main as program
from sandgate.surfaces.cli import ports

SERVER = Sandbox(7, 8, ("serve", "\x1b[2J"), 6, ("sandgate", "mcp"), True, (5173, 5174))


def run(*arguments: str) -> int:
    return program.main(["ports", *arguments])


def test_nothing_served_is_said_and_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ports, "sandboxes", lambda: (SERVER.but(ports=()),))
    assert [run(), run("list"), run("--json")] == [0, 0, 0]
    said = capfd.readouterr()
    assert (said.out, said.err.count("no sandboxed command of this user serves a port now")) == ('{"ports": []}\n', 2)


def test_a_command_has_a_line_for_each_port_and_cannot_write_others(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ports, "sandboxes", lambda: (SERVER, SERVER.but(own_network=False, ports=(80,))))
    assert [run(), run("--json")] == [0, 0]
    lines = capfd.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["5173", "5174", "80"]
    assert "\x1b" not in "".join(lines)
    assert "on the host's own network" in lines[2]
    assert [row["network"] for row in json.loads(lines[3])["ports"]] == ["own", "own", "host"]


@pytest.mark.parametrize(
    "words", [("lst",), ("serve",), ("serve", "http"), ("serve", "5173", "--pid", "x"), ("serve", "5173", "--json")]
)
def test_what_it_does_not_take_is_bad_usage(words: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> None:
    assert run(*words) == program.BAD_USAGE
    assert "sandgate: " in capfd.readouterr().err
