"""Reading a model's answer to its end in a test, on a loop of its own and for a bounded time."""

from __future__ import annotations

from contextlib import aclosing

from sandgate.model.prompt import Asking, ModelSettings, Prompt
from sandgate.model.provider import Provider
from sandgate.protocol.items import user_message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from typing import Any, Protocol, TypeVar

    from sandgate.model.streaming import ModelEvent

    T = TypeVar("T")

    class Streams(Protocol):
        def stream(self, prompt: Prompt, asking: Asking) -> AsyncGenerator[ModelEvent, None]: ...

        async def close(self) -> None: ...


KEY = "sk-very-secret-1234567890"
ENVIRON = {"TEST_KEY": KEY}
PROMPT = Prompt("Be brief.", (user_message("What does `ls` do?"),))
ASKING = Asking("session-1")
SETTINGS = ModelSettings("small")


def provider(url: str, **settings: Any) -> Provider:
    return Provider("test", url, env_key="TEST_KEY", **settings)


async def heard(model: Streams, prompt: Prompt = PROMPT, asking: Asking = ASKING) -> list[ModelEvent]:
    """All events of one answer."""
    async with aclosing(model.stream(prompt, asking)) as events:
        return [event async for event in events]


async def heard_until_error(model: Streams, prompt: Prompt = PROMPT) -> tuple[list[ModelEvent], Exception | None]:
    """The events of one answer, and what ended it when that was an error. No error holds the key."""
    found: list[ModelEvent] = []
    try:
        async with aclosing(model.stream(prompt, ASKING)) as events:
            async for event in events:
                found.append(event)
    except Exception as problem:
        error = problem
    else:
        return found, None
    assert KEY not in f"{error} {error!r} {vars(error)} {error.__context__!r} {error.__cause__!r}"
    return found, error
