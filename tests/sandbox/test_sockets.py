"""Which host sockets are covered."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandgate.sandbox.listening import listening_names
from sandgate.sandbox.looking import Look
from sandgate.sandbox.sockets import socket_places


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[str]:
    path = str(tmp_path / "agent socket")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        yield path


def covered(environ: dict[str, str] | None = None, keep: tuple[str, ...] = ()) -> tuple[str, ...]:
    return socket_places(environ or {}, Look(), homes=(), keep=keep, uid=0, listening=listening_names()).covered


def test_a_listening_socket_is_found_wherever_it_is(listener: str) -> None:
    assert listener in covered()


def test_a_datagram_socket_is_found(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind(str(tmp_path / "d"))
        assert str(tmp_path / "d") in covered()


def test_a_socket_that_is_gone_is_not_covered(listener: str) -> None:
    os.unlink(listener)
    assert listener not in covered()


def test_a_socket_below_a_covered_directory_is_not_listed_again(listener: str, tmp_path: Path) -> None:
    places = covered({"XDG_RUNTIME_DIR": str(tmp_path)})
    assert (str(tmp_path) in places, listener in places) == (True, False)


def test_the_runtime_directories_are_covered(tmp_path: Path) -> None:
    runtime, agent = tmp_path / "runtime", tmp_path / "agent"
    runtime.mkdir()
    agent.mkdir()
    places = covered({"XDG_RUNTIME_DIR": str(runtime), "SSH_AUTH_SOCK": str(agent / "agent.1")})
    assert {"/run", str(runtime), str(agent)} <= set(places)


def test_a_directory_we_work_in_is_not_covered_because_a_variable_says_so(listener: str, tmp_path: Path) -> None:
    """Required: `XDG_RUNTIME_DIR=/tmp` must not blank out /tmp; the sockets in it are covered each."""
    places = covered({"XDG_RUNTIME_DIR": str(tmp_path), "SSH_AUTH_SOCK": listener}, keep=(str(tmp_path),))
    assert str(tmp_path) not in places
    assert listener in places


def test_only_directories_that_exist_are_covered() -> None:
    assert all(os.path.lexists(path) for path in covered({"XDG_RUNTIME_DIR": "/nowhere/at/all"}))
