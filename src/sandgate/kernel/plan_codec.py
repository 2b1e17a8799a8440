"""The two languages spoken with the helper: a plan as bytes, and its packets as values. Pure.

The other ends are native/plan.c and native/report.c. A plan is a magic, its whole length, a CRC-32 of what
follows, then records of tag, length and bytes; all little endian; a text ends with a zero byte. The layout is
private to one build of Sandgate: both sides are always of the same version.
"""

from __future__ import annotations

import errno
from os import fsdecode, fsencode, major, minor
from sys import hash_info

from sandgate.errors import RequestError
from sandgate.kernel.child import Ended, ended_from
from sandgate.kernel.grant_codec import encoded_grants
from sandgate.kernel.number_rows import NumberRow
from sandgate.protocol.confinement import ExecFailure, SetupFailure
from sandgate.protocol.denials import Refused
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Literal, TypeAlias

    from sandgate.protocol.bindings import Bound, Identity
    from sandgate.protocol.confinement import ConfinedCommand, Limits, Mount, MountKind, Overlay
    from sandgate.protocol.denials import Layer, Operation
    from sandgate.protocol.held_calls import HeldCall, PerformedCall
    from sandgate.protocol.permissions import EffectivePermissions

    Switch = Literal["seccomp", "net", "landlock", "notify"]
    Packet: TypeAlias = "Finished | NotStarted | Refused | HeldCall | LetGo | PerformedCall"

MAGIC = b"SGPLAN2\0"
PLAN_BYTES_MAX = 16 << 20  # plan.h
PACKET_BYTES_MAX = 16 << 10  # report.c

_HEADER = NumberRow(4, 8)  # behind the magic: bytes in all, the records as one number modulo 2 ** 61 - 1
_PRIME = (1 << 61) - 1
_NUMBER = NumberRow(4)
_PAIR = NumberRow(4, 4)
_LIMIT_VALUE = NumberRow(4, 8)
_HOST_VALUE = NumberRow(2, 2)
_ADDRESS_BYTES = 16  # behind it; of an older address the first four
_EXPECTED_HEAD = NumberRow(4, 4, 4, 8, 8)  # kind, major and minor number of the device, inode, last change
_REFUSED_HEAD = NumberRow(4, 4, 4, 4, 4, 4)
_EXCLUSIVE, _DATAGRAMS = 1, 2  # enum manner of native/report.h
_FINISHED_HEAD = NumberRow(4, 4, 4, 4)
_EXEC_FAILED_HEAD = NumberRow(4, 4, 4)
_PERFORMED_HEAD = NumberRow(4, 4, 4)

ARG, ENV, CWD, MOUNT, FLAGS, LIMIT, ABSENT, SOCKET, HOST, EXPECTED, SOURCE, OVERLAY, CONTENT, GRANT = range(1, 15)
FINISHED, REFUSED, SETUP_FAILED, EXEC_FAILED, SERVING, HELD, LET_GO, PERFORMED = range(1, 9)
KILL, SIGNAL, PREPARE, PLAN, NETWORK, SERVE = range(1, 7)
STOP_HOLDING, BEGIN, LAYERS_OF_SESSION = 8, 9, 10  # 7 is in `grant_codec`
# Bits of PLAN's argument: the command runs when BEGIN has come, which is the next message then; the two descriptors of
# LAYERS_OF_SESSION come with a message before that.
WAITS, LENT_LAYERS = 1, 2
EMPTY_NETWORK, LENT_NETWORK = 1, 2  # bits of PREPARE's argument
# Further up in it: how many empty directories, and files, the next plan will hide things with (enum preparation).
_DIRECTORIES_SHIFT, _FILES_SHIFT, _COVERS_MAX = 8, 16, 64

_MOUNT_KINDS: dict[MountKind, int] = {
    "write": 0,
    "read": 1,
    "hide_directory": 2,
    "hide_directory_with_openings": 3,
    "hide_file": 4,
    "overlay": 5,
}
_DIRECTORY, _PROGRAM, _PROGRAM_BY_DESCRIPTOR, _FILE = range(4)  # enum expected_kind of plan.h
_NETWORK_OFF, _REPORT, _TTY, _CASE_INSENSITIVE, _HOLDS_CALLS = 1, 2, 4, 8, 16
_SWITCHED_OFF: dict[Switch, int] = {"seccomp": 0x100, "net": 0x200, "landlock": 0x400, "notify": 0x800}

