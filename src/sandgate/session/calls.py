"""The tool calls of one response: begun as they arrive, side by side where they may be, answered in their order."""

from __future__ import annotations

import asyncio
from time import monotonic

from sandgate.protocol.events import Warned
from sandgate.protocol.items import (
    CustomToolCall,
    CustomToolCallOutput,
    FunctionCallOutput,
    InputImage,
    call_id_of,
)
from sandgate.session.interfaces import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.items import Call, CallOutput
    from sandgate.session.fair_lock import FairLock
    from sandgate.session.interfaces import CallContext, SessionTools

ABORT_S = 2.0  # for tools that are cancelled to end what they began
ABORTED = "aborted by user after {seconds:.1f}s"
BROKEN = "the tool failed, because of an error on our side"


class Calls:
    """Belongs to one event loop."""

    def __init__(self, tools: SessionTools, lock: FairLock, context: CallContext) -> None:
        self._tools = tools
        self._lock = lock
        self._context = context
        self._begun: list[tuple[Call, asyncio.Task[Answer], float]] = []

    def __len__(self) -> int:
        return len(self._begun)

    def begin(self, call: Call) -> None:
        """Carries it out as soon as what runs before it allows."""
        self._begun.append((call, asyncio.ensure_future(self._carried_out(call)), monotonic()))

    async def outputs(self) -> tuple[CallOutput, ...]:
        """Waits for all of them."""
        if self._begun:
            await asyncio.wait([task for _call, task, _began in self._begun])
        return tuple(output_of(call, task.result()) for call, task, _began in self._begun)

    async def aborted(self) -> tuple[CallOutput, ...]:
        """Ends them; what was complete stays. Whatever does not end in time is left to itself."""
        tasks = [task for _call, task, _began in self._begun]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=ABORT_S)
        return tuple(output_of(call, _answer(task, began)) for call, task, began in self._begun)

    async def _carried_out(self, call: Call) -> Answer:
        async with self._lock.held(alone=self._tools.is_alone(call)):
            try:
                return await self._tools.call(call, self._context)
            except Exception as problem:
                asyncio.get_running_loop().call_exception_handler(
                    {"message": f"sandgate: {BROKEN}", "exception": problem}
                )
                self._context.tell(Warned(f"{BROKEN} ({type(problem).__name__})"))
                return Answer(BROKEN, success=False)


def _answer(task: asyncio.Task[Answer], began: float) -> Answer:
    if task.done() and not task.cancelled() and task.exception() is None:
        return task.result()
    return Answer(ABORTED.format(seconds=monotonic() - began), success=False)


def output_of(call: Call, answer: Answer) -> CallOutput:
    """The answer as an item, of the kind that the call wants."""
    if isinstance(call, CustomToolCall):
        return CustomToolCallOutput(call.call_id, _text(answer), success=answer.success)
    return FunctionCallOutput(call_id_of(call), answer.content, success=answer.success)


def _text(answer: Answer) -> str:
    if isinstance(answer.content, str):
        return answer.content
    return "\n".join(part.text for part in answer.content if not isinstance(part, InputImage))
