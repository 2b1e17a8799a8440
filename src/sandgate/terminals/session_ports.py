"""What the live commands of one session serve, and those of their ports that the author of this program shows.

Saying so is a person's part, here as on the command line: no tool that a model may call leads here. A port is shown
until it is closed, or its command ends, or the session does.
"""

from __future__ import annotations

import os
from _thread import allocate_lock

from sandgate.errors import PortUnavailable, RequestError
from sandgate.kernel.process_tree import descendants, listening_ports
from sandgate.kernel.serving import network_of
from sandgate.record import Record
from sandgate.sandbox.backends import find_helper
from sandgate.terminals.live_listing import display
from sandgate.terminals.shown_ports import PORT_MAX, PortWish, address, needs_no_relay, relay, usable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, Self

    from sandgate.kernel.networks import Parts
    from sandgate.kernel.serving import ServedPort
    from sandgate.terminals.table import TerminalTable
    from sandgate.terminals.terminal import Terminal

SHOWN_MAX = 64  # ports of one session at one time; each is a process


class ListedPort(Record):
    """A TCP port that a live command serves, as it is now."""

    port: int
    session_id: int  # what `write_stdin` takes
    command: str  # without the shell around it
    network: Literal["own", "host"]  # on whose loopback; what is on the host's needs no showing
    host_port: int | None  # where `Runtime.show_port` shows it on this host


class ShownPort:
    """A port of a live command on this host's loopback, until `close`, the command's end, or the session's."""

    def __init__(self, wish: PortWish, session_id: int) -> None:
        self.port = wish.port  # inside
        self.host_port = wish.host_port
        self.session_id = session_id
        self._changing = allocate_lock()
        self._served: ServedPort | None = None
        self.closed = False

    @property
    def url(self) -> str:
        return address(self.host_port)

    def close(self) -> None:
        """No connection is let in any more, and those that are open are cut off. May be repeated."""
        with self._changing:
            self.closed = True
            served, self._served = self._served, None
        if served is not None:
            served.close()

    def begin(self, served: ServedPort) -> bool:
        """It is shown from now on; False, and it is not, when it was closed meanwhile."""
        with self._changing:
            if not self.closed:
                self._served = served
                return True
        served.close()
        return False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<ShownPort {self.port} {'closed' if self.closed else f'at {self.url}'}>"


class SessionPorts:
    """May be used from any thread."""

    def __init__(self, table: TerminalTable) -> None:
        self._table = table
        self._shown: list[ShownPort] = []
        self._changing = allocate_lock()

    def listed(self) -> tuple[ListedPort, ...]:
        """By command, oldest first, then by port."""
        return tuple([self._listed(terminal, port, pid) for terminal, port, pid in self._serving()])

    def show(self, port: int, host_port: int | None) -> ShownPort:
        """Raises RequestError for what cannot be shown, PortUnavailable where this host does not let us."""
        wish = usable(PortWish(checked_port(port), checked_port(port if host_port is None else host_port)), as_argument)
        terminal, pid = self._server_of(wish.port)
        helper, missing = find_helper()
        if helper is None:
            raise PortUnavailable(f"cannot show port {port}", why=missing)
        shown = self._reserve(wish, terminal.identity.terminal_id)
        try:
            self._begin(shown, wish, helper, terminal, pid)
        except BaseException:
            shown.close()
            raise
        return shown

    def ended(self, session_id: int) -> None:
        """What this command served is not shown any more."""
        for each in self._taken():
            if each.session_id == session_id:
                each.close()

    def close(self) -> None:
        """Nothing is shown any more."""
        for each in self._taken():
            each.close()

    def _listed(self, terminal: Terminal, port: int, pid: int) -> ListedPort:
        shown = next((each.host_port for each in self._taken() if each.port == port), None)
        identity = terminal.identity
        own = has_own_network(pid)
        return ListedPort(
            port,
            identity.terminal_id,
            display(identity.command.argv),
            "own" if own else "host",
            shown if own else None,
        )

    def _serving(self) -> list[tuple[Terminal, int, int]]:
        """Command, port, and a process that listens on it."""
        alive = [each for each in self._table.terminals() if not each.exited]
        return [
            (terminal, port, pid)
            for terminal in alive
            for port, pid in sorted(
                {port: pid for pid in processes_of(terminal) for port in listening_ports((pid,))}.items()
            )
        ]

    def _server_of(self, port: int) -> tuple[Terminal, int]:
        serving = self._serving()
        found = [(terminal, pid) for terminal, served, pid in serving if served == port]
        own = [each for each in found if has_own_network(each[1])]
        if own:
            return own[0]
        if found:
            raise needs_no_relay(port)
        ports = sorted({served for _, served, _ in serving})
        why = f"they serve {', '.join(map(str, ports))}" if ports else "none of them serves any port"
        raise RequestError(f"no live command of this session serves port {port}", why=why)

    def _reserve(self, wish: PortWish, session_id: int) -> ShownPort:
        with self._changing:
            self._shown = [each for each in self._shown if not each.closed]
            for each in self._shown:
                if each.port == wish.port:
                    raise RequestError(
                        f"port {wish.port} is already shown at {each.url}", hint="`close` what shows it first"
                    )
            if len(self._shown) >= SHOWN_MAX:
                raise RequestError(f"{SHOWN_MAX} ports are shown already", why="no session shows more at one time")
            shown = ShownPort(wish, session_id)
            self._shown.append(shown)
            return shown

    def _begin(self, shown: ShownPort, wish: PortWish, helper: str, terminal: Terminal, pid: int) -> None:
        network = _network_of(terminal, pid)
        ended = PortUnavailable(f"cannot show port {wish.port}", why="its command has ended")
        if network is None:
            raise ended
        try:
            served = relay(helper, network, wish, as_argument)
        finally:
            for fd in network:
                os.close(fd)
        if not shown.begin(served):
            raise ended

    def _taken(self) -> tuple[ShownPort, ...]:
        with self._changing:
            return tuple([each for each in self._shown if not each.closed])


def processes_of(terminal: Terminal) -> tuple[int, ...]:
    """Of a live command: what it hangs on, and everything below."""
    return (terminal.pid, *descendants(terminal.pid))


def has_own_network(pid: int) -> bool:
    """Not the host's; False of a process that has gone."""
    try:
        return os.stat(f"/proc/{pid}/ns/net").st_ino != os.stat("/proc/self/ns/net").st_ino
    except OSError:
        return False


def checked_port(port: int) -> int:
    """A number that a port can have. Raises RequestError."""
    if isinstance(port, int) and not isinstance(port, bool) and 0 < port <= PORT_MAX:
        return port
    raise RequestError(f"`{port!r}` is no port", why=f"a number from 1 to {PORT_MAX} is wanted")


def as_argument(wish: PortWish) -> str:
    """Another place for a port, as it is asked for here."""
    return f"host_port={wish.host_port}"


def _network_of(terminal: Terminal, pid: int) -> Parts | None:
    """None when the process is not one of this command's any more; its number may be another's."""
    try:
        network = network_of(pid)
    except OSError:
        return None
    if not terminal.exited and pid in processes_of(terminal):
        return network
    for fd in network:
        os.close(fd)
    return None
