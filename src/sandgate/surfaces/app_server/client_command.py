"""One command of a client, while it runs: with streams of its own, or in a terminal."""

from __future__ import annotations

import asyncio
import os
from asyncio import Protocol
from base64 import b64encode
from contextlib import ExitStack
from signal import SIGKILL

from sandgate.protocol.stdio import Stdio
from sandgate.record import Record
from sandgate.surfaces.app_server.refusal import RequestRefused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import WriteTransport
    from collections.abc import Callable
    from typing import Any

    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.decisions import Passage
    from sandgate.runtime.aio import AsyncGate, AsyncTerminal

    Json = dict[str, Any]
    Tell = Callable[[str, Json], object]

INPUT_BYTES_MAX = 1024 * 1024  # written and not read by the command
TIMED_OUT, KILLED = 124, 128 + SIGKILL  # as `timeout` and the shell have them
END_OF_INPUT = b"\x04"  # what a terminal takes for it
NO_STDIN = "stdin is not open for this command; start it with `streamStdin` or `tty`"
NO_TERMINAL = "only a command with `tty` has a size"
FULL = f"the command has not read {INPUT_BYTES_MAX} bytes of its input yet"


class Wish(Record):
    """What is to run. `cap_bytes`: of each stream, that the client is sent; None: no end."""

    argv: tuple[str, ...]
    variables: dict[str, str]
    without: frozenset[str]
    timeout_ms: int | None
    cap_bytes: int | None
    process_id: str = ""
    streams_output: bool = False
    streams_input: bool = False
    rows: int = 24
    columns: int = 80


class StreamTold:
    """The output of one stream, as the client is told of it."""

    def __init__(self, wish: Wish, stream: str, tell: Tell) -> None:
        self._told = {"processId": wish.process_id, "stream": stream}
        self._left = wish.cap_bytes
        self._tell = tell

    def add(self, data: bytes) -> None:
        """What is beyond the cap is left out; the last piece says so."""
        if not data or self._left == 0:
            return
        capped = self._left is not None and len(data) > self._left
        if self._left is not None:
            data = data[: self._left]
            self._left = 0 if capped else self._left - len(data)
        piece = {"deltaBase64": b64encode(data).decode(), "capReached": capped}
        self._tell("command/exec/outputDelta", {**self._told, **piece})


class PipedCommand:
    """Without a terminal: two streams for its output, and one for its input if the client wants it."""

    def __init__(self, wish: Wish, tell: Tell) -> None:
        self._wish, self._tell = wish, tell
        self.begun = asyncio.Event()  # it can be written to; or never
        self._unwanted = False
        self._input: WriteTransport | None = None
        self._cancel: int | None = None  # while it runs

    async def run(self, gate: AsyncGate) -> Json:
        """Its answer, after everything it has printed. Cancelled, it ends it. Raises Refused, SandgateError."""
        wish = self._wish
        wanted = gate.runtime.request(
            wish.argv, timeout_ms=wish.timeout_ms, set_variables=wish.variables, unset_variables=wish.without
        ).but(timeout_ms=wish.timeout_ms)
        with ExitStack() as ends:
            stdin = await self._open_input(ends) if wish.streams_input else None
            names = ("stdout", "stderr") if wish.streams_output else ()
            readers = [await self._open_output(ends, name) for name in names]
            stdout, stderr = (end for end, _over in readers) if readers else (None, None)
            stdio = Stdio(stdin=stdin, stdout=stdout, stderr=stderr)
            self.begun.set()
            try:
                passage = await gate.killable(lambda cancel: self._passed(gate, wanted, stdio, cancel))
            finally:
                self._cancel = None
        for _end, over in readers:
            await over
        return self._answer(passage)

    def write(self, data: bytes, *, close: bool) -> None:
        """Raises Refused."""
        if self._input is None:
            raise RequestRefused(NO_STDIN)
        if self._input.get_write_buffer_size() + len(data) > INPUT_BYTES_MAX:
            raise RequestRefused(FULL)
        self._input.write(data)
        if close:
            self._input.close()
            self._input = None

    def resize(self, _rows: int, _columns: int) -> None:
        """Raises Refused."""
        raise RequestRefused(NO_TERMINAL)

    def terminate(self) -> None:
        """Ends it; may be repeated."""
        self._unwanted = True
        if self._cancel is not None:
            os.eventfd_write(self._cancel, 1)

    def _passed(self, gate: AsyncGate, wanted: CommandRequest, stdio: Stdio, cancel: int) -> Passage:
        self._cancel = cancel
        if self._unwanted:
            os.eventfd_write(cancel, 1)
        return gate.runtime.run(wanted, stdio, cancel_fd=cancel)

    async def _open_input(self, ends: ExitStack) -> int:
        theirs, ours = os.pipe()
        ends.callback(os.close, theirs)
        transport, _protocol = await asyncio.get_running_loop().connect_write_pipe(Protocol, os.fdopen(ours, "wb", 0))
        ends.callback(lambda: None if transport.is_closing() else transport.abort())
        self._input = transport
        return theirs

    async def _open_output(self, ends: ExitStack, name: str) -> tuple[int, asyncio.Future[None]]:
        loop = asyncio.get_running_loop()
        ours, theirs = os.pipe()
        ends.callback(os.close, theirs)
        over: asyncio.Future[None] = loop.create_future()
        deltas = StreamTold(self._wish, name, self._tell)
        await loop.connect_read_pipe(lambda: _Reading(deltas, over), os.fdopen(ours, "rb", 0))
        return theirs, over

    def _answer(self, passage: Passage) -> Json:
        result = passage.result
        if result is None:
            raise RequestRefused(passage.refusal.why if passage.refusal is not None else "the command did not run")
        code = KILLED if result.termination == "cancelled" else result.exit_code
        if self._wish.streams_output:
            return {"exitCode": code, "stdout": "", "stderr": ""}
        cap = self._wish.cap_bytes
        return {
            "exitCode": code,
            "stdout": result.stdout[:cap].decode("utf-8", "replace"),
            "stderr": result.stderr[:cap].decode("utf-8", "replace"),
        }


