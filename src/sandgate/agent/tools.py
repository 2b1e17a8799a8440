"""The tools of an agent: those of the gate, a plan, pictures, and those of other servers."""

from __future__ import annotations

import asyncio
import os
from functools import partial

from sandgate.agent.undo import PatchUndo
from sandgate.config.features import APPLY_PATCH_FREEFORM, UNIFIED_EXEC, VIEW_IMAGE, WEB_SEARCH
from sandgate.errors import SandgateError, ToolArgumentsError
from sandgate.gate.event_loop import on_thread
from sandgate.policy.effective import network_mode
from sandgate.protocol.events import BackgroundEvent, ViewImageToolCall, Warned
from sandgate.protocol.items import CustomToolCall, LocalShellCall, call_id_of
from sandgate.session.interfaces import Answer
from sandgate.tools.builtin.shell import local_shell_arguments
from sandgate.tools.builtin.write_stdin import write_stdin_arguments
from sandgate.tools.pictures import image_or_words, read_image
from sandgate.tools.registry import definitions, tool_named
from sandgate.tools.tool import Offer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from sandgate.agent.delegates import Delegates
    from sandgate.agent.events import AgentEvents
    from sandgate.agent.external_tools import ExternalTools
    from sandgate.agent.prompt_history import PromptHistory
    from sandgate.protocol.events import CustomPrompt, EventMessage, HistoryEntry
    from sandgate.protocol.items import Call, Message, Part
    from sandgate.reviewers.async_reviewer import AsyncReviewer
    from sandgate.runtime.aio import AsyncGate
    from sandgate.session.interfaces import CallContext
    from sandgate.tools.arguments import ShellArguments
    from sandgate.tools.calls import ToolOutput
    from sandgate.tools.tool import Tool

KILL_AFTER_S = 0.5  # a command of a turn that is ended is asked to go, then killed
ENDED_MS = 1_500  # for it to be gone
TOLD_S = 0.4  # for its end to be told
PICTURES_AT_ONCE = 4  # read at the same time, each up to `pictures.IMAGE_BYTES_MAX`
PICTURES_CHARS_MAX = 48 * 1024 * 1024  # of one turn, as they are sent; every further request sends them again
TOO_MANY_PICTURES = f"not shown: the pictures of one turn may take {PICTURES_CHARS_MAX >> 20} MiB together"
FAILURE_CHARS_MAX = 4_000  # of a call that came to nothing, as it is told; the model reads all of it


