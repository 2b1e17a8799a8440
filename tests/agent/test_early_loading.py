"""The first call of a tool finds its modules loaded."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from types import SimpleNamespace

import pytest

from sandgate.agent import early_loading
from sandgate.agent.early_loading import AskedModel
from sandgate.model.prompt import Asking, ModelSettings, Prompt
from sandgate.model.streaming import Created

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sandgate.model.streaming import ModelEvent

IN_TIME = """
import asyncio, sys, threading
sys.path[:0] = sys.argv[1:]
from sandgate.agent.early_loading import NEEDED, load_soon

async def main():
    before = set(NEEDED) & set(sys.modules)
    then = threading.Event()
    load_soon(asyncio.get_running_loop(), then.set)
    async with asyncio.timeout(20):
        while not set(NEEDED) <= set(sys.modules):
            await asyncio.sleep(0.01)
    print(sorted(before), then.wait(20))

asyncio.run(main())
for thread in threading.enumerate():
    if thread is not threading.current_thread():
        thread.join(20)
"""
OF_AN_AGENT = (
    "import sys; sys.path[:0] = sys.argv[1:]; import sandgate.agent.agent; from sandgate.agent.early_loading import *;"
    "print([name for name in (*NEEDED, 'sqlite3', 'email', 'httpx2', 'sandgate.assessment') if name in sys.modules])"
)


def said(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code, *sys.path], capture_output=True, text=True, check=True, timeout=60
    ).stdout


def test_it_is_loaded_soon_and_not_at_once() -> None:
    assert said(IN_TIME) == "[] True\n"


def test_nothing_of_it_is_waited_for_before_the_first_request() -> None:
    """Required: what the door to an agent imports is what every start pays for."""
    assert said(OF_AN_AGENT) == "[]\n"


class Model:
    settings = ModelSettings("m")
    closed = False

    async def stream(self, _prompt: Prompt, _asking: Asking) -> AsyncIterator[ModelEvent]:
        yield Created("r")

    async def close(self) -> None:
        self.closed = True


def test_it_is_loaded_when_the_model_is_first_asked_and_only_then(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[object] = []

    def soon(_loop: object, then: object) -> SimpleNamespace:
        loads.append(then)
        return SimpleNamespace(cancel=lambda: loads.append("cancelled"))

    monkeypatch.setattr(early_loading, "load_soon", soon)

    def then() -> None:
        """Never called here."""

    async def asked() -> list[ModelEvent]:
        model = Model()
        asked = AskedModel(model, asyncio.get_running_loop(), then)
        assert loads == []
        prompt = Prompt("", ())
        said = [event for _ in range(2) async for event in asked.stream(prompt, Asking("s", "t"))]
        assert loads == [then]
        await asked.close()
        assert (loads, model.closed) == ([then, "cancelled"], True)
        return said

    assert asyncio.run(asked()) == [Created("r")] * 2