# <asm-generic/resource.h>
_RLIMIT_FSIZE, _RLIMIT_CORE, _RLIMIT_NPROC, _RLIMIT_NOFILE, _RLIMIT_AS = 1, 4, 6, 7, 9
# <linux/socket.h>
_AF_INET, _AF_INET6 = 2, 10

_OPERATIONS: tuple[Operation, ...] = (
    "write",
    "create",
    "delete",
    "rename",
    "metadata",
    "connect",
    "bind",
    "lock",
    "other",
    "unserved",
    "listens",
)
_REFUSING: tuple[Layer, ...] = ("mount", "landlock", "seccomp", "network")

_LACKS = ("weak_proc", "brief_overlay", "no_overlay", "outdated_loan")
LAYERS = ("userns", "mount", "pid", "ipc", "net", "seccomp", "landlock", "notify", *_LACKS)
"""What a sandbox can consist of, in the order of the bits. The lacks: foreign command lines show; an overlay of
the plan ends with the command; the places of one are read-only; a mount that the session keeps was not used."""


class Finished(Record):
    """The helper's last word on a command that ran."""

    ended: Ended
    layers: tuple[str, ...] = ()
    refused_omitted: int = 0
    performed_omitted: int = 0


class LetGo(Record):
    """The caller of a held call is gone."""

    number: int


class NotStarted(Record):
    """The helper's last word on a command that did not run."""

    failure: SetupFailure | ExecFailure
    layers: tuple[str, ...] = ()


def encode(plan: ConfinedCommand, *, without: Iterable[Switch] = ()) -> bytes:
    """The plan for native/plan.c. `without` switches layers off, for tests that prove one of the others alone.

    Raises RequestError for what has no encoding: a zero byte in a text, a host that is not `address:port`.
    """
    records = _text_records(ARG, plan.argv)
    records.append(_environment(tuple(plan.env.items())))
    records += _text_records(CWD, (plan.cwd,))
    records.append(_record(FLAGS, _NUMBER.pack(_flags(plan, without))))
    records += [_record(LIMIT, _LIMIT_VALUE.pack(*limit)) for limit in _limits(plan.limits)]
    if plan.bound is not None:
        records += _expected(plan.bound)
    records += [_record(GRANT, grant) for grant in encoded_grants(plan.supervised_grants)]
    own, (places, places_remain) = b"".join(records), _paths(plan.mounts, plan.overlays, plan.permissions)
    length = len(MAGIC) + _HEADER.size + len(own) + len(places)
    if length > PLAN_BYTES_MAX:
        raise RequestError("the command is too long", why=f"with its environment it exceeds {PLAN_BYTES_MAX} bytes")
    remain = (remainder_of(own) + places_remain * pow(2, 8 * len(own), _PRIME)) % _PRIME
    return MAGIC + _HEADER.pack(length, remain) + own + places


_last_environment: tuple[tuple[tuple[str, str], ...], bytes] = (), b""


def _environment(variables: tuple[tuple[str, str], ...]) -> bytes:
    """Kept, since the next command mostly has the same."""
    global _last_environment
    last = _last_environment
    if last[0] != variables:
        encoded = b"".join(_text_records(ENV, [f"{name}={value}" for name, value in variables]))
        last = _last_environment = variables, encoded
    return last[1]


def remainder_of(records: bytes) -> int:
    """As one number, little endian, modulo the prime; on 64 bits Python takes that for its hash of a number."""
    number = int.from_bytes(records, "little")
    return hash(number) if hash_info.modulus == _PRIME else number % _PRIME


_RECENT_MAX = 16  # plans; a process may have as many sessions at work before one of them is encoded anew
_recent: dict[tuple[int, ...], tuple[tuple[object, ...], tuple[bytes, int]]] = {}


def covers_of(mounts: tuple[Mount, ...]) -> int:
    """Bits of PREPARE's argument: as many empty things as these mounts hide others with."""
    kinds = [each.kind for each in mounts if each.content is None]
    directories, files = (min(kinds.count(kind), _COVERS_MAX) for kind in ("hide_directory", "hide_file"))
    return directories << _DIRECTORIES_SHIFT | files << _FILES_SHIFT


