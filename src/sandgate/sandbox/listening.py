"""The names that Unix sockets listen under in our network namespace, as the kernel lists them.  proc(5), unix(7)"""

from __future__ import annotations

import os

from sandgate.sandbox.file_bytes import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

SOCKET_TABLE = "/proc/net/unix"
LISTED_BYTES_MAX = 4 << 20  # of the table; about 40 000 sockets
NAME_BYTES_MAX = 108  # unix(7), sun_path

# Its field 3: flags. __SO_ACCEPTCON marks a listening socket.
_ACCEPTS = "00010000"
# field 4: type. A datagram socket receives without listening.
_DATAGRAM = "0002"
_HEX_DIGITS = "0123456789abcdefABCDEF"


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
