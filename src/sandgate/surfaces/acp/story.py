"""The events of one session as updates of the protocol, each folded once and in order."""

from __future__ import annotations

from acp.helpers import plan_entry, text_block, update_plan
from acp.schema import AgentMessageChunk, AgentThoughtChunk, UsageUpdate, UserMessageChunk

from sandgate.commandline.words import joined
from sandgate.protocol import events as told
from sandgate.protocol.items import Message, Reasoning, message_text
from sandgate.protocol.wire import plain, sendable
from sandgate.surfaces.acp import content as shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from sandgate.protocol.events import Event, EventMessage
    from sandgate.surfaces.acp.calls import Key, ShownCall, ShownCalls


class SessionStory:
    """Of one session. `tell` is called with the library's updates."""

    def __init__(self, tell: Callable[[Any], object], calls: ShownCalls) -> None:
        self._tell = tell
        self.calls = calls
        self._numbers = 0
        self._message_id = self._thought_id = ""  # of the items that grow; "": none does
        self.spoke = False  # something was said in this turn

    def happened(self, event: Event) -> None:
        """Tells what that means."""
        message, delegate = event.msg, (event.delegate or {}).get("id", "")
        if delegate:
            self._did(message, delegate)  # what a sub-agent says is its superior's to hear
            return
        match message:
            case told.TaskStarted():
                self.spoke = False
            case told.AgentMessageDelta():
                self._message_id = self._message_id or self._fresh("message")
                self.say(message.delta, self._message_id)
            case told.AgentReasoningDelta():
                self._think(message.delta)
            case told.AgentReasoningSectionBreak() if self._thought_id:
                self._think("\n\n")
            case told.ItemCompleted():
                self._item_over(message)
            case told.TokenCount() if message.info is not None and message.info.window:
                used = message.info.last.total_tokens
                self._tell(UsageUpdate(session_update="usage_update", used=used, size=message.info.window))
            case _:
                self._did(message, "")

    def turn_over(self, last: str | None) -> None:
        """What was begun in it is over; what it came to is said, where nothing was."""
        self.calls.end_all()
        if last and not self.spoke:
            self.say(last)
        self._message_id = self._thought_id = ""

    def say(self, text: str, message_id: str = "") -> None:
        """As the agent."""
        if text:
            self.spoke = True
            chunk = text_block(sendable(text))
            name = message_id or self._fresh("message")
            self._tell(AgentMessageChunk(session_update="agent_message_chunk", content=chunk, message_id=name))

    def replay(self, kept: Iterable[Mapping[str, Any]]) -> None:
        """Earlier turns, from the events that are kept of them: what was said and thought."""
        for event in kept:
            match event.get("type"):
                case "user_message":
                    chunk = text_block(sendable(str(event.get("message") or "")))
                    name = self._fresh("said")
                    self._tell(UserMessageChunk(session_update="user_message_chunk", content=chunk, message_id=name))
                case "agent_message":
                    self.say(str(event.get("message") or ""))
                case "agent_reasoning":
                    self._think(str(event.get("text") or ""))
                    self._thought_id = ""
        self.spoke = False

    def _think(self, text: str) -> None:
        if text:
            self._thought_id = self._thought_id or self._fresh("thought")
            chunk = text_block(sendable(text))
            self._tell(
                AgentThoughtChunk(session_update="agent_thought_chunk", content=chunk, message_id=self._thought_id)
            )

    def _item_over(self, message: told.ItemCompleted) -> None:
        """What came in pieces is told; what a provider sends as a whole is told now."""
        match message.item:
            case Message(role="assistant") as item:
                if not self._message_id:
                    self.say(message_text(item))
                self._message_id = ""
            case Reasoning() as item:
                if not self._thought_id:
                    self._think("\n\n".join(item.summary))
                self._thought_id = ""

    def _did(self, message: EventMessage, delegate: str) -> None:
        match message:
            case told.ExecCommandBegin() | told.ExecCommandOutputDelta() | told.ExecCommandEnd():
                self._command(message, (delegate, message.call_id))
            case told.ExecCommandContinues() if (delegate, message.call_id) in self.calls:
                self.calls[delegate, message.call_id].living = True
            case told.PatchApplyBegin():
                self.patch((delegate, message.call_id), message.changes)
            case told.PatchApplyEnd():
                done = message.success and message.status == "completed"
                words = message.stdout if done else message.stderr or message.stdout
                self._over((delegate, message.call_id), words, completed=done)
            case told.McpToolCallBegin():
                title = f"{shown.code(message.tool)} of {shown.code(message.server)}"
                given = sendable(plain(message.arguments))
                self.calls.begin((delegate, message.call_id), title, "other", raw_input=given)
            case told.McpToolCallEnd():
                words = message.error or "" if not message.success else _words_of(plain(message.result))
                self._over((delegate, message.call_id), words, completed=message.success)
            case told.ViewImageToolCall():
                key = (delegate, message.call_id)
                seen = shown.locations((message.path,), "/")
                self.calls.begin(key, f"Look at {shown.code(message.path)}", "read", locations=seen)
                self.calls.end(key, "completed")
            case _:
                self._told(message, delegate)

    def _told(self, message: EventMessage, delegate: str) -> None:
        match message:
            case told.WebSearchBegin():
                self.calls.begin((delegate, message.call_id), "Search the web", "fetch")
            case told.WebSearchEnd():
                self.calls.begin((delegate, message.call_id), "Search the web", "fetch")
                self._over((delegate, message.call_id), message.query, completed=True)
            case told.DelegateBegin():
                self.calls.begin(
                    (delegate, message.call_id), f"Sub-agent: {message.kind}", "think",
                    content=[shown.fenced(message.prompt)],
                )  # fmt: skip
            case told.DelegateEnd():
                words, done = message.last_agent_message or message.status, message.status == "completed"
                self._over((delegate, message.call_id), words, completed=done)
            case told.PlanUpdate() if not delegate:
                self._tell(update_plan(plan_entry(sendable(step.step), status=step.status) for step in message.plan))
            case told.StreamError() if not delegate:
                self._message_id = ""
                self._think(f"{message.message}\n\n")
                self._thought_id = ""
            case told.Warned() | told.BackgroundEvent() | told.DeprecationNotice() if not delegate:
                self._think(message.summary if isinstance(message, told.DeprecationNotice) else message.message)
                self._thought_id = ""
            case told.UndoCompleted() if message.message and not delegate:
                self.say(message.message)
            case told.ContextCompacted() if not delegate:
                self.say("The conversation was replaced by a summary.")
            case _:
                return  # what items and calls tell already, and questions, which have a place of their own

    def command(self, key: Key, argv: tuple[str, ...], cwd: str, parsed: Any, *, pending: bool = False) -> ShownCall:
        """One is about to start, or asked about."""
        return self.calls.begin(
            key,
            shown.command_title(argv),
            shown.command_kind(parsed),
            status="pending" if pending else "in_progress",
            locations=shown.command_locations(parsed, cwd),
            raw_input=sendable({"command": joined(argv), "cwd": cwd}),
        )

    def patch(self, key: Key, changes: Any, *, pending: bool = False) -> ShownCall:
        """The same of a patch."""
        return self.calls.begin(
            key,
            shown.patch_title(changes),
            shown.patch_kind(changes),
            status="pending" if pending else "in_progress",
            content=shown.diffs(changes),
            locations=shown.locations((change.move_path or change.path for change in changes), "/"),
        )

    def _command(
        self, message: told.ExecCommandBegin | told.ExecCommandOutputDelta | told.ExecCommandEnd, key: Key
    ) -> None:
        match message:
            case told.ExecCommandBegin():
                self.command(key, message.command, message.cwd, message.parsed_cmd)
            case told.ExecCommandOutputDelta():
                self.calls.printed(key, message.chunk)
            case told.ExecCommandEnd():
                if key not in self.calls:
                    if message.process_id is not None:
                        return  # its call was over with its turn
                    self.command(key, message.command, message.cwd, ())
                self.calls[key].printed = message.aggregated_output
                came_to = {"exit_code": message.exit_code, "duration_ms": message.duration_ms}
                self._over(key, message.error or "", completed=message.status == "completed", raw_output=came_to)

    def _over(self, key: Key, words: str, *, completed: bool, **more: Any) -> None:
        if key in self.calls and words:
            call = self.calls[key]
            call.content = [*call.content, shown.output(words)]
        self.calls.end(key, "completed" if completed else "failed", **more)

    def _fresh(self, kind: str) -> str:
        self._numbers += 1
        return f"{kind}-{self._numbers}"


def _words_of(result: Any) -> str:
    """The text of an MCP server's answer."""
    parts = result.get("content") if isinstance(result, dict) else None
    texts = [str(part.get("text", "")) for part in parts or () if isinstance(part, dict)]
    return "\n".join(filter(None, texts))
