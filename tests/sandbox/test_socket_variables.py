"""Which variables a command gets that lead to sockets of the host."""

from __future__ import annotations

import pytest

from sandgate.sandbox.socket_variables import without_socket_variables


def test_variables_that_lead_to_host_sockets_are_dropped() -> None:
    environ = {
        "PATH": "/bin",
        "SSH_AUTH_SOCK": "/tmp/ssh-x/agent.1",
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/0/bus",
        "DISPLAY": ":0",
        "WAYLAND_DISPLAY": "wayland-0",
    }
    assert without_socket_variables(environ, ()) == {"PATH": "/bin"}


@pytest.mark.parametrize(
    ("allowed", "kept"),
    [
        ("/tmp/ssh-x/agent.1", "SSH_AUTH_SOCK"),
        ("/run/user/0/bus", "DBUS_SESSION_BUS_ADDRESS"),
        ("/tmp/.X11-unix/X0", "DISPLAY"),
        ("/run/user/0/wayland-0", "WAYLAND_DISPLAY"),
    ],
)
def test_the_variable_of_an_allowed_socket_stays(allowed: str, kept: str) -> None:
    environ = {
        "SSH_AUTH_SOCK": "/tmp/ssh-x/agent.1",
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/0/bus",
        "DISPLAY": ":0.0",
        "WAYLAND_DISPLAY": "wayland-0",
    }
    assert list(without_socket_variables(environ, (allowed,))) == [kept]
