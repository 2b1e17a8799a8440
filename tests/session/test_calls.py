"""The tool calls of one response."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from sandgate.protocol.events import Warned
from sandgate.protocol.items import (
    CustomToolCall,
    CustomToolCallOutput,
    FunctionCall,
    FunctionCallOutput,
    LocalShellCall,
)
from sandgate.session.calls import BROKEN, Calls
from sandgate.session.fair_lock import FairLock
from support.agent.session_doubles import ToolsDouble, settled
from support.process.loops import run

if TYPE_CHECKING:
    from sandgate.protocol.events import EventMessage
    from sandgate.protocol.items import Call


class Context:
    turn_id = "turn"

    def __init__(self) -> None:
        self.told: list[EventMessage] = []
        self.patches: list[str] = []

    def tell(self, message: EventMessage, *, delegate: Any = None) -> None:
        assert delegate is None
        self.told.append(message)

    async def ask(self, request: Any, *, delegate: Any = None) -> Any:
        raise AssertionError(request, delegate)


class Gates:
    """Tools that wait until a test lets them go on."""

    def __init__(self) -> None:
        self.open: dict[str, asyncio.Event] = {}

    async def __call__(self, call: Call, _context: Any) -> str:
        call_id = call.call_id
        await self.open.setdefault(call_id, asyncio.Event()).wait()
        return f"did {call_id}"

    async def let(self, call_id: str) -> None:
        self.open.setdefault(call_id, asyncio.Event()).set()
        await settled()


def wanted(call_id: str, name: str = "tool") -> FunctionCall:
    return FunctionCall(name, "{}", call_id)


def texts(outputs: tuple[Any, ...]) -> list[tuple[str, str]]:
    return [(each.call_id, each.output) for each in outputs]


def test_calls_run_side_by_side_and_are_answered_in_their_order_whichever_ends_first() -> None:
    async def work() -> None:
        gates = Gates()
        tools = ToolsDouble(tool=gates)
        calls = Calls(tools, FairLock(), Context())
        calls.begin(wanted("a"))
        calls.begin(wanted("b"))
        await settled()
        assert tools.story == ["begin a", "begin b"]
        await gates.let("b")
        await gates.let("a")
        assert texts(await calls.outputs()) == [("a", "did a"), ("b", "did b")]

    run(work())


def test_a_call_that_must_be_alone_overlaps_no_other() -> None:
    async def work() -> None:
        gates = Gates()
        tools = ToolsDouble(tool=gates, patch=gates)
        tools.alone.add("patch")
        calls = Calls(tools, FairLock(), Context())
        for call in (wanted("a"), wanted("b", "patch"), wanted("c")):
            calls.begin(call)
        await settled()
        assert tools.story == ["begin a"]
        await gates.let("a")
        assert tools.story[-1] == "begin b"
        await gates.let("b")
        assert tools.story[-1] == "begin c"
        await gates.let("c")
        assert len(await calls.outputs()) == 3

    run(work())


def test_a_call_of_a_kind_gets_an_output_of_its_kind() -> None:
    async def work() -> None:
        async def tool(_call: Any, _context: Any) -> str:
            return "done"

        calls = Calls(ToolsDouble(tool=tool), FairLock(), Context())
        calls.begin(wanted("f"))
        calls.begin(CustomToolCall("tool", "text", "c"))
        calls.begin(LocalShellCall("", "completed", {}, id="l"))
        function, custom, shell = await calls.outputs()
        assert function == FunctionCallOutput("f", "done", success=True)
        assert custom == CustomToolCallOutput("c", "done", success=True)
        assert shell == FunctionCallOutput("l", "unsupported call: ", success=False)

    run(work())


def test_an_aborted_call_says_how_long_it_ran_and_what_was_done_stays_done() -> None:
    async def work() -> None:
        gates = Gates()
        tools = ToolsDouble(tool=gates)
        calls = Calls(tools, FairLock(), Context())
        calls.begin(wanted("a"))
        calls.begin(wanted("b"))
        await settled()
        await gates.let("a")
        done, ended = await calls.aborted()
        assert done.output == "did a"
        assert isinstance(ended.output, str)
        assert ended.output.startswith("aborted by user after 0.")
        assert tools.story[-1] == "cancel b"

    run(work())


def test_a_tool_that_breaks_is_told_to_the_model_without_its_words_and_the_turn_goes_on() -> None:
    async def work() -> None:
        async def tool(_call: Any, _context: Any) -> str:
            raise ValueError("secret")

        heard: list[Any] = []
        asyncio.get_running_loop().set_exception_handler(lambda _loop, about: heard.append(about))
        context = Context()
        calls = Calls(ToolsDouble(tool=tool), FairLock(), context)
        calls.begin(wanted("a"))
        assert texts(await calls.outputs()) == [("a", BROKEN)]
        assert context.told == [Warned(f"{BROKEN} (ValueError)")]
        assert isinstance(heard[0]["exception"], ValueError)

    run(work())
