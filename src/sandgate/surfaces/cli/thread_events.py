"""`sandgate agent --json`: the events of a session as the stream of threads, turns and items that scripts read.

Names are those that clients of the lineage know. An item is told when it starts and when it is over, under one id;
what is over at once is told once. Every started item gets exactly one end, before the end of its turn, whatever ended
that: a reader that counts on it never waits for one that cannot come.
"""

from __future__ import annotations

from sandgate.commandline.words import joined
from sandgate.protocol import events as told
from sandgate.protocol.events_wire import message_json
from sandgate.protocol.wire import plain, risk_json, sendable
from sandgate.surfaces.cli.kept_output import KeptOutput, kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.protocol.events import Event, EventMessage
    from sandgate.protocol.patches import FileChange
    from sandgate.protocol.usage import TokenUsage

    Json = dict[str, Any]
    Key = tuple[str, str, str]  # the kind of item, the id of the call, and of the sub-agent that makes it or ""

OPEN_ITEMS_MAX = 512  # items of a turn that are not over; a call beyond that is told once, at its end
ABORTED = {
    "interrupted": "the turn was interrupted",
    "replaced": "the turn was ended by another one",
    "review_ended": "the review was ended",
    "budget_limited": "the turn was ended: its budget is used up",
}


class _Open:
    """An item that is not over yet."""

    def __init__(self, item: Json) -> None:
        self.item = item
        self.output = KeptOutput() if item["type"] == "command_execution" else None


