"""Ctrl-C, SIGTERM and SIGHUP while a turn runs: the first one asks, the second one insists.

Asking means that the turn is interrupted and the session then ends as always. Insisting gives that up: whatever still
waits is cancelled, and if that does not help either, the process ends.
"""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress

from sandgate.errors import SandgateError
from sandgate.protocol.operations import Interrupt, Shutdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Protocol

    from sandgate.protocol.operations import Operation

    class Interruptible(Protocol):
        """What can be asked to stop."""

        def submit(self, op: Operation) -> str: ...


HEARD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
INTERRUPT_WAIT_S = 5.0  # for the turn to end, which takes 2 at most
HARD_END_S = 2.0  # for everything to end after a second signal


class Interruptions:
    """Listens while its block runs, in the loop of the task that enters it."""

    def __init__(self) -> None:
        self.number: int | None = None  # of the first signal
        self._agent: Interruptible | None = None
        self._timers: list[asyncio.TimerHandle] = []

    def __enter__(self) -> Interruptions:
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self._listening = [number for number in HEARD if signal.getsignal(number) != signal.SIG_IGN]  # nohup means it
        for number in self._listening:
            self._loop.add_signal_handler(number, self._heard, number)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number in self._listening:
            self._loop.remove_signal_handler(number)
        for timer in self._timers:
            timer.cancel()

    def watch(self, agent: Interruptible) -> None:
        """There is something that can be asked, from now on."""
        self._agent = agent
        if self.number is not None:
            self._ask(agent)

    @property
    def exit_code(self) -> int | None:
        """128 + N after signal N."""
        return None if self.number is None else 128 + self.number

    def _heard(self, number: int) -> None:
        if self.number is not None:
            self._insist()
            return
        self.number = number
        if self._agent is not None:
            self._ask(self._agent)
        elif self._task is not None:
            self._task.cancel()

    def _ask(self, agent: Interruptible) -> None:
        with suppress(SandgateError):  # it has ended by itself
            agent.submit(Interrupt())
        self._timers.append(self._loop.call_later(INTERRUPT_WAIT_S, self._end, agent))

    def _end(self, agent: Interruptible) -> None:
        with suppress(SandgateError):
            agent.submit(Shutdown())

    def _insist(self) -> None:
        # Not cancelled with the block: it is for the case that the block cannot be left.
        self._loop.call_later(HARD_END_S, _die, 128 + (self.number or 0))
        if self._task is not None:
            self._task.cancel()


def _die(code: int) -> None:
    os._exit(code)
