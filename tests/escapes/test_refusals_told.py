"""Whatever is refused is told, with what was wanted: the command's own errno says little, and often the wrong thing."""

import errno
import os
import socket
from pathlib import Path

import pytest

from support.escape.escape_stage import BOTH_BACKENDS, Ran, Stage

CONNECT = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])"


def told(ran: Ran) -> list[tuple[object, ...]]:
    both = zip(ran.denials, ran.explained, strict=True)
    return [(operation, more["what"], place, more["errno"]) for (operation, place, _), more in both]


@BOTH_BACKENDS
@pytest.mark.parametrize("place", ["outside", "home", "repo"])
def test_a_socket_of_the_host_is_told_wherever_it_lies(stage: Stage, backend: str, place: str) -> None:
    path = getattr(stage, place) / "service"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        stage.own()
        os.chmod(path, 0o777)
        ran = stage.confined(stage.script(CONNECT, path), backend=backend)
        assert ran.verdict == "denied", ran.said
        ((operation, _, grant),) = ran.denials
        assert (operation, grant) == ("connect", ["unix_socket", str(path)])
        granted = stage.confined(stage.script(CONNECT, path), backend=backend, grants=[("unix_socket", str(path))])
        assert granted.exit_code == 0, granted.said


@pytest.mark.host("namespace")
def test_a_file_that_is_no_socket_on_the_host_either_is_not_told(stage: Stage) -> None:
    (stage.repo / "plain").write_text("text")
    stage.own()
    ran = stage.confined(stage.script(CONNECT, stage.repo / "plain"))
    assert ("ConnectionRefusedError" in ran.said, ran.denials) == (True, [])


RESOLVED_BY_HAND = """
import os, socket, struct, sys
name = b"".join(bytes([len(label)]) + label for label in sys.argv[1].encode().split(b".")) + bytes(1)
question = struct.pack(">6H", 77, 256, 1, 0, 0, 0) + name + struct.pack(">2H", 1, 1)
asking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
if sys.argv[2] == "sendto":
    asking.sendto(question, ("192.0.2.53", 53))
asking.connect(("192.0.2.53", 53))
asking.send(question if sys.argv[2] == "send" else b"not a question")
asking.send(question if sys.argv[2] == "send" else b"not a question")  # nothing dies of SIGPIPE
assert asking.recv(512) == b""
sys.exit(3)
"""


@pytest.mark.host("namespace")
def test_a_name_that_cannot_be_looked_up_is_told(stage: Stage) -> None:
    ran = stage.confined(stage.script(RESOLVED_BY_HAND, "registry.example.test", "send"))
    assert ran.exit_code == 3, ran.said
    assert told(ran) == [("connect", "", "registry.example.test", "EPERM")]
    assert ran.denials[0][2] == ["host", "*"]


@pytest.mark.host("namespace")
def test_a_question_to_a_server_that_is_not_connected_is_told(stage: Stage) -> None:
    ran = stage.confined(stage.script(RESOLVED_BY_HAND, "registry.example.test", "sendto"))
    assert told(ran) == [("connect", "", "registry.example.test", "EPERM")]


@pytest.mark.host("namespace")
def test_what_is_no_question_is_told_by_the_servers_address(stage: Stage) -> None:
    ran = stage.confined(stage.script(RESOLVED_BY_HAND, "x", "other"))
    assert (ran.exit_code, told(ran)) == (3, [("connect", "", "192.0.2.53:53", "EPERM")])


ASKING = """
import errno, os, socket, sys
asking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
asking.connect(("192.0.2.53", 53))
there = sys.argv[1]
def as_unix():
    return socket.socket(fileno=os.dup(asking.fileno()), family=socket.AF_UNIX, type=socket.SOCK_SEQPACKET)
for what in (
    lambda: asking.sendmsg([b"x"], [], 0, there),
    lambda: as_unix().connect(there),
    lambda: as_unix().bind("\\0mine"),
):
    try:
        what()
        print("done")
    except (OSError, TypeError) as problem:
        print(type(problem).__name__)
"""


