"""Which addresses are hosts of the internet, and which are this machine, its neighbours or its keepers.

Whoever owns a name says which addresses it has, and may say `127.0.0.1` or that of a cloud's metadata. So a yes to a
name is about public addresses; any other is asked about by itself. Pure.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

_TRANSLATED = "64:ff9b::/96"  # RFC 6052: an IPv4 address in its last four bytes


def is_public(address: str) -> bool:
    """Of a numeric address. One that carries another one, such as `::ffff:10.0.0.1`, is what it carries."""
    from ipaddress import IPv6Address, ip_address

    found = ip_address(address)
    carried = _carried(found) if isinstance(found, IPv6Address) else None
    return _is_global(found if carried is None else carried)


def _is_global(address: IPv4Address | IPv6Address) -> bool:
    return address.is_global and not address.is_multicast


def _carried(address: IPv6Address) -> IPv4Address | None:
    """Of a mapped, a translated and a 6to4 address; Teredo's is not used any more, and is not public to us."""
    from ipaddress import IPv4Address, IPv6Network

    if address in IPv6Network(_TRANSLATED):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour
