"""Sockets and files without a name: held, and nothing but what was shown is made, as root and as an ordinary user."""

import errno
import os
import socket
import stat
import subprocess
from functools import partial
from pathlib import Path

import pytest

from support.escape import held_attacks
from support.escape.escape_stage import BOTH_BACKENDS, Stage
from support.escape.held_attacks import Attack, Grants
from support.suite import sampling

pytestmark = pytest.mark.host("notify")
NAMESPACE = pytest.mark.parametrize("backend", [pytest.param("namespace", marks=pytest.mark.host("namespace"))])
LANDLOCK = pytest.mark.parametrize("backend", [pytest.param("landlock", marks=pytest.mark.host("landlock"))])

ROUNDS = 1_000  # of a turn: more than the kernel lets wait for a server's accept (net.core.somaxconn) would stand still
TURNS = 10 if sampling.full() else 1
TRIES_MAX = 50  # until an attack that needs luck is seen to work


@pytest.fixture
def attack(backend: str) -> Attack:
    return partial(held_attacks.attack, backend)


BIND = "import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])"
CALL = "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.sendall(b'escaped')"


@BOTH_BACKENDS
def test_a_socket_is_made_where_it_was_shown_or_nowhere(stage: Stage, attack: Attack) -> None:
    """Required: a directory that became a link while somebody thought leads no socket behind it."""
    directory, victim = stage.outside / "dir", stage.outside / "victim"
    for path in (directory, victim):
        path.mkdir()
    stage.own()
    script = stage.script(BIND, directory / "sock")
    exchange = (
        "os.rename(stage + '/outside/dir', stage + '/outside/gone'); os.symlink('victim', stage + '/outside/dir')"
    )
    stage.unconfined(stage.script("import os, sys; stage = sys.argv[1]; " + exchange, stage.folder))
    assert stage.unconfined(script).exit_code == 0
    assert os.listdir(victim) == ["sock"]
    (victim / "sock").unlink()
    directory.unlink()
    (stage.outside / "gone").rename(directory)
    granted: dict[Path | bytes, Grants] = {directory / "sock": [("new_entry", directory / "sock")]}
    ran = attack(stage, script, answers=granted, meanwhile=exchange)
    assert ran.exit_code != 0
    assert os.listdir(victim) == os.listdir(stage.outside / "gone") == []
    directory.unlink()
    (stage.outside / "gone").rename(directory)
    assert attack(stage, script, answers=granted).exit_code == 0
    assert stat.S_ISSOCK((directory / "sock").lstat().st_mode)


BIND_OFTEN = """
import os, socket, sys
place, rounds = sys.argv[1], int(sys.argv[2])
made = 0
for _ in range(rounds):
    with socket.socket(socket.AF_UNIX) as server:
        try:
            server.bind(place)
            made += 1
            os.unlink(place)
        except OSError:
            pass
print(made > 0)
"""


@BOTH_BACKENDS
def test_a_directory_that_flips_to_a_link_gets_no_socket_behind_it(stage: Stage, attack: Attack) -> None:
    for name in ("dir", "victim"):
        (stage.outside / name).mkdir()
    stage.own()
    flipping = stage.script(held_attacks.FLIP, stage.outside)
    often = stage.script(BIND_OFTEN, stage.outside / "dir/sock", str(TURNS * ROUNDS))
    victim = stage.outside / "victim"
    (stage.outside / "dir").rename(stage.outside / "aside")
    (stage.outside / "dir").symlink_to("victim")
    assert stage.unconfined(stage.script(BIND, stage.outside / "dir/sock")).exit_code == 0
    (victim / "sock").unlink()
    (stage.outside / "dir").unlink()
    (stage.outside / "aside").rename(stage.outside / "dir")
    before = victim.stat().st_mtime_ns
    flipper = subprocess.Popen(flipping, stdout=subprocess.PIPE, text=True)
    try:
        assert flipper.stdout is not None
        assert flipper.stdout.readline() == "flipping\n"
        given = [(kind, stage.outside / "dir/sock") for kind in ("new_entry", "remove")]
        ran = attack(stage, often, given=given)
        assert (ran.exit_code, ran.output) == (0, "True\n")
        assert (os.listdir(victim), victim.stat().st_mtime_ns) == ([], before)
    finally:
        flipper.kill()
        flipper.communicate()