class AgentTools:
    """Of one session. `asks`: questions go to the session's inbox; otherwise to the gate's own reviewers."""

    def __init__(self, gate: AsyncGate, events: AgentEvents, *, asks: bool) -> None:
        self._gate = gate
        gate.runtime.login_is_usual = True  # what models were trained on
        self._events = events
        self._asks = asks
        self._used: dict[str, int] = {}  # ids of calls, and how often: what is asked, told and undone goes by them
        self._looking = asyncio.Semaphore(PICTURES_AT_ONCE)
        self._pictures: tuple[str, int] = ("", 0)  # the turn that looked last, and how much it has seen
        self._definitions: tuple[Mapping[str, Any], ...] | None = None
        self.delegates: Delegates | None = None  # the sub-agents of this session; None: it may have none
        self.patches = True  # the model may change files with a tool made for it
        self.external: ExternalTools | None = None  # of other servers; None: there are none
        self.undoing = PatchUndo(gate.runtime)
        self.cannot_confine = ""  # why the last call ran nothing; "" where a sandbox could be built for it

    def confinement(self) -> Mapping[str, Any]:
        """What holds commands back, as JSON values. Blocks on the disk."""
        return self._gate.runtime.confinement.summary()

    def definitions(self) -> tuple[Mapping[str, Any], ...]:
        """What the model is told about them."""
        if self._definitions is None:
            settings = self._gate.runtime.settings
            offer = Offer(
                "agent",
                login_allowed=settings.allow_login_shell,
                login_is_usual=True,
                lives_on=UNIFIED_EXEC in settings.features,
                freeform_patches=APPLY_PATCH_FREEFORM in settings.features,
                pictures=VIEW_IMAGE in settings.features,
                patches=self.patches,
                delegates=self.delegates is not None,
            )
            others = () if self.external is None else self.external.definitions()
            self._definitions = (*definitions(offer), *others)
        return (*self._definitions, *self._searches())

    def _searches(self) -> tuple[Mapping[str, Any], ...]:
        """The provider's own tool, which it carries out itself; not for who only reviews."""
        runtime = self._gate.runtime
        if WEB_SEARCH not in runtime.settings.features or not self.patches:
            return ()
        live = network_mode(runtime.policies.sandbox, ()) == "on"
        return ({"type": "web_search", "external_web_access": live},)

    def is_alone(self, call: Call) -> bool:
        """Whether the call must not overlap any other."""
        tool = tool_named("shell" if isinstance(call, LocalShellCall) else call.name)
        if isinstance(call, LocalShellCall) or tool is not None:
            return tool is None or not tool.beside_others
        return self.external is None or self.external.is_alone(call.name)

    async def call(self, call: Call, context: CallContext) -> Answer:
        """Carries it out; whatever is wrong with it is said to the model, and to those who watch."""
        try:
            return await self._carried_out(call, context)
        except ToolArgumentsError as problem:
            said = problem.what
        except SandgateError as problem:
            said = problem.sentence
        name = "local_shell" if isinstance(call, LocalShellCall) else call.name
        context.tell(Warned(_failure(name, said)))
        return Answer(said, success=False)

    async def _carried_out(self, call: Call, context: CallContext) -> Answer:
        if isinstance(call, LocalShellCall):
            return await self.shell(local_shell_arguments(call.action), self._name(call_id_of(call)), context)
        arguments = call.input if isinstance(call, CustomToolCall) else call.arguments
        call_id = self._name(call.call_id)
        tool = self._own(call.name)
        if tool is not None and tool.run is not None:
            return await self._gated(call.name, arguments, call_id, context)
        if tool is not None and tool.in_session is not None:
            return await tool.in_session(_AgentCall(self, call_id, context), tool.parse(arguments))
        if self.external is not None and self.external.has(call.name):
            return await self.external.call(call.name, arguments, call_id, context, self._ask(context))
        raise ToolArgumentsError(f"unsupported call: {call.name}")

    def _own(self, name: str) -> Tool | None:
        """The tool of ours that the model means."""
        tool = tool_named(name)
        if tool is None or "agent" not in tool.audiences or (tool.needs_delegates and self.delegates is None):
            return None
        if tool.name == "apply_patch" and not self.patches:
            return None
        return tool

    async def shell(self, arguments: ShellArguments, call_id: str, context: CallContext) -> Answer:
        """One command to its end; cancelled, it kills that."""
        from sandgate.tools.shell_run import run_shell

        self._events.belongs(call_id, context.turn_id, one_shot=True)
        over = partial(self._events.over, call_id)
        # A model that writes patches as they are reads such answers in the same lines.
        freeform = APPLY_PATCH_FREEFORM in self._gate.runtime.settings.features
        runtime = self._gate.runtime
        output: ToolOutput | None = None
        about = self._events.reads(call_id)
        try:
            output = await self._gate.killable(
                lambda cancel: run_shell(
                    runtime, arguments, cancel_fd=cancel, freeform=freeform, call_id=call_id, over=over
                ),
                self._ask(context),
            )
            await self._told()
        finally:
            self._events.has_read(about, output)
        return await self._done("shell", output, call_id, context)

    async def _gated(self, name: str, arguments: str, call_id: str, context: CallContext) -> Answer:
        self._events.belongs(call_id, context.turn_id)
        output: ToolOutput | None = None
        about = self._events.reads(call_id, _typed_into(name, arguments))
        try:
            output = await self._gate.call_tool(
                name, arguments, reviewer=self._ask(context), ends_with_caller=True, call_id=call_id
            )
            await self._told()
        except asyncio.CancelledError:
            await asyncio.shield(on_thread(lambda: self._end(call_id)))
            raise
        finally:
            self._events.has_read(about, output)
        return await self._done(name, output, call_id, context)

    async def _done(self, name: str, output: ToolOutput, call_id: str, context: CallContext) -> Answer:
        self.cannot_confine = output.cannot_confine
        if not output.success and not self._events.has_told(call_id):
            context.tell(Warned(_failure(name, output.text)))
        for notice in (output.structured or {}).get("notices", ()):  # what the sandbox refused, above all
            context.tell(BackgroundEvent(notice))
        if self._gate.runtime.tools.patches.is_applied(call_id):  # also one that was handed to a shell
            context.patches.append(call_id)
            await on_thread(lambda: self.undoing.applied(call_id, context.turn_id))
        return _answer(output)

    def _end(self, call_id: str) -> None:
        """What the call began is over, and that is told, or it takes too long. Blocks."""
        live = self._gate.runtime.opened_live
        if live is None:
            return
        for terminal in live.table.terminals():
            if terminal.identity.call_id == call_id and not terminal.exited:
                terminal.terminate(KILL_AFTER_S)
                terminal.wait_exit(ENDED_MS)
        if live.teller is not None:
            live.teller.flush(TOLD_S)

    async def _told(self) -> None:
        """What the call has done is told before the model hears of it."""
        live = self._gate.runtime.opened_live
        if live is not None and live.teller is not None:
            await on_thread(live.teller.flush)

    async def show(self, path: str, call_id: str, context: CallContext) -> Answer:
        """A picture, for the model, within what one turn may see. Raises ImageUnusable."""
        runtime = self._gate.runtime
        async with self._looking:
            turn, seen = self._pictures
            seen = seen if turn == context.turn_id else 0
            if seen >= PICTURES_CHARS_MAX:
                return Answer(TOO_MANY_PICTURES, success=False)
            image = await on_thread(
                lambda: read_image(path, cwd=runtime.directory, permissions=runtime.confinement.permissions())
            )
            turn, seen = self._pictures  # others have looked meanwhile
            self._pictures = (context.turn_id, len(image.image_url) + (seen if turn == context.turn_id else 0))
        context.tell(ViewImageToolCall(call_id, os.path.join(runtime.directory, path)))
        return Answer((image,), success=True)

    def image(self, path: str) -> Part:
        """A picture that a person gave; blocks on the disk."""
        return image_or_words(path, cwd=self._gate.runtime.directory, permissions=None)

    async def undo(self, call_id: str) -> bool:
        """Takes a patch of this session back. Raises SandgateError."""
        return await on_thread(lambda: self.undoing.undo(call_id))

    async def diff(self, patches: Sequence[str]) -> str:
        """What the patches of these calls have changed together."""
        return await on_thread(lambda: self._gate.runtime.tools.patches.combined(patches))

    async def user_shell(self, command: str, context: CallContext) -> Message:
        """A command of the person's in their shell, to its end; what the model is told of it. Raises SandgateError."""
        from sandgate.agent.user_shell import run_user_shell

        call_id = self._name(f"user_shell_{context.turn_id}")
        self._events.belongs_to_user(call_id, context.turn_id)
        try:
            return await run_user_shell(
                self._gate, command, call_id, partial(self._events.over, call_id), self._ask(context)
            )
        finally:
            await self._told()

    def external_tools(self) -> Mapping[str, Mapping[str, Any]]:
        """The tools of other servers, by the names that the model calls them by, as their servers describe them."""
        return {} if self.external is None else self.external.listed()

    async def custom_prompts(self) -> tuple[CustomPrompt, ...]:
        """The prompts that the person keeps in files."""
        from sandgate.agent.custom_prompts import custom_prompts

        environ = self._gate.runtime.environ
        return await on_thread(lambda: custom_prompts(environ))

    async def history_entry(self, log_id: int, offset: int) -> HistoryEntry | None:
        """What the person typed in some session; None where there is nothing any more."""
        return await on_thread(lambda: self._history().entry(log_id, offset))

    async def add_to_history(self, text: str, session_id: str) -> None:
        """Keeps it for later sessions."""
        await on_thread(lambda: self._history().add(text, session_id))

    def _history(self) -> PromptHistory:
        from sandgate.agent.prompt_history import PromptHistory

        return PromptHistory(self._gate.runtime.environ, self._gate.runtime.loaded.values)

    def living(self) -> tuple[int, ...]:
        """The numbers of commands that live on."""
        live = self._gate.runtime.opened_live
        return (
            ()
            if live is None
            else tuple(each.identity.terminal_id for each in live.table.terminals() if not each.exited)
        )

    async def close(self) -> None:
        """Ends everything that still runs."""
        await self._gate.close()

    def _ask(self, context: CallContext) -> AsyncReviewer | None:
        return context.ask if self._asks else None

    def _name(self, given: str) -> str:
        """The id, made one that no call has had."""
        number = self._used.get(given, 0) + 1
        name = given if number == 1 else f"{given}#{number}"
        while number > 1 and name in self._used:
            number += 1
            name = f"{given}#{number}"
        self._used[given] = number
        self._used.setdefault(name, 1)
        return name


