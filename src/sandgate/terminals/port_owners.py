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

    from sandgate.protocol.confinement import ConfinedCommand
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
        f"command {each.identity.terminal_id} `{_shown(each.identity.command.argv)}` listens on "
        f"{', '.join(map(str, known))}"
        for each, known in served.items()
        if known and each is not seeker
    ]
    if not missed or not others:
        return ""
    left = len(others) - SERVERS_SAID_MAX
    said = [*others[:SERVERS_SAID_MAX], *([f"{left} more serve others"] if left > 0 else [])]
    return f"nothing listens on {' or '.join(missed[:ADDRESSES_SAID_MAX])} here; {'; '.join(said)}"


def served_before(server: str, sought: Iterable[str]) -> str:
    """One sentence: where no server was met, and that `server`, a command that has listened, is over; "" without one.

    Its servers may be what is missed: whoever puts one in the background of a call loses it with the end of the call.
    """
    missed = tuple(sought)[:ADDRESSES_SAID_MAX]
    if not server or not missed:
        return ""
    return (
        f"nothing listens on {' or '.join(missed)} here; `{server}` has listened on a port and is over, and what a "
        "command left in the background ends with it: a server stays up as a command of its own, without `&`"
    )


def server_words(plan: ConfinedCommand) -> str:
    """What a command on the session's own loopback is called once it is over; "" for another."""
    return _shown(plan.argv) if _is_on_loopback(plan) else ""


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
    return not terminal.exited and _is_on_loopback(terminal.identity.plan)


def _is_on_loopback(plan: ConfinedCommand) -> bool:
    return plan.backend == "namespace" and plan.permissions.network == "off"


def _port_of(address: str) -> int:
    return int(address.rpartition(":")[2])


def _shown(argv: tuple[str, ...]) -> str:
    return one_line(display(argv), limit=COMMAND_SAID_CHARS)
