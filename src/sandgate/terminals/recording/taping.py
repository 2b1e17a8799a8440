"""Records a live command while it runs: what it showed, what was typed into it, when, and how it ended."""

from __future__ import annotations

from _thread import allocate_lock
from time import monotonic_ns, time

from sandgate.terminals.recording.asciicast import Recorder, RecordingFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.terminals.identity import TerminalIdentity


class Tape:
    """One recording in a file of its own. Its methods may be called from any thread."""

    def __init__(self, path: str, identity: TerminalIdentity) -> None:
        self._guard = allocate_lock()
        self._file = RecordingFile(path)
        self._recorder = Recorder(
            self._file.write,
            columns=identity.columns,
            rows=identity.rows,
            clock_ns=monotonic_ns,
            timestamp_s=int(time()),
            term=identity.command.env.get("TERM", ""),
        )
        self._open = True

    def output(self, data: bytes) -> None:
        with self._guard:
            self._recorder.output(data)

    def input(self, data: bytes, *, hidden: bool) -> None:
        """What was typed; `hidden`: into a terminal that shows nothing of it."""
        with self._guard:
            self._recorder.input(data, echo=not hidden)

    def resize(self, *, rows: int, columns: int) -> None:
        with self._guard:
            self._recorder.resize(columns=columns, rows=rows)

    def end(self, exit_code: int | None) -> None:
        """Completes the file. May be repeated."""
        with self._guard:
            if self._open:
                self._open = False
                self._recorder.exit(exit_code)
                self._file.close()
