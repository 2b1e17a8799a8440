"""The environment of a command, without what points its programs to sockets of the host."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Variables that lead a program to a socket of the host. One message to a session bus starts a program there.
VARIABLES = frozenset(
    {
        "ALACRITTY_SOCKET", "AT_SPI_BUS_ADDRESS", "CONTAINER_HOST", "DBUS_SESSION_BUS_ADDRESS",
        "DBUS_SYSTEM_BUS_ADDRESS", "DISPLAY", "DOCKER_HOST", "GNOME_KEYRING_CONTROL", "GPG_AGENT_INFO", "I3SOCK",
        "KITTY_LISTEN_ON", "NOTIFY_SOCKET", "NVIM", "PIPEWIRE_REMOTE", "PULSE_SERVER", "SSH_AGENT_PID",
        "SSH_AUTH_SOCK", "STY", "SWAYSOCK", "TMUX", "TMUX_PANE", "VSCODE_GIT_IPC_HANDLE", "VSCODE_IPC_HOOK_CLI",
        "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "WEZTERM_UNIX_SOCKET", "XAUTHORITY",
    }
)  # fmt: skip


def without_socket_variables(environ: Mapping[str, str], allowed: Iterable[str]) -> dict[str, str]:
    """The environment minus pointers to host sockets; a variable naming an allowed socket stays."""
    sockets = tuple(allowed)
    return {
        name: value
        for name, value in environ.items()
        if name not in VARIABLES or any(_leads_to(value, socket) for socket in sockets)
    }


def _leads_to(value: str, socket: str) -> bool:
    """`/run/a.sock` or `unix:path=/run/a.sock`; `wayland-0` in the runtime directory; `:0` for `X0`."""
    name = os.path.basename(socket)
    return socket in value or value == name or (value.startswith(":") and name == "X" + value[1:].partition(".")[0])
