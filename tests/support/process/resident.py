"""Runs Python programs that import `sandgate`, each in a process of its own, born from one that has read the modules.

Reading them takes most of the processor time of such a program. A resident reads what its runs were seen to read, so
that the next ones begin with it; it runs nothing of theirs itself, so nothing else of a run reaches another one. What a
process shows of itself from outside, its command line and the environment it began with, is the resident's.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import select
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import IO, Any, NamedTuple

RUN_LIMIT_S = 60
LINE_BYTES_MAX = 64
"""A process number, or an exit code and seconds, in words."""

RESIDENT = """
import array, atexit, gc, json, os, select, socket, sys
from contextlib import suppress

if os.fork():
    os._exit(0)  # nobody's child: tests count theirs
door = socket.socket(fileno=os.dup(0))
sys.path[:0] = json.loads(sys.argv.pop())

def run(order, code, learned, streams):
    for number, fd in enumerate(streams):
        os.dup2(fd, number)
        os.close(fd)
    os.environ.clear()
    os.environ.update(order["env"])
    os.chdir(order["cwd"])
    sys.argv = ["-c", *order["arguments"]]
    known, leave, runs = set(sys.modules), os._exit, os.getpid()
    def tell():
        os.pwrite(learned, " ".join(set(sys.modules) - known).encode(), 0)
    def leave_telling(status):
        if os.getpid() == runs:
            tell()
        leave(status)
    os._exit = leave_telling  # how the program ends; others end with the interpreter
    atexit.register(tell)
    os.setsid()
    exec(code, {"__name__": "__main__"})

compiled = {}
running = {}
while True:
    poller = select.poll()
    for fd in (door.fileno(), *running):
        poller.register(fd, select.POLLIN)
    ready = [fd for fd, _ in poller.poll()]
    for fd in set(ready) & set(running):
        pid, learned, reply = running.pop(fd)
        _, status, used = os.wait4(pid, 0)
        for name in os.pread(learned, 1 << 16, 0).decode().split():
            with suppress(Exception):  # of a place that only that run had; the next run reads it by itself
                __import__(name)
        with suppress(BrokenPipeError):  # whoever began it waits no longer; others do
            os.write(reply, f"{os.waitstatus_to_exitcode(status)} {used.ru_utime + used.ru_stime}\\n".encode())
        for each in (fd, learned, reply):
            os.close(each)
    if door.fileno() not in ready:
        continue
    _, parts, *_ = door.recvmsg(1, socket.CMSG_SPACE(64), socket.MSG_CMSG_CLOEXEC)
    fds = array.array("i", b"".join(data for _, _, data in parts))
    if not fds:
        break
    order_fd, learned, reply, *streams = fds
    with open(order_fd) as file:
        order = json.load(file)
    if order["code"] not in compiled:
        compiled[order["code"]] = compile(order["code"], "<string>", "exec")
    gc.collect()
    gc.freeze()
    pid = os.fork()
    if pid == 0:
        for fd in (door.detach(), reply, *(each for others in running.items() for each in (others[0], *others[1][1:]))):
            os.close(fd)
        run(order, compiled[order["code"]], learned, streams)
        break
    with suppress(BrokenPipeError):
        os.write(reply, b"%d\\n" % pid)
    for fd in streams:
        os.close(fd)
    running[os.pidfd_open(pid)] = pid, learned, reply
