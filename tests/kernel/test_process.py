"""One process as its directory in /proc shows it."""

import errno
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sandgate.kernel.process import THREADS_MAX, Process
from support.process.waiting import wait_until


def test_a_process_says_where_it_stands() -> None:
    """Told of a process that does nothing else meanwhile: threads of this one come and go with other tests."""
    code = "import threading; threading.Thread(target=input).start(); print(flush=True)"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as still:
        assert still.stdout is not None
        still.stdout.readline()
        with Process(still.pid) as process:
            standing = process.standing()
            assert standing.threads == len(os.listdir(f"/proc/{still.pid}/task")) == 2
        assert (standing.group, standing.session) == (os.getpgrp(), os.getsid(0))
        assert standing.resident_pages > 0
        still.kill()


def test_a_name_with_brackets_and_spaces_does_not_shift_the_fields() -> None:
    code = "open('/proc/self/comm', 'w').write(') R 1 2 3 ('); print(flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as odd:
        assert odd.stdout is not None
        odd.stdout.readline()
        with Process(odd.pid) as process:
            assert process.standing().session == os.getsid(0)
        odd.kill()


def test_ignored_signals_are_told() -> None:
    code = "import signal; signal.signal(signal.SIGTSTP, signal.SIG_IGN); print(flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as deaf:
        assert deaf.stdout is not None
        deaf.stdout.readline()
        with Process(deaf.pid) as process:
            ignored = process.standing().ignored
        deaf.kill()
    assert ignored & 1 << signal.SIGTSTP - 1
    assert not ignored & 1 << signal.SIGTTOU - 1


def test_children_of_every_thread_are_found() -> None:
    """Required: the kernel lists a child with the thread that started it."""
    started: list[subprocess.Popen[bytes]] = []
    keep = threading.Event()

    def start() -> None:
        started.append(subprocess.Popen(["sleep", "100"]))
        keep.wait()

    thread = threading.Thread(target=start)
    thread.start()
    try:
        assert wait_until(lambda: bool(started))
        with Process(os.getpid()) as me:
            threads = me.threads(me.standing().threads)
            assert threads[0] == os.getpid()
            assert len(threads) <= THREADS_MAX
            assert started[0].pid in me.children(threads)
            assert started[0].pid not in me.children(threads[:1])
    finally:
        keep.set()
        thread.join()
        started[0].kill()
        started[0].wait()


def test_a_process_that_has_gone_is_an_error_and_not_its_successor() -> None:
    child = subprocess.Popen(["sleep", "100"])
    with Process(child.pid) as process:
        assert process.standing().state in "RSD"
        child.kill()
        child.wait()
        with pytest.raises(ProcessLookupError):
            process.standing()
    with pytest.raises(FileNotFoundError):
        Process(child.pid)


def test_memory_that_is_not_there_is_an_error() -> None:
    with Process(os.getpid()) as me:
        for address in (0, 2**64 - 1):
            with pytest.raises(OSError, match=r"\[Errno (5|14)\]"):
                me.memory(address, 8)


def test_a_process_says_its_name_and_where_it_is(tmp_path: Path) -> None:
    script = "import sys; print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        with Process(child.pid) as process:
            assert process.name().startswith("python")
            assert process.working_directory() == str(tmp_path)


@pytest.mark.parametrize(
    ("family", "kind", "expected"),
    [
        (socket.AF_INET, socket.SOCK_STREAM, True),
        (socket.AF_INET6, socket.SOCK_STREAM, True),
        (socket.AF_INET, socket.SOCK_DGRAM, False),
        (socket.AF_UNIX, socket.SOCK_STREAM, False),
    ],
)
def test_sockets_of_tcp_are_told_apart(family: int, kind: int, expected: bool) -> None:
    with socket.socket(family, kind) as made, Process(os.getpid()) as process:
        assert process.may_be_tcp(made.fileno()) is expected


def test_a_kernel_that_does_not_say_the_kind_leaves_it_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(*_: object) -> bytes:
        raise OSError(errno.EOPNOTSUPP, "not here")

    monkeypatch.setattr(os, "getxattr", silent)
    with socket.socket(socket.AF_UNIX) as made, Process(os.getpid()) as process:
        assert process.may_be_tcp(made.fileno())