@pytest.mark.host("namespace")
def test_the_end_that_a_resolver_gets_reaches_nothing_else(stage: Stage) -> None:
    """Required: it is a unix socket, and the supervisor's; no path or abstract name may be reached with it."""
    path = stage.outside / "service"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind(str(path))
        stage.own()
        os.chmod(path, 0o777)
        stage.confined(stage.script(ASKING, path))
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.recv(1)


CALLS: dict[str, tuple[str, str]] = {
    "a unix datagram socket": ("import socket; socket.socket(1, 2)", ""),
    "unshare": (
        "import ctypes, os, sys; l = ctypes.CDLL(None, use_errno=True);"
        "sys.exit(l.unshare(0x10000000) and ctypes.get_errno())",
        "",
    ),
    "set-id bits on": ("import os; os.close(os.open('made', 64)); os.chmod('made', 0o4755)", "made"),
    "mount": (
        "import ctypes, os, sys; l = ctypes.CDLL(None, use_errno=True);"
        "sys.exit(l.mount(b'a', b'/', b'tmpfs', 0, 0) and ctypes.get_errno())",
        "",
    ),
}


@BOTH_BACKENDS
@pytest.mark.parametrize("what", CALLS)
def test_a_call_that_the_filter_answers_is_told_and_never_asked_about(stage: Stage, backend: str, what: str) -> None:
    code, name = CALLS[what]
    ran = stage.confined(stage.script(code), backend=backend)
    assert ran.exit_code != 0
    assert told(ran) == [("other", what, str(stage.repo / name) if name else None, "EPERM")]
    assert ran.verdict == "denied"
    assert ran.denials[0][2] is None
    assert ran.explained[0]["why"]
    made = Path(stage.repo / "made")
    assert not made.exists() or not made.stat().st_mode & 0o6000


@BOTH_BACKENDS
def test_a_command_that_copes_with_such_a_call_was_denied_nothing(stage: Stage, backend: str) -> None:
    code = "import socket\ntry: socket.socket(1, 2)\nexcept OSError: pass"
    assert stage.confined(stage.script(code), backend=backend).verdict == "not_denied"


@BOTH_BACKENDS
@pytest.mark.parametrize("call", ["creat", "open", "openat", "mknodat", "fchmod", "chmod", "fchmodat"])
def test_no_way_to_a_set_id_file_continues(stage: Stage, backend: str, call: str) -> None:
    """Required: the filter leaves the refusing to the supervisor, which must know each of these."""
    code = f"""
import ctypes, os
libc, call = ctypes.CDLL(None), {call!r}
x86 = os.uname().machine == "x86_64"
for name in ("seen", "made"):
    mode = 0o644 if name == "seen" else 0o4755
    path, fd = (os.fsencode(name), -100)
    if call == "openat": libc.syscall(257 if x86 else 56, fd, path, 0o101, mode)
    elif call == "mknodat": libc.syscall(259 if x86 else 33, fd, path, mode | 0o100000, 0)
    elif call == "creat" and x86: libc.syscall(85, path, mode)
    elif call == "open" and x86: libc.syscall(2, path, 0o101, mode)
    else:
        held = os.open(path, os.O_CREAT | os.O_WRONLY, 0o644)
        if call == "fchmod": libc.syscall(91 if x86 else 52, held, mode)
        elif call == "fchmodat": libc.syscall(268 if x86 else 53, fd, path, mode)
        else: libc.syscall(90, path, mode) if x86 else None
"""
    stage.own()
    ran = stage.confined(stage.script(code), backend=backend)
    assert (stage.repo / "seen").exists(), ran.said
    assert [path.name for path in stage.repo.iterdir() if path.stat().st_mode & 0o6000] == []
    assert [each["syscall"] for each in ran.explained] == [call] or os.uname().machine != "x86_64"


