"""Socket files that are made by a yes, on the caller's own socket."""

import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from sandgate.kernel.build import helper_path
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.permissions import Grant
from support.kernel.held_runs import BACKENDS, LANDLOCK, HeldOutcome, HeldRun, run_held
from support.kernel.helper_runs import plan_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.permissions import GrantKind


@pytest.fixture(params=BACKENDS)
def helper(request: pytest.FixtureRequest) -> str:
    """Both backends bind alike."""
    return LANDLOCK if request.param == LANDLOCK else helper_path()


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Not writable, as `work` beside it is."""
    for name in ("outside", "work"):
        (tmp_path / name).mkdir()
    (tmp_path / "outside/file").write_text("text")
    return tmp_path / "outside"


def plan_in(outside: Path, script: str) -> ConfinedCommand:
    argv = (sys.executable, "-I", "-S", "-c", "import os\n" + script)
    return plan_for(*argv, write=(str(outside.parent / "work"),), cwd=str(outside))


def given(helper: str, outside: Path, script: str, *grants: tuple["GrantKind", str]) -> HeldOutcome:
    """Runs with grants that hold from the start, where nobody answers."""
    whole = tuple(Grant(kind, str(outside / name).rstrip("/")) for kind, name in grants)
    return HeldRun(helper, plan_in(outside, script).but(supervised_grants=whole)).finish()


def answered(helper: str, outside: Path, script: str, *grants: tuple["GrantKind", str]) -> HeldOutcome:
    """Runs with these grants as the answer to whatever is held."""
    whole = tuple(Grant(kind, str(outside / name).rstrip("/")) for kind, name in grants)
    return run_held(helper, plan_in(outside, script), lambda _held: whole)


SERVE = """
import socket, threading
os.umask(0o077)
server = socket.socket(socket.AF_UNIX)
try:
    server.bind(PLACE)
except OSError as problem:
    print(problem.errno)
    raise SystemExit
server.listen()
client = socket.socket(socket.AF_UNIX)
client.connect(PLACE)
taken, _ = server.accept()
client.sendall(b"heard"); print(taken.recv(9))
os.chmod("sock", 0o660)
os.unlink("sock")
second = socket.socket(socket.AF_UNIX)
second.bind("sock")
"""


@pytest.mark.parametrize("place", ['"sock"', 'os.getcwd() + "/sock"'])
def test_a_yes_binds_a_socket_and_the_command_serves_on_it(helper: str, outside: Path, place: str) -> None:
    """Required: one question; the mode is that of its maker's mask, its own clients reach it, and it may go again."""
    outcome = answered(helper, outside, SERVE.replace("PLACE", place), ("new_entry", "sock"))
    assert (outcome.exit_code, outcome.output, outcome.refused) == (0, "b'heard'\n", [])
    assert [(held.refused.operation, held.refused.path) for held in outcome.held] == [("bind", str(outside / "sock"))]
    assert [(call.number, call.operation, call.error) for call in outcome.performed][:1] == [(1, "bind", 0)]
    found = (outside / "sock").lstat().st_mode
    assert (stat.S_ISSOCK(found), stat.S_IMODE(found)) == (True, 0o700)


def test_a_no_binds_nothing(helper: str, outside: Path) -> None:
    outcome = answered(helper, outside, SERVE.replace("PLACE", '"sock"'))
    code = errno.EACCES if helper == LANDLOCK else errno.EROFS
    assert outcome.output == f"{code}\n"
    assert [(each.operation, each.errno) for each in outcome.refused] == [("bind", errno.errorcode[code])]
    assert os.listdir(outside) == ["file"]


def test_a_socket_is_bound_in_a_directory_of_its_own(helper: str, outside: Path) -> None:
    """Required: nothing is asked for what lies below a new directory, and what is there already stays the owner's."""
    script = """
import socket
os.mkdir("new"); os.symlink("../file", "new/link")
for name in ("new/one", "new/link", "file"):
    try:
        socket.socket(socket.AF_UNIX).bind(name)
    except OSError as problem:
        print(name, problem.errno)
"""
    outcome = given(helper, outside, script, ("new_entry", "new"))
    assert outcome.output == "new/link 98\nfile 98\n"
    assert sorted(os.listdir(outside / "new")) == ["link", "one"]


@pytest.mark.parametrize("mask", [0o000, 0o027])
def test_a_socket_file_has_the_mode_that_its_makers_mask_leaves(helper: str, outside: Path, mask: int) -> None:
    """Required: neither less than that nor more, whatever ours is; and its socket keeps the mode it had."""
    script = f"""
import socket
os.umask({mask})
server = socket.socket(socket.AF_UNIX)
before = os.fstat(server.fileno()).st_mode
server.bind("sock")
print(os.fstat(server.fileno()).st_mode == before)
"""
    outcome = answered(helper, outside, script, ("new_entry", "sock"))
    assert outcome.output == "True\n"
    assert stat.S_IMODE((outside / "sock").lstat().st_mode) == 0o777 & ~mask


EXCHANGED = """
import socket
server, other = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
def wait():
    try:
        server.bind("sock")
    except OSError as problem:
        print(problem.errno, flush=True)
thread = threading.Thread(target=wait); thread.start()
open("../work/fifo").read()
number = server.fileno()
kept = os.dup(number)
os.dup2(other.fileno(), number)
open("../work/done", "w").close()
thread.join()
print(repr(other.getsockname()))
"""


@pytest.mark.host("landlock", "notify")
def test_a_number_that_became_another_socket_is_not_bound(outside: Path) -> None:
    """Required: while a call waits its number may come to mean another socket; nothing is made then."""
    for name in ("fifo", "done"):
        os.mkfifo(outside.parent / "work" / name)

    def exchanged(_held: object) -> tuple[Grant, ...]:
        (outside.parent / "work/fifo").write_text("go")
        (outside.parent / "work/done").read_text()
        return (Grant("new_entry", str(outside / "sock")),)

    outcome = run_held(LANDLOCK, plan_in(outside, "import threading" + EXCHANGED), exchanged)
    assert outcome.output == f"{errno.EBADF}\n''\n"
    assert os.listdir(outside) == ["file"]
