"""Which other sandbox serves the port at which a command found no server: `sandgate run` twice is two loopbacks.

The other one may be another project's, so nothing of it is told but that it is there.
"""

from __future__ import annotations

from sandgate.kernel.sandboxes import sandboxes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

ADDRESSES_SAID_MAX = 3


def served_elsewhere(sought: Iterable[str]) -> str:
    """One sentence about those of these addresses, each with its port, that another sandbox serves; "" for none."""
    ports = {port for each in sandboxes() if each.own_network for port in each.ports}
    found = [address for address in sought if _port_of(address) in ports][:ADDRESSES_SAID_MAX]
    if not found:
        return ""
    shown = _port_of(found[0])
    return (
        f"another sandboxed command serves {' and '.join(found)} on a loopback of its own, and each `sandgate run` has "
        f"one: start both in one command, or show the port on this machine's with `sandgate ports serve {shown}`"
    )


def _port_of(address: str) -> int:
    return int(address.rpartition(":")[2])
