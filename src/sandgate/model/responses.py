"""A session's model over the Responses API: requests with the whole conversation, answers as a stream."""

from __future__ import annotations

from functools import partial

from sandgate.model.answer_form import responses_form
from sandgate.model.exchange import Exchange, request_json
from sandgate.model.growing_json import GrowingJson
from sandgate.model.remote_compaction import RemoteCompaction
from sandgate.model.response_events import ResponseEvents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping
    from typing import Any

    from sandgate.model.prompt import Asking, ModelSettings, Prompt
    from sandgate.model.provider import Provider
    from sandgate.model.streaming import ModelEvent

CONVERSATIONS_MAX = 8  # whose JSON is kept; delegates share the model of their session
SAID: Any = object()


class ResponsesModel:
    """One model of one provider, for one event loop. The key is looked up in `environ` for every request."""

    def __init__(self, provider: Provider, settings: ModelSettings, *, environ: Mapping[str, str]) -> None:
        self.settings = settings
        self.remote_compaction = (
            RemoteCompaction(provider, settings, environ=environ) if provider.remote_compaction else None
        )
        self._stores = provider.stores
        self._exchange = Exchange(provider, environ)
        self._conversations: dict[str, GrowingJson] = {}  # the one used last is last

    def prepare(self) -> None:
        """Does early, on any thread, what the first request would wait for: about a quarter of a second."""
        self._exchange.prepare()

    def stream(self, prompt: Prompt, asking: Asking) -> AsyncGenerator[ModelEvent, None]:
        """The answer as it comes. Close it (`contextlib.aclosing`) when it is not read to its end.

        Raises StreamBroken, which may be tried again, MissingKey, RequestTurnedAway, RetriesExhausted,
        ContextWindowExceeded, UsageLimitReached and ModelFailed.
        """
        said = self._said(asking.session_id).json(prompt.input)
        how = prompt.how or self.settings
        content = request_content(request_body(prompt, how, asking, stores=self._stores), said)
        reader = partial(ResponseEvents, limited=how.max_output_tokens is not None)
        return self._exchange.answer(content, asking, reader)

    async def close(self) -> None:
        """Close all connections."""
        await self._exchange.close()
        if self.remote_compaction is not None:
            await self.remote_compaction.close()

    def _said(self, session_id: str) -> GrowingJson:
        said = self._conversations.pop(session_id, None) or GrowingJson(named=self._stores)
        self._conversations[session_id] = said
        while len(self._conversations) > CONVERSATIONS_MAX:
            del self._conversations[next(iter(self._conversations))]
        return said


def request_content(body: Mapping[str, Any], said: bytes) -> bytes:
    """The request as it is sent; `said` is the JSON of its input."""
    parts = []
    for key, value in body.items():
        parts += [b",", request_json(key), b":", said if value is SAID else request_json(value)]
    return b"{%s}" % b"".join(parts[1:])


def request_body(prompt: Prompt, settings: ModelSettings, asking: Asking, *, stores: bool = False) -> dict[str, Any]:
    """The request, but for what was said: in its place stands SAID."""
    reasoning = {
        **({"effort": settings.effort} if settings.effort else {}),
        **({"summary": settings.summary} if settings.summary and settings.summary != "none" else {}),
    }
    text: dict[str, Any] = {"verbosity": settings.verbosity} if settings.verbosity else {}
    if prompt.output_schema is not None:
        text["format"] = responses_form(prompt.output_schema)
    body: dict[str, Any] = {
        "model": settings.model,
        "instructions": prompt.instructions,
        "input": SAID,
        "tools": [dict(tool) for tool in prompt.tools],
        "tool_choice": "auto",
        "parallel_tool_calls": prompt.parallel_tool_calls,
        "reasoning": reasoning or None,
        "store": stores,
        "stream": True,
        "include": ["reasoning.encrypted_content"] if reasoning else [],
        "prompt_cache_key": asking.session_id,
    }
    if settings.max_output_tokens is not None:
        body["max_output_tokens"] = settings.max_output_tokens
    return {**body, "text": text} if text else body