@BOTH_BACKENDS
def test_a_socket_of_the_hosts_is_reached_by_its_name_alone(stage: Stage, attack: Attack) -> None:
    """Required: a yes for one socket file opens no other, and no link to another in its place."""
    servers = {}
    for name in ("shown", "other"):
        servers[name] = socket.socket(socket.AF_UNIX)
        servers[name].bind(str(stage.outside / name))
        servers[name].listen()
        servers[name].setblocking(False)
    stage.own()
    other, shown = stage.script(CALL, stage.outside / "other"), stage.script(CALL, stage.outside / "shown")
    grant = [("unix_socket", stage.outside / "shown")]
    assert stage.unconfined(other).exit_code == 0
    servers["other"].accept()[0].close()
    refused = attack(stage, other, all_answers=grant)
    assert refused.exit_code != 0
    allowed = attack(stage, shown, all_answers=grant)
    assert allowed.exit_code == 0
    servers["shown"].accept()[0].close()
    exchange = "os.unlink(stage + '/outside/shown'); os.symlink('other', stage + '/outside/shown')"
    turned = attack(stage, shown, all_answers=grant, meanwhile=exchange)
    assert turned.exit_code != 0
    with pytest.raises(BlockingIOError):
        servers["other"].accept()
    for server in servers.values():
        server.close()


REWRITE = """
import ctypes, mmap, os, signal, socket, struct, sys
call, shown, other, rounds = sys.argv[1], os.fsencode(sys.argv[2]), os.fsencode(sys.argv[3]), int(sys.argv[4])
libc, memory = ctypes.CDLL(None), mmap.mmap(-1, 4096)  # shared with whoever is born of us
memory[:2] = struct.pack("H", socket.AF_UNIX)
memory[2 : 2 + len(shown)] = shown
address = (ctypes.c_char * 4096).from_buffer(memory)
reading, writing = os.pipe()
pid = os.fork()
if not pid:
    libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: nothing is left of a run that was ended
while not pid:
    memory[2 : 2 + len(other)] = other
    if writing:
        os.write(writing, b"x")
        writing = 0
    memory[2 : 2 + len(shown)] = shown
os.read(reading, 1)
done = 0
for _ in range(rounds):
    with socket.socket(socket.AF_UNIX) as made:
        if getattr(libc, call)(made.fileno(), address, 2 + len(shown)) == 0:
            done += 1
            if call == "bind":
                os.path.exists(shown) and os.unlink(shown)
os.kill(pid, signal.SIGKILL)
print(done > 0)
"""


@BOTH_BACKENDS
@pytest.mark.parametrize("call", ["bind", "connect"])
def test_an_address_that_changes_while_it_is_judged_leads_nowhere_else(stage: Stage, attack: Attack, call: str) -> None:
    """Required: the address that is used is the one that was read, however often memory changes."""
    places = [stage.outside / name for name in ("shown", "other")]
    servers = []
    if call == "connect":
        for place in places:
            servers.append(socket.socket(socket.AF_UNIX))
            servers[-1].bind(str(place))
            servers[-1].listen(2 * ROUNDS)
            servers[-1].setblocking(False)
    stage.own()
    script = stage.script(REWRITE, call, *places, str(ROUNDS))

    def arrived(at: int) -> int:
        if call == "bind":
            return places[at].exists()
        count = 0
        while True:
            try:
                servers[at].accept()[0].close()
            except BlockingIOError:
                return count
            count += 1

    assert any(stage.unconfined(script) and arrived(1) for _ in range(TRIES_MAX))
    arrived(0)
    if call == "bind":
        places[1].unlink()
    kinds = ("new_entry", "remove") if call == "bind" else ("unix_socket",)
    for _ in range(TURNS):
        ran = attack(stage, script, all_answers=[(kind, places[0]) for kind in kinds])
        assert (ran.exit_code, ran.output) == (0, "True\n")
        arrived(0)
        assert not arrived(1)
    for server in servers:
        server.close()


UNNAMED = """
import ctypes, os, sys
folder, new = sys.argv[1:]
libc = ctypes.CDLL(None, use_errno=True)
fd = os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o600)
os.write(fd, b"whole")
if libc.linkat(-100, b"/proc/self/fd/%d" % fd, -100, os.fsencode(new), 0x400):
    raise OSError(ctypes.get_errno(), "not named")
print(os.access(new, os.W_OK), open(new).read())
"""


@NAMESPACE
def test_a_file_without_a_name_becomes_what_was_granted_and_nothing_else(stage: Stage, attack: Attack) -> None:
    """Required: its name is one that was granted, with what the command wrote; a link in the way is not followed."""
    made, other, victim = (stage.outside / name for name in ("made", "other", "victim"))
    stage.own()
    for place in (made, other):
        assert stage.unconfined(stage.script(UNNAMED, stage.outside, place)).exit_code == 0
        place.unlink()
    given = [("new_entry", made)]
    ran = attack(stage, stage.script(UNNAMED, stage.outside, made), given=given)
    assert (ran.exit_code, ran.output) == (0, "True whole\n")
    assert attack(stage, stage.script(UNNAMED, stage.outside, other), given=given).exit_code != 0
    made.unlink()
    made.symlink_to(victim)
    assert attack(stage, stage.script(UNNAMED, stage.outside, made), given=given).exit_code != 0
    assert sorted(os.listdir(stage.outside)) == ["made"]


