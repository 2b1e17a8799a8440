"""What the helper's supervisor may carry out beyond the view, as bytes: in a plan, and in an answer later on.

The other ends are native/plan.c and native/orders.c. Grants of other kinds make the view: they are not told here.
"""

from __future__ import annotations

from os import fsencode

from sandgate.errors import RequestError
from sandgate.kernel.number_rows import NumberRow
from sandgate.protocol.permissions import names_a_host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.protocol.held_calls import FoundHost
    from sandgate.protocol.permissions import Grant, GrantKind

ANSWER = 7  # enum request of native/sandbox.h
ORDER_BYTES_MAX = 16 << 10  # orders.h
FOUND_MAX = 16  # addresses of one name: dns.h
_KINDS: dict[GrantKind, int] = {"write_path": 0, "write_root": 1, "new_entry": 2, "remove": 3, "metadata": 4}
_CONNECTIONS: dict[GrantKind, int] = {"host": 5, "unix_socket": 6}  # in an answer; a plan tells them as its own
_NAME = 7  # in an answer alone
_NUMBER = NumberRow(4)
_HEAD = NumberRow(4, 4, 4)  # what we ask, the number of the call, how many grants follow


def encoded_grants(grants: Sequence[Grant]) -> list[bytes]:
    """Those of a plan that the supervisor carries out itself. Raises RequestError for a path with a zero byte."""
    return [_encoded(_KINDS[grant.kind], grant.value) for grant in grants if grant.kind in _KINDS]


def answers(number: int, grants: Sequence[Grant], hosts: Sequence[FoundHost] = ()) -> list[bytes]:
    """What we order about the held call `number`: one message, or more where the grants do not fit into one.

    Only the last names the call. Of the names of hosts among the grants those in `hosts` are told.
    """
    messages: list[bytes] = []
    parts: list[bytes] = []
    room = ORDER_BYTES_MAX - _HEAD.size
    kinds = {**_KINDS, **_CONNECTIONS}
    told = [each for each in grants if each.kind in kinds and (each.kind != "host" or not names_a_host(each.value))]
    by_name = [_encoded(_NAME, _with_addresses(each)) for each in hosts]
    for grant in [*(_encoded(kinds[each.kind], each.value) for each in told), *by_name]:
        if len(grant) > room:
            messages.append(_message(0, parts))
            parts, room = [], ORDER_BYTES_MAX - _HEAD.size
        parts.append(grant)
        room -= len(grant)
    return [*messages, _message(number, parts)]


def _message(number: int, grants: Sequence[bytes]) -> bytes:
    return _HEAD.pack(ANSWER, number, len(grants)) + b"".join(grants)


def _with_addresses(host: FoundHost) -> str:
    """As `names.c` reads it."""
    from _socket import AF_INET, AF_INET6, inet_pton

    def digits(address: str) -> str:
        packed = inet_pton(AF_INET6 if ":" in address else AF_INET, address).hex()
        return f"-{packed}" if address in host.closed else packed

    return " ".join([host.name, *map(digits, host.addresses[:FOUND_MAX])])


def _encoded(kind: int, path: str) -> bytes:
    value = fsencode(path)
    if b"\0" in value:
        raise RequestError("cannot grant a path with a zero byte", why=f"it is in {path!r}")
    return _NUMBER.pack(kind) + value.rstrip(b"/") + b"\0"
