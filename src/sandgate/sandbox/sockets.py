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
from sandgate.sandbox.looking import read_bytes
from sandgate.sandbox.roots import at_or_below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sandgate.sandbox.looking import Look

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
SOCKET_TABLE = "/proc/net/unix"
LISTED_BYTES_MAX = 4 << 20  # of the table; about 40 000 sockets
NAME_BYTES_MAX = 108  # unix(7), sun_path

# Its field 3: flags. __SO_ACCEPTCON marks a listening socket.
_ACCEPTS = "00010000"
# field 4: type. A datagram socket receives without listening.
_DATAGRAM = "0002"
_HEX_DIGITS = "0123456789abcdefABCDEF"


class SocketPlaces(Record):
    """What to cover, and what must stay readable below it. All canonical and existing."""

    covered: tuple[str, ...]
    openings: tuple[str, ...] = ()


def socket_places(
    environ: Mapping[str, str],
    look: Look,
    *,
    homes: Iterable[str],
    keep: Iterable[str],
    uid: int,
    listening: Iterable[str],
) -> SocketPlaces:
    """Directories and single sockets to cover.

    `listening` are the names the kernel lists. `keep` are directories that must not be covered as a whole although a
    variable points at them: the working directory and everything above it.
    """
    covered = _runtime_directories(look)
    candidates = ["/tmp/.X11-unix", "/tmp/.ICE-unix", f"/tmp/tmux-{uid}"]
    candidates += [f"{home}/{name}" for home in homes for name in HOME_DIRECTORIES]
    for directory in (environ.get("XDG_RUNTIME_DIR", ""), os.path.dirname(environ.get("SSH_AUTH_SOCK", ""))):
        if directory.startswith("/"):
            candidates.append(look.real(directory))
    kept = frozenset(keep)
    for directory in candidates:
        if directory not in kept and not at_or_below(directory, covered) and look.is_kind(directory, stat.S_ISDIR):
            covered.append(directory)
    openings = tuple(_resolver_files(covered, look))
    covered += _single_sockets(listening, look, below_none_of=covered)
    return SocketPlaces(tuple(covered), openings)


def _runtime_directories(look: Look) -> list[str]:
    """`/run`; where it holds links that programs are found through, each of its entries instead.

    A link cannot be bound back into a covered directory.
    """
    if any(look.is_link(path) for path in SYSTEM_LINKS):
        covered = [path for name in look.names("/run") if not look.is_link(path := "/run/" + name)]
    else:
        covered = ["/run"] if look.is_kind("/run", stat.S_ISDIR) else []
    return [*covered, "/var/run"] if look.is_kind("/var/run", stat.S_ISDIR) else covered


def _resolver_files(covered: list[str], look: Look) -> list[str]:
    """Covered files that name resolution reads."""
    files = dict.fromkeys((*RESOLVER_FILES, look.real("/etc/resolv.conf")))
    return [path for path in files if at_or_below(path, covered) and _is_plain_file(path, look)]


def listening_names() -> tuple[str, ...]:
    """The names that sockets of this network namespace listen under; some lead nowhere from here."""
    global _last_table
    table = read_bytes(SOCKET_TABLE, LISTED_BYTES_MAX, follows=True) or b""
    last = _last_table
    if last[0] != table:
        last = _last_table = table, _listening_in(table)
    return last[1]


_last_table: tuple[bytes, tuple[str, ...]] = b"", ()


def _listening_in(table: bytes) -> tuple[str, ...]:
    found: dict[str, None] = {}
    lines = os.fsdecode(table).split("\n")  # nothing but a line feed ends a line: names hold what they like
    for at, line in enumerate(lines):
        # Most lines are connections, without a name; a look at the text costs less than taking it apart.
        start = line.find(" /")
        if start < 0 or not (_ACCEPTS in line or _DATAGRAM in line):
            continue
        fields = line[:start].split()
        if len(fields) >= 6 and (fields[3] == _ACCEPTS or fields[4] == _DATAGRAM):
            found[line[start + 1 :]] = None
            if at + 2 < len(lines) and not _begins_record(lines[at + 1]):
                found |= dict.fromkeys(_continued(lines[at : at + NAME_BYTES_MAX], start + 1))
    return tuple(found)


def _begins_record(line: str) -> bool:
    """`ffff8881: 00000002 …`: a kernel address, and a colon."""
    address, colon, _ = line.partition(": ")
    return bool(colon) and not address.strip(_HEX_DIGITS)


def _continued(lines: list[str], start: int) -> Iterable[str]:
    """A name with line feeds in it, with as many of them as it can have: where it ends, nothing says."""
    name = lines[0][start:]
    for line in lines[1:]:
        name += "\n" + line
        if len(os.fsencode(name)) > NAME_BYTES_MAX:
            return
        yield name


def _single_sockets(names: Iterable[str], look: Look, *, below_none_of: Iterable[str]) -> list[str]:
    """Those that we can see and that no directory covers already."""
    covered = tuple(below_none_of)
    reals = dict.fromkeys(look.real(name) for name in names)
    return [real for real in reals if not at_or_below(real, covered) and look.is_kind(real, stat.S_ISSOCK)]


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


def _is_plain_file(path: str, look: Look) -> bool:
    return look.is_kind(path, stat.S_ISREG) and look.real(path) == path
