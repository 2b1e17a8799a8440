"""One thread that moves the bytes of every live terminal, however many there are.

Commands print whether or not a caller reads, and end whether or not a caller waits. So one thread waits for all of them
in one epoll(7), hands each ready descriptor to its owner, and keeps the few moments at which something is due.
It is started with the first descriptor and belongs to no event loop: a blocking caller and an asynchronous one
use the same terminals.

A handler runs on this thread and must not wait. One that raises loses its descriptor and is reported; the others go on.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock, get_ident, start_new_thread
from contextlib import suppress
from heapq import heappop, heappush
from select import EPOLLIN, epoll
from time import monotonic, sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Handler = Callable[[int], None]  # is told which events, epoll(7)
    Action = Callable[[], None]

READ_BYTES = 65_536  # of one read; the default capacity of a pipe, pipe(7)
EVENTS_MAX = 64  # descriptors handled before the clock is looked at again
BUSY_S = 0.000_3  # between two wake-ups: then more is on its way
GATHER_S = 0.000_05  # and is waited for; with what a timer adds, half the processor time of a fast stream
CLOSE_LIMIT_S = 5.0  # a handler is quick; one that is stuck in the kernel must not keep us


class Pump:
    """The thread. Its methods may be called from any thread, also from handlers."""

    def __init__(self) -> None:
        self.buffer = bytearray(READ_BYTES)  # for handlers, which run one after the other
        self._guard = allocate_lock()
        self._epoll: epoll | None = None
        self._bell = -1  # an eventfd: something is due earlier than the thread thinks
        self._handlers: dict[int, Handler] = {}
        self._due: list[tuple[float, int, Action]] = []
        self._tickets = 0
        self._thread = 0
        self._closing = False
        self._ended = allocate_lock()

    def watch(self, fd: int, handler: Handler, events: int = EPOLLIN) -> None:
        """Calls `handler` whenever `fd` is ready for `events`, until `forget`."""
        with self._guard:
            self._running().register(fd, events)
            self._handlers[fd] = handler

    def change(self, fd: int, events: int) -> None:
        """From now on for these events. Nothing happens when the descriptor is not watched."""
        with self._guard:
            if fd in self._handlers and self._epoll is not None:
                self._epoll.modify(fd, events)

    def forget(self, fd: int) -> None:
        """Ends `watch`; to be called before the descriptor is closed. May be repeated."""
        with self._guard:
            if self._handlers.pop(fd, None) is not None and self._epoll is not None:
                with suppress(OSError):  # closed too early; then the kernel has forgotten it already
                    self._epoll.unregister(fd)

    def at(self, moment_s: float, action: Action) -> None:
        """Calls `action` once, as soon as the monotonic clock shows `moment_s`."""
        with self._guard:
            self._running()
            first = not self._due or moment_s < self._due[0][0]
            self._tickets += 1
            heappush(self._due, (moment_s, self._tickets, action))
            if first and get_ident() != self._thread:
                os.eventfd_write(self._bell, 1)

    def close(self) -> None:
        """Ends the thread, after the handler it is in. What is watched stays its owner's to close. May be repeated."""
        with self._guard:
            if self._epoll is None or self._closing:
                return
            self._closing = True
            os.eventfd_write(self._bell, 1)
        if get_ident() != self._thread:
            self._ended.acquire(timeout=CLOSE_LIMIT_S)

    def _running(self) -> epoll:
        """The epoll of the running thread. The guard is held."""
        if self._closing:
            raise AssertionError("the pump is closed")
        if self._epoll is None:
            self._bell = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
            self._epoll = epoll()
            self._epoll.register(self._bell, EPOLLIN)
            self._handlers[self._bell] = self._rung
            self._ended.acquire()
            self._thread = start_new_thread(self._run, (self._epoll,))
        return self._epoll

    def _run(self, waiting: epoll) -> None:
        handlers, before_s = self._handlers, 0.0
        try:
            while not self._closing:
                ready = waiting.poll(self._patience_s(), EVENTS_MAX)
                now_s = monotonic()
                if now_s - before_s < BUSY_S:
                    sleep(GATHER_S)
                before_s = now_s
                for handler, fd, events in [(handlers.get(fd), fd, events) for fd, events in ready]:
                    # The one before may have closed this descriptor, and opened something else of its number.
                    if handler is not None and handlers.get(fd) is handler:
                        self._call(handler, fd, events)
                self._do_what_is_due()
        finally:
            with self._guard:
                self._epoll = None
                waiting.close()
                os.close(self._bell)
            self._ended.release()

    def _patience_s(self) -> float | None:
        due = self._due
        return max(0.0, due[0][0] - monotonic()) if due else None

    def _call(self, handler: Handler, fd: int, events: int) -> None:
        try:
            handler(events)
        except BaseException:  # SystemExit as well: the bytes of other commands must keep moving
            self.forget(fd)
            sys.excepthook(*sys.exc_info())

    def _do_what_is_due(self) -> None:
        while self._due and self._due[0][0] <= monotonic():
            with self._guard:
                action = heappop(self._due)[2]
            try:
                action()
            except BaseException:  # as above
                sys.excepthook(*sys.exc_info())

    def _rung(self, _events: int) -> None:
        os.eventfd_read(self._bell)
