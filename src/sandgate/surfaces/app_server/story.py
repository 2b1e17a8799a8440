"""The events of one session as the notifications of one thread.

Kept apart from who is told: this folds events, in their order, into what every client of the thread is told, and knows
at any moment how the thread stands and what its turns are.
"""

from __future__ import annotations

from collections import deque

from sandgate.protocol import events as told
from sandgate.protocol.items import Message, Reasoning, WebSearchCall
from sandgate.protocol.wire import plain, sendable
from sandgate.surfaces.app_server import item_forms as forms
from sandgate.surfaces.app_server.messages import now_ms
from sandgate.surfaces.app_server.open_items import OpenItems
from sandgate.surfaces.app_server.turn_log import TurnLog, new_turn, turn_error, without_items

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from sandgate.protocol.events import Event, EventMessage
    from sandgate.protocol.items import Item
    from sandgate.protocol.usage import TokenUsage

    Json = dict[str, Any]
    Tell = Callable[[str, Json], object]

CLIENT_IDS_MAX = 1024  # of messages that are on their way into a turn
PLAN_STATUS = {"in_progress": "inProgress"}


class Story:
    """Of one thread. `tell` is called with the name of a notification and what it carries."""

    def __init__(self, thread_id: str, tell: Tell, *, earlier: Iterable[Json] = ()) -> None:
        self._thread_id = thread_id
        self._tell_as_it_is = tell
        self.items = OpenItems(thread_id, self._tell)
        self.log = TurnLog(earlier)
        self.turn: Json | None = None  # the one that runs
        self.waiting = False  # for an answer
        self.refused: set[str] = set()  # items of the turn that were not allowed
        self._client_ids: deque[str | None] = deque(maxlen=CLIENT_IDS_MAX)
        self._message_id = self._thought_id = ""  # of the items that grow
        self._parts = 0  # of the thought
        self._numbers = 0
        self._began_ms = 0  # the turn
        self._last_message: Json | None = None
        self._error: Json | None = None

    def expect(self, client_id: str | None) -> None:
        """A client says something, and calls it so."""
        self._client_ids.append(client_id)

    @property
    def status(self) -> Json:
        """How the thread stands."""
        if self.turn is None:
            return {"type": "idle"}
        return {"type": "active", "activeFlags": ["waitingOnApproval"] if self.waiting else []}

    def never_began(self, turn_id: str) -> None:
        """A turn that a client was told of cannot be had; its end follows."""
        self.turn = new_turn(turn_id, started_at=now_ms() // 1000)
        self._last_message, self._error, self._began_ms = None, None, now_ms()

    def wait(self, *, waiting: bool) -> None:
        """It waits for an answer now, or no longer."""
        if waiting != self.waiting:
            self.waiting = waiting
            if self.turn is not None:
                self._tell_status()

    def happened(self, event: Event) -> None:
        """Tells what that means for the thread."""
        message, turn = event.msg, event.id
        match message:
            case told.TaskStarted():
                self._turn_began(message)
            case told.TaskComplete():
                self._turn_ended(message.turn_id, "completed", message)
            case told.TurnAborted():
                self._turn_ended(message.turn_id, "interrupted")
            case told.Failed() if turn:
                self._failed(turn, message.message)
            case told.ItemStarted() | told.ItemCompleted():
                self._item(message)
            case told.AgentMessageDelta() | told.AgentReasoningDelta() | told.AgentReasoningSectionBreak():
                if event.delegate is None:  # the words of a sub-agent are no item of this thread
                    self._grew(message, turn)
            case told.TokenCount() if message.info is not None:
                self._used(message, turn)
            case _:
                self._did(message, turn)

    def _did(self, message: EventMessage, turn: str) -> None:
        match message:
            case told.ExecCommandBegin() | told.ExecCommandOutputDelta() | told.ExecCommandEnd():
                self._command(message, turn)
            case told.ExecCommandContinues():
                self.items.lives_on(message.call_id, processId=message.process_id)
            case told.TerminalInteraction():
                typed = {"itemId": message.call_id, "processId": message.process_id, "stdin": message.stdin}
                self._tell("item/commandExecution/terminalInteraction", {**self._where(turn), **typed})
            case told.PatchApplyBegin() | told.PatchApplyEnd():
                self._patch(message)
            case told.McpToolCallBegin() | told.McpToolCallEnd():
                self._mcp(message)
            case told.ViewImageToolCall():
                self._over({"type": "imageView", "id": message.call_id, "path": message.path}, turn)
            case told.ContextCompacted():
                self._over({"type": "contextCompaction", "id": self._fresh(turn)}, turn)
            case told.TurnDiff():
                self._tell("turn/diff/updated", {**self._where(turn), "diff": message.unified_diff})
            case told.PlanUpdate():
                steps = [
                    {"step": each.step, "status": PLAN_STATUS.get(each.status, each.status)} for each in message.plan
                ]
                plan = {"explanation": message.explanation, "plan": steps}
                self._tell("turn/plan/updated", {**self._where(turn), **plan})
            case _:
                self._remarked(message, turn)

    def _remarked(self, message: EventMessage, turn: str) -> None:
        match message:
            case told.StreamError():
                error = turn_error(message.message, message.additional_details)
                self._tell("error", {"error": error, "willRetry": True, **self._where(turn)})
            case told.Warned() | told.Failed():
                self._tell("warning", {"message": message.message, "threadId": self._thread_id})
            case told.DeprecationNotice():
                self._tell("deprecationNotice", {"summary": message.summary, "details": message.details})
            case _:
                return  # what items tell already, and questions, which have a place of their own

    def _turn_began(self, message: told.TaskStarted) -> None:
        self.turn = new_turn(message.turn_id, started_at=message.started_at)
        self.log.begin(self.turn)
        self._last_message, self._error, self._began_ms = None, None, now_ms()
        self._tell_status()
        self._tell("turn/started", {"threadId": self._thread_id, "turn": without_items(self.turn)})

    def _failed(self, turn_id: str, message: str) -> None:
        self._error = turn_error(message)
        self._tell("error", {"error": self._error, "willRetry": False, **self._where(turn_id)})
        self._turn_ended(turn_id, "failed")

    def _turn_ended(self, turn_id: str, status: str, message: told.TaskComplete | None = None) -> None:
        for item in self.items.end_all(self.refused):
            self.log.add(item)
        turn = self.turn
        self.turn, self.waiting = None, False
        self.refused.clear()
        self._client_ids.clear()
        if turn is None or turn["id"] != turn_id:
            return
        now = now_ms()
        ended_at = max(round(now / 1000), turn["startedAt"]) if message is None else message.completed_at
        lasted = max(0, now - self._began_ms) if message is None else message.duration_ms
        turn.update(status=status, error=self._error, completedAt=ended_at, durationMs=lasted)
        self._tell_status()
        shown = without_items(turn)
        if self._last_message is not None:
            shown = {**shown, "items": [self._last_message], "itemsView": "summary"}
        self._tell("turn/completed", {"threadId": self._thread_id, "turn": shown})

    def _item(self, message: told.ItemStarted | told.ItemCompleted) -> None:
        item, turn = self._formed(message.item, message.item_id, message.turn_id), message.turn_id
        if item is None:
            return
        if isinstance(message, told.ItemStarted):
            self._grows(item)
            self.items.begin(item, turn)
            return
        done = self._over(item, turn)
        if done["type"] == "agentMessage":
            self._last_message = done

    def _formed(self, item: Item, item_id: str, turn: str) -> Json | None:
        match item:
            case Message(role="user"):
                item_id = item_id or f"{turn}-said"
                known = item_id in self.items
                client_id = None if known or not self._client_ids else self._client_ids.popleft()
                return forms.user_message_item(item_id, item, client_id)
            case Message(role="assistant"):
                return forms.agent_message_item(item_id or self._message_id or self._fresh(turn), item)
            case Reasoning():
                return forms.reasoning_item(item_id or self._thought_id or self._fresh(turn), item)
            case WebSearchCall():
                return {"type": "webSearch", "id": item_id, "query": str((item.action or {}).get("query", ""))}
            case _:
                return None

    def _grows(self, item: Json) -> None:
        if item["type"] == "agentMessage":
            self._message_id = item["id"]
        elif item["type"] == "reasoning":
            self._thought_id, self._parts = item["id"], 0

    def _grew(
        self,
        message: told.AgentMessageDelta | told.AgentReasoningDelta | told.AgentReasoningSectionBreak,
        turn: str,
    ) -> None:
        if isinstance(message, told.AgentMessageDelta):
            if self._message_id not in self.items:  # a provider that does not say when one begins
                self._message_id = self._fresh(turn)
                self.items.begin(forms.agent_message_item(self._message_id, None), turn)
            where = {**self._where(turn), "itemId": self._message_id}
            self._tell("item/agentMessage/delta", {**where, "delta": message.delta})
            return
        if self._thought_id not in self.items:
            self._thought_id, self._parts = self._fresh(turn), 0
            self.items.begin(forms.reasoning_item(self._thought_id, None), turn)
        where = {**self._where(turn), "itemId": self._thought_id}
        if isinstance(message, told.AgentReasoningSectionBreak):
            self._parts += 1
            self._tell("item/reasoning/summaryPartAdded", {**where, "summaryIndex": self._parts - 1})
            return
        grown = {"delta": message.delta, "summaryIndex": max(0, self._parts - 1)}
        self._tell("item/reasoning/summaryTextDelta", {**where, **grown})

    def _command(
        self, message: told.ExecCommandBegin | told.ExecCommandOutputDelta | told.ExecCommandEnd, turn: str
    ) -> None:
        call = message.call_id
        match message:
            case told.ExecCommandBegin():
                item = forms.command_execution(call, message.command, message.cwd, message.parsed_cmd)
                item["source"] = _source(message)
                item["processId"] = message.process_id
                self.items.begin(item, message.turn_id)
            case told.ExecCommandOutputDelta():
                text = self.items.output(call, message.chunk) if call in self.items else ""
                if text:
                    delta = {**self._where(turn), "itemId": call, "delta": text}
                    self._tell("item/commandExecution/outputDelta", delta)
            case told.ExecCommandEnd():
                self._command_over(message)

    def _command_over(self, message: told.ExecCommandEnd) -> None:
        call = message.call_id
        if self.items.was_left(call):
            return  # its item was over with its turn
        if call not in self.items:
            self.items.begin(forms.command_execution(call, message.command, message.cwd, ()), message.turn_id)
        came_to: Json = {"id": call, "processId": message.process_id, "exitCode": message.exit_code}
        came_to |= {"durationMs": message.duration_ms, "status": message.status}
        shown = message.aggregated_output or message.error or ""
        self._over({**came_to, "aggregatedOutput": shown}, message.turn_id)

    def _patch(self, message: told.PatchApplyBegin | told.PatchApplyEnd) -> None:
        item = forms.file_change(message.call_id, message.changes)
        if isinstance(message, told.PatchApplyBegin):
            self.items.begin(item, message.turn_id)
            return
        if not message.changes and message.call_id in self.items:
            del item["changes"]
        done = message.success and message.status == "completed"
        status = "completed" if done else "declined" if message.status == "declined" else "failed"
        self._over({**item, "status": status}, message.turn_id)

    def _mcp(self, message: told.McpToolCallBegin | told.McpToolCallEnd) -> None:
        item = forms.mcp_call(message.call_id, message)
        if isinstance(message, told.McpToolCallBegin):
            self.items.begin(item, message.turn_id)
            return
        item["status"] = "completed" if message.success else "failed"
        item["durationMs"], item["result"] = message.duration_ms, plain(message.result)
        item["error"] = None if message.error is None else {"message": message.error}
        self._over(item, message.turn_id)

    def _used(self, message: told.TokenCount, turn: str) -> None:
        info = message.info
        assert info is not None
        usage = {"total": _tokens(info.total), "last": _tokens(info.last), "modelContextWindow": info.window}
        self._tell("thread/tokenUsage/updated", {**self._where(turn), "tokenUsage": usage})

    def _over(self, item: Json, turn: str) -> Json:
        done = self.items.end(item, turn)
        self.log.add(done)
        return done

    def _tell_status(self) -> None:
        self._tell("thread/status/changed", {"threadId": self._thread_id, "status": self.status})

    def _tell(self, method: str, params: Json) -> None:
        self._tell_as_it_is(method, sendable(params))

    def _where(self, turn: str) -> Json:
        return {"threadId": self._thread_id, "turnId": turn}

    def _fresh(self, turn: str) -> str:
        self._numbers += 1
        return f"{turn}-{self._numbers}"


def _source(message: told.ExecCommandBegin) -> str:
    if message.is_user_shell_command:
        return "userShell"
    return "agent" if message.process_id is None else "unifiedExecStartup"


def _tokens(usage: TokenUsage) -> Json:
    return {
        "totalTokens": usage.total_tokens,
        "inputTokens": usage.input_tokens,
        "cachedInputTokens": usage.cached_input_tokens,
        "cacheWriteInputTokens": 0,
        "outputTokens": usage.output_tokens,
        "reasoningOutputTokens": usage.reasoning_output_tokens,
    }