@NAMESPACE
def test_asking_says_no_more_than_the_command_may(stage: Stage, attack: Attack) -> None:
    """Required: granted, and still closed by its permission bits, a file is not to be written to, for root neither."""
    closed, opened = stage.outside / "closed", stage.outside / "opened"
    for path in (closed, opened):
        path.write_text("text")
    stage.own()
    if stage.uid == 0:
        os.chown(closed, 4242, 4242)
    closed.chmod(0o444)
    code = "import os, sys; print([os.access(p, os.W_OK) for p in sys.argv[1:]])"
    script = stage.script(code, closed, opened)
    assert f"[{stage.uid == 0}, True]" in stage.unconfined(script).stdout
    assert attack(stage, script).output == "[False, False]\n"
    ran = attack(stage, script, given=[("write_path", closed), ("write_path", opened)])
    assert ran.output == "[False, True]\n"


TURN = """
import ctypes, os, socket, sys
granted, other = int(sys.argv[1]), int(sys.argv[2])
FAST_OPEN = 0x20000000  # MSG_FASTOPEN
def connected():
    made = socket.socket()
    made.connect(("127.0.0.1", granted))
    return made
def disconnected(made):
    libc, unspecified = ctypes.CDLL(None, use_errno=True), ctypes.create_string_buffer(16)
    if libc.connect(made.fileno(), unspecified, 16):
        raise OSError(ctypes.get_errno(), "still connected")
def again():
    made = connected()
    disconnected(made)
    made.connect(("127.0.0.1", other))
    return made.sendall(b"escaped")
def at_once():
    made = connected()
    return made.connect(("127.0.0.1", other))
def by_sending():
    made = connected()
    return made.sendmsg([b"escaped"], [], FAST_OPEN, ("127.0.0.1", other))
def disconnected_and_sending():
    made = connected()
    disconnected(made)
    return made.sendmsg([b"escaped"], [], FAST_OPEN, ("127.0.0.1", other))
def after_the_end():
    made = connected()
    made.shutdown(socket.SHUT_RDWR)
    return made.sendmsg([b"escaped"], [], FAST_OPEN, ("127.0.0.1", other))
def listening():
    made = connected()
    disconnected(made)
    return made.listen()
def listening_at_once():
    made = connected()
    made.shutdown(socket.SHUT_RDWR)
    return made.listen()
for way in (again, at_once, by_sending, disconnected_and_sending, after_the_end, listening, listening_at_once):
    try:
        way()
        print("turned", way.__name__)
    except OSError:
        pass
"""


@LANDLOCK
def test_a_connected_socket_reaches_no_other_host_and_serves_nobody(stage: Stage, attack: Attack) -> None:
    """Required: what is handed in for one host cannot be connected elsewhere, by any of the ways there are."""
    granted, other = socket.create_server(("127.0.0.1", 0)), socket.create_server(("127.0.0.1", 0))
    other.setblocking(False)
    stage.own()
    ports = [str(server.getsockname()[1]) for server in (granted, other)]
    script = stage.script(TURN, *ports)
    assert stage.unconfined(script).stdout.split()[1::2] == ["again", "disconnected_and_sending", "listening"]
    for _ in range(2):
        other.accept()[0].close()
    grant = [("host", Path(f"127.0.0.1:{ports[0]}"))]
    ran = attack(stage, script, all_answers=grant)
    assert (ran.exit_code, ran.output) == (0, "")
    assert [each[:2] for each in ran.performed] == [[1, "connect"]]
    with pytest.raises(BlockingIOError):
        other.accept()
    for server in (granted, other):
        server.close()


FAILING = """
import socket, sys
granted, other = int(sys.argv[1]), int(sys.argv[2])
made = socket.socket()
for _ in range(3):
    try:
        made.connect(("127.0.0.1", granted))
    except OSError:
        pass
    try:
        made.sendmsg([b"escaped"], [], 0x20000000, ("127.0.0.1", other))
        print("sent")
        break
    except OSError:
        pass
"""


@LANDLOCK
def test_a_connection_that_failed_leaves_no_socket_that_could_be_turned(stage: Stage, attack: Attack) -> None:
    """Required: the caller gets the socket of a host once it is connected, and not before."""
    gone, other = socket.create_server(("127.0.0.1", 0)), socket.create_server(("127.0.0.1", 0))
    other.setblocking(False)
    stage.own()
    ports = [str(server.getsockname()[1]) for server in (gone, other)]
    gone.close()
    script = stage.script(FAILING, *ports)
    assert stage.unconfined(script).stdout == "sent\n"
    other.accept()[0].close()
    ran = attack(stage, script, given=[("host", Path(f"127.0.0.1:{ports[0]}"))])
    assert (ran.exit_code, ran.output) == (0, "")
    assert [each[2] for each in ran.performed] == [errno.ECONNREFUSED]
    with pytest.raises(BlockingIOError):
        other.accept()
    other.close()
