"""Starts programs on real terminals, plainly or in the namespace sandbox, for tests of what they do there."""

import os
import select
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sandgate.kernel import helper as helper_module
from sandgate.kernel.foreground import look
from sandgate.kernel.process import Process
from support.kernel.helper_runs import ENVIRONMENT, plan_for
from support.process.waiting import read_until, wait_until

TERMINAL_ENVIRONMENT = ENVIRONMENT | {"TERM": "xterm", "PS1": "$ ", "HOME": "/", "HISTFILE": "/dev/null"}


class Live:
    """A program that leads the session of a terminal; `attend` is called while something is waited for."""

    def __init__(self, master: int, name: str, attend: Callable[[], None] = lambda: None) -> None:
        self.master = master
        self.name = name
        self._attend = attend

    def type(self, data: bytes) -> None:
        os.write(self.master, data)

    def until(self, condition: Callable[[], bool]) -> bool:
        """Whether the condition came true in time."""

        def attended() -> bool:
            self._attend()
            return condition()

        return wait_until(attended)

    def in_front(self, name: bytes) -> bool:
        """Whether the foreground group is led by a program of that name, so that keys reach it and no shell."""
        try:
            with Process(look(self.master).group) as process:
                return process.read("comm", 64) == name + b"\n"
        except OSError:
            return False

    def printed(self, sign: bytes) -> bytes:
        """What it printed up to `sign`, and perhaps a little more."""
        return read_until(self.master, sign)


@contextmanager
def on_terminal(*argv: str, env: dict[str, str] | None = None) -> Iterator[Live]:
    """A plain process of ours. It is killed at the end of the block, and hung up."""
    master, slave = os.openpty()
    process = subprocess.Popen(
        argv,
        preexec_fn=lambda: os.login_tty(slave),
        pass_fds=(slave,),
        env=TERMINAL_ENVIRONMENT | (env or {}),
    )
    name = os.ttyname(slave)
    os.close(slave)
    try:
        yield Live(master, name)
    finally:
        process.kill()
        process.wait()
        os.close(master)


@contextmanager
def confined_on_terminal(helper: str, *argv: str) -> Iterator[Live]:
    """The same in the namespace sandbox, as a process of other namespaces."""
    master, slave = os.openpty()
    plan = plan_for(*argv, tty=True, env=TERMINAL_ENVIRONMENT)
    child = helper_module.start(plan, stdin=slave, stdout=slave, stderr=slave, helper=helper)
    name = os.ttyname(slave)
    os.close(slave)

    def attend() -> None:
        poller = select.poll()
        for fd in child.descriptors():
            poller.register(fd, select.POLLIN)
        for fd, _ in poller.poll(0):
            child.handle(fd)
        assert child.failure is None, child.failure

    try:
        yield Live(master, name, attend)
    finally:
        child.close()
        os.close(master)
