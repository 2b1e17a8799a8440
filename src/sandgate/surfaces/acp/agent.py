"""The agent's side of the protocol: what a client may ask for, as the library calls it.

What a client offers to do for us (its terminal, its files) is not used: what a command may do is decided and confined
here, and would be by neither there.
"""

from __future__ import annotations

import asyncio
import functools

from acp.meta import PROTOCOL_VERSION
from acp.schema import (
    AgentCapabilities,
    CloseSessionResponse,
    Implementation,
    InitializeResponse,
    ListSessionsResponse,
    LoadSessionResponse,
    NewSessionResponse,
    PromptCapabilities,
    PromptResponse,
    ResumeSessionResponse,
    SessionCapabilities,
    SessionCloseCapabilities,
    SessionInfo,
    SessionListCapabilities,
    SessionResumeCapabilities,
    SetSessionConfigOptionResponse,
    SetSessionModeResponse,
)

from sandgate import __version__
from sandgate.agent import past_sessions
from sandgate.display import visible
from sandgate.protocol.wire import sendable
from sandgate.runtime.aio import on_thread
from sandgate.surfaces.acp import choices
from sandgate.surfaces.acp.prompts import said_in
from sandgate.surfaces.acp.refusal import bad_params, bad_request, refusal_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from typing import Any, TypeVar

    from sandgate.surfaces.acp.live_session import LiveSession
    from sandgate.surfaces.acp.sessions import OpenSessions

    T = TypeVar("T")

PAGE = 50  # sessions of a list, before those of other directories are left out
NAMES_MAX = 16  # of servers, repeated to the client
NOT_INITIALIZED = "`initialize` comes first"
NO_SERVERS = (
    "Sandgate does not start the MCP servers that an editor names ({names}); those of your configuration are there, "
    "see `mcp_servers` in docs/reference/configuration.md."
)


def _answered(method: Callable[..., Coroutine[Any, Any, T]]) -> Callable[..., Coroutine[Any, Any, T]]:
    """Every problem is an answer."""

    @functools.wraps(method)
    async def answered(self: SandgateAgent, *arguments: Any, **named: Any) -> T:
        if not self.introduced:
            raise bad_request(NOT_INITIALIZED)
        try:
            return await method(self, *arguments, **named)
        except Exception as problem:
            raise refusal_of(problem) from problem

    return answered


