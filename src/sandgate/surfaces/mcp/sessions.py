"""Who is served: each principal has a session of its own, and no other principal sees into it.

A principal is a connection. Over stdio that is the process at the other end of the pipe; over HTTP it is the protocol's
session, or, where the protocol has none (2026-07-28), the token. A session's commands, terminals and open questions go
with it: when the connection ends, when it was idle for too long, and when this process ends, however that happens.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from functools import partial
from time import monotonic, time

from sandgate.errors import RequestError, SandgateError
from sandgate.record import Record
from sandgate.runtime.aio import open_server_gate
from sandgate.serving.calls import ServedCall, call_digest, tool_work
from sandgate.serving.inbox import Inbox
from sandgate.serving.ledger_access import kept_in
from sandgate.surfaces.mcp.client_threads import ClientThreads, Room
from sandgate.surfaces.mcp.session_tools import is_session_tool
from sandgate.surfaces.mcp.thread_answers import ThreadAnswers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sandgate.protocol.environment import Environment
    from sandgate.runtime.aio import AsyncGate
    from sandgate.serving.inbox import Approval
    from sandgate.serving.ledger_access import Ledger
    from sandgate.surfaces.mcp.client_thread import Delegation

SESSIONS_MAX = 256  # at the same time, in one server
SESSIONS_OF_ONE_MAX = 128  # of them, with one token
SETTINGS_OF_ONE_MAX = 4  # sets of stricter settings of one connection; each is a session of its own
CALLS_MAX = 256  # of one session at the same time, those that wait for an answer included
KEPT_S = 60  # an answer that its client did not come for, after the end of the question
IDLE_S = 30 * 60  # a session that is tied to no connection ends after so long without a call
USED_UP = "this approval was used already, is over, or belongs to another session; call the tool again"
BEGUN = (
    "the command had begun under a server that has ended since, so it was not run again; what was approved is void. "
    "Look at what it did, and call the tool again if it is still wanted"
)
TURN_LOST = (
    "no turn waits for this answer any more: it was given up, or the server has ended since. What was approved is "
    "void; what the agent did until then is in the transcript of its session"
)


class Principal(Record):
    """Who is served. `connection` tells the connections of one name apart; "" where the protocol has none."""

    name: str
    connection: str = ""
    tighter: tuple[tuple[str, str], ...] = ()  # settings that the client asked to have stricter

    @property
    def label(self) -> str:
        """All of it, for records and seals; the same after a restart."""
        settings = "".join(f", {key}={value!r}" for key, value in self.tighter)
        return f"{' '.join(filter(None, (self.name, self.connection)))} (user {os.getuid()}{settings})"


class ClientSession:
    """One principal's gate, its open questions, its calls, and the sessions of agents that it opened."""

    def __init__(self, gate: AsyncGate, inbox: Inbox, threads: ClientThreads | None = None) -> None:
        self._gate = gate
        self._threads = threads
        self.inbox = inbox
        self._calls: set[ServedCall] = set()
        self._waiting: dict[str, ServedCall] = {}  # by the approval that its client was asked for
        self._brought: dict[str, float] = {}  # approvals whose answer has come, and until when they could come again
        self.used_s = monotonic()

    @property
    def busy(self) -> bool:
        return any(not call.done for call in self._calls)

    def begin(self, tool: str, arguments: Mapping[str, Any], *, prepared: Approval | None = None) -> ServedCall:
        """`prepared`: of `earlier`. Raises RequestError when there are too many at once."""
        self.used_s = monotonic()
        self._forget_left_behind()
        if len(self._calls) >= CALLS_MAX:
            raise RequestError("too many calls at once", why=f"at most {CALLS_MAX} of one session may be open")
        call = self._begun(tool, arguments, prepared)
        self._calls.add(call)
        return call

    def await_client(self, approval_id: str, call: ServedCall) -> None:
        """The client was asked, and will come again with an answer and this name."""
        self._waiting[approval_id] = call

    def resume(self, approval_id: str, tool: str, arguments: Mapping[str, Any]) -> ServedCall | None:
        """The call that waits for this approval; None when none does any more. Each comes once."""
        self.used_s = monotonic()
        call = self._waiting.get(approval_id)
        if call is None or call.digest != call_digest(tool, arguments, self.inbox.key):
            return None
        asked = call.question
        self._brought[approval_id] = (time() if asked is None else asked.approval.expires_at) + 2 * KEPT_S
        return self._waiting.pop(approval_id)

    def earlier(self, approval_id: str, tool: str, arguments: Mapping[str, Any]) -> Approval:
        """What an earlier server asked about this very call. Raises RequestError when that is void."""
        if is_session_tool(tool):
            raise RequestError(TURN_LOST)
        approval = self.inbox.find(approval_id)
        if (
            approval is None
            or approval.call_digest != call_digest(tool, arguments, self.inbox.key)
            or approval_id in self._brought
        ):
            raise RequestError(USED_UP)
        if approval.stage != "initial":
            raise RequestError(BEGUN)
        self._brought[approval_id] = approval.expires_at + 2 * KEPT_S
        return approval

    async def prepare(self) -> None:
        """Loads what the first call needs."""
        await self._gate.prepare()

    def over(self, call: ServedCall) -> None:
        """Its answer was delivered."""
        self._calls.discard(call)
        self.used_s = monotonic()

    async def give_up(self, call: ServedCall) -> None:
        """The client wants no answer. A `close` of the session meanwhile waits for the call's end as well."""
        try:
            await call.give_up()
        finally:
            self.over(call)

    async def close(self) -> None:
        """Ends everything of this principal, and waits until it is gone."""
        await self.inbox.close()
        await asyncio.gather(*(call.give_up() for call in tuple(self._calls)), return_exceptions=True)
        await self.inbox.close()  # of what was about to be asked
        if self._threads is not None:
            await self._threads.close()
        await self._gate.close()

    def _begun(self, tool: str, arguments: Mapping[str, Any], prepared: Approval | None) -> ServedCall:
        if self._threads is not None and is_session_tool(tool):
            return self._threads.begin(tool, arguments)
        return ServedCall(self.inbox, tool, arguments, tool_work(self._gate, tool, arguments), prepared=prepared)

    def _forget_left_behind(self) -> None:
        """Answers that no client came for, long after their question was over."""
        now = time()
        self._brought = {each: until for each, until in self._brought.items() if until > now}
        for approval_id, call in tuple(self._waiting.items()):
            asked = call.question
            if call.done and (asked is None or asked.approval.expires_at + KEPT_S < now):
                del self._waiting[approval_id]
                self._calls.discard(call)


