"""Asks a model one question over the Responses API and waits for the text of its answer.

One request, streamed, without tools, without a second try. It runs on a thread with an event loop of its own, because
only there a deadline or a change of mind closes the connection at once, whatever it is doing: resolving a name,
connecting, reading. What fails is said in our words: those of libraries and servers may quote a key.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from threading import Thread

from sandgate.errors import Late, ModelError, ModelFailed, Withdrawn
from sandgate.model.answer_form import responses_form
from sandgate.model.cancellation import Cancellation
from sandgate.model.events import EventCutter, EventTooLong
from sandgate.model.identity import identity_headers, source_header
from sandgate.model.loop import ExchangeLoop
from sandgate.model.reply import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from typing import Any

    from httpx2 import AsyncClient

    from sandgate.model.provider import Provider
    from sandgate.model.question import ModelQuestion
    from sandgate.protocol.usage import TokenUsage

DEADLINE_MS = 5_000  # around connecting and reading, when nothing else is said
CLOSING_MS = 150  # what closing a connection may take beyond that; then it is left to its thread
STREAM_BYTES_MAX = 8 * 1024 * 1024  # of one answer, as sent

ID_BYTES = 16
NOT_WANTED = "the answer is not wanted any more"


class ModelClient:
    """One model of one provider. May be asked by several threads at once; every question is a connection."""

    def __init__(self, provider: Provider, *, model: str, environ: Mapping[str, str], effort: str = "low") -> None:
        self.model = model
        self._provider = provider
        self._environ = environ
        self._effort = effort

    def answer(
        self,
        question: ModelQuestion,
        *,
        deadline_ms: int = DEADLINE_MS,
        cancelled: Cancellation | None = None,
        count: Callable[[TokenUsage], object] = lambda _usage: None,
    ) -> str:
        """The text of the model's last message; blocks until then. `count` hears what it cost, if the provider says so.

        Raises Late at the deadline, Withdrawn when cancelled, NoOutput when the model said nothing and ModelFailed for
        everything else. The connection is closed by then.
        """
        from httpx2 import AsyncClient  # a third of a second on first use, so before the clock runs

        # An id of its own: the question has no part in a conversation.
        who = identity_headers(os.urandom(ID_BYTES).hex(), delegate=question.source, parent=question.parent)
        who |= source_header(question.parent_source)
        exchange = _Exchange(
            self._provider,
            headers={**who, **self._provider.headers(self._environ)},
            body=self._body(question),
            deadline_ms=deadline_ms,
            cancelled=cancelled or Cancellation(),
        )
        try:
            return exchange.result(AsyncClient)
        finally:
            if exchange.usage is not None:
                count(exchange.usage)

    def _body(self, question: ModelQuestion) -> dict[str, Any]:
        message = {"type": "input_text", "text": question.text}
        return {
            "model": self.model,
            "instructions": question.instructions,
            "input": [{"type": "message", "role": "user", "content": [message]}],
            "tools": [],
            "tool_choice": "auto",
            "parallel_tool_calls": False,
            "reasoning": None if self._effort == "none" else {"effort": self._effort},
            "store": False,
            "stream": True,
            "include": [],
            "text": {"format": responses_form(question.schema, strict=question.strict)},
        }


class _Exchange:
    """One request and its response, on its own thread."""

    def __init__(
        self,
        provider: Provider,
        *,
        headers: dict[str, str],
        body: dict[str, Any],
        deadline_ms: int,
        cancelled: Cancellation,
    ) -> None:
        self._provider = provider
        self._headers = headers
        self._body = body
        self._deadline_ms = deadline_ms
        self._cancelled = cancelled
        self._reply = Reply()
        self._failure: ModelError | None = Late(f"no answer within {deadline_ms} ms")

    @property
    def usage(self) -> TokenUsage | None:
        """What the provider counted, as far as it has said so."""
        return self._reply.usage

    def result(self, client: type[AsyncClient]) -> str:
        thread = Thread(target=self._run, args=(client,), name="sandgate-model", daemon=True)
        thread.start()
        try:
            thread.join((self._deadline_ms + CLOSING_MS) / 1000)
        except BaseException:  # the caller's thread is interrupted: it does not want the answer
            self._cancelled.cancel()
            raise
        if self._failure is not None:
            raise self._failure
        return self._reply.result()

    def _run(self, client: type[AsyncClient]) -> None:
        with asyncio.Runner(loop_factory=ExchangeLoop) as runner:
            try:
                self._failure = runner.run(self._bounded(client))
            except asyncio.CancelledError:  # in the moment of its end
                self._failure = Withdrawn(NOT_WANTED)

    async def _bounded(self, client: type[AsyncClient]) -> ModelError | None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        if task is None:
            raise AssertionError("a coroutine runs in a task")

        def stop() -> None:
            with suppress(RuntimeError):  # the loop is closed: it is over already
                loop.call_soon_threadsafe(task.cancel)

        try:
            async with asyncio.timeout(self._deadline_ms / 1000) as limit:
                self._cancelled.listen(stop)
                await self._exchange(client)
        except asyncio.CancelledError:
            return Withdrawn(NOT_WANTED)
        except ModelError as error:
            return error
        except Exception as error:
            return self._failure if limit.expired() else ModelFailed(_words(error, self._provider.name))
        finally:
            self._cancelled.forget(stop)
        return None

    async def _exchange(self, client: type[AsyncClient]) -> None:
        async with (
            client(timeout=None, follow_redirects=False) as http,
            http.stream(
                "POST",
                self._provider.url,
                params=dict(self._provider.query_params),
                headers=self._headers,
                json=self._body,
            ) as response,
        ):
            if response.status_code != 200:
                raise ModelFailed(f"the provider `{self._provider.name}` answered with status {response.status_code}")
            await self._read(response.aiter_raw())

    async def _read(self, pieces: AsyncIterator[bytes]) -> None:
        cutter = EventCutter()
        read = 0
        async for piece in pieces:
            read += len(piece)
            if read > STREAM_BYTES_MAX:
                raise ModelFailed(f"the answer has more than {STREAM_BYTES_MAX} bytes")
            for event in cutter.feed(piece):
                self._reply.take(event)
            if self._reply.over:
                return
        for event in cutter.end():
            self._reply.take(event)


def _words(error: Exception, provider: str) -> str:
    """A failure without the library's words for it, which may hold a header or an address."""
    if isinstance(error, EventTooLong):
        return f"the provider `{provider}` sent an event that is too long"
    return f"the request to the provider `{provider}` failed ({type(error).__name__})"
