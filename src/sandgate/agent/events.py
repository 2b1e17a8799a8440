"""What the gate tells about commands, as events of the session whose turn they belong to.

The gate speaks on many threads; here everything is put onto the session's loop, in the order in which it was said.
"""

from __future__ import annotations

from contextlib import suppress

from sandgate.agent.assessment_events import AssessmentEvents
from sandgate.agent.command_events import CommandEvents
from sandgate.errors import SandgateError, StorageError
from sandgate.protocol.events import (
    BackgroundEvent,
    PatchApplyBegin,
    PatchApplyEnd,
    Warned,
)
from sandgate.protocol.events_wire import approval_json, automatic_review
from sandgate.protocol.trace import (
    ApprovalAnswered,
    ApprovalRequested,
    ApprovalUpdated,
    AutoReview,
    CommandBegan,
    Notice,
    OutputArrived,
    PatchBegan,
    PatchEnded,
    RiskAssessed,
    TerminalBegan,
    TerminalEnded,
    TerminalInput,
)
from sandgate.protocol.wire import decided_risk_json, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable
    from typing import Any

    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.decisions import ApprovalRequest, Decision, Passage
    from sandgate.protocol.events import EventMessage
    from sandgate.protocol.trace import TraceRecord
    from sandgate.tools.calls import ToolOutput

    Tell = Callable[[str, EventMessage], object]

CALLS_MAX = 10_000  # of one session, whose turn is remembered; the oldest go


class AgentEvents:
    """A recorder for the session's gate. What happens before `begin` is told then."""

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._loop = loop
        self._early: list[tuple[str, EventMessage]] = []
        self._tell: Tell = lambda turn, message: self._early.append((turn, message))
        self._on_abort: Callable[[], object] = lambda: None
        self._audit: Callable[[dict[str, Any]], object] = lambda _record: None
        self._lasting: Callable[[ApprovalRequest, Decision], list[dict[str, Any]]] = lambda _request, _decision: []
        self._turns: dict[str, str] = {}
        self._commands = CommandEvents(self._about, lambda call_id: self._turns.get(call_id, ""))
        self._one_shots: set[str] = set()  # calls whose command is over when the call is
        self._asked: dict[str, ApprovalRequest] = {}  # by the question's id
        self._assessments = AssessmentEvents(lambda call_id, message: self._tell(self._turns.get(call_id, ""), message))
        self._heard_of: set[str] = set()  # calls of which something has been told

    def begin(
        self,
        tell: Tell,
        *,
        audit: Callable[[dict[str, Any]], object],
        lasting: Callable[[ApprovalRequest, Decision], list[dict[str, Any]]],
        on_abort: Callable[[], object],
    ) -> None:
        """All on the loop: `tell` with a turn's id and what happened, `audit` with who was asked and who allowed what.

        `lasting` says what else to write of an answer, so that the session finds it again. `on_abort` is called when a
        person wants a stop.
        """
        self._tell, self._audit, self._lasting, self._on_abort = tell, audit, lasting, on_abort
        for turn, message in self._early:
            tell(turn, message)
        self._early.clear()

    def belongs(self, call_id: str, turn_id: str, *, one_shot: bool = False) -> None:
        """What is told about this call is about that turn. `one_shot`: `over` tells how its command ended."""
        self._turns[call_id] = turn_id
        if one_shot:
            self._one_shots.add(call_id)
        while len(self._turns) > CALLS_MAX:
            oldest = next(iter(self._turns))
            del self._turns[oldest]
            self._one_shots.discard(oldest)
            self._heard_of.discard(oldest)

    def belongs_to_user(self, call_id: str, turn_id: str) -> None:
        """The same about a command that a person asked for, and that does not live on."""
        self._commands.users.add(call_id)
        self.belongs(call_id, turn_id, one_shot=True)

    def has_told(self, call_id: str) -> bool:
        """Whether those who watch have heard of this call."""
        return call_id in self._heard_of

    def reads(self, call_id: str, process_id: int | None = None) -> str:
        """An answer of this call is on its way; what it may tell the end of: the call of `process_id`, or this one."""
        about = call_id if process_id is None else self._commands.call_of(process_id)
        if about:
            self._commands.reads(about)
        return about

    def has_read(self, about: str, output: ToolOutput | None) -> None:
        """The answer that `reads` promised; None: there is none."""
        if about:
            self._commands.has_read(about, output)

    def over(self, call_id: str, command: CommandRequest, became: Passage | str) -> None:
        """A command that does not live on is over, or never was: its passage, or why there is none. From any thread."""
        with suppress(RuntimeError):  # the loop is closed; no surface watches any more
            self._loop.call_soon_threadsafe(self._one_shot_over, call_id, command, became)

    def __call__(self, record: TraceRecord) -> None:
        """From any thread."""
        try:
            self._loop.call_soon_threadsafe(self._take, record)
        except RuntimeError:
            return  # the loop is closed; no surface watches any more

    def _take(self, record: TraceRecord) -> None:
        match record:
            case Notice():
                self._tell("", Warned(record.message) if record.kind == "warning" else BackgroundEvent(record.message))
            case ApprovalRequested():
                self._asked[record.request.request_id] = record.request
                self._keep({"kind": "approval_requested", **approval_json(record.request)})
                self._assessments.asked(record.request)
            case ApprovalAnswered(decision=decision):
                request = self._asked.pop(record.request_id, None)
                risk = {} if request is None else decided_risk_json(request, decision)
                self._keep({"kind": "approval_decided", "approval_id": record.request_id, **plain(decision), **risk})
                if request is not None:
                    self._keep_lasting(request, decision)
                if decision.decision == "abort" and decision.source == "user":
                    self._on_abort()
            case ApprovalUpdated():
                self._assessments.updated(record)
            case RiskAssessed():
                self._assessments.ended(record)
            case CommandBegan(call_id=call_id) if call_id in self._one_shots and not self._commands.has_begun(call_id):
                self._commands.begin(call_id, record.command)
            case TerminalBegan() | TerminalEnded() | TerminalInput() | OutputArrived():
                self._commands.take(record)
            case AutoReview(call_id=call_id):
                turn = self._turns.get(call_id, "")
                self._tell(turn, self._assessments.reviewed(automatic_review(record, turn)))
            case PatchBegan() | PatchEnded():
                self._about(record.call_id, self._patch_event(record))

    def _about(self, call_id: str, message: EventMessage) -> None:
        self._heard_of.add(call_id)
        self._tell(self._turns.get(call_id, ""), message)

    def _keep(self, record: dict[str, Any]) -> None:
        with suppress(StorageError):  # the transcript is closed already; the journal of approvals has it all the same
            self._audit(record)

    def _keep_lasting(self, request: ApprovalRequest, decision: Decision) -> None:
        try:
            lines = self._lasting(request, decision)
        except SandgateError as problem:
            self._tell("", Warned(f"this approval will not hold when the session goes on later: {problem}"))
            return
        for line in lines:
            self._keep(line)

    def _patch_event(self, record: PatchBegan | PatchEnded) -> EventMessage:
        turn = self._turns.get(record.call_id, "")
        if isinstance(record, PatchBegan):
            return PatchApplyBegin(record.call_id, turn, record.auto_approved, record.changes)
        done = record.status == "completed"
        return PatchApplyEnd(record.call_id, turn, done, record.stdout, record.stderr, record.changes, record.status)

    def _one_shot_over(self, call_id: str, command: CommandRequest, became: Passage | str) -> None:
        self._commands.over(call_id, command, became)
        self._one_shots.discard(call_id)
