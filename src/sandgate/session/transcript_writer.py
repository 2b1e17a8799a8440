"""Writes a transcript: a line is with the kernel before `write` returns, so no death of ours takes it away again.

The file is made with the first line, so a session in which nothing was said leaves none. Power failures are for
`flush`, which waits for the disk and belongs on a thread. What cannot be written for the moment is kept and tried again
with every line, from the byte where it stopped; one writer alone appends, as long as it holds the file's lock.
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from collections import deque

from sandgate.display import visible
from sandgate.errors import SandgateError, StorageError
from sandgate.session.transcript_access import held_directory, made_alone, made_directories, opened_alone
from sandgate.session.transcript_files import new_path
from sandgate.session.transcript_lines import LINE_BYTES_MAX, line_bytes, timestamp
from sandgate.session.transcript_reader import read_descriptor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.session.transcript_lines import Line, SessionMeta
    from sandgate.session.transcript_reader import Transcript

    Tell = Callable[[str], None]

UNWRITTEN_BYTES_MAX = 32 << 20  # kept while the disk takes nothing; further lines are lost, and counted
NOT_SAVED = "transcript is not being saved: {why}"
SAVED_AGAIN = "transcript is being saved again"


def _unheard(_text: str) -> None:
    """For a caller that does not want to be told."""


class TranscriptWriter:
    """One transcript, while its session lives. Lines come from one thread; `flush` and `close` may come from others.

    `on_problem` hears once of every outage and `on_recovered` of its end, on the thread of the call that met it.
    """

    def __init__(
        self,
        path: str,
        home: str,
        meta: SessionMeta | None,
        *,
        on_problem: Tell = _unheard,
        on_recovered: Tell = _unheard,
    ) -> None:
        """Use `new` or `resumed`."""
        self.path = path
        self.home = home  # the state directory; "" for a transcript that was there before
        self._meta = meta  # to be written in front of the first line
        self._on_problem, self._on_recovered = on_problem, on_recovered
        self._guard = allocate_lock()  # of everything below
        self._syncing = allocate_lock()  # held by a thread that waits for the disk: the descriptor stays open
        self._descriptor = -1
        self._directories: list[int] = []  # to be synced with the next flush
        self._unwritten: deque[bytes] = deque()
        self._unwritten_bytes = 0
        self._lost = 0  # lines that found no room during this outage
        self._trouble = ""  # why nothing can be written; "" while all is well
        self._ordinal = 0
        self._closed = False

    @classmethod
    def new(
        cls, home: str, meta: SessionMeta, *, on_problem: Tell = _unheard, on_recovered: Tell = _unheard
    ) -> TranscriptWriter:
        """For a session that begins. `home` is the state directory. Raises StorageError where nothing could be kept."""
        os.close(held_directory(home))
        return cls(new_path(home, meta.id), home, meta, on_problem=on_problem, on_recovered=on_recovered)

    @classmethod
    def resumed(
        cls, path: str, *, on_problem: Tell = _unheard, on_recovered: Tell = _unheard
    ) -> tuple[TranscriptWriter, Transcript]:
        """Goes on with an existing transcript, and what it says. May take a second, for a long one.

        Raises SessionBusy, SessionNotFound, TranscriptUnreadable, StorageError.
        """
        descriptor = opened_alone(path)
        try:
            transcript = read_descriptor(descriptor, path)
        except BaseException:
            os.close(descriptor)
            raise
        writer = cls(path, "", None, on_problem=on_problem, on_recovered=on_recovered)
        writer._descriptor = descriptor
        writer._ordinal = transcript.next_ordinal
        if transcript.torn:
            writer._keep(b"\n")  # what is torn stays a line of its own
        return writer, transcript

    def write(self, line: Line) -> bool:
        """Whether the kernel has it; False while that is not possible: it is kept. Never waits for the disk.

        Raises StorageError when the writer is closed, and for a line over LINE_BYTES_MAX.
        """
        with self._guard:
            if self._closed:
                raise StorageError("the transcript is closed")
            news = self._drain()  # first what waits: it may make room for this line
            if self._meta is not None:
                self._keep(self._numbered(self._meta))
                self._meta = None
            self._keep(self._numbered(line))
            if not self._trouble:
                news += self._drain()
            written = not self._unwritten
        for tell in news:
            tell()
        return written

    def flush(self) -> None:
        """Everything written is on the disk. Waits for it. Raises StorageError, and the lines stay kept."""
        with self._syncing:
            with self._guard:
                news = self._drain()
                trouble, descriptor = self._trouble, self._descriptor
            for tell in news:
                tell()
            if trouble:
                raise StorageError("the transcript is not saved", why=trouble)
            if descriptor >= 0:
                self._sync(descriptor)

    def close(self) -> None:
        """Flushes, and lets others have the transcript. Closed in any case; raises StorageError. May be repeated."""
        try:
            if not self._closed:
                self.flush()
        finally:
            with self._syncing, self._guard:
                self._closed = True
                for descriptor in (self._descriptor, *self._directories):
                    if descriptor >= 0:
                        os.close(descriptor)
                self._descriptor, self._directories = -1, []

    def _numbered(self, line: Line) -> bytes:
        data = line_bytes(line, ordinal=self._ordinal, timestamp=timestamp())
        if len(data) > LINE_BYTES_MAX:
            raise StorageError("this is too long for a transcript", why=f"it takes more than {LINE_BYTES_MAX} bytes")
        self._ordinal += 1
        return data

    def _keep(self, data: bytes) -> None:
        if self._lost or (self._unwritten and self._unwritten_bytes + len(data) > UNWRITTEN_BYTES_MAX):
            self._lost += 1  # one gap and not several; its numbers are missing in the file, for a reader to see
            return
        self._unwritten.append(data)
        self._unwritten_bytes += len(data)

    def _drain(self) -> list[Callable[[], None]]:
        """Hands over what is kept; what there is to tell about it, once the guard is left."""
        if not self._unwritten or self._closed:
            return []
        try:
            if self._descriptor < 0:
                self._descriptor = self._made()
            while self._unwritten:
                data = self._unwritten[0]
                written = os.write(self._descriptor, data)
                self._unwritten_bytes -= written
                if written == len(data):
                    self._unwritten.popleft()
                else:
                    self._unwritten[0] = data[written:]
        except OSError as problem:
            return self._fell(str(problem.strerror))
        except SandgateError as problem:
            return self._fell(str(problem))
        return self._rose()

    def _made(self) -> int:
        directories = made_directories(self.home, os.path.relpath(os.path.dirname(self.path), self.home))
        try:
            descriptor = made_alone(directories[-1], self.path)
        except BaseException:
            for each in directories:
                os.close(each)
            raise
        self._directories = directories
        return descriptor

    def _fell(self, why: str) -> list[Callable[[], None]]:
        first = not self._trouble
        self._trouble = why
        return [lambda: self._on_problem(NOT_SAVED.format(why=why))] if first else []

    def _rose(self) -> list[Callable[[], None]]:
        if not self._trouble:
            return []
        lost, self._lost, self._trouble = self._lost, 0, ""
        text = f"{SAVED_AGAIN}; {lost} lines of it are lost" if lost else SAVED_AGAIN
        return [lambda: self._on_recovered(text)]

    def _sync(self, descriptor: int) -> None:
        """The file, and its name in every directory that may be new. `_syncing` is held."""
        try:
            os.fsync(descriptor)
            if not os.fstat(descriptor).st_nlink:
                raise StorageError("the transcript is not saved", why=f"`{visible(self.path)}` was removed")
            while self._directories:
                os.fsync(self._directories[-1])
                os.close(self._directories.pop())
        except OSError as problem:
            raise StorageError("the transcript is not saved", why=str(problem.strerror)) from problem
