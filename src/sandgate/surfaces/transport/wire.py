"""Standard input and output as a connection: two threads, two bounded queues.

The descriptors are the client's and may be shared with other processes, so their mode is not ours to change: they stay
blocking where they are, and a thread each waits for them. Every kind works alike: pipes, sockets, terminals, files. A
thread touches its descriptor only after `poll` and in pieces that a ready descriptor takes at once, so it also hears
when it is to stop.
"""

from __future__ import annotations

import asyncio
import os
import select
import threading
from collections import deque
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

READ_BYTES = 64 * 1024  # what a pipe holds
CHUNKS_WAITING_MAX = 16  # of READ_BYTES each, read and not yet looked at
OUTPUT_BYTES_MAX = 32 * 1024 * 1024
OUTPUT_MESSAGES_MAX = 8192
STALLED_SECONDS_MAX = 30.0  # for a client that is owed too much to take some of it
LOOK_SECONDS = 1.0  # between two looks at it meanwhile, and all it gets once it has closed its end
JOIN_SECONDS_MAX = 1.0  # for a thread to notice; it blocks longer only where another process took what `poll` promised


class Wire:
    """One connection over two descriptors, which it owns.

    `lost` is called in the loop when the client cannot be written to any more.
    """

    def __init__(self, incoming: int, outgoing: int, lost: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._incoming, self._outgoing = incoming, outgoing
        self._lost = lost
        self._stop = os.eventfd(0, os.EFD_CLOEXEC)  # never read: once written, every `poll` returns
        self._stopped = False

        self._room = threading.Semaphore(CHUNKS_WAITING_MAX)
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue()  # bounded by `_room`

        self._changed = threading.Condition()
        self._messages: deque[bytes] = deque()
        self._queued_bytes = 0
        self._pieces_written = 0
        self._flushed = asyncio.Event()
        self._flushed.set()
        self._roomy = asyncio.Event()
        self._roomy.set()

        self._threads = [
            threading.Thread(target=target, name=f"sandgate-wire-{name}", daemon=True)
            for name, target in (("reader", self._read), ("writer", self._write))
        ]
        for thread in self._threads:
            thread.start()

    async def chunks(self) -> AsyncIterator[bytes]:
        """What arrives, until the client closes its end."""
        while chunk := await self._chunks.get():
            yield chunk
            self._room.release()

    def put(self, data: bytes) -> bool:
        """Queue what is to be written; False when too much waits already, and then it is not taken."""
        with self._changed:
            if self._queued_bytes + len(data) > OUTPUT_BYTES_MAX or len(self._messages) >= OUTPUT_MESSAGES_MAX:
                return False
            if not self._stopped:
                self._messages.append(data)
                self._queued_bytes += len(data)
                self._flushed.clear()
                if self._crowded():
                    self._roomy.clear()
                self._changed.notify()
            return True

    async def room(self) -> bool:
        """Wait until at most half of what may be queued is. A client that takes no answers is served no further.

        False when the client has taken nothing for `STALLED_SECONDS_MAX`, or has closed its end and takes nothing.
        """
        waited_seconds, written = 0.0, self._pieces_written
        while not self._roomy.is_set():
            look_seconds = min(LOOK_SECONDS, STALLED_SECONDS_MAX)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._roomy.wait(), look_seconds)
                return True
            if self._pieces_written != written:
                waited_seconds, written = 0.0, self._pieces_written
                continue
            waited_seconds += look_seconds
            if waited_seconds >= STALLED_SECONDS_MAX or self._hung_up():
                return False
        return True

    async def flush(self, limit_seconds: float) -> None:
        """Wait until everything is written, nothing can be written any more, or the time is over."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._flushed.wait(), limit_seconds)

    def stop(self) -> None:
        """End both threads; what is still queued is dropped."""
        self._cease()
        self._room.release()
        for thread in self._threads:
            thread.join(JOIN_SECONDS_MAX)
        if not any(thread.is_alive() for thread in self._threads):
            for descriptor in {self._incoming, self._outgoing, self._stop}:
                os.close(descriptor)

    def _cease(self) -> None:
        with self._changed:
            self._stopped = True
            self._messages.clear()
            self._queued_bytes = 0
            self._changed.notify()
        os.eventfd_write(self._stop, 1)

    def _read(self) -> None:
        waiting = select.poll()
        waiting.register(self._incoming, select.POLLIN)
        waiting.register(self._stop, select.POLLIN)
        waiting.register(self._outgoing, 0)  # errors alone: tells at once when the client has gone
        while True:
            self._room.acquire()
            chunk = self._next_chunk(waiting)
            if chunk is None:
                return
            self._tell(self._chunks.put_nowait, chunk)
            if not chunk:
                return

    def _next_chunk(self, waiting: select.poll) -> bytes | None:
        """The next bytes, empty at the end; None when this thread has nothing more to do."""
        while True:
            ready = dict(waiting.poll())
            if self._stop in ready:
                return None
            if self._incoming in ready:
                try:
                    return os.read(self._incoming, READ_BYTES)
                except BlockingIOError:
                    continue  # another process took it, and made the descriptor non-blocking
                except OSError:
                    return b""
            if self._outgoing in ready:
                self._tell(self._gone)
                return None

    def _write(self) -> None:
        waiting = select.poll()
        waiting.register(self._outgoing, select.POLLOUT)
        waiting.register(self._stop, select.POLLIN)
        while (message := self._next_message()) is not None:
            if not self._write_all(message, waiting):
                return
            with self._changed:
                if self._stopped:
                    return
                crowded = self._crowded()
                self._messages.popleft()
                self._queued_bytes -= len(message)
                if not self._messages or (crowded and not self._crowded()):
                    self._tell(self._eased)

    def _next_message(self) -> bytes | None:
        with self._changed:
            self._changed.wait_for(lambda: self._messages or self._stopped)
            return None if self._stopped else self._messages[0]

    def _write_all(self, message: bytes, waiting: select.poll) -> bool:
        """Write it in pieces; a pipe that `poll` calls writable takes PIPE_BUF bytes without blocking, see pipe(7)."""
        rest = memoryview(message)
        while rest:
            if self._stop in dict(waiting.poll()):
                return False
            try:
                rest = rest[os.write(self._outgoing, rest[: select.PIPE_BUF]) :]
                self._pieces_written += 1
            except BlockingIOError:
                continue
            except OSError:
                self._tell(self._gone)
                return False
        return True

    def _hung_up(self) -> bool:
        """The client has closed its end, whether all it sent before has been read or not."""
        looking = select.poll()
        looking.register(self._incoming, select.POLLRDHUP)
        return bool(looking.poll(0))

    def _crowded(self) -> bool:
        return self._queued_bytes * 2 > OUTPUT_BYTES_MAX or len(self._messages) * 2 > OUTPUT_MESSAGES_MAX

    def _eased(self) -> None:
        with self._changed:
            if not self._messages:
                self._flushed.set()
            if not self._crowded():
                self._roomy.set()

    def _gone(self) -> None:
        self._cease()
        self._eased()
        self._lost()

    def _tell(self, call: Callable[..., object], *values: object) -> None:
        """Have the loop do it; not at all where the loop is gone."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(call, *values)
