"""Writes down what a terminal showed and what was typed, so that it can be played again.

The format is asciicast, version 3: a line of JSON that describes the terminal, then a line for each event with the time
since the event before, a letter (o output, i input, r resize, m marker, x exit) and text. Players and converters exist.

What is typed while the terminal hides it never reaches the file: the input event says only that there was some. Should
it come back as output, because a program prints it or the terminal was switched just then, it is blotted out there
too, also when it arrives in pieces; below `SECRET_BYTES_MIN` bytes it cannot be told from any other text and is left.
"""

from __future__ import annotations

import os
from codecs import getincrementaldecoder
from json import dumps

from sandgate.errors import RequestError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

RECORDING_BYTES_MAX = 33_554_432  # of one file; then only the loss is counted
ENDING_BYTES = 512  # of these kept free for the markers that tell of the loss, and the exit
MARKER_CHARS_MAX = 200
SECRETS_MAX = 16  # hidden lines that are remembered, the latest ones
SECRET_BYTES_MIN = 4
SECRET_BYTES_MAX = 1_024  # of one hidden line; of a longer one the beginning is blotted out
REDACTED = "[redacted]"

_US_PER_S = 1_000_000
_NS_PER_US = 1_000


class Recorder:
    """A recording that begins now. `write` takes whole lines; when it raises OSError, `failed` says why and no more is
    written. `clock_ns` counts nanoseconds from any moment, evenly; `timestamp_s` is the date, in seconds since 1970.
    """

    def __init__(
        self,
        write: Callable[[bytes], object],
        *,
        columns: int,
        rows: int,
        clock_ns: Callable[[], int],
        timestamp_s: int,
        term: str = "",
        command: str = "",
        bytes_max: int = RECORDING_BYTES_MAX,
    ) -> None:
        self.failed = ""
        self.lost_bytes = 0
        self._write = write
        self._clock_ns = clock_ns
        self._last_us = clock_ns() // _NS_PER_US
        self._room = bytes_max - ENDING_BYTES
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._blot = _Blot()
        self._hiding = False
        self._ended = False
        self._put(_header(columns, rows, timestamp_s, term, command))

    def output(self, data: bytes) -> None:
        """What the terminal showed; a character may be cut off at the end and go on in the next call."""
        self._hiding = False
        self._show(self._blot.cover(data), len(data))

    def input(self, data: bytes, *, echo: bool) -> None:
        """What was typed. `echo` is False when it was typed into a terminal that hides a line, such as a password."""
        if echo:
            self._hiding = False
            self._event("i", data.decode("utf-8", "replace"), len(data))
            return
        self._blot.hide(data)
        if not self._hiding:  # one event for all of it: their number would tell its length
            self._event("i", REDACTED, len(data))
        self._hiding = True

    def resize(self, *, columns: int, rows: int) -> None:
        self._event("r", f"{columns}x{rows}", 0)

    def marker(self, label: str) -> None:
        """A place to find again; `label` is cut at `MARKER_CHARS_MAX`."""
        self._event("m", label[:MARKER_CHARS_MAX], 0)

    def exit(self, code: int | None) -> None:
        """The end, for good: what was held back, what was lost, and the exit code if there is one."""
        if self._ended:
            return
        rest = self._blot.uncover()
        self._show(rest, len(rest), final=True)
        self._room += ENDING_BYTES
        if self.lost_bytes:
            self._event("m", f"{self.lost_bytes} bytes were not recorded: the recording was full", 0)
        if code is not None:
            self._event("x", str(code), 0)
        self._ended = True

    def _show(self, data: bytes, size: int, *, final: bool = False) -> None:
        text = self._decoder.decode(data, final)
        if text:
            self._event("o", text, size)

    def _event(self, code: str, text: str, size: int) -> None:
        """One line; `size` is what counts as lost when there is no room for it."""
        if self._ended or self.failed:
            return
        now_us = max(self._clock_ns() // _NS_PER_US, self._last_us)
        line = dumps([(now_us - self._last_us) / _US_PER_S, code, text], ensure_ascii=False)
        if self._put(line):
            self._last_us = now_us
        else:
            self.lost_bytes += size

    def _put(self, line: str) -> bool:
        """False when it does not fit; then neither will anything after it, so that no gap goes unsaid."""
        data = (line + "\n").encode("utf-8", "replace")
        if len(data) > self._room:
            self._room = 0
            return False
        self._room -= len(data)
        try:
            self._write(data)
        except OSError as problem:
            self.failed = str(problem)
        return True


class _Blot:
    """Covers hidden lines wherever they come up in a stream. Holds back what may be the beginning of one."""

    def __init__(self) -> None:
        self._secrets: list[bytes] = []
        self._typing = b""  # the hidden line that has no end yet
        self._held = b""

    def hide(self, data: bytes) -> None:
        *whole, self._typing = (self._typing + data).replace(b"\r", b"\n").split(b"\n")
        self._typing = self._typing[:SECRET_BYTES_MAX]
        self._secrets += [line[:SECRET_BYTES_MAX] for line in whole if len(line) >= SECRET_BYTES_MIN]
        del self._secrets[:-SECRETS_MAX]

    def cover(self, data: bytes) -> bytes:
        hidden = self._hidden()
        if not hidden:
            return data
        data = self._held + data
        for secret in hidden:
            data = data.replace(secret, REDACTED.encode())
        held = max(_begun(data, secret) for secret in hidden)
        self._held = data[len(data) - held :]
        return data[: len(data) - held]

    def uncover(self) -> bytes:
        """What is held back when nothing follows: too little of a secret to tell, or covered."""
        held, self._held = self._held, b""
        return REDACTED.encode() if len(held) >= SECRET_BYTES_MIN else held

    def _hidden(self) -> list[bytes]:
        typing = [self._typing] if len(self._typing) >= SECRET_BYTES_MIN else []
        return sorted({*self._secrets, *typing}, key=len, reverse=True)  # a long one may hold a short one


def _begun(data: bytes, secret: bytes) -> int:
    """How many bytes at the end of `data` are the beginning of `secret`."""
    longest = min(len(secret) - 1, len(data))
    return next((size for size in range(longest, 0, -1) if data.endswith(secret[:size])), 0)


def _header(columns: int, rows: int, timestamp_s: int, term: str, command: str) -> str:
    terminal: Mapping[str, object] = {"cols": columns, "rows": rows} | ({"type": term} if term else {})
    return dumps(
        {"version": 3, "term": terminal, "timestamp": timestamp_s} | ({"command": command} if command else {}),
        ensure_ascii=False,
    )


class RecordingFile:
    """A new file that only its owner may read. RequestError when it cannot be made or the name exists, be it a link."""

    def __init__(self, path: str) -> None:
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            self._fd = os.open(path, flags, 0o600)
        except OSError as problem:
            raise RequestError(
                f"cannot record to `{path}`",
                why=str(problem.strerror),
                hint="name a file that does not exist yet, in a directory that does",
            ) from problem

    def write(self, data: bytes) -> None:
        """All of `data`, or OSError."""
        while data:
            data = data[os.write(self._fd, data) :]

    def close(self) -> None:
        os.close(self._fd)
