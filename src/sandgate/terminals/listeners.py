"""Tells a listener what happens to live commands, without their ever waiting for the listener.

Events go into a queue and are told from a thread of their own, in order. Beginnings, ends and inputs always get in;
output only as long as the queue is not full and the command has not used up its share. What is left out is counted, and
the end of the command says how much that was; the transcript has it all the same.
"""

from __future__ import annotations

import sys
from _thread import allocate_lock, start_new_thread
from collections import deque

from sandgate.protocol.trace import OutputArrived
from sandgate.terminals.output_pieces import Splitter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.trace import Recorder, TraceRecord
    from sandgate.terminals.limits import ExecLimits

QUEUED_MAX = 4_096  # events that wait to be told; output beyond that is left out and counted
CLOSE_LIMIT_S = 5.0  # for a listener that is busy with the event before


class Teller:
    """The queue and its thread, which exists while there is something to tell."""

    def __init__(self, record: Recorder) -> None:
        self._record = record
        self._guard = allocate_lock()
        self._queue: deque[TraceRecord] = deque()
        self._busy = False
        self._idle = allocate_lock()

    def tell(self, event: TraceRecord) -> None:
        """Gets told, however long the queue is."""
        with self._guard:
            self._queue.append(event)
            self._wake()

    def tell_output(self, event: OutputArrived) -> bool:
        """Gets told unless the queue is full; False: it was left out."""
        with self._guard:
            if len(self._queue) >= QUEUED_MAX:
                return False
            self._queue.append(event)
            self._wake()
            return True

    def flush(self, timeout_s: float = CLOSE_LIMIT_S) -> None:
        """Blocks until everything has been told; a listener that takes longer is not waited for."""
        if self._idle.acquire(timeout=timeout_s):
            self._idle.release()

    def _wake(self) -> None:
        if not self._busy:
            start_new_thread(self._begin, ())  # if there is none to be had, the next event tries again
            self._busy = True
            self._idle.acquire()

    def _begin(self) -> None:
        with self._guard:
            pass  # until the thread that started us has said so
        self._run()

    def _run(self) -> None:
        while True:
            with self._guard:
                if not self._queue:
                    self._busy = False
                    self._idle.release()
                    return
                event = self._queue.popleft()
            try:
                self._record(event)
            except BaseException:  # a listener's mistake must not end what it listens to
                sys.excepthook(*sys.exc_info())


class Deltas:
    """The output of one command as events: a listener of its `Output`."""

    def __init__(self, call_id: str, teller: Teller, limits: ExecLimits) -> None:
        self._call_id = call_id
        self._teller = teller
        self._max = limits.max_deltas
        self._splitter = Splitter(limits.delta_max_bytes)
        self.told = 0
        self.omitted_bytes = 0

    def __call__(self, data: bytes) -> None:
        self._pass_on(self._splitter.feed(data))

    def end(self) -> None:
        """No more output: what was held back to complete a character goes out."""
        self._pass_on(self._splitter.flush())

    def _pass_on(self, pieces: list[bytes]) -> None:
        for piece in pieces:
            if self.told < self._max and self._teller.tell_output(OutputArrived(self._call_id, "stdout", piece)):
                self.told += 1
            else:
                self.omitted_bytes += len(piece)
