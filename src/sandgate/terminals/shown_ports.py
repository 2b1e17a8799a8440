"""Shows what a sandboxed command serves to this machine, and to no other: because a person said so.

Two ways, one relay (`kernel/serving.py`): `sandgate run --serve`, from before the command starts; and `sandgate ports
serve`, from any terminal of the same user, for whatever session the command belongs to. What a model wants has no part
in either.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, closing, contextmanager
from errno import EACCES, EADDRINUSE

from sandgate.errors import PortUnavailable, RequestError
from sandgate.kernel.sandboxes import Sandbox as Sandbox
from sandgate.kernel.sandboxes import sandboxes as sandboxes
from sandgate.kernel.serving import LOOPBACK, listener_on, network_of, serve
from sandgate.record import Record
from sandgate.sandbox.backends import find_helper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sandgate.kernel.networks import EmptyNetworks, Parts
    from sandgate.kernel.serving import ServedPort
    from sandgate.protocol.confinement import ConfinedCommand

PORT_MAX = 65_535
HOST_PORT_MIN = 1_024  # below, a port stands for a service of the machine, whatever user may take it
SHOWN_MAX = 16  # ports of one command
ANOTHER_HOST_PORT = 8_000  # in a hint


class PortWish(Record):
    """A port inside, and where it is to be seen on the host."""

    port: int
    host_port: int


def port_wish(text: str) -> PortWish:
    """`PORT`, or `HOST_PORT:PORT`. Raises RequestError."""
    before, colon, after = text.rpartition(":")
    port = _number(after, text)
    return usable(PortWish(port, _number(before, text) if colon else port))


def as_option(wish: PortWish) -> str:
    """As a person types it."""
    return f"{wish.host_port}:{wish.port}" if wish.host_port != wish.port else str(wish.port)


def usable(wish: PortWish, spelled: Callable[[PortWish], str] = as_option) -> PortWish:
    """The same. Raises RequestError where the host's port is none for commands; `spelled` is for its hint."""
    if wish.host_port < HOST_PORT_MIN:
        raise RequestError(
            f"port {wish.host_port} of this host is not used for commands",
            why=f"ports below {HOST_PORT_MIN} belong to the machine's own services",
            hint=f"choose another one for it: `{spelled(PortWish(wish.port, wish.host_port + ANOTHER_HOST_PORT))}`",
        )
    return wish


def showing_command(port: int) -> str:
    """What a person types to see a port of a sandboxed command in the browser."""
    host_port = port if port >= HOST_PORT_MIN else port + ANOTHER_HOST_PORT
    return f"sandgate ports serve {as_option(PortWish(port, host_port))}"


def port_wishes(texts: tuple[str, ...]) -> tuple[PortWish, ...]:
    """The same, of all that one command shows. Raises RequestError."""
    if len(texts) > SHOWN_MAX:
        raise RequestError(f"{len(texts)} ports are too many to show", why=f"at most {SHOWN_MAX} of one command can be")
    return tuple(map(port_wish, texts))


@contextmanager
def ports_shown(
    wishes: tuple[PortWish, ...],
    plan: ConfinedCommand,
    networks: EmptyNetworks,
    helper: str | None,
    tell: Callable[[str], None],
) -> Iterator[None]:
    """Ports of the command that is about to run by this plan, for as long as the block lasts.

    Raises PortUnavailable when one cannot be shown; then nothing of it is.
    """
    with ExitStack() as stack:
        if plan.permissions.network == "on":
            for wish in wishes:
                tell(f"port {wish.port} is not relayed: this command has the host's own network")
            wishes = ()
        for wish in wishes:
            served = stack.enter_context(closing(_served(wish, plan, networks, helper)))
            stack.callback(_tell_unmet, served, tell)
            tell(f"port {wish.port} of the command is shown at {address(wish.host_port)} while it runs")
        yield