class Sessions:
    """All sessions of one server. Belongs to one event loop."""

    def __init__(
        self, environment: Environment, ledger: Ledger, *, timeout_s: float, delegation: Delegation | None = None
    ) -> None:
        """`delegation`: how clients may hand whole tasks to agents; None: they may not."""
        self._environment = environment
        self._ledger = ledger
        self.delegation = delegation
        self._room = Room()
        self.timeout_s = timeout_s  # of a question
        self._open: dict[Principal, asyncio.Future[ClientSession]] = {}
        self._reaper: asyncio.Task[None] | None = None
        self._ahead: set[asyncio.Future[None]] = set()

    async def of(self, principal: Principal) -> ClientSession:
        """The session of that principal, opened with its first call. Raises ConfigError, RuleError, RequestError."""
        opening = self._open.get(principal)
        if opening is None:
            self._require_room(principal)
            opening = self._open[principal] = asyncio.ensure_future(self._opened(principal))
            opening.add_done_callback(lambda done: self._opened_or_not(principal, done))
            if self._reaper is None:
                self._reaper = asyncio.ensure_future(self._reap())
        return await asyncio.shield(opening)

    def expect(self, principal: Principal) -> None:
        """Opens the session ahead of its first call. What is wrong with it is for that call to hear."""
        if principal not in self._open:
            self._kept(asyncio.ensure_future(self._opened_ahead(principal)))

    async def end(self, principal: Principal) -> None:
        """Ends one session, if it is open."""
        opening = self._open.pop(principal, None)
        if opening is not None and not opening.cancelled():
            try:
                session = await opening
            except Exception:  # it never opened
                return
            await session.close()

    async def close(self) -> None:
        """Ends all of them, and waits until what they started is gone."""
        if self._reaper is not None:
            self._reaper.cancel()
        if self._ahead:
            await asyncio.wait(self._ahead)
        await asyncio.gather(*(self.end(principal) for principal in tuple(self._open)))

    async def _opened_ahead(self, principal: Principal) -> None:
        with suppress(SandgateError):
            session = await self.of(principal)
            await session.prepare()

    def _kept(self, task: asyncio.Future[None]) -> None:
        self._ahead.add(task)  # a loop holds its tasks weakly
        task.add_done_callback(self._ahead.discard)

    async def _opened(self, principal: Principal) -> ClientSession:
        environment, name = self._environment.but(tighter=principal.tighter), self._ledger_name(principal)
        gate = await open_server_gate(environment, hear=kept_in(self._ledger))
        inbox = Inbox(self._ledger, name, timeout_s=self.timeout_s, confinement=gate.runtime.confinement.summary)
        if self.delegation is None:
            return ClientSession(gate, inbox)
        answers = partial(ThreadAnswers, self._ledger, name, timeout_s=self.timeout_s)
        return ClientSession(gate, inbox, ClientThreads(environment, self.delegation, self._room, answers))

    def _require_room(self, principal: Principal) -> None:
        """No principal keeps others out by opening many."""
        if len(self._open) >= SESSIONS_MAX:
            raise RequestError("too many sessions", why=f"this server holds at most {SESSIONS_MAX} at once")
        if sum(each.name == principal.name for each in self._open) >= SESSIONS_OF_ONE_MAX:
            raise RequestError("too many sessions", why=f"one client may hold at most {SESSIONS_OF_ONE_MAX} at once")
        same = principal.but(tighter=())
        if sum(each.but(tighter=()) == same for each in self._open) >= SETTINGS_OF_ONE_MAX:
            raise RequestError(
                "too many different settings",
                why=f"one connection may use at most {SETTINGS_OF_ONE_MAX} sets of stricter settings",
            )

    def _ledger_name(self, principal: Principal) -> str:
        """Stays the same when the server is started again for the same user and directory."""
        return f"{principal.label} in {self._environment.cwd}"

    def _opened_or_not(self, principal: Principal, opening: asyncio.Future[ClientSession]) -> None:
        if opening.cancelled() or opening.exception() is not None:
            self._open.pop(principal, None)

    async def _reap(self) -> None:
        while True:
            await asyncio.sleep(IDLE_S / 10)
            for principal, opening in tuple(self._open.items()):
                if opening.done() and not opening.result().busy and monotonic() - opening.result().used_s > IDLE_S:
                    await self.end(principal)
