"""Which descriptors a thread is blocked to read from."""

import subprocess
import sys

import pytest

from sandgate.kernel.blocked import awaited, calls_on
from sandgate.kernel.process import Process
from support.process.waiting import wait_until

ON_DESCRIPTOR_0 = {
    "read": "os.read(0, 1)",
    "readv": "os.readv(0, [bytearray(1)])",
    "select": "select.select([0], [], [])",
    "select with a limit": "select.select([0], [], [], 100)",
    "poll": "p = select.poll(); p.register(0, select.POLLIN); p.poll()",
    "poll among others": "p = select.poll(); p.register(r, select.POLLIN); p.register(0, select.POLLIN); p.poll()",
    "epoll": "e = select.epoll(); e.register(0, select.EPOLLIN); e.poll()",
    "splice": "os.splice(0, w, 1)",
    "another thread reads": "t = threading.Thread(target=os.read, args=(0, 1)); t.start(); t.join()",
}
ON_NOTHING_OF_0 = {
    "sleep": "time.sleep(100)",
    "read of something else": "os.read(r, 1)",
    "select for writing errors only": "select.select([r], [], [0])",
    "poll without wanting input": "p = select.poll(); p.register(0, 0); p.register(r, select.POLLIN); p.poll()",
    "epoll without wanting input": "e = select.epoll(); e.register(0, 0); e.register(r, select.EPOLLIN); e.poll()",
}
PROGRAM = "import os, select, threading, time; r, w = os.pipe(); print(flush=True); {code}"


def _awaited(process: Process) -> set[int]:
    standing = process.standing()
    return {fd for thread in process.threads(standing.threads) for fd in awaited(process, thread)}


def _started(code: str) -> "subprocess.Popen[bytes]":
    argv = [sys.executable, "-c", PROGRAM.format(code=code)]
    child = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    return child


@pytest.mark.parametrize("code", ON_DESCRIPTOR_0.values(), ids=ON_DESCRIPTOR_0.keys())
def test_a_blocked_read_is_seen_however_it_is_made(code: str) -> None:
    with _started(code) as child, Process(child.pid) as process:
        try:
            assert wait_until(lambda: 0 in _awaited(process))
        finally:
            child.kill()


@pytest.mark.parametrize("code", ON_NOTHING_OF_0.values(), ids=ON_NOTHING_OF_0.keys())
def test_a_wait_for_something_else_is_not_taken_for_a_read(code: str) -> None:
    with _started(code) as child, Process(child.pid) as process:
        try:
            assert wait_until(lambda: process.standing().state == "S")
            assert 0 not in _awaited(process)
        finally:
            child.kill()


def test_a_process_that_computes_or_has_gone_awaits_nothing() -> None:
    with _started("exec('while True: pass')") as child, Process(child.pid) as process:
        assert awaited(process, child.pid) == ()
        child.kill()
        child.wait()
        assert awaited(process, child.pid) == ()


def test_both_machines_know_the_same_calls_and_another_machine_none() -> None:
    """arm64 never had select, poll and epoll_wait; its C library uses the younger ones."""
    intel, arm = calls_on("x86_64"), calls_on("aarch64")
    assert (intel[0], intel[7], intel[270], intel[232]) == (arm[63], arm[73], arm[72], arm[22])
    assert (len(intel), len(arm)) == (11, 8)
    assert calls_on("riscv64") == {}
