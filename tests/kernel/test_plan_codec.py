"""The two languages of the helper, as bytes."""

import os
import struct
from collections.abc import Sequence

import pytest

from sandgate.errors import RequestError
from sandgate.kernel import plan_codec
from sandgate.kernel.child import Ended, ended_from
from sandgate.kernel.plan_codec import (
    EXEC_FAILED,
    FINISHED,
    HELD,
    LET_GO,
    MAGIC,
    PERFORMED,
    REFUSED,
    SETUP_FAILED,
    Finished,
    LetGo,
    NotStarted,
    decode,
    encode,
)
from sandgate.protocol.bindings import Bound, Identity
from sandgate.protocol.confinement import ConfinedCommand, ExecFailure, Limits, Mount, Overlay, SetupFailure
from sandgate.protocol.denials import Refused
from sandgate.protocol.held_calls import HeldCall, PerformedCall
from sandgate.protocol.permissions import EffectivePermissions

PLAN = ConfinedCommand(
    backend="namespace",
    argv=("echo", "a\udcff"),
    cwd="/work",
    env={"K": "v"},
    permissions=EffectivePermissions(
        absent=("/repo/.git",), sockets=("/run/s",), hosts=("10.0.0.1:443", "[fd00::1]:80")
    ),
    mounts=(Mount("write", "/work"), Mount("hide_file", "/etc/shadow")),
    limits=Limits(core_bytes=0, open_files=64),
    tty=True,
)


def records(plan: bytes) -> list[tuple[int, bytes]]:
    found, at = [], 20
    while at < len(plan):
        tag, length = struct.unpack_from("<II", plan, at)
        found.append((tag, plan[at + 8 : at + 8 + length]))
        at += 8 + length
    return found


def test_an_environment_is_encoded_once_and_another_one_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[list[str]] = []
    encode_texts = plan_codec._encoded

    def counted(texts: Sequence[str]) -> list[bytes]:
        encoded.append(list(texts))
        return encode_texts(texts)

    monkeypatch.setattr(plan_codec, "_encoded", counted)
    for env in ({"A": "1", "B": "2"}, {"A": "1", "B": "2"}, {"A": "1", "B": "3"}, {}):
        plan = PLAN.but(env=env)
        said = [value for tag, value in records(encode(plan)) if tag == 2]
        assert said == [f"{name}={value}".encode() + b"\0" for name, value in env.items()]
    assert encoded.count(["A=1", "B=2"]) == 1


def test_plan_becomes_one_record_for_each_fact() -> None:
    encoded = encode(PLAN)
    assert struct.unpack_from("<8sIQ", encoded) == (
        MAGIC,
        len(encoded),
        int.from_bytes(encoded[20:], "little") % (2**61 - 1),
    )
    assert records(encoded) == [
        (1, b"echo\0"),
        (1, b"a\xff\0"),
        (2, b"K=v\0"),
        (3, b"/work\0"),
        (5, struct.pack("<I", 1 | 2 | 4)),
        (6, struct.pack("<IQ", 4, 0)),
        (6, struct.pack("<IQ", 7, 64)),
        (4, b"\0\0\0\0/work\0"),
        (4, b"\4\0\0\0/etc/shadow\0"),
        (7, b"/repo/.git\0"),
        (8, b"/run/s\0"),
        (9, struct.pack("<HH16s", 2, 443, bytes([10, 0, 0, 1]))),
        (9, struct.pack("<HH16s", 10, 80, b"\xfd" + bytes(14) + b"\1")),
    ]


def test_an_overlay_is_one_record_of_three_paths_and_a_name() -> None:
    overlays = (Overlay("/home", "/kept/a", "/kept/b"), Overlay("/x", "/y", "/z", lasting=True, lent="name-1"))
    with_layers = encode(PLAN.but(mounts=(Mount("overlay", "/home/c"),), overlays=overlays))
    found = [record for tag, record in records(with_layers) if tag in (4, 12)]
    assert found == [b"\5\0\0\0/home/c\0", b"/home\0/kept/a\0/kept/b\0\0", b"/x\0/y\0/z\0name-1\0"]
    assert [tag for tag, _ in records(encode(PLAN))].count(12) == 0  # the same mounts, with other layers


def test_what_is_shown_of_a_hidden_file_follows_its_mount_as_it_is() -> None:
    mounts = (Mount("hide_file", "/home/d", content=b"one\0"), Mount("hide_file", "/e"))
    found = [record for record in records(encode(PLAN.but(mounts=mounts))) if record[0] in (4, 13)]
    assert found == [(4, b"\4\0\0\0/home/d\0"), (13, b"one\0"), (4, b"\4\0\0\0/e\0")]


