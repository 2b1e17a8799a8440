"""Unix sockets of the host: one `systemd-run --user` over the session bus leaves every sandbox.

Neither a read-only mount nor a network namespace stops `connect()` to a path. So the directories where programs
keep their sockets are covered, every other listening socket that the kernel lists is covered by itself, and the
variables that point programs to them are taken out of the environment. A socket that was granted stays.

Known limit: a socket listening in another network namespace is not listed; it is covered when it lies in
one of the directories.
"""

from __future__ import annotations

import os
import stat

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Below `/run`: what name resolution and, on some distributions, every program path need.
RESOLVER_FILES = ("/run/systemd/resolve/resolv.conf", "/run/systemd/resolve/stub-resolv.conf")
SYSTEM_LINKS = ("/run/booted-system", "/run/current-system", "/run/opengl-driver")
HOME_DIRECTORIES = (".docker/desktop", ".docker/run")

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
LISTED_BYTES_MAX = 4 << 20  # of /proc/net/unix; about 40 000 sockets

# /proc/net/unix, field 3: flags. __SO_ACCEPTCON marks a listening socket.
_ACCEPTS = "00010000"
# field 4: type. A datagram socket receives without listening.
_DATAGRAM = "0002"


class Places(Record):
    """What to cover, and what must stay readable below it. All canonical and existing."""

    covered: tuple[str, ...]
    openings: tuple[str, ...] = ()


def socket_places(environ: Mapping[str, str], *, homes: Iterable[str], keep: Iterable[str], uid: int) -> Places:
    """Directories and single sockets to cover.

    `keep` are directories that must not be covered as a whole although a variable points at them: the
    working directory and everything above it.
    """
    covered = _runtime_directories()
    candidates = ["/tmp/.X11-unix", "/tmp/.ICE-unix", f"/tmp/tmux-{uid}"]
    candidates += [f"{home}/{name}" for home in homes for name in HOME_DIRECTORIES]
    for directory in (environ.get("XDG_RUNTIME_DIR", ""), os.path.dirname(environ.get("SSH_AUTH_SOCK", ""))):
        if directory.startswith("/"):
            candidates.append(os.path.realpath(directory))
    kept = frozenset(keep)
    for directory in candidates:
        if directory not in kept and not _is_below(directory, covered) and _is_directory(directory):
            covered.append(directory)
    openings = tuple(_resolver_files(covered))
    covered += listening_sockets(below_none_of=covered)
    return Places(tuple(covered), openings)


def _runtime_directories() -> list[str]:
    """`/run`; where it holds links that programs are found through, each of its entries instead.

    A link cannot be bound back into a covered directory.
    """
    if any(os.path.islink(path) for path in SYSTEM_LINKS):
        with os.scandir("/run") as entries:
            covered = [entry.path for entry in entries if not entry.is_symlink()]
    else:
        covered = ["/run"] if _is_directory("/run") else []
    return [*covered, "/var/run"] if _is_directory("/var/run") else covered


def _resolver_files(covered: list[str]) -> list[str]:
    """Covered files that name resolution reads."""
    files = dict.fromkeys((*RESOLVER_FILES, os.path.realpath("/etc/resolv.conf")))
    return [path for path in files if _is_below(path, covered) and _is_plain_file(path)]


def listening_sockets(*, below_none_of: Iterable[str] = ()) -> list[str]:
    """Pathname sockets of this network namespace that somebody listens on, and that we can see."""
    covered = tuple(below_none_of)
    found: dict[str, None] = {}
    for line in _socket_table().splitlines():
        # Most lines are connections, without a name; a look at the text costs less than taking it apart.
        start = line.find(" /")
        if start < 0 or not (_ACCEPTS in line or _DATAGRAM in line):
            continue
        fields = line[:start].split()
        path = line[start + 1 :]
        if len(fields) >= 6 and (fields[3] == _ACCEPTS or fields[4] == _DATAGRAM) and path not in found:
            real = os.path.realpath(path)
            if not _is_below(real, covered) and _is_socket(real):
                found[real] = None
    return list(found)


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


def _socket_table() -> str:
    try:
        descriptor = os.open("/proc/net/unix", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        parts = []
        size = 0
        while size < LISTED_BYTES_MAX and (part := os.read(descriptor, 65536)):
            parts.append(part)
            size += len(part)
        return os.fsdecode(b"".join(parts))
    finally:
        os.close(descriptor)


def _is_below(path: str, directories: Iterable[str]) -> bool:
    return any(path == directory or path.startswith(directory + "/") for directory in directories)


def _is_directory(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _is_plain_file(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode) and os.path.realpath(path) == path
    except OSError:
        return False


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.lstat(path).st_mode)
    except OSError:
        return False
