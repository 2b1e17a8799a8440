"""A child whose calls a test has held: a real process, and a supervisor that does what the test says."""

from __future__ import annotations

import os
from queue import Queue
from typing import TYPE_CHECKING

from sandgate.kernel.plain import PlainChild
from sandgate.protocol.denials import Refused
from sandgate.protocol.held_calls import FoundHost, HeldCall
from support.terminal.children import start_plain

if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.protocol.permissions import Grant


class HoldingChild(PlainChild):
    """`calls` are held at once."""

    def __init__(self, pid: int, calls: tuple[HeldCall, ...]) -> None:
        super().__init__(pid)
        self.held: list[HeldCall] = []
        self.let_go: list[int] = []
        self.answers: Queue[tuple[int, tuple[Grant, ...]]] = Queue()
        self.stopped = 0
        self._word = os.eventfd(0, os.EFD_CLOEXEC)
        self.hold(*calls)

    def hold(self, *calls: HeldCall) -> None:
        self.held += calls
        if calls:
            os.eventfd_write(self._word, 1)

    def interrupt(self, number: int) -> None:
        self.let_go.append(number)
        os.eventfd_write(self._word, 1)

    def answer(self, number: int, grants: tuple[Grant, ...], _hosts: tuple[FoundHost, ...] = ()) -> None:
        self.answers.put((number, grants))

    def stop_holding(self) -> None:
        self.stopped += 1

    def descriptors(self) -> tuple[int, ...]:
        return (*super().descriptors(), self._word)

    def handle(self, fd: int) -> None:
        if fd == self._word:
            os.eventfd_read(fd)
        else:
            super().handle(fd)

    def close(self) -> None:
        super().close()
        if self._word >= 0:
            os.close(self._word)
            self._word = -1


class Holding:
    """A `Starter` of such children; `child` is the last one."""

    def __init__(self, *calls: HeldCall) -> None:
        self._calls = calls
        self.child: HoldingChild | None = None

    def __call__(self, plan: ConfinedCommand, *, stdin: int, stdout: int, stderr: int, helper: Any) -> HoldingChild:
        plain = start_plain(plan, stdin=stdin, stdout=stdout, stderr=stderr, helper=helper)
        os.close(plain.descriptors()[0])  # the other one has its own
        self.child = HoldingChild(plain.pid, self._calls)
        return self.child


def held(path: str, number: int = 1, operation: Any = "create", **more: Any) -> HeldCall:
    return HeldCall(number, Refused(operation, "openat", path, **more))
