"""The library's own client over real pipes, and the program on the other side."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from acp.schema import (
    AllowedOutcome,
    ClientCapabilities,
    DeniedOutcome,
    FileSystemCapabilities,
    PermissionOption,
    RequestPermissionResponse,
    TextContentBlock,
    ToolCallUpdate,
)
from acp.stdio import spawn_agent_process

from support.agent.agent_places import provider
from support.model.responses_server import ResponsesServer
from support.process.program import PROGRAM
from support.terminal.live_sessions import NOT_ALL_OF_TMP

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from acp.client.connection import ClientSideConnection

    from support.model.responses_server import Manner

LIMIT_S = 60
PIPE_BYTES = 64 * 1024 * 1024  # of one line that this client reads
OFFERED = ClientCapabilities(fs=FileSystemCapabilities(read_text_file=True, write_text_file=True), terminal=True)


class Question:
    """A request for permission, until it is answered."""

    def __init__(self, session: str, call: ToolCallUpdate, options: list[PermissionOption]) -> None:
        self.session, self.call, self.options = session, call, options
        self.answered: asyncio.Future[RequestPermissionResponse] = asyncio.get_running_loop().create_future()

    @property
    def text(self) -> str:
        """What stands in it."""
        return text_of(self.call)

    def answer(self, option: str) -> None:
        self.answered.set_result(
            RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=option))
        )

    def take_back(self) -> None:
        self.answered.set_result(RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled")))


class Editor:
    """A client. It offers its terminal and its files; who uses them fails the test."""

    def __init__(self) -> None:
        self.updates: list[tuple[str, Any]] = []
        self.questions: list[Question] = []
        self.delegated: list[str] = []
        self.server: ClientSideConnection
        self.process: Process
        self._changed = asyncio.Event()

    def on_connect(self, conn: Any) -> None:
        """The library says so."""

    async def session_update(self, session_id: str, update: Any, **_more: Any) -> None:
        self.updates.append((session_id, update))
        self._changed.set()

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_more: Any
    ) -> RequestPermissionResponse:
        question = Question(session_id, tool_call, options)
        self.questions.append(question)
        self._changed.set()
        return await question.answered

    async def write_text_file(self, **_more: Any) -> None:
        self.delegated.append("fs/write_text_file")

    async def read_text_file(self, **_more: Any) -> None:
        self.delegated.append("fs/read_text_file")

    async def create_terminal(self, **_more: Any) -> None:
        self.delegated.append("terminal/create")

    async def until(self, wanted: Callable[[], Any]) -> Any:
        """What `wanted` finds, as soon as it finds something."""
        async with asyncio.timeout(LIMIT_S):
            while not (found := wanted()):
                self._changed.clear()
                await self._changed.wait()
        return found

    async def question(self, number: int = 1) -> Question:
        """The one of that number, from 1."""
        await self.until(lambda: len(self.questions) >= number)
        return self.questions[number - 1]

    async def begin(self) -> Any:
        """The handshake."""
        return await self.server.initialize(protocol_version=1, client_capabilities=OFFERED)

    async def session(self, place: AcpPlace) -> str:
        """The id of a new one."""
        opened = await self.server.new_session(cwd=str(place.repo), mcp_servers=[])
        return opened.session_id

    def prompt(self, session: str, text: str = "go", *more: Any) -> Awaitable[Any]:
        """A turn; its answer."""
        said: list[Any] = [TextContentBlock(type="text", text=text), *more]
        return asyncio.ensure_future(self.server.prompt(session_id=session, prompt=said))

    async def turn(self, session: str, text: str = "go") -> str:
        """Why it stopped."""
        return str((await self.prompt(session, text)).stop_reason)

    def told(self, kind: str) -> list[Any]:
        """The updates of that kind."""
        return [update for _session, update in self.updates if update.session_update == kind]

    def said(self, kind: str = "agent_message_chunk") -> str:
        """All that was said."""
        return "".join(update.content.text for update in self.told(kind))

    def calls(self) -> list[dict[str, Any]]:
        """The tool calls as a client shows them at last: an update puts what it has in place of what was."""
        found: dict[str, dict[str, Any]] = {}
        for _session, update in self.updates:
            if update.session_update in ("tool_call", "tool_call_update"):
                given = update.model_dump(exclude_none=True)
                found.setdefault(update.tool_call_id, {}).update(given)
        return list(found.values())


class AcpPlace:
    """A repository and a home."""

    def __init__(self, folder: Path, model: ResponsesServer) -> None:
        self.repo, self.home, self.model = folder / "repo", folder / "home", model
        for each in (self.repo, self.home):
            each.mkdir(parents=True, exist_ok=True)
        (self.repo / ".git").mkdir(exist_ok=True)

    @asynccontextmanager
    async def stranger(self, *options: str) -> AsyncIterator[Editor]:
        """An editor that has said nothing yet, and the server it has started."""
        editor = Editor()
        settings = [word for each in (NOT_ALL_OF_TMP, *provider(self.model.url)) for word in ("-c", each)]
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "LANG": "C.UTF-8"}
        spawned = spawn_agent_process(
            editor, *PROGRAM, "acp", *settings, *options,  # type: ignore[arg-type] # offers what the test needs
            env=env, cwd=str(self.repo), transport_kwargs={"limit": PIPE_BYTES}, use_unstable_protocol=True,
        )  # fmt: skip
        async with spawned as (editor.server, editor.process):
            yield editor
        assert editor.delegated == []

    @asynccontextmanager
    async def editor(self, *options: str) -> AsyncIterator[Editor]:
        """One that has introduced itself."""
        async with self.stranger(*options) as editor:
            await editor.begin()
            yield editor


@asynccontextmanager
async def acp_place(folder: Path, *manners: Manner) -> AsyncIterator[AcpPlace]:
    """With a model that answers so."""
    with ResponsesServer(*manners) as model:
        yield AcpPlace(folder, model)


def text_of(call: Any) -> str:
    """The words that stand in a tool call."""
    shown = call["content"] if isinstance(call, dict) else [each.model_dump() for each in call.content or ()]
    return "\n".join(each["content"]["text"] for each in shown if each["type"] == "content")