class SandgateAgent:
    """For one client. What is asked with fields that are not named here has them ignored, as the protocol says."""

    def __init__(self, sessions: OpenSessions) -> None:
        self._sessions = sessions
        self.introduced = False

    async def initialize(self, protocol_version: int, **_more: Any) -> InitializeResponse:  # noqa: ARG002 - there is one
        """Who is who, and what there is."""
        self.introduced = True
        return InitializeResponse(
            protocol_version=PROTOCOL_VERSION,
            agent_capabilities=AgentCapabilities(
                load_session=True,
                prompt_capabilities=PromptCapabilities(image=True, embedded_context=True),
                session_capabilities=SessionCapabilities(
                    list=SessionListCapabilities(),
                    resume=SessionResumeCapabilities(),
                    close=SessionCloseCapabilities(),
                ),
            ),
            agent_info=Implementation(name="sandgate", title="Sandgate", version=__version__),
            auth_methods=[],
        )

    @_answered
    async def new_session(
        self,
        cwd: str,
        additional_directories: list[str] | None = None,
        mcp_servers: Sequence[Any] | None = None,
        **_more: Any,
    ) -> NewSessionResponse:
        """Another one."""
        _require_no_more(additional_directories)
        session = await self._sessions.start(cwd)
        self._soon(session, mcp_servers)
        now = session.standing
        return NewSessionResponse(session_id=session.id, modes=choices.modes(now), config_options=choices.options(now))

    @_answered
    async def load_session(
        self,
        cwd: str,
        session_id: str,
        mcp_servers: Sequence[Any] | None = None,
        additional_directories: list[str] | None = None,
        **_more: Any,
    ) -> LoadSessionResponse:
        """An earlier one, whose conversation is told before the answer."""
        _require_no_more(additional_directories)
        session = await self._sessions.resume(session_id, cwd)
        session.replay()
        session.release()
        self._say_no_servers(session, mcp_servers)
        now = session.standing
        return LoadSessionResponse(modes=choices.modes(now), config_options=choices.options(now))

    @_answered
    async def resume_session(
        self,
        cwd: str,
        session_id: str,
        mcp_servers: Sequence[Any] | None = None,
        additional_directories: list[str] | None = None,
        **_more: Any,
    ) -> ResumeSessionResponse:
        """The same without telling what the client knows."""
        _require_no_more(additional_directories)
        session = await self._sessions.resume(session_id, cwd)
        self._soon(session, mcp_servers)
        now = session.standing
        return ResumeSessionResponse(modes=choices.modes(now), config_options=choices.options(now))

    @_answered
    async def list_sessions(
        self, cwd: str | None = None, cursor: str | None = None, **_more: Any
    ) -> ListSessionsResponse:
        """A page of those on disk, newest first. With `cwd` it may have fewer than there are on a page."""
        environ = self._sessions.serving.environment.environ
        found = await on_thread(lambda: past_sessions.list_sessions(environ, limit=PAGE, cursor=cursor))
        shown = [
            SessionInfo(
                session_id=each.id,
                cwd=sendable(each.cwd),
                title=sendable(each.preview) or None,
                updated_at=each.updated_at,
            )
            for each in found.items
            if cwd in (None, each.cwd)
        ]
        return ListSessionsResponse(sessions=shown, next_cursor=found.next_cursor)

    @_answered
    async def close_session(self, session_id: str, **_more: Any) -> CloseSessionResponse:
        """Ends it and what it started; it stays on disk."""
        await self._sessions.named(session_id).close()
        return CloseSessionResponse()

    @_answered
    async def prompt(self, session_id: str, prompt: Sequence[object], **_more: Any) -> PromptResponse:
        """A turn, answered at its end."""
        stopped = await self._sessions.named(session_id).prompt(said_in(prompt))
        return PromptResponse(stop_reason=stopped)

    @_answered
    async def set_session_mode(self, session_id: str, mode_id: str, **_more: Any) -> SetSessionModeResponse:
        """Another approval policy, from the next turn on."""
        await self._choose(session_id, choices.MODE, mode_id)
        return SetSessionModeResponse()

    @_answered
    async def set_config_option(
        self, config_id: str, session_id: str, value: str | bool, **_more: Any
    ) -> SetSessionConfigOptionResponse:
        """The same for any of the session's options."""
        session = await self._choose(session_id, config_id, value)
        return SetSessionConfigOptionResponse(config_options=choices.options(session.standing))

    async def cancel(self, session_id: str, **_more: Any) -> None:
        """Ends the turn of that session, if one runs."""
        session = self._sessions.find(session_id)
        if session is not None:
            session.cancel()

    async def _choose(self, session_id: str, option: str, value: object) -> LiveSession:
        session = self._sessions.named(session_id)
        await session.change(choices.change_of(session.standing, option, value))
        return session

    def _soon(self, session: LiveSession, servers: Sequence[Any] | None) -> None:
        """What the session has to tell follows the answer that names it."""

        def after() -> None:
            session.release()
            self._say_no_servers(session, servers)

        asyncio.get_running_loop().call_soon(after)

    def _say_no_servers(self, session: LiveSession, servers: Sequence[Any] | None) -> None:
        names = [f"`{visible(str(server.name), limit=80)}`" for server in servers or ()][:NAMES_MAX]
        if names:
            session.say(NO_SERVERS.format(names=", ".join(names)))


def _require_no_more(directories: list[str] | None) -> None:
    if directories:
        raise bad_params("`additionalDirectories` cannot be given by a client; `--add-dir` of the server can")