def test_what_was_approved_is_one_record_for_each_object() -> None:
    bound = Bound(Identity(os.makedev(8, 3), 5), Identity(0, 6, 7), files=(("/ws/x", Identity(0, 9, 1)),))
    expected = [record for tag, record in records(encode(PLAN.but(bound=bound))) if tag == 10]
    assert expected == [
        struct.pack("<IIIQQ", 0, 8, 3, 5, 0) + b"\0",
        struct.pack("<IIIQQ", 1, 0, 0, 6, 7) + b"\0",
        struct.pack("<IIIQQ", 3, 0, 0, 9, 1) + b"/ws/x\0",
    ]
    by_descriptor = encode(PLAN.but(bound=Bound(program=Identity(0, 6), by_descriptor=True)))
    assert [record[:4] for tag, record in records(by_descriptor) if tag == 10] == [struct.pack("<I", 2)]


@pytest.mark.parametrize("host", ["example.org:443", "10.0.0.1", "10.0.0.1:99999", "[::1]", "10.0.0.1:x", ""])
def test_host_that_is_not_numeric_is_refused(host: str) -> None:
    with pytest.raises(RequestError, match="cannot grant the host"):
        encode(PLAN.but(permissions=EffectivePermissions(hosts=(host,))))


@pytest.mark.parametrize("changed", [{"argv": ("a\0b",)}, {"env": {"A": "\0"}}, {"cwd": "/\0"}])
def test_zero_byte_is_refused_before_anything_starts(changed: dict[str, object]) -> None:
    with pytest.raises(RequestError, match="zero byte"):
        encode(PLAN.but(**changed))


def test_plan_over_the_limit_is_refused() -> None:
    with pytest.raises(RequestError, match="too long"):
        encode(PLAN.but(argv=("x" * (16 << 20),)))


PACKETS = {
    "finished": (
        struct.pack("<IIIII", FINISHED, 3 << 8, 0b10000011, 2, 5),
        Finished(Ended(3, None), ("userns", "mount", "notify"), 2, 5),
    ),
    "killed": (struct.pack("<IIIII", FINISHED, 9, 0, 0, 0), Finished(Ended(137, 9))),
    "refused": (
        struct.pack("<IIIIIII", REFUSED, 0, 0, 30, 7, 1, 1) + b"openat\0/etc/x\0\0sh\0",
        Refused("write", "openat", "/etc/x", None, "EROFS", "mount", 7, "sh", True, True),
    ),
    "refused connection": (
        struct.pack("<IIIIIII", REFUSED, 5, 3, 1, 7, 0, 0) + b"connect\0\0" + b"10.0.0.1:80\0sh\0",
        Refused("connect", "connect", None, "10.0.0.1:80", "EPERM", "network", 7, "sh", False),
    ),
    "held rename": (
        struct.pack("<IIIIIIII", HELD, 9, 3, 0, 30, 7, 1, 0) + b"rename\0/etc/x\0\0mv\0/etc/y\0",
        HeldCall(9, Refused("rename", "rename", "/etc/x", None, "EROFS", "mount", 7, "mv"), "/etc/y"),
    ),
    "let go": (struct.pack("<II", LET_GO, 9), LetGo(9)),
    "performed": (
        struct.pack("<IIII", PERFORMED, 9, 1, 17) + b"/etc/\xff\0\0",
        PerformedCall(9, "create", "/etc/\udcff", "", 17),
    ),
    "setup failed": (
        struct.pack("<II", SETUP_FAILED, 40) + b"clone\0/a b\0",
        NotStarted(SetupFailure("clone /a b", "ELOOP")),
    ),
    "exec failed": (
        struct.pack("<IIII", EXEC_FAILED, 2, 1, 1),
        NotStarted(ExecFailure("program", "ENOENT"), ("userns",)),
    ),
    "directory missing": (
        struct.pack("<IIII", EXEC_FAILED, 13, 2, 0),
        NotStarted(ExecFailure("directory", "EACCES")),
    ),
}


@pytest.mark.parametrize("name", PACKETS)
def test_packet_becomes_a_value(name: str) -> None:
    packet, value = PACKETS[name]
    assert decode(packet) == value


@pytest.mark.parametrize(
    "packet", [b"", b"\1", b"\1\0\0\0", b"\2\0\0\0" + bytes(20), struct.pack("<I", 99), b"\xff" * 40]
)
def test_packet_of_another_language_is_an_error(packet: bytes) -> None:
    with pytest.raises(ValueError, match="not a packet"):
        decode(packet)


def test_wait_status_is_read_as_wait_gives_it() -> None:
    assert [ended_from(status) for status in (0, 5 << 8, 15, 11 | 0x80)] == [
        Ended(0, None),
        Ended(5, None),
        Ended(143, 15),
        Ended(139, 11),
    ]
