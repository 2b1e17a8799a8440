"""`sandgate mcp` as real processes: servers, the official client, and what is left of them in the process table."""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import signal
import subprocess
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from support.process.program import PROGRAM, Sandgate, make_repository
from support.process.waiting import wait_until
from support.terminal.live_sessions import NOT_ALL_OF_TMP

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine, Iterator
    from typing import TypeVar

    from mcp_types import CallToolResult

    T = TypeVar("T")

LIMIT_S = 30  # for anything that is waited for
MODES = ("legacy", "2026-07-28")
TELLS_ITS_NUMBER = ["sh", "-c", 'echo $$ >"$0"; exec "$@"']  # the official client does not say what it has started
ADDRESS = re.compile(r"http://\S+/mcp\b")

_numbers = itertools.count(1)


def marker() -> str:
    """A time to sleep for that nobody else sleeps for, by which a process is known."""
    return f"86{os.getpid():07d}.{next(_numbers):04d}"


def living(mark: str) -> list[int]:
    """The processes with `mark` on their command line."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdecimal() and mark.encode() in Path(f"/proc/{entry}/cmdline").read_bytes():
                found.append(int(entry))
        except OSError:
            continue  # it ended while we looked
    return found


def gone(mark: str) -> bool:
    """True once none is left; False when one still lives after the limit."""
    return wait_until(lambda: not living(mark))


def run(work: Coroutine[Any, Any, T]) -> T:
    """On a fresh loop, for a bounded time."""

    async def bounded() -> T:
        async with asyncio.timeout(2 * LIMIT_S):
            return await work

    try:
        return asyncio.run(bounded())
    except BaseExceptionGroup as group:  # the client's task groups wrap whatever happens inside them
        raise _only(group) from None


def _only(problem: BaseException) -> BaseException:
    while isinstance(problem, BaseExceptionGroup) and len(problem.exceptions) == 1:
        problem = problem.exceptions[0]
    return problem


class Place(Sandgate):
    """A workspace and a home, and the servers that stand there."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "repo", folder / "home")
        self.folder = folder
        self._number = folder / "server"
        if not self.workspace.exists():
            self.home.mkdir()
            self.workspace.mkdir()
            make_repository(self.workspace)

    @property
    def server(self) -> int:
        """The process that a client has started last."""
        return int(self._number.read_text())

    def stdio_command(self, *options: str) -> list[str]:
        """A server on its standard streams."""
        return [*TELLS_ITS_NUMBER, str(self._number), *PROGRAM, "mcp", *options]

    def tokens(self, **tokens: str) -> str:
        """A file with them."""
        path = self.home / "tokens"
        path.touch(0o600)
        path.write_text("".join(f"{name} {token}\n" for name, token in tokens.items()))
        return str(path)

    @contextmanager
    def serving(self, *options: str, **environ: str) -> Iterator[HttpServer]:
        """A server over HTTP; it is ended in order afterwards, unless it was before."""
        process = subprocess.Popen(
            [*PROGRAM, "mcp", "--http", "-c", NOT_ALL_OF_TMP, *options],
            cwd=self.workspace,
            env={**self.env, **environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        with process:
            try:
                server = HttpServer(process)
                yield server
            finally:
                process.terminate()
                try:
                    server.rest = process.communicate(timeout=LIMIT_S)[1]
                finally:
                    process.kill()

    def nothing_waits(self) -> bool:
        """Whether `sandgate approvals` knows of no open question."""
        done = self("approvals", "list")
        print(done)
        return "nothing waits for an answer" in done.err


class HttpServer:
    """A process that listens, and where."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.rest = ""  # what it said until it ended
        assert process.stderr
        said = []
        for line in process.stderr:  # it has said so, or it ended
            said.append(line)
            if found := ADDRESS.search(line):
                self.url = found[0]
                return
        raise AssertionError("".join(said))

    def killed(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(LIMIT_S)


@asynccontextmanager
async def over_stdio(place: Place, mode: str, *options: str, **callbacks: Any) -> AsyncIterator[Client]:
    """The official client with a server of its own."""
    command, *arguments = place.stdio_command(*options)
    parameters = StdioServerParameters(command=command, args=arguments, env=place.env, cwd=place.workspace)
    with open(os.devnull, "w") as nowhere:
        async with Client(stdio_client(parameters, errlog=nowhere), mode=mode, **callbacks) as client:
            yield client


@asynccontextmanager
async def over_http(url: str, token: str, mode: str, **callbacks: Any) -> AsyncIterator[Client]:
    """The official client of a server that stands."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=2 * LIMIT_S) as with_token,
        Client(streamable_http_client(url, http_client=with_token), mode=mode, **callbacks) as client,
    ):
        await client.list_tools()  # as every client does; without it the later era asks for the list by itself
        yield client


def text_of(result: CallToolResult) -> str:
    """What the model reads."""
    (part,) = result.content
    return str(getattr(part, "text", ""))


def structured(result: CallToolResult) -> dict[str, Any]:
    """What programs read."""
    assert isinstance(result.structured_content, dict), result
    return result.structured_content


async def sleeping(client: Client, mark: str) -> int:
    """The session of a command that is known by `mark` and would sleep for years."""
    asked = {"cmd": f"exec sleep {mark}", "yield_time_ms": 250, "login": False}
    answer = structured(await client.call_tool("exec_command", asked))
    assert living(mark), answer
    return int(answer["session_id"])
