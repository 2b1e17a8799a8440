"""A server that is a program: started, spoken to a message a line, and ended with all it has started.

The SDK has such a transport. This one starts the program by a plan like everything else (outside the sandbox, because
the user's configuration says so), keeps lines and what the server may ask of us within limits, and leaves nothing
behind: a server that does not go when its input is closed is asked, then killed, and so is whatever it started, also
what has left its session.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from mcp_types.jsonrpc import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from sandgate.display import one_line
from sandgate.errors import ExternalServerFailed
from sandgate.execution.start import start_child
from sandgate.kernel.session_tree import kill_marked
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.permissions import EffectivePermissions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from io import FileIO
    from types import TracebackType
    from typing import Any, TypeAlias

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp_types.jsonrpc import JSONRPCMessage

    from sandgate.external.server import ServerProgram
    from sandgate.kernel.child import Child

    Received: TypeAlias = SessionMessage | Exception
    AnyStream: TypeAlias = MemoryObjectReceiveStream[Any] | MemoryObjectSendStream[Any]
    Streams: TypeAlias = tuple[MemoryObjectReceiveStream[Received], MemoryObjectSendStream[SessionMessage]]

MESSAGE_BYTES_MAX = 32 << 20  # one message of a server
CHUNK_BYTES = 65_536
LAST_WORDS_BYTES_MAX = 2_048  # of what it says on its standard error
LAST_WORDS_SHOWN_CHARS = 300
ASKED_MAX = 64  # requests of a server to us that are not answered yet
LEAVE_SECONDS = 1.0  # for it to go when its input is closed
TERM_SECONDS = 1.0  # after SIGTERM
KILL_SECONDS = 2.0  # for the kernel to carry a SIGKILL out
MARK = "SANDGATE_MCP_SERVER"  # in its environment, to find what has left its session
SIGTERM = 15


class ProgramLink:
    """A transport in the sense of the SDK: `async with link as (received, to_send)`."""

    def __init__(self, program: ServerProgram, env: Mapping[str, str], cwd: str) -> None:
        self._mark = os.urandom(16).hex()
        self._plan = ConfinedCommand(
            backend="none",
            argv=(program.command, *program.args),
            cwd=program.cwd or cwd,
            env={**env, MARK: self._mark},
            permissions=EffectivePermissions(network="on", confined=False),
            report="off",
        )
        self.fault = ""  # why the connection was ended from our side
        self._last_words = b""
        self._asked = 0
        self._ended = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._input: asyncio.StreamWriter | None = None
        self._streams: tuple[AnyStream, ...] = ()

    async def __aenter__(self) -> Streams:
        theirs, ours = _pipes()
        try:
            self._child = start_child(self._plan, stdin=theirs[0], stdout=theirs[1], stderr=theirs[2], helper=None)
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        if self._child.failure is not None:
            for pipe in ours:
                pipe.close()
            raise _not_started(self._plan, self._child)
        self._watch()
        try:
            return await self._connected(*ours)
        except BaseException:
            for pipe in ours:
                pipe.close()
            await self.__aexit__(None, None, None)
            raise

    async def _connected(self, stdin: FileIO, stdout: FileIO, stderr: FileIO) -> Streams:
        self._input = await _writer(stdin)
        output, errors = await _reader(stdout), await _reader(stderr)
        to_session, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        to_send, from_session = anyio.create_memory_object_stream[SessionMessage](0)
        self._streams = (to_session, received, to_send, from_session)
        for work in (
            self._receive_all(output, to_session),
            self._send_all(from_session, to_session),
            self._hear(errors),
        ):
            self._tasks.append(asyncio.create_task(work))
        return received, to_send

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _where: TracebackType | None
    ) -> None:
        ending = asyncio.create_task(self._end())
        while not ending.done():  # a caller that is cancelled meanwhile must not leave a process behind
            with suppress(asyncio.CancelledError):
                await asyncio.shield(ending)
        ending.result()

    @property
    def last_words(self) -> str:
        """The last line on its standard error, made visible; "" when it said nothing."""
        lines = self._last_words.decode("utf-8", "replace").split("\n")
        said = [line for line in lines if line.strip()]
        return one_line(said[-1], limit=LAST_WORDS_SHOWN_CHARS) if said else ""

    def _watch(self) -> None:
        loop = asyncio.get_running_loop()

        def look(descriptor: int) -> None:
            self._child.handle(descriptor)
            if self._child.ended is not None:
                loop.remove_reader(descriptor)
                self._ended.set()

        for descriptor in self._child.descriptors():
            loop.add_reader(descriptor, look, descriptor)

    async def _receive_all(self, output: asyncio.StreamReader, to_session: MemoryObjectSendStream[Received]) -> None:
        async with to_session:
            await self._deliver_all(output, to_session)
        # A server that is stuck writing would not hear that it is to go.
        while await output.read(CHUNK_BYTES):
            pass

    async def _deliver_all(self, output: asyncio.StreamReader, to_session: MemoryObjectSendStream[Received]) -> None:
        """Until the server closes its output, the session is over, or a limit is passed."""
        kept = bytearray()
        while chunk := await output.read(CHUNK_BYTES):
            *lines, rest = chunk.split(b"\n")
            for line in lines:
                message = _message(bytes(kept) + line)
                kept.clear()
                if message is not None and not await self._delivered(message, to_session):
                    return
            kept += rest
            if len(kept) > MESSAGE_BYTES_MAX:
                self.fault = f"it sent a message of more than {MESSAGE_BYTES_MAX >> 20} MiB"
                return

    async def _delivered(self, message: JSONRPCMessage, to_session: MemoryObjectSendStream[Received]) -> bool:
        if isinstance(message, JSONRPCNotification):
            return True  # nothing that we call is told in parts
        self._asked += isinstance(message, JSONRPCRequest)
        if self._asked > ASKED_MAX:
            self.fault = f"it asked for more than {ASKED_MAX} things at once"
            return False
        try:
            await to_session.send(SessionMessage(message))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return False
        return True

    async def _send_all(
        self, from_session: MemoryObjectReceiveStream[SessionMessage], to_session: MemoryObjectSendStream[Received]
    ) -> None:
        assert self._input is not None
        with suppress(OSError):
            async for outgoing in from_session:
                message = outgoing.message
                self._asked -= isinstance(message, JSONRPCResponse | JSONRPCError)
                self._input.write(message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
                await self._input.drain()
            return
        to_session.close()  # it does not listen any more: no request may wait for it

    async def _hear(self, errors: asyncio.StreamReader) -> None:
        while chunk := await errors.read(CHUNK_BYTES):
            self._last_words = (self._last_words + chunk)[-LAST_WORDS_BYTES_MAX:]

    async def _end(self) -> None:
        if self._input is not None:
            self._input.close()
        for stream in self._streams:
            stream.close()
        if not await self._gone_within(LEAVE_SECONDS):
            self._child.signal_group(SIGTERM)
            if not await self._gone_within(TERM_SECONDS):
                self._child.kill_tree()
                await self._gone_within(KILL_SECONDS)
        self._child.kill_tree()
        kill_marked(f"{MARK}={self._mark}")
        for descriptor in self._child.descriptors():
            asyncio.get_running_loop().remove_reader(descriptor)
        if self._child.ended is not None:  # else the kernel holds it, and waiting for that would hold us
            self._child.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _gone_within(self, seconds: float) -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._ended.wait()
        return self._ended.is_set()


def _message(line: bytes) -> JSONRPCMessage | None:
    """What a line says; None for lines that are no messages, which many servers print."""
    if not line.startswith(b"{"):
        return None
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return None


def _pipes() -> tuple[tuple[int, int, int], tuple[FileIO, FileIO, FileIO]]:
    """The server's ends of its three streams, and ours."""
    (stdin, to_stdin), (from_stdout, stdout), (from_stderr, stderr) = (os.pipe() for _ in range(3))
    ours = (os.fdopen(to_stdin, "wb", 0), os.fdopen(from_stdout, "rb", 0), os.fdopen(from_stderr, "rb", 0))
    return (stdin, stdout, stderr), ours


async def _reader(pipe: FileIO) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=CHUNK_BYTES)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    return reader


async def _writer(pipe: FileIO) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, pipe)
    return asyncio.StreamWriter(transport, protocol, None, loop)


def _not_started(plan: ConfinedCommand, child: Child) -> ExternalServerFailed:
    failure = child.failure
    name, place = f"`{one_line(plan.argv[0])}`", f"`{one_line(plan.cwd)}`"
    directory = getattr(failure, "what", "") == "directory"
    return ExternalServerFailed(
        f"cannot enter {place}" if directory else f"cannot start {name}", why=getattr(failure, "errno", "")
    )