class _AgentCall:
    """One call of a tool in a session; a `tools.host.AgentContext`."""

    def __init__(self, tools: AgentTools, call_id: str, context: CallContext) -> None:
        self._tools = tools
        self._call_id = call_id
        self._context = context

    def tell(self, message: EventMessage) -> None:
        self._context.tell(message)

    async def shell(self, arguments: ShellArguments) -> Answer:
        return await self._tools.shell(arguments, self._call_id, self._context)

    async def show(self, path: str) -> Answer:
        return await self._tools.show(path, self._call_id, self._context)

    async def delegate(self, prompt: str) -> Answer:
        delegates = self._tools.delegates
        assert delegates is not None  # it would be no tool of this session
        return await delegates.work(prompt, self._call_id, self._context)


def _typed_into(name: str, arguments: str) -> int | None:
    """The number of the live command that the call is about; 0 for one that cannot be read."""
    if name != "write_stdin":
        return None
    try:
        return write_stdin_arguments(arguments, extended=True).session_id
    except ToolArgumentsError:
        return 0


def _failure(name: str, said: str) -> str:
    """A call that came to nothing, of which nothing else tells."""
    text = said if name in said.partition("\n")[0] else f"{name} failed: {said}"
    return text if len(text) <= FAILURE_CHARS_MAX else f"{text[:FAILURE_CHARS_MAX]}..."


def _answer(output: ToolOutput) -> Answer:
    return Answer(output.text, output.success)
