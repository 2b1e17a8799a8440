"""Loads what an agent's first tool call needs while the model thinks about it.

Nothing needs it before, and it is a third of all our modules: in front of the first request they would be waited for.
What is loaded by then is what the next agent begins with.
"""

from __future__ import annotations

from contextlib import aclosing, suppress
from threading import Thread

from sandgate.agent.models import remote_compaction
from sandgate.modulecache import begun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, TimerHandle
    from collections.abc import AsyncGenerator, Callable

    from sandgate.model.prompt import Asking, Prompt
    from sandgate.model.streaming import Model, ModelEvent

NEEDED = (
    "sandgate.tools.toolbox",
    "sandgate.commandline.bash",
    "sandgate.kernel.helper",
    "sandgate.kernel.foreground",
    "sandgate.sandbox.namespace",
)
SOON_S = 0.05  # after the model is asked: by then the request is on the way, and two threads would share one core


class AskedModel:
    """A model that is answering for the first time gives the rest of the program some time."""

    def __init__(self, model: Model, loop: AbstractEventLoop, then: Callable[[], None]) -> None:
        """`then` is called on a thread, when everything is loaded."""
        self.settings = model.settings
        self.remote_compaction = remote_compaction(model)  # for sub-agents, too, which share the model
        self._model = model
        self._loop = loop
        self._then = then
        self._loading: TimerHandle | None = None

    async def stream(self, prompt: Prompt, asking: Asking) -> AsyncGenerator[ModelEvent, None]:
        """As of the model itself."""
        if self._loading is None:
            self._loading = load_soon(self._loop, self._then)
        async with aclosing(self._model.stream(prompt, asking)) as events:  # type: ignore[type-var] # a generator
            async for event in events:
                begun()  # some models answer at once
                yield event

    async def close(self) -> None:
        """As of the model itself; what is not loaded by now is not needed."""
        if self._loading is not None:
            self._loading.cancel()
        await self._model.close()


def load_soon(loop: AbstractEventLoop, then: Callable[[], None]) -> TimerHandle:
    """On a thread of its own, which is not waited for; a call that comes earlier loads the same itself."""
    return loop.call_later(SOON_S, Thread(target=_load, args=(then,), name="sandgate-early", daemon=True).start)


def _load(then: Callable[[], None]) -> None:
    begun()
    for name in NEEDED:
        with suppress(Exception):  # the call meets the same, and says so
            __import__(name)
    with suppress(Exception):  # closing the session does the same
        then()