def _paths(
    mounts: tuple[Mount, ...], overlays: tuple[Overlay, ...], permissions: EffectivePermissions
) -> tuple[bytes, int]:
    """What is said of places, and its remainder; kept, since the next command mostly has the same."""
    key = id(mounts), id(overlays), id(permissions)  # no other objects have these numbers while we keep the three
    last = _recent.get(key)
    if last is not None:
        return last[1]
    kinds = [_MOUNT_KINDS[each.kind].to_bytes(4, "little") for each in mounts]
    paths = _encoded([each.path for each in mounts])
    records = [_record(MOUNT, kind + path + b"\0") for kind, path in zip(kinds, paths, strict=True)]
    for at, mount in enumerate(mounts):
        if mount.source:
            records[at] += _text_records(SOURCE, (mount.source,))[0]
        if mount.content is not None:
            records[at] += _record(CONTENT, mount.content)
    records += [_record(OVERLAY, b"".join(path + b"\0" for path in _encoded(_directories(one)))) for one in overlays]
    records += _text_records(ABSENT, permissions.absent)
    records += _text_records(SOCKET, permissions.sockets)
    records += [_record(HOST, _host(host)) for host in permissions.hosts]
    whole = b"".join(records)
    encoded = whole, remainder_of(whole)
    while len(_recent) >= _RECENT_MAX:
        _recent.pop(next(iter(_recent)), None)
    _recent[key] = (mounts, overlays, permissions), encoded
    return encoded


def _directories(overlay: Overlay) -> tuple[str, ...]:
    return overlay.lower, overlay.upper, overlay.work, overlay.lent


def _expected(bound: Bound) -> list[bytes]:
    """What the helper compares before the program starts; an empty path where the plan names the object already."""
    program = _PROGRAM_BY_DESCRIPTOR if bound.by_descriptor else _PROGRAM
    objects = [(_DIRECTORY, "", bound.directory), (program, "", bound.program)]
    objects += [(_FILE, path, identity) for path, identity in bound.files]
    return [
        _record(EXPECTED, _EXPECTED_HEAD.pack(kind, *_numbers(identity)) + _encoded([path])[0] + b"\0")
        for kind, path, identity in objects
        if identity is not None
    ]


def _numbers(identity: Identity) -> tuple[int, int, int, int]:
    return major(identity.device), minor(identity.device), identity.inode, identity.changed_ns


def request(kind: int, number: int = 0) -> bytes:
    """What we ask a helper: PREPARE, then PLAN with descriptors, BEGIN if that waits, then KILL or SIGNAL (which); or
    NETWORK alone."""
    return _PAIR.pack(kind, number)


def decode(packet: bytes) -> Packet:
    """One packet of the helper. Raises ValueError when it is none."""
    try:
        (kind,) = _NUMBER.unpack_from(packet)
        return _READERS[kind](packet[_NUMBER.size :])
    except (IndexError, KeyError, ValueError) as problem:
        raise ValueError(f"not a packet of the helper: {packet[:64]!r}") from problem


def _record(tag: int, value: bytes) -> bytes:
    return (len(value) << 32 | tag).to_bytes(8, "little") + value


def _text_records(tag: int, texts: Sequence[str]) -> list[bytes]:
    return [(len(value) + 1 << 32 | tag).to_bytes(8, "little") + value + b"\0" for value in _encoded(texts)]


def _encoded(texts: Sequence[str]) -> list[bytes]:
    """The texts as the kernel takes them, encoded in one go: there are about a hundred in a plan."""
    if not texts:
        return []
    values = fsencode("\0".join(texts)).split(b"\0")
    if len(values) != len(texts):
        culprit = next(text for text in texts if "\0" in text)
        raise RequestError("cannot pass a zero byte to a command", why=f"it is in {culprit!r}")
    return values


def _flags(plan: ConfinedCommand, without: Iterable[Switch]) -> int:
    flags = _NETWORK_OFF if plan.permissions.network == "off" else 0
    flags |= _REPORT if plan.report == "report" else 0
    flags |= _TTY if plan.tty else 0
    flags |= _CASE_INSENSITIVE if plan.permissions.case_insensitive else 0
    flags |= _HOLDS_CALLS if plan.holds_calls else 0
    for switch in without:
        flags |= _SWITCHED_OFF[switch]
    return flags


def _limits(limits: Limits) -> list[tuple[int, int]]:
    wanted = (
        (_RLIMIT_CORE, limits.core_bytes),
        (_RLIMIT_NOFILE, limits.open_files),
        (_RLIMIT_NPROC, limits.processes),
        (_RLIMIT_FSIZE, limits.file_bytes),
        (_RLIMIT_AS, limits.memory_bytes),
    )
    return [(resource, value) for resource, value in wanted if value is not None]


