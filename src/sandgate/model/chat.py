"""A session's model over Chat Completions, for providers that speak nothing else (`wire_api = "chat"`)."""

from __future__ import annotations

from functools import partial

from sandgate.model.answer_form import chat_form
from sandgate.model.chat_events import ChatEvents
from sandgate.model.chat_messages import chat_messages, chat_tools, free_text_tools
from sandgate.model.exchange import Exchange, request_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping
    from typing import Any

    from sandgate.model.prompt import Asking, ModelSettings, Prompt
    from sandgate.model.provider import Provider
    from sandgate.model.streaming import ModelEvent


class ChatModel:
    """One model of one provider, for one event loop. The key is looked up in `environ` for every request."""

    def __init__(self, provider: Provider, settings: ModelSettings, *, environ: Mapping[str, str]) -> None:
        self.settings = settings
        self._exchange = Exchange(provider, environ)

    def prepare(self) -> None:
        """Does early, on any thread, what the first request would wait for: about a quarter of a second."""
        self._exchange.prepare()

    def stream(self, prompt: Prompt, asking: Asking) -> AsyncGenerator[ModelEvent, None]:
        """The answer as it comes; calls and messages once it has ended. Close it, and expect, as for ResponsesModel."""
        how = prompt.how or self.settings
        limited = how.max_output_tokens is not None
        reader = partial(ChatEvents, free_text=free_text_tools(prompt.tools), limited=limited)
        return self._exchange.answer(request_json(chat_body(prompt, how)), asking, reader)

    async def close(self) -> None:
        """Close all connections."""
        await self._exchange.close()


def chat_body(prompt: Prompt, settings: ModelSettings) -> dict[str, Any]:
    """One request. What was not asked for is left out: a server of this form often knows only a part of it."""
    body: dict[str, Any] = {
        "model": settings.model,
        "messages": chat_messages(prompt.instructions, prompt.input),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if tools := chat_tools(prompt.tools):
        body |= {"tools": tools, "tool_choice": "auto", "parallel_tool_calls": prompt.parallel_tool_calls}
    if settings.max_output_tokens is not None:
        body["max_tokens"] = settings.max_output_tokens
    if settings.effort:
        body["reasoning_effort"] = settings.effort
    if settings.verbosity:
        body["verbosity"] = settings.verbosity
    if prompt.output_schema is not None:
        body["response_format"] = chat_form(prompt.output_schema)
    return body
