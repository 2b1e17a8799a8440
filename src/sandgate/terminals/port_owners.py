"""Which command of a session serves which port, for one that found no server at the port it wanted.

The kernel is asked when it matters: after a connection to the session's own loopback met no server. Only commands that
share that loopback count.
"""

from __future__ import annotations

from sandgate.display import one_line
from sandgate.kernel.process_tree import descendants, listening_ports
from sandgate.terminals.live_listing import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sandgate.terminals.interfaces import Live
    from sandgate.terminals.terminal import Terminal

ADDRESSES_SAID_MAX = 3
SERVERS_SAID_MAX = 4
PORTS_SAID_MAX = 3
COMMAND_SAID_CHARS = 60


def ports_served(terminals: Iterable[Terminal]) -> dict[Terminal, tuple[int, ...]]:
    """TCP ports by command, of those on the session's own loopback."""
    return {each: listening_ports((each.pid, *descendants(each.pid))) for each in terminals if _shares_loopback(each)}


def served_instead(
    served: Mapping[Terminal, tuple[int, ...]], sought: Iterable[str], seeker: Live | None = None
) -> str:
    """One sentence: where `seeker` met no server, and which command listens elsewhere; "" where that would say nothing
    new.

    `sought` are addresses with their port; one that is served by now is left out.
    """
    ports = {port for known in served.values() for port in known}
    missed = [address for address in sought if _port_of(address) not in ports]
    others = [
        f"command {each.identity.terminal_id} `{_shown(each)}` listens on {', '.join(map(str, known))}"
        for each, known in served.items()
        if known and each is not seeker
    ]
    if not missed or not others:
        return ""
    left = len(others) - SERVERS_SAID_MAX
    said = [*others[:SERVERS_SAID_MAX], *([f"{left} more serve others"] if left > 0 else [])]
    return f"nothing listens on {' or '.join(missed[:ADDRESSES_SAID_MAX])} here; {'; '.join(said)}"


def showing(ports: tuple[int, ...]) -> str:
    """One sentence: these ports are served where no browser gets, and how a person shows them; "" for none.

    Its reader cannot do that itself: a sandboxed command neither sees other sandboxes nor enters them.
    """
    if not ports:
        return ""
    from sandgate.terminals.shown_ports import showing_command

    said = [f"`{showing_command(each)}`" for each in ports[:PORTS_SAID_MAX]]
    left = len(ports) - len(said)
    listens = ", ".join(map(str, ports[:PORTS_SAID_MAX])) + (f" and {left} more" if left else "")
    shown = f"a person shows it in a browser with {' or '.join(said)}"
    return f"it listens on {listens}, for this session's commands alone; {shown}"


def _shares_loopback(terminal: Terminal) -> bool:
    plan = terminal.identity.plan
    return not terminal.exited and plan.backend == "namespace" and plan.permissions.network == "off"


def _port_of(address: str) -> int:
    return int(address.rpartition(":")[2])


def _shown(terminal: Terminal) -> str:
    return one_line(display(terminal.identity.command.argv), limit=COMMAND_SAID_CHARS)
