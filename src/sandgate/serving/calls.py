"""One tool call that may outlive the request that brought it.

Where a protocol has no way to ask, a question goes back as the answer of the request, and the call goes on when the
client comes again with what the person decided. So a call belongs to its session; requests come and look at it.
"""

from __future__ import annotations

import asyncio
import hmac
import json

from sandgate.errors import SandgateError
from sandgate.protocol.decisions import Decision
from sandgate.serving.inbox import CANCELLED
from sandgate.tools.calls import ToolOutput as Output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from typing import Any, TypeAlias

    from sandgate.approvals.ledger.pending import PendingApproval
    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.runtime.aio import AsyncGate
    from sandgate.serving.inbox import Inbox, Question

    Review: TypeAlias = Callable[[ApprovalRequest], Awaitable[Decision]]
    Work: TypeAlias = Callable[[Review], Awaitable[Output]]

__all__ = ["Output", "ServedCall", "call_digest", "tool_work"]

UNASKED = "nobody could be asked, because of an error on our side"


def call_digest(tool: str, arguments: Mapping[str, Any], key: bytes) -> str:
    """HMAC-SHA-256 over the call, in hexadecimal. Keyed: arguments may hold a password short enough to guess."""
    said = json.dumps([tool, arguments], sort_keys=True, default=str)
    return hmac.new(key, said.encode("utf-8", "surrogatepass"), "sha256").hexdigest()


def tool_work(gate: AsyncGate, tool: str, arguments: Mapping[str, Any]) -> Work:
    """A tool's call through the gate; what it started alone ends with it."""
    return lambda review: gate.call_tool(tool, arguments, reviewer=review, ends_with_caller=True)


class ServedCall:
    """Runs `work` from the moment it is made. Belongs to one event loop.

    What the work wants to have reviewed is put one question after the other, for as long as it wants that.
    `prepared`: an approval given before, under an earlier server; it answers the first question if that is the same.
    """

    def __init__(
        self,
        inbox: Inbox,
        tool: str,
        arguments: Mapping[str, Any],
        work: Work,
        *,
        prepared: PendingApproval | None = None,
    ) -> None:
        self.inbox = inbox
        self.tool = tool
        self.digest = call_digest(tool, arguments, inbox.key)
        self._prepared = prepared
        self.question: Question | None = None  # the last one
        self._asked = asyncio.Event()
        self._one_at_a_time = asyncio.Lock()
        self._reviewing: set[asyncio.Task[Any]] = set()
        self._task = asyncio.ensure_future(work(self._review))

    @property
    def done(self) -> bool:
        return self._task.done()

    async def happened(self) -> Output | Question:
        """Waits for what comes next: an open question, or the end."""
        while True:
            if self.question is not None and self.question.open:
                return self.question
            if self._task.done():
                return self._task.result()
            self._asked.clear()
            asked = asyncio.ensure_future(self._asked.wait())
            try:
                await asyncio.wait((self._task, asked), return_when=asyncio.FIRST_COMPLETED)
            finally:
                asked.cancel()

    async def give_up(self) -> None:
        """No client waits for it any more: its question is refused, its command ended."""
        self._task.cancel()
        await self._withdraw()
        await asyncio.wait((self._task,))
        if self._reviewing:  # they may still be taking their questions back
            await asyncio.wait(self._reviewing)
        await self._withdraw()  # what was just being written down when the task was cancelled

    async def _withdraw(self) -> None:
        if self.question is not None and self.question.open:
            await self.inbox.answer(self.question, "deny", by="withdrawn", reason=CANCELLED)

    async def _review(self, request: ApprovalRequest) -> Decision:
        task = asyncio.current_task()
        assert task is not None  # a coroutine that runs is one's
        self._reviewing.add(task)
        task.add_done_callback(self._reviewing.discard)
        async with self._one_at_a_time:
            return await self._decided(request)

    async def _decided(self, request: ApprovalRequest) -> Decision:
        prepared, self._prepared = self._prepared, None
        try:
            if prepared is not None:
                decision = await self.inbox.honoured(request, prepared)
                if decision is not None:
                    return decision
            question = await self.inbox.put(request, tool=self.tool, call_digest=self.digest)
        except SandgateError as problem:
            return Decision(request.stage, "denied", "none", reason=f"nobody could be asked: {problem}")
        except Exception as problem:  # its text may hold anything, and the reason is shown to the caller
            asyncio.get_running_loop().call_exception_handler({"message": f"sandgate: {UNASKED}", "exception": problem})
            return Decision(request.stage, "denied", "none", reason=UNASKED)
        self.question = question
        self._asked.set()
        return await self.inbox.settled(question)
