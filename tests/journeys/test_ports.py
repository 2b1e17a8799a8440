"""A command's port on this host's loopback, as people ask for it: `run --serve`, and `sandgate ports`."""

from __future__ import annotations

import errno
import json
import os
import shlex
import signal
import socket
import subprocess
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from support.machine.ordinary_user import PROGRAM as OTHERS_PROGRAM
from support.machine.ordinary_user import OrdinaryUser
from support.process.program import PROGRAM, Sandgate
from support.process.waiting import readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Popen = subprocess.Popen[bytes]

pytestmark = pytest.mark.host("namespace", "notify")

PORT = 20_000 + os.getpid() % 10_000  # inside; other sandboxes of this machine's user serve others
LIMIT_S = 20
SERVE = (
    "import socket\n"
    "server = socket.create_server(('{address}', {port}), family=socket.{family})\n"
    "print('up', flush=True)\n"
    "while True:\n"
    "    peer, _ = server.accept(); peer.sendall(b'from inside'); peer.close()\n"
)
INET = ("/usr/bin/python3", "-c", SERVE.format(port=PORT, address="127.0.0.1", family="AF_INET"))
INET6 = ("/usr/bin/python3", "-c", SERVE.format(port=PORT, address="::1", family="AF_INET6"))


class Account:
    """Whoever uses the program: its argv and everything else a process of theirs needs."""

    def __init__(self, argv: list[str], cwd: Path, env: dict[str, str], user: int | None) -> None:
        self._argv = argv
        self._options: dict[str, Any] = {"cwd": cwd, "env": env, "user": user, "group": user}

    @contextmanager
    def started(self, *arguments: str) -> Iterator[Popen]:
        """The program, both of its outputs pipes; ended with the block."""
        with self._process([*self._argv, *arguments], subprocess.DEVNULL) as program:
            yield program

    @contextmanager
    def session(self, code: str, *arguments: str) -> Iterator[Popen]:
        """Python code of a session, with the workspace and the home before its arguments; ended with the block."""
        begins = "import sys; sys.path.append(sys.argv.pop(1))\n"
        places = [self._argv[-1], str(self._options["cwd"]), self._options["env"]["HOME"]]
        options = self._argv[1 : self._argv.index("-c")]
        with self._process([self._argv[0], *options, "-c", begins + code, *places, *arguments], subprocess.PIPE) as it:
            yield it

    @contextmanager
    def _process(self, argv: list[str], stdin: int) -> Iterator[Popen]:
        program = subprocess.Popen(
            argv,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **self._options,
        )
        try:
            yield program
        finally:
            program.terminate()
            program.communicate(timeout=LIMIT_S)

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        done: subprocess.CompletedProcess[str] = subprocess.run(
            [*self._argv, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
            **self._options,
        )
        return done


@pytest.fixture(params=["caller", "ordinary"])
def account(request: pytest.FixtureRequest, tmp_path: Path, as_user: OrdinaryUser) -> Account:
    """Whoever runs the tests, and an ordinary user; each in a workspace."""
    if request.param == "ordinary":
        workspace = as_user.home / f"work-{tmp_path.name}"
        workspace.mkdir()
        if as_user.as_other:
            workspace.chmod(0o777)
        argv = [as_user.python, "-I", "-S", "-c", OTHERS_PROGRAM, str(as_user.source)]
        return Account(argv, workspace, as_user.environment(), as_user.uid if as_user.as_other else None)
    (tmp_path / "home").mkdir()
    (tmp_path / "repo").mkdir()
    here = Sandgate(tmp_path / "repo", tmp_path / "home")
    return Account(PROGRAM, here.workspace, here.env, None)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def up(program: Popen) -> None:
    assert program.stdout is not None
    readable(program.stdout.fileno())
    assert program.stdout.readline() == b"up\n", program.communicate()


def said(program: Popen, words: str) -> str:
    """The first line of ours with these words."""
    assert program.stderr is not None
    for line in program.stderr:
        if words in line.decode():
            return line.decode()
    raise AssertionError(f"never said {words!r}")


def listed(account: Account) -> list[dict[str, Any]]:
    return [row for row in json.loads(account("ports", "--json").stdout)["ports"] if row["port"] == PORT]


def asked(port: int) -> bytes | int:
    """What comes from the port of this host, or the errno of there being nobody."""
    with closing(socket.socket()) as client:
        client.settimeout(LIMIT_S)
        if refused := client.connect_ex(("127.0.0.1", port)):
            return refused
        return b"".join(iter(lambda: client.recv(99), b""))


@pytest.mark.parametrize("server", [INET, INET6])
def test_run_serve_shows_the_port_while_the_command_runs_and_nothing_else_does(
    account: Account, server: tuple[str, ...]
) -> None:
    """Required, both halves: without the option nobody on the host reaches it."""
    host_port = free_port()
    with account.started("run", "--", *server) as program:
        up(program)
        assert [asked(PORT), asked(host_port)] == [errno.ECONNREFUSED] * 2
    with account.started("run", "--serve", f"{host_port}:{PORT}", "--", *server) as program:
        up(program)
        assert f"http://127.0.0.1:{host_port}/" in said(program, "shown at")
        assert [asked(PORT), asked(host_port)] == [errno.ECONNREFUSED, b"from inside"]
    assert asked(host_port) == errno.ECONNREFUSED


SEEK = "import socket, sys; sys.exit(socket.socket().connect_ex(('127.0.0.1', int(sys.argv[1]))) > 0)"


def test_who_seeks_the_server_of_another_run_is_told_where_it_is(account: Account) -> None:
    """Required: every run has a loopback of its own, and `connection refused` alone says that the server is down."""
    seek = ("run", "--", "/usr/bin/python3", "-c", SEEK, str(PORT))
    with account.started("run", "--", *INET) as program:
        up(program)
        done = account(*seek)
        assert f"another sandboxed command serves 127.0.0.1:{PORT}" in done.stderr, done.stderr
    done = account(*seek)
    assert (done.returncode, "another sandboxed command" in done.stderr) == (1, False)


def test_the_relay_ends_with_its_command(account: Account) -> None:
    host_port = free_port()
    done = account("run", "--serve", f"{host_port}:{PORT}", "--", "true")
    assert (done.returncode, asked(host_port)) == (0, errno.ECONNREFUSED)


def test_a_port_that_is_taken_runs_nothing_and_names_another(account: Account) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken = server.getsockname()[1]
        done = account("run", "--serve", f"{taken}:{PORT}", "--", "touch", "ran")
    assert done.returncode == 125
    assert f"cannot show port {PORT} at 127.0.0.1:{taken}: somebody listens there already" in done.stderr
    assert "choose another port of this host" in done.stderr
    assert account("run", "--", "ls").stdout == ""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("80", "ports below 1024 belong to the machine's own services"),
        ("443:5173", "choose another one for it: `8443:5173`"),
        ("0", "is no port"),
        ("65536", "is no port"),
        ("5173:", "is no port"),
        ("0.0.0.0:5173", "is no port"),
        ("٥١٧٣", "is no port"),
    ],
)
def test_what_is_no_port_for_it_is_bad_usage(account: Account, text: str, why: str) -> None:
    """Required: above all, an address cannot be named: other hosts never reach it."""
    done = account("run", "--serve", text, "--", "true")
    assert (done.returncode, why in done.stderr) == (2, True), done.stderr