BY_ARGUMENT = """
import ctypes, errno, fcntl, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
NEW_USER, READ_IMPLIES_EXEC, AUDIT = 0x10000000, 0x0400000, 9
def tried(call, *arguments):
    if getattr(libc, call)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), call)
with open("own", "w") as own:
    for act in (
        lambda: tried("unshare", NEW_USER), lambda: tried("personality", READ_IMPLIES_EXEC),
        lambda: fcntl.fcntl(own.fileno(), fcntl.F_SETLEASE, fcntl.F_WRLCK), lambda: socket.socket(16, 3, AUDIT),
    ):
        try:
            act()
            print("done")
        except OSError as problem:
            print(errno.errorcode[problem.errno])
sys.exit(3)
"""


@BOTH_BACKENDS
def test_what_is_refused_by_its_arguments_is_told(stage: Stage, backend: str) -> None:
    assert "done" in stage.unconfined(stage.script(BY_ARGUMENT)).stdout
    ran = stage.confined(stage.script(BY_ARGUMENT), backend=backend)
    assert ran.stdout.split() == ["EPERM"] * 4
    wanted = ["unshare", "personality", "fcntl", "a socket of family 16, type 3"]
    assert told(ran) == [("other", what, None, "EPERM") for what in wanted]


OPENAT2 = """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
how = struct.pack("QQQ", os.O_CREAT | os.O_WRONLY, 0o644, 0)
if libc.syscall(437, -100, os.fsencode(sys.argv[1]), how, len(how)) < 0:
    sys.exit(ctypes.get_errno())
"""


@BOTH_BACKENDS
def test_a_file_opened_by_openat2_is_none_and_the_call_is_told(stage: Stage, backend: str) -> None:
    """Its arguments lie in memory that another thread may change, so it is as if the kernel did not have it."""
    made = stage.outside / "made"
    assert stage.unconfined(stage.script(OPENAT2, made)).exit_code == 0
    made.unlink()
    ran = stage.confined(stage.script(OPENAT2, made), backend=backend)
    assert (ran.exit_code, made.exists()) == (errno.ENOSYS, False)
    assert told(ran) == [("other", "openat2", None, "ENOSYS")]
    assert ran.explained[0]["why"]


BY_REGISTERS = """
import ctypes, errno, fcntl, os, signal, stat, sys
libc = ctypes.CDLL(None, use_errno=True)
def answered(act):
    try:
        act()
        print("done")
    except OSError as problem:
        print(errno.errorcode[problem.errno])
def clone():
    number = {"x86_64": 56, "aarch64": 220}[os.uname().machine]
    pid = libc.syscall(number, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    if pid < 0:
        raise OSError(ctypes.get_errno(), "clone")
    os.waitpid(pid, 0)
def flags():
    with open("own", "w") as own:
        fcntl.ioctl(own.fileno(), int(sys.argv[1]), bytearray(4096))
answered(clone)
answered(flags)
answered(lambda: os.mknod("node", stat.S_IFCHR | 0o600, os.makedev(1, 3)))
answered(lambda: os.close(os.open("made", os.O_CREAT | os.O_WRONLY, 0o4755)))
sys.exit(3)
"""

# FS_IOC_SETFLAGS, of which a view of its own leaves no more than its own files; BTRFS_IOC_SNAP_CREATE
REQUESTS = {"landlock": 0x40086602, "namespace": 0x50009401}


@BOTH_BACKENDS
def test_what_is_refused_by_registers_alone_is_told_with_its_place(stage: Stage, backend: str) -> None:
    attack = stage.script(BY_REGISTERS, str(REQUESTS[backend]))
    answers = stage.unconfined(attack).stdout.split()
    assert (answers[0], answers[3]) == ("done", "done")  # who is not root makes no devices
    for made in ("own", "node", "made"):
        (stage.repo / made).unlink(missing_ok=True)
    ran = stage.confined(attack, backend=backend)
    assert ran.stdout.split() == ["EPERM"] * 4, ran.said
    assert told(ran) == [
        ("other", "clone", None, "EPERM"),
        ("other", "ioctl", None, "EPERM"),
        ("other", "a device node or set-id bits on", str(stage.repo / "node"), "EPERM"),
        ("other", "set-id bits on", str(stage.repo / "made"), "EPERM"),
    ]
    assert sorted(path.name for path in stage.repo.iterdir()) == ["own"]