PORT_MAX = 65_535


def _host(host: str) -> bytes:
    """`10.0.0.1:443` or `[fd00::1]:443` as native/plan.c reads it."""
    from _socket import inet_pton

    address, _, port = host.rpartition(":")
    bracketed = address[:1] == "[" and address[-1:] == "]"
    family = _AF_INET6 if bracketed else _AF_INET
    try:
        # `int` alone takes signs, blanks, underscores and other scripts' digits.
        if not (port.isascii() and port.isdigit() and 0 < int(port) <= PORT_MAX):
            raise ValueError(port)
        where = inet_pton(family, address[1:-1] if bracketed else address)
        return _HOST_VALUE.pack(family, int(port)) + where.ljust(_ADDRESS_BYTES, b"\0")
    except (OSError, ValueError) as problem:
        raise RequestError(f"cannot grant the host `{host}`", why="it is not numeric `address:port`") from problem


def _finished(body: bytes) -> Finished:
    status, layers, omitted, performed_omitted = _FINISHED_HEAD.unpack(body)
    return Finished(ended_from(status), _layers(layers), omitted, performed_omitted)


def _refused(body: bytes) -> Refused:
    return _refusal(body[: _REFUSED_HEAD.size], _texts(body[_REFUSED_HEAD.size :]))


def _refusal(head: bytes, texts: Sequence[str]) -> Refused:
    operation, layer, code, pid, host_allows, manner = _REFUSED_HEAD.unpack(head)
    syscall, path, address, program = texts
    if syscall[:1] == "#":
        syscall = _call_name(int(syscall[1:]))
    return Refused(
        operation=_OPERATIONS[operation],
        syscall=syscall,
        path=path or None,
        address=address or None,
        errno=_errno_name(code),
        layer=_REFUSING[layer],
        pid=pid,
        program=program,
        host_allows=bool(host_allows),
        exclusive=bool(manner & _EXCLUSIVE),
        datagrams=bool(manner & _DATAGRAMS),
    )


def _held(body: bytes) -> HeldCall:
    from sandgate.protocol.held_calls import HeldCall

    number, texts = _NUMBER.unpack_from(body)[0], _NUMBER.size + _REFUSED_HEAD.size
    *words, other_path = _texts(body[texts:])
    return HeldCall(number, _refusal(body[_NUMBER.size : texts], words), other_path)


def _let_go(body: bytes) -> LetGo:
    return LetGo(*_NUMBER.unpack(body))


def _performed(body: bytes) -> PerformedCall:
    from sandgate.protocol.held_calls import PerformedCall

    number, operation, error = _PERFORMED_HEAD.unpack_from(body)
    path, other_path = _texts(body[_PERFORMED_HEAD.size :])
    return PerformedCall(number, _OPERATIONS[operation], path, other_path, error)


def _call_name(number: int) -> str:
    """The call of this machine with that number; the helper knows names only of those it judges."""
    from sandgate.kernel.syscalls import NUMBERS, machine

    return next((name for name, known in NUMBERS[machine()].items() if known == number), f"number {number}")


def _setup_failure(body: bytes) -> NotStarted:
    (code,) = _NUMBER.unpack_from(body)
    step = " ".join(filter(None, _texts(body[_NUMBER.size :])))
    return NotStarted(SetupFailure(step, _errno_name(code)))


def _exec_failure(body: bytes) -> NotStarted:
    code, part, layers = _EXEC_FAILED_HEAD.unpack_from(body)
    return NotStarted(ExecFailure("program" if part == 1 else "directory", _errno_name(code)), _layers(layers))


_READERS: dict[int, Callable[[bytes], Packet]] = {
    FINISHED: _finished,
    REFUSED: _refused,
    SETUP_FAILED: _setup_failure,
    EXEC_FAILED: _exec_failure,
    HELD: _held,
    LET_GO: _let_go,
    PERFORMED: _performed,
}


def _texts(area: bytes) -> list[str]:
    return [fsdecode(text) for text in area.split(b"\0")[:-1]]


def _layers(bits: int) -> tuple[str, ...]:
    return tuple([name for position, name in enumerate(LAYERS) if bits >> position & 1])


def _errno_name(code: int) -> str:
    return errno.errorcode.get(code, str(code))