def test_with_the_hosts_network_it_says_that_no_relay_is_needed(account: Account) -> None:
    done = account("run", "--network", "on", "--serve", str(free_port()), "--", "echo", "ran")
    assert (done.returncode, done.stdout) == (0, "ran\n")
    assert "is not relayed: this command has the host's own network" in done.stderr


@pytest.mark.host("landlock")
def test_where_commands_have_no_network_of_their_own_nothing_runs(account: Account) -> None:
    done = account("run", "--backend", "landlock", "--serve", str(free_port()), "--", "echo", "ran")
    assert (done.returncode, done.stdout) == (125, "")
    assert "commands have no network of their own here that can be shared (backend `landlock`)" in done.stderr


def test_ports_lists_what_is_served_and_serves_it_from_another_terminal(account: Account) -> None:
    """Required: whatever program runs the command, and only until the command ends."""
    host_port = free_port()
    assert f"serves port {PORT}" in account("ports", "serve", str(PORT)).stderr
    with account.started("run", "--", *INET) as program:
        up(program)
        (row,) = listed(account)
        assert (row["port"], row["command"], row["network"]) == (PORT, list(INET), "own")
        assert row["run_by"]["pid"] == program.pid
        assert f"{PORT}  /usr/bin/python3 -c " in account("ports").stdout
        with account.started("ports", "serve", f"{host_port}:{PORT}") as relay:
            assert f"http://127.0.0.1:{host_port}/" in said(relay, "is shown at")
            assert asked(host_port) == b"from inside"
            program.terminate()
            assert relay.wait(LIMIT_S) == 0
            assert "the command has ended" in said(relay, "ended")
    assert asked(host_port) == errno.ECONNREFUSED


