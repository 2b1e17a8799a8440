"""Abstract unix sockets of the host are out of reach, with the network off and on (threat table, row 7)."""

import os
import socket

import pytest

from support.escape.escape_stage import BOTH_BACKENDS, Stage

CONNECT = """
import socket, sys
with socket.socket(socket.AF_UNIX) as client:
    client.connect("\\0" + sys.argv[1])
    print("connected")
"""


@BOTH_BACKENDS
@pytest.mark.parametrize("network", [False, True], ids=["off", "on"])
def test_an_abstract_socket_cannot_be_connected(stage: Stage, backend: str, network: bool) -> None:
    name = f"sandgate-escape-{os.getpid()}-{stage.uid}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0" + name)
        server.listen()
        attack = stage.script(CONNECT, name)
        assert stage.unconfined(attack).stdout == "connected\n"
        assert stage.confined(attack, backend=backend, network=network).stdout == ""
