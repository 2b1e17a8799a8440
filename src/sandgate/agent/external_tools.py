"""Tools of other servers in an agent's session: asked about like commands, then called, and told."""

from __future__ import annotations

from asyncio import CancelledError
from time import monotonic_ns

from sandgate.external.servers import external_arguments
from sandgate.external.verdict import as_command, call_verdict, external_call_key, review_text
from sandgate.gate.escalation import COMMAND_REJECTED
from sandgate.protocol.commands import NS_PER_MS
from sandgate.protocol.decisions import ApprovalRequest
from sandgate.protocol.events import McpToolCallBegin, McpToolCallEnd
from sandgate.protocol.verdicts import Allow, Forbid
from sandgate.session.interfaces import Answer
from sandgate.session.normalising import ABORTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sandgate.external.answer import ExternalAnswer
    from sandgate.external.offer import ExternalTool
    from sandgate.external.servers import ExternalServers
    from sandgate.reviewers.async_reviewer import AsyncReviewer
    from sandgate.runtime.aio import AsyncGate
    from sandgate.session.interfaces import CallContext


class ExternalTools:
    """Of one session; the servers may be shared with others."""

    def __init__(self, servers: ExternalServers, gate: AsyncGate) -> None:
        self._servers = servers
        self._gate = gate

    def definitions(self) -> tuple[Mapping[str, Any], ...]:
        """What the model is told about them."""
        return self._servers.definitions()

    def listed(self) -> Mapping[str, Mapping[str, Any]]:
        """Each as its server describes it, by the name that the model calls it by."""
        return self._servers.described()

    def has(self, name: str) -> bool:
        """Whether a server has a tool of this name."""
        return self._servers.tool(name) is not None

    def is_alone(self, name: str) -> bool:
        """Whether a call of this tool must not overlap any other: its server does not say that it may."""
        tool = self._servers.tool(name)
        return tool is None or not tool.parallel

    async def call(
        self, name: str, text: str, call_id: str, context: CallContext, reviewer: AsyncReviewer | None
    ) -> Answer:
        """Asks if need be, and calls. Raises ToolArgumentsError."""
        tool = self._servers.tool(name)
        assert tool is not None  # `has` was asked
        arguments = external_arguments(text)
        refusal = await self._refusal(tool, arguments, call_id, reviewer)
        where = (call_id, context.turn_id, tool.server, tool.tool)
        if refusal:
            context.tell(McpToolCallEnd(*where, 0, success=False, error=refusal, arguments=arguments, declined=True))
            return Answer(refusal, success=False)
        context.tell(McpToolCallBegin(*where, arguments))
        began_ns = monotonic_ns()
        answer = await self._answered(tool, arguments, call_id, context)
        context.tell(
            McpToolCallEnd(
                *where,
                (monotonic_ns() - began_ns) // NS_PER_MS,
                success=not answer.is_error,
                result=answer.result_json(),
                arguments=arguments,
            )
        )
        return Answer(answer.output, success=not answer.is_error)

    async def _refusal(
        self, tool: ExternalTool, arguments: Mapping[str, Any], call_id: str, reviewer: AsyncReviewer | None
    ) -> str:
        """Why it is not called; "" when it may be."""
        runtime = self._gate.runtime
        verdict = call_verdict(tool, self._servers.server_of(tool), approval=runtime.policies.approval)
        if isinstance(verdict, Allow):
            return ""
        if isinstance(verdict, Forbid):
            return verdict.reason
        request = ApprovalRequest(
            runtime.new_id(),
            call_id,
            "initial",
            as_command(tool, arguments, cwd=runtime.directory),
            reason=review_text(tool, arguments),
            keys=(external_call_key(tool, arguments, cwd=runtime.directory),),
            confined=False,
            why=verdict.reason,
        )
        decision = await self._gate.ask(request, reviewer)
        return "" if decision.approved else decision.reason or COMMAND_REJECTED

    async def _answered(
        self, tool: ExternalTool, arguments: Mapping[str, Any], call_id: str, context: CallContext
    ) -> ExternalAnswer:
        began_ns = monotonic_ns()
        try:
            return await self._servers.call(tool, arguments, policy=self._gate.runtime.tools.live.truncation)
        except CancelledError:  # what has begun has an end, also when its turn is ended
            lasted_ms = (monotonic_ns() - began_ns) // NS_PER_MS
            told = (call_id, context.turn_id, tool.server, tool.tool, lasted_ms)
            context.tell(McpToolCallEnd(*told, success=False, error=ABORTED, arguments=arguments))
            raise