"""


class Resident:
    """`python` is started with its arguments; `identity` says as whom, in the words of `subprocess`."""

    def __init__(self, python: Sequence[str], path: Sequence[str], identity: Mapping[str, Any]) -> None:
        self.processor_s = 0.0
        self._door, inside = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with inside:
            subprocess.run(
                [*python, "-c", RESIDENT, json.dumps(path)],
                cwd="/",
                env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"},
                stdin=inside.fileno(),
                stdout=subprocess.DEVNULL,
                check=True,
                timeout=RUN_LIMIT_S,
                **identity,
            )
        atexit.register(self._door.close)
        _all.append(self)

    def run(
        self, code: str, *arguments: str, cwd: str, env: Mapping[str, str], limit_s: float = RUN_LIMIT_S
    ) -> subprocess.CompletedProcess[str]:
        """Runs `code` with these arguments to its end; nothing is there to be read, and what it says is captured.
        Raises TimeoutError after `limit_s`."""
        with ExitStack() as opened:
            out, err = (opened.enter_context(_memory()) for _ in range(2))
            null = opened.enter_context(open(os.devnull, "rb"))
            streams = [each.fileno() for each in (null, out, err)]
            with self._begun(Order(code, arguments, cwd, env), streams) as told:
                exit_code = self._ended(told, limit_s=limit_s)
            texts = [os.pread(each.fileno(), os.fstat(each.fileno()).st_size, 0).decode() for each in (out, err)]
        return subprocess.CompletedProcess(["-c", *arguments], exit_code, *texts)

    @contextmanager
    def begin(self, code: str, *arguments: str, cwd: str, env: Mapping[str, str]) -> Iterator[Born]:
        """Begins to run `code`, with pipes as its streams; it is ended afterwards, if it was not before."""
        with ExitStack() as opened:
            theirs, ours = [], []
            for writes in (True, False, False):
                reading, writing = os.pipe()
                mine, other = (writing, reading) if writes else (reading, writing)
                ours.append(opened.enter_context(open(mine, "wb" if writes else "rb")))
                theirs.append(other)
            try:
                told = opened.enter_context(self._begun(Order(code, arguments, cwd, env), theirs))
            finally:
                for each in theirs:
                    os.close(each)
            born = Born(told, partial(self._ended, told), *ours)
            try:
                yield born
            finally:
                born.kill()
                born.wait(RUN_LIMIT_S)

    @contextmanager
    def _begun(self, order: Order, streams: Sequence[int]) -> Iterator[IO[bytes]]:
        """What the resident tells of a run that it was asked to begin."""
        with ExitStack() as opened:
            written, learned = (opened.enter_context(_memory()) for _ in range(2))
            written.write(json.dumps(order.fields()).encode())
            written.seek(0)
            reading, writing = os.pipe()
            told = opened.enter_context(open(reading, "rb", buffering=0))
            with open(writing, "wb", buffering=0) as reply:
                sent = [*(each.fileno() for each in (written, learned, reply)), *streams]
                socket.send_fds(self._door, [b"r"], sent)
            yield told

    def _ended(self, told: IO[bytes], pid: int = 0, limit_s: float = RUN_LIMIT_S) -> int:
        exit_code, processor_s = _ended(told, pid, limit_s)
        self.processor_s += processor_s
        return exit_code


class Order(NamedTuple):
    """What is to be run."""

    code: str
    arguments: Sequence[str]
    cwd: str
    env: Mapping[str, str]

    def fields(self) -> dict[str, Any]:
        return {"code": self.code, "arguments": self.arguments, "cwd": self.cwd, "env": dict(self.env)}


class Born:
    """A run that lives on, in the words of `subprocess.Popen`."""

    def __init__(
        self, told: IO[bytes], ended: Callable[[int, float], int], to: IO[bytes], out: IO[bytes], err: IO[bytes]
    ) -> None:
        self.stdin, self.stdout, self.stderr = to, out, err
        self.pid = _number(told)
        self._ended = ended
        self._exit_code: int | None = None
        self._itself: int | None = None
        with suppress(ProcessLookupError):  # it is over already, and the resident has waited for it
            self._itself = os.pidfd_open(self.pid)

    def send_signal(self, number: int) -> None:
        if self._exit_code is None and self._itself is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._itself, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def wait(self, limit_s: float) -> int:
        if self._exit_code is None:
            self._exit_code = self._ended(self.pid, limit_s)
            if self._itself is not None:
                os.close(self._itself)
        return self._exit_code


_all: list[Resident] = []


def processor_s() -> float:
    """What the runs so far took; they are nobody's children here, so this process is not told it."""
    return sum(each.processor_s for each in _all)


@functools.cache
def resident(python: tuple[str, ...], path: tuple[str, ...], identity: tuple[tuple[str, Any], ...]) -> Resident:
    """The one that all tests share."""
    return Resident(python, path, {name: list(each) if each == () else each for name, each in identity})


def _memory() -> IO[bytes]:
    return open(os.memfd_create("run"), "w+b", buffering=0)


def _number(told: IO[bytes]) -> int:
    pid = int(_line(told, RUN_LIMIT_S) or b"0")
    assert pid, "no run was begun: the resident has ended"
    return pid


def _ended(told: IO[bytes], pid: int, limit_s: float) -> tuple[int, float]:
    """The exit code of the run whose end is told there, and the processor seconds it took."""
    pid = pid or _number(told)
    end = _line(told, limit_s)
    if end is None:
        os.kill(pid, signal.SIGKILL)
        raise TimeoutError(f"still running after {limit_s} s")
    assert end, "the resident has ended before its run"
    code, processor_s = end.split()
    return int(code), float(processor_s)


def _line(told: IO[bytes], limit_s: float) -> bytes | None:
    """What is said next; None when nothing is for too long, and empty when nobody will."""
    if not select.select([told], [], [], limit_s)[0]:
        return None
    return told.readline(LINE_BYTES_MAX)
