"""The names of listening sockets, as the kernel lists them."""

from __future__ import annotations

import socket
from pathlib import Path

from sandgate.sandbox.listening import listening_names


def test_what_listens_and_what_takes_datagrams_is_named_as_long_as_it_does(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as stream, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagrams:
        names = [str(tmp_path / "stream"), str(tmp_path / "datagrams")]
        stream.bind(names[0])
        datagrams.bind(names[1])
        assert names[0] not in listening_names()
        stream.listen()
        assert {*names} <= {*listening_names()}
    assert {*names}.isdisjoint(listening_names())


def test_a_name_with_a_line_feed_is_found_among_others(tmp_path: Path) -> None:
    """Required: what looks like the end of a record need not be one."""
    name = f"{tmp_path}/two\nlines"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)
        server.listen()
        assert name in listening_names()