def test_ctrl_c_ends_what_is_shown_and_not_the_command(account: Account) -> None:
    host_port = free_port()
    with account.started("run", "--", *INET) as program:
        up(program)
        for number, code in ((signal.SIGINT, 0), (signal.SIGKILL, -signal.SIGKILL)):
            with account.started("ports", "serve", f"{host_port}:{PORT}") as relay:
                said(relay, "is shown at")
                assert asked(host_port) == b"from inside"
                relay.send_signal(number)
                assert relay.wait(LIMIT_S) == code
        assert program.poll() is None


def test_of_two_that_serve_the_same_port_one_is_chosen(account: Account) -> None:
    host_port = free_port()
    with account.started("run", "--", *INET) as one, account.started("run", "--", *INET) as other:
        up(one)
        up(other)
        assert f"2 commands serve port {PORT}" in account("ports", "serve", f"{host_port}:{PORT}").stderr
        (chosen,) = [str(row["pid"]) for row in listed(account) if row["run_by"]["pid"] == other.pid]
        with account.started("ports", "serve", "--pid", chosen, f"{host_port}:{PORT}") as relay:
            said(relay, "is shown at")
            assert asked(host_port) == b"from inside"


def test_a_sandboxed_command_sees_and_shows_nothing(account: Account) -> None:
    """Required: only who is outside may say so; its own `sandgate` finds nobody, and cannot enter a network."""
    with account.started("run", "--", *INET) as program:
        up(program)
        assert "python3" in account("ports").stdout
        inside = account("run", "--", *account._argv, "ports")
        assert (inside.stdout, "no sandboxed command of this user serves a port" in inside.stderr) == ("", True)


SESSION = """
import sys
from sandgate.runtime import Environment, open_runtime
with open_runtime(Environment(cwd=sys.argv[1], environ={"PATH": "/usr/bin:/bin", "HOME": sys.argv[2]})) as session:
    session.exec_command("true", login=False)
    begun = session.exec_command(sys.argv[3], login=False, tty=True)
    if "up" not in begun.output:
        session.write_stdin(begun.session_id, wait_for=["up"], yield_time_ms=20_000)
    print("up", flush=True)
    sys.stdin.read()
"""


def test_a_server_of_a_whole_session_is_shown_too(account: Account) -> None:
    """Required: what an agent's call started, in the network that all calls of its session share."""
    host_port = free_port()
    script = " ".join(map(shlex.quote, (*INET[:2], INET[2] + "# until then\n")))
    with account.session(SESSION, f"{script} & read held") as session:
        up(session)
        (row,) = listed(account)
        assert (row["network"], row["run_by"]["pid"]) == ("own", session.pid)
        with account.started("ports", "serve", f"{host_port}:{PORT}") as relay:
            assert f"http://127.0.0.1:{host_port}/" in said(relay, "is shown at")
            assert asked(host_port) == b"from inside"
            session.terminate()
            assert relay.wait(LIMIT_S) == 0
    assert asked(host_port) == errno.ECONNREFUSED