class ThreadEvents:
    """Folds events, in their order, into lines of the stream."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._begun = False
        self._turn_open = False
        self._ended_turn: str | None = None
        self._items = 0
        self._open: dict[Key, _Open] = {}  # in order of their start
        self._left: set[Key] = set()  # calls whose items were over before their commands
        self._usage: TokenUsage | None = None
        self._lines: list[Json] = []
        self._whose: Mapping[str, str] | None = None  # the sub-agent to which it happened

    def __call__(self, event: Event) -> list[Json]:
        """The lines this event adds: often none."""
        if not self._begun:
            self._begun = True
            self._lines.append({"type": "thread.started", "thread_id": self._session_id})
        self._whose = event.delegate
        self._fold(event.id, event.msg)
        lines, self._lines = self._lines, []
        found: list[Json] = sendable(lines)
        return found

    def _fold(self, turn: str, message: EventMessage) -> None:
        match message:
            case told.TaskStarted():
                self._turn_open = True
                self._lines.append({"type": "turn.started"})
            case told.TaskComplete():
                self._end_turn(turn, {"type": "turn.completed", "usage": self._used()})
            case told.TurnAborted():
                words = ABORTED.get(message.reason, f"the turn was ended: {message.reason}")
                self._end_turn(turn, {"type": "turn.failed", "error": {"message": words}})
            case told.Failed():
                self._lines.append({"type": "error", "message": message.message})
                if turn:  # "": a part of the session could not start, and it goes on without
                    self._end_turn(turn, {"type": "turn.failed", "error": {"message": message.message}})
            case told.TokenCount() if message.info is not None:
                self._usage = message.info.total
            case told.AgentMessage():
                self._once({"type": "agent_message", "text": message.message})
            case told.AgentReasoning():
                self._once({"type": "reasoning", "text": message.text})
            case told.Warned() | told.StreamError():
                self._once({"type": "error", "message": message.message})
            case told.UndoCompleted() if not message.success:
                self._once({"type": "error", "message": message.message or "nothing was taken back"})
            case told.DeprecationNotice():
                details = f": {message.details}" if message.details else ""
                self._once({"type": "error", "message": message.summary + details})
            case told.ShutdownComplete():
                self._close_all()
            case _:
                self._fold_call(message)

    def _fold_call(self, message: EventMessage) -> None:
        match message:
            case told.ExecCommandBegin() | told.ExecCommandOutputDelta() | told.ExecCommandEnd():
                self._command(message)
            case told.ExecCommandContinues() | told.TerminalInteraction():
                self._live(message)
            case told.PatchApplyBegin() | told.PatchApplyEnd():
                self._patch(message)
            case told.McpToolCallBegin() | told.McpToolCallEnd():
                self._mcp(message)
            case told.WebSearchBegin():
                self._start("search", message.call_id, {"type": "web_search", "query": ""})
            case told.WebSearchEnd():
                action = {"type": "search", "query": message.query}
                self._end("search", message.call_id, {"type": "web_search", "query": message.query, "action": action})
            case told.PlanUpdate():
                steps = [{"text": each.step, "completed": each.status == "completed"} for each in message.plan]
                self._start("plan", "", {"type": "todo_list", "items": steps})
            case told.DelegateBegin() | told.DelegateEnd():
                self._delegate(message)
            case told.ExecApprovalRequest() | told.ApplyPatchApprovalRequest():
                asked_by = {} if message.delegate is None else {"delegate": dict(message.delegate)}
                self._start("approval", message.approval_id, _approval(message.request) | asked_by)
            case told.ApprovalResolved():
                asked: Json = {"type": "approval", "call_id": message.call_id}
                decided = {"decision": message.decision, "source": message.source}
                self._end("approval", message.approval_id, asked | decided)
            case told.AutomaticReview():
                self._reviewed(message)
            case told.SandboxAssessment():
                self._once({**message_json(message), "type": "sandbox_assessment"})
            case _:
                return  # deltas and what items tell already

    def _command(self, message: told.ExecCommandBegin | told.ExecCommandOutputDelta | told.ExecCommandEnd) -> None:
        match message:
            case told.ExecCommandBegin():
                running: Json = {"aggregated_output": "", "exit_code": None, "status": "in_progress"}
                self._start("command", message.call_id, _command(message) | running)
            case told.ExecCommandOutputDelta():
                known = self._known("command", message.call_id)
                if known is not None and known.output is not None:
                    known.output.add(message.chunk)
            case told.ExecCommandEnd() if self._key("command", message.call_id) not in self._left:
                shown: Json = {"aggregated_output": kept(message.aggregated_output), "exit_code": message.exit_code}
                shown |= {"status": message.status}
                if message.error is not None:
                    shown["error"] = {"message": message.error}
                self._end("command", message.call_id, _command(message) | shown)

    def _live(self, message: told.ExecCommandContinues | told.TerminalInteraction) -> None:
        known = self._known("command", message.call_id)
        if isinstance(message, told.TerminalInteraction):
            typed: Json = {"type": "terminal_interaction", "process_id": message.process_id, "stdin": message.stdin}
            self._once(typed if known is None else {**typed, "command_id": known.item["id"]})
        elif known is not None:
            arrived = "" if known.output is None else known.output.text()
            shown = {"aggregated_output": arrived, "process_id": message.process_id}
            self._update("command", message.call_id, shown)

    def _reviewed(self, message: told.AutomaticReview) -> None:
        review: Json = {"type": "automatic_review", "approval_id": message.target_item_id, "call_id": message.call_id}
        review |= {"action": plain(message.action), "status": message.status}
        for name in ("risk_level", "user_authorization", "rationale"):
            review |= {name: getattr(message, name)} if getattr(message, name) else {}
        if message.status == "in_progress":
            self._start("review", message.id, review)
        else:
            self._end("review", message.id, review)

    def _patch(self, message: told.PatchApplyBegin | told.PatchApplyEnd) -> None:
        shown: Json = {"type": "file_change"}
        if message.changes or self._known("patch", message.call_id) is None:
            shown["changes"] = [_change(change) for change in message.changes]
        if isinstance(message, told.PatchApplyBegin):
            self._start("patch", message.call_id, shown | {"status": "in_progress"})
            return
        done = message.success and message.status == "completed"
        self._end("patch", message.call_id, shown | {"status": "completed" if done else "failed"})

    def _mcp(self, message: told.McpToolCallBegin | told.McpToolCallEnd) -> None:
        shown: Json = {"type": "mcp_tool_call", "server": message.server, "tool": message.tool}
        if message.arguments is not None or self._known("mcp", message.call_id) is None:
            shown["arguments"] = plain(message.arguments)
        if isinstance(message, told.McpToolCallBegin):
            self._start("mcp", message.call_id, shown | {"status": "in_progress"})
            return
        if message.result is not None:
            content, structured = message.result.get("content"), message.result.get("structuredContent")
            shown["result"] = {"content": plain(content or []), "structured_content": plain(structured)}
        if message.error is not None:
            shown["error"] = {"message": message.error}
        self._end("mcp", message.call_id, shown | {"status": "completed" if message.success else "failed"})

    def _delegate(self, message: told.DelegateBegin | told.DelegateEnd) -> None:
        shown: Json = {"type": "collab_tool_call", "tool": "spawn_agent", "sender_thread_id": self._session_id}
        shown |= {"receiver_thread_ids": [message.delegate_id], "kind": message.kind}
        if isinstance(message, told.DelegateBegin):
            states = {message.delegate_id: {"status": "running", "message": None}}
            begun = {"prompt": message.prompt, "agents_states": states, "status": "in_progress"}
            self._start("delegate", message.call_id, shown | begun)
            return
        states = {message.delegate_id: {"status": message.status, "message": message.last_agent_message}}
        ended = {"agents_states": states, "status": "completed" if message.status == "completed" else "failed"}
        self._end("delegate", message.call_id, shown | ended)

    def _key(self, kind: str, call: str) -> Key:
        """Two sessions may have calls of the same name."""
        return kind, call, "" if self._whose is None else self._whose["id"]

    def _known(self, kind: str, call: str) -> _Open | None:
        return self._open.get(self._key(kind, call))

    def _start(self, kind: str, call: str, item: Json) -> None:
        """Begin an item; one that is open already is told as it is now."""
        key = self._key(kind, call)
        if key in self._open:
            self._update(kind, call, item)
        elif len(self._open) < OPEN_ITEMS_MAX:
            numbered = self._numbered(item)
            self._open[key] = _Open(numbered)
            self._lines.append({"type": "item.started", "item": numbered})

    def _update(self, kind: str, call: str, fields: Json) -> None:
        known = self._open[self._key(kind, call)]
        known.item = {**known.item, **fields}
        self._lines.append({"type": "item.updated", "item": known.item})

    def _end(self, kind: str, call: str, item: Json) -> None:
        known = self._open.pop(self._key(kind, call), None)
        ended = self._numbered(item) if known is None else {**known.item, **item}
        self._lines.append({"type": "item.completed", "item": ended})

    def _once(self, item: Json) -> None:
        self._lines.append({"type": "item.completed", "item": self._numbered(item)})

    def _numbered(self, item: Json) -> Json:
        named = {"id": self._next_id(), **item}
        return named if self._whose is None else {**named, "delegate": dict(self._whose)}

    def _next_id(self) -> str:
        self._items += 1
        return f"item_{self._items - 1}"

    def _end_turn(self, turn: str, line: Json) -> None:
        """Once a turn: a turn that failed is not told as interrupted, too."""
        self._close_all()
        if self._turn_open or self._ended_turn != turn:
            self._lines.append(line)
        self._turn_open = False
        self._ended_turn = turn

    def _close_all(self) -> None:
        """End what no event has ended: the turn was cut off, or a command lives on beyond it."""
        for key, known in tuple(self._open.items()):
            kind = key[0]
            fields: Json = {}
            match kind:
                case "command":
                    lives_on = "process_id" in known.item
                    self._left.add(key)  # its item is over; what becomes of it later is no other item
                    arrived = known.output.text() if known.output else ""
                    fields["aggregated_output"] = max(arrived, known.item["aggregated_output"], key=len)
                    fields["status"] = "in_progress" if lives_on else "failed"
                case "approval":
                    fields = {"decision": "abort", "source": "none"}
                case "plan" | "search":
                    pass
                case _:
                    fields["status"] = "failed"
            del self._open[key]
            self._lines.append({"type": "item.completed", "item": {**known.item, **fields}})

    def _used(self) -> Json:
        used = self._usage
        names = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens")
        return {name: 0 if used is None else getattr(used, name) for name in names}


def _command(message: told.ExecCommandBegin | told.ExecCommandEnd) -> Json:
    return {"type": "command_execution", "command": joined(message.command)}


def _change(change: FileChange) -> Json:
    shown: Json = {"path": change.path, "kind": change.kind}
    return shown if change.move_path is None else {**shown, "move_path": change.move_path}


def _approval(request: ApprovalRequest) -> Json:
    kind = "patch" if request.changes else "exec"
    shown: Json = {"type": "approval", "call_id": request.call_id, "kind": kind}
    if kind == "exec":
        shown["command"] = joined(request.command.argv)
    else:
        shown["changes"] = [_change(change) for change in request.changes]
    if request.reason:
        shown["reason"] = request.reason
    if request.risk is not None:
        shown["risk"] = risk_json(request.risk)
    return {**shown, "decision": None, "source": None}