def _served(wish: PortWish, plan: ConfinedCommand, networks: EmptyNetworks, helper: str | None) -> ServedPort:
    lent = networks.lend(helper) if helper is not None and plan.backend == "namespace" else None
    if helper is None or lent is None or lent.parts is None:
        raise PortUnavailable(
            f"cannot show port {wish.port}",
            why=f"commands have no network of their own here that can be shared (backend `{plan.backend}`)",
            hint="`sandgate doctor` says what this host lacks; without `--serve` the command runs all the same",
        )
    try:
        return relay(helper, lent.parts, wish)
    finally:
        lent.give_back()


def relay(helper: str, network: Parts, wish: PortWish, spelled: Callable[[PortWish], str] = as_option) -> ServedPort:
    """Shows a port of the network until it is closed. Raises PortUnavailable; `spelled` is for its hint."""
    try:
        listener = listener_on(wish.host_port)
    except OSError as problem:
        why = {EADDRINUSE: "somebody listens there already", EACCES: "this user may not"}.get(problem.errno or 0)
        raise PortUnavailable(
            f"cannot show port {wish.port} at {LOOPBACK}:{wish.host_port}",
            why=why or problem.strerror or "unknown",
            hint=f"choose another port of this host: `{spelled(PortWish(wish.port, _another(wish.host_port)))}`",
        ) from problem
    try:
        return serve(helper, network, wish.port, listener)
    except OSError as problem:
        raise PortUnavailable(f"cannot show port {wish.port}", why=problem.strerror or str(problem)) from problem
    finally:
        listener.close()


def serving_sandbox(port: int, pid: int | None = None) -> Sandbox:
    """The one sandbox with a network of its own that serves `port`; `pid` chooses one. Raises RequestError."""
    known = sandboxes()
    own = [each for each in known if each.own_network and pid in (None, each.inside, each.supervisor)]
    found = [each for each in own if port in each.ports]
    if len(found) == 1:
        return found[0]
    if found:
        numbers = ", ".join(str(each.inside) for each in found)
        raise RequestError(f"{len(found)} commands serve port {port}", hint=f"choose one with `--pid`: {numbers}")
    if any(port in each.ports for each in known if not each.own_network):
        raise needs_no_relay(port)
    served = sorted({each for sandbox in own for each in sandbox.ports})
    why = f"they serve {', '.join(map(str, served))}" if served else "none of them serves any port"
    raise RequestError(f"no sandboxed command of this user serves port {port}", why=why)


def needs_no_relay(port: int) -> RequestError:
    """The error about a port that is on the host's loopback anyway."""
    return RequestError(f"port {port} needs no relay", why="its command has the host's own network")


@contextmanager
def shown_from_outside(wish: PortWish, sandbox: Sandbox) -> Iterator[int]:
    """The port of a command that runs, for as long as the block lasts; a descriptor that tells the command's end.

    Raises PortUnavailable.
    """
    helper, missing = find_helper()
    if helper is None:
        raise PortUnavailable(f"cannot show port {wish.port}", why=missing)
    try:
        end = os.pidfd_open(sandbox.supervisor)
        network = network_of(sandbox.inside)
    except OSError as problem:
        raise PortUnavailable(f"cannot show port {wish.port}", why="its command has ended") from problem
    try:
        with closing(relay(helper, network, wish)):
            yield end
    finally:
        for fd in (end, *network):
            os.close(fd)


def address(host_port: int) -> str:
    """What a browser takes."""
    return f"http://{LOOPBACK}:{host_port}/"


def _tell_unmet(served: ServedPort, tell: Callable[[str], None]) -> None:
    if served.met_nobody():
        tell(f"somebody asked for port {served.port}, and the command did not listen there")


def _another(host_port: int) -> int:
    return host_port + 1 if host_port < PORT_MAX else HOST_PORT_MIN


def _number(digits: str, text: str) -> int:
    if digits.isascii() and digits.isdigit() and 0 < int(digits[: len(str(PORT_MAX)) + 1]) <= PORT_MAX:
        return int(digits)
    raise RequestError(
        f"`{text}` is no port", why=f"a number from 1 to {PORT_MAX} is wanted", hint="`5173`, or `8080:5173`"
    )
