"""Looks up outside the sandbox the names that somebody gave to a command: getaddrinfo(3), as the host's programs do.

Not before the yes: a question to a name server carries the name to whoever owns it, and a name has room for a secret.
"""

from __future__ import annotations

from sandgate.policy.public_addresses import is_public
from sandgate.protocol.held_calls import FoundHost
from sandgate.protocol.permissions import names_a_host, values_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.protocol.permissions import Grant

FOUND_MAX = 16  # addresses that are kept of one name, as many as kernel/grant_codec.py tells


def names_in(grants: tuple[Grant, ...]) -> list[str]:
    """The names of hosts that are given."""
    return [value for value in values_of(grants, "host") if names_a_host(value)]


def look_up(name: str, is_closed: Callable[[str], bool] = lambda _address: False) -> FoundHost | str:
    """What it stands for now, in the host's order; or why that cannot be found out. Takes as long as the host does.

    The name opens none of its addresses that is not public, or that `is_closed`.
    """
    import _socket as socket

    try:
        found = socket.getaddrinfo(name, None, 0, socket.SOCK_STREAM, 0, socket.AI_ADDRCONFIG)
    except socket.gaierror as problem:
        is_answer = problem.errno in (socket.EAI_NONAME, socket.EAI_NODATA, socket.EAI_ADDRFAMILY)
        return FoundHost(name, ()) if is_answer else str(problem.strerror)
    except (OSError, UnicodeError) as problem:
        return str(problem)
    distinct = dict.fromkeys(str(each[4][0]).partition("%")[0] for each in found)
    addresses = tuple(distinct)[:FOUND_MAX]
    return FoundHost(name, addresses, tuple([each for each in addresses if not is_public(each) or is_closed(each)]))
