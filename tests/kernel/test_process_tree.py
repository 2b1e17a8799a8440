"""Facts about a command and everything it started."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from sandgate.kernel.foreground import look
from sandgate.kernel.process_tree import DESCENDANTS_MAX, descendants, listening_ports, usage
from support.process.waiting import wait_until
from support.terminal.live import confined_on_terminal

SERVER = (
    "import socket; s = socket.create_server(('127.0.0.1', {port})); print(s.getsockname()[1], flush=True); input()"
)


@contextmanager
def started(*argv: str) -> Iterator["subprocess.Popen[bytes]"]:
    child = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    try:
        yield child
    finally:
        os.killpg(child.pid, 9)
        child.communicate()


def test_everybody_below_is_found_nearest_first_also_in_another_session() -> None:
    with started("sh", "-c", "setsid sh -c 'sleep 100; :' & sleep 100; :") as top:
        assert wait_until(lambda: len(descendants(top.pid)) == 3)
        below = descendants(top.pid)
        assert {os.getsid(pid) == top.pid for pid in below[:2]} == {True, False}
        assert os.getsid(below[2]) != top.pid
        os.kill(below[2], 9)
        assert wait_until(lambda: below[2] not in descendants(top.pid))
        for pid in descendants(top.pid):
            with suppress(ProcessLookupError):  # it had nothing left to wait for
                if os.getsid(pid) != top.pid:
                    os.kill(pid, 9)


def test_a_crowd_is_cut_and_a_stranger_has_nobody() -> None:
    assert len(descendants(1)) <= DESCENDANTS_MAX
    assert descendants(2**22 + 1) == ()


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_port_is_told_for_whoever_listens_and_nobody_else(host: str) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        server = socket.create_server((host, 0), family=family)
    except OSError:
        pytest.skip(f"nothing can listen on {host}")
    with server, started("sleep", "100") as other, socket.create_connection(server.getsockname()[:2]):
        assert listening_ports([os.getpid(), other.pid]) == (server.getsockname()[1],)
        assert listening_ports([other.pid]) == ()
    assert listening_ports([os.getpid()]) == ()


@pytest.mark.host("namespace")
def test_a_port_in_an_empty_network_is_told_too(helper: str) -> None:
    """Two networks may have the same socket numbers; each is asked for its own."""
    with confined_on_terminal(helper, "/usr/bin/python3", "-c", SERVER.format(port=4711)) as live:
        live.printed(b"4711")
        assert live.until(lambda: look(live.master).session != 0)
        leader = look(live.master).session
        with socket.create_server(("127.0.0.1", 0)) as ours:
            assert listening_ports([leader]) == (4711,)
            assert set(listening_ports([leader, os.getpid()])) == {4711, ours.getsockname()[1]}


def test_what_is_used_is_told_in_milliseconds_and_bytes() -> None:
    busy = "import time; block = b'x' * 50_000_000\nwhile time.process_time() < 0.3: pass\nprint(flush=True); input()"
    with started(sys.executable, "-c", busy) as child:
        assert child.stdout is not None
        child.stdout.readline()
        cpu_ms, rss_bytes = usage([child.pid])
        assert 250 <= cpu_ms < 5_000
        assert 50_000_000 < rss_bytes < 200_000_000
        twice = usage([child.pid, child.pid, 2**22 + 1])
        assert twice[1] == 2 * rss_bytes