class TerminalCommand:
    """In a terminal: one stream both ways."""

    def __init__(self, wish: Wish, tell: Tell) -> None:
        self._wish = wish
        self.begun = asyncio.Event()  # it can be written to; or never
        self._live: AsyncTerminal | None = None
        self._deltas = StreamTold(wish, "stdout", tell)
        self._told_bytes = 0
        self._woken = False  # output has arrived, and telling of it is under way

    async def run(self, gate: AsyncGate) -> Json:
        """Its answer, after everything it has printed. Cancelled, it ends it. Raises Refused, SandgateError."""
        wish, loop = self._wish, asyncio.get_running_loop()
        live = self._live = await gate.terminal(
            wish.argv,
            rows=wish.rows,
            columns=wish.columns,
            set_variables=wish.variables,
            unset_variables=wish.without,
        )

        def arrived(_piece: bytes) -> None:
            if not self._woken:
                self._woken = True
                loop.call_soon_threadsafe(self._tell_new)

        self.begun.set()
        try:
            live.terminal.listen(arrived)
            self._tell_new()
            await live.wait_exit(wish.timeout_ms)
            timed_out = not live.terminal.over
        finally:
            await live.close()
        self._tell_new()
        code = TIMED_OUT if timed_out else live.terminal.exit_code
        if code is None:
            raise RequestRefused(f"`{wish.argv[0]}` could not be started")
        return {"exitCode": code, "stdout": "", "stderr": ""}

    def write(self, data: bytes, *, close: bool) -> None:
        """The end of input is a character here. Raises Refused, SandgateError."""
        live = self._running()
        if live.terminal.unwritten_bytes + len(data) > INPUT_BYTES_MAX:
            raise RequestRefused(FULL)
        live.write(data + (END_OF_INPUT if close else b""))

    def resize(self, rows: int, columns: int) -> None:
        """Raises Refused, RequestError."""
        self._running().terminal.resize(rows, columns)

    def terminate(self) -> None:
        """Asks it to end, and then ends it; may be repeated."""
        self._running().terminal.terminate()

    def _running(self) -> AsyncTerminal:
        if self._live is None:
            raise RequestRefused("the command has not begun yet")
        return self._live

    def _tell_new(self) -> None:
        self._woken = False
        if self._live is not None:
            piece = self._live.terminal.read(self._told_bytes)
            self._told_bytes = piece.end
            self._deltas.add(piece.data)


class _Reading(Protocol):
    """The side of a pipe on which a stream's output comes."""

    def __init__(self, deltas: StreamTold, over: asyncio.Future[None]) -> None:
        self._deltas, self._over = deltas, over

    def data_received(self, data: bytes) -> None:
        """A piece."""
        self._deltas.add(data)

    def connection_lost(self, _problem: Exception | None) -> None:
        """There is no more."""
        if not self._over.done():
            self._over.set_result(None)
