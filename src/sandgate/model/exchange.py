"""Places requests of a session with a provider, again where that may help, and hands on what the answers say.

Shared by both wires; what a request looks like and what an event means is theirs. One client lives as long as the
session, so that a connection carries one request after the other. Only placing a request is tried again here: as soon
as an answer has begun, the conversation has to be looked at again first.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from threading import Lock

from sandgate.errors import ModelError, ModelFailed, RequestTurnedAway, RetriesExhausted
from sandgate.model.identity import identity_headers
from sandgate.model.incoming import Incoming
from sandgate.model.provider_errors import complaint_in, final_error
from sandgate.model.quoting import Quoting
from sandgate.model.rate_limits import rate_limits
from sandgate.model.retry import RETRIES_MAX, backoff_ms, hinted_delay_ms, is_retried, retry_after_ms
from sandgate.model.streaming import Completed, LimitsSeen, Retrying
from sandgate.model.transport_errors import fault_words, is_final
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping
    from typing import Any, Protocol

    from sandgate.model.incoming import Response
    from sandgate.model.prompt import Asking
    from sandgate.model.provider import Provider
    from sandgate.model.streaming import ModelEvent
    from sandgate.protocol.usage import RateLimits

    class EventReader(Protocol):
        """Says what the events of one answer mean."""

        def take(self, data: str) -> tuple[ModelEvent, ...]: ...

        def end(self) -> tuple[ModelEvent, ...]: ...

    class Client(Protocol):
        """Places requests with one address."""

        def build_request(self, method: str, headers: Mapping[str, str], content: bytes) -> Any:
            """Raises where that cannot be sent."""

        async def send(self, request: Any) -> Response:
            """Raises where no response came."""

        async def aclose(self) -> None:
            """Ends all that is under way."""


CONNECT_S = 15.0  # for the connection, without looking up the name
CONNECTIONS_MAX = 64  # answers under way at the same time; further ones wait
KEPT_MAX = 8  # connections without a request
KEPT_S = 90.0  # for how long; most servers and what lies between close them after one or two minutes


class _Unplaced(Record):
    """An attempt that brought no answer."""

    why: str
    delay_ms: int | None = None  # asked for by the provider
    final: ModelError | None = None  # asking again cannot help
    limits: RateLimits | None = None


class Exchange:
    """One provider, for one session on one event loop."""

    def __init__(self, provider: Provider, environ: Mapping[str, str]) -> None:
        self._provider = provider
        self._environ = environ
        self._guard = Lock()
        self._client: Client | None = None
        self._drains: set[asyncio.Task[None]] = set()

    def prepare(self) -> Client:
        """Import what requests need and read the certificates, which takes up to half a second. On any thread."""
        with self._guard:
            if self._client is None:
                self._client = _client(self._provider)
            return self._client

    async def close(self) -> None:
        """Close all connections, also those that an answer comes in on."""
        for task in (drains := tuple(self._drains)):
            task.cancel()
        await asyncio.gather(*drains, return_exceptions=True)
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def answer(
        self, content: bytes, asking: Asking, reader_of: Callable[[Quoting], EventReader], *, whole: bool = False
    ) -> AsyncGenerator[ModelEvent, None]:
        """The events of the answer to a request of `content`; the last is `Completed`. `whole`: it is no stream.

        Raises ModelError, of which StreamBroken may be retried.

        A request that could not be placed is announced as `Retrying` before each further attempt.
        """
        quoting = Quoting(self._provider.secrets(self._environ))
        headers = identity_headers(asking.session_id, delegate=asking.delegate, parent=asking.parent_id)
        headers |= {"Content-Type": "application/json", **self._provider.headers(self._environ)}
        retries = min(max(self._provider.request_max_retries, 0), RETRIES_MAX)
        attempt = 1
        while isinstance(placed := await self._attempt(headers, content, quoting), _Unplaced):
            if placed.limits is not None:
                yield LimitsSeen(placed.limits)
            if placed.final is not None:
                raise placed.final
            if attempt > retries:
                said = f"the provider `{self._provider.name}` gave no answer to {attempt} attempts"
                raise RetriesExhausted(said, why=placed.why)
            yield Retrying(attempt, retries + 1, placed.why)
            delay_ms = backoff_ms(attempt) if placed.delay_ms is None else placed.delay_ms
            await asyncio.sleep(delay_ms / 1000)
            attempt += 1
        incoming, limits = placed
        drained = False
        try:
            if limits is not None:
                yield LimitsSeen(limits)
            reader = reader_of(quoting)
            if whole:
                for event in reader.take(await incoming.whole()):
                    yield event
                return
            piece: bytes | None = b""
            while piece is not None:
                piece = await incoming.piece()
                for data in incoming.events(piece):
                    for event in reader.take(data):
                        if isinstance(event, Completed):
                            drained = True
                            self._drain(incoming)
                            yield event
                            return
                        yield event
            incoming.require_events()
            for event in reader.end():
                yield event
        finally:
            if not drained:
                await incoming.close()

    def _drain(self, incoming: Incoming) -> None:
        task = asyncio.create_task(incoming.drain(), name="sandgate-model-drain")
        self._drains.add(task)
        task.add_done_callback(self._drains.discard)

    async def _attempt(
        self, headers: Mapping[str, str], content: bytes, quoting: Quoting
    ) -> _Unplaced | tuple[Incoming, RateLimits | None]:
        client = self._client
        if client is None:
            client = await asyncio.to_thread(self.prepare)
        request = self._request(client, headers, content)
        limit = asyncio.timeout(self._provider.stream_idle_timeout_ms / 1000)
        try:
            async with limit:
                response = await client.send(request)
        except Exception as error:
            if limit.expired():
                return _Unplaced(f"no answer within {self._provider.stream_idle_timeout_ms} ms")
            said = f"the request to the provider `{self._provider.name}` failed"
            failed = ModelFailed(said, why=fault_words(error))
            return _Unplaced(str(failed), final=failed if is_final(error) else None)
        idle_ms = self._provider.stream_idle_timeout_ms
        incoming = Incoming(response, provider=self._provider.name, idle_ms=idle_ms)
        limits = rate_limits(response.headers)
        if response.status_code == 200:
            return incoming, limits
        return self._turned_away(response.status_code, response.headers, await incoming.body(), quoting, limits)

    def _request(self, client: Client, headers: Mapping[str, str], content: bytes) -> Any:
        try:
            return client.build_request("POST", headers, content)
        except Exception as error:  # the library's words may quote the address, and with it what opens it
            problem = type(error).__name__
        raise ModelFailed(f"no request can be made to the provider `{self._provider.name}`", why=problem)

    def _turned_away(
        self, status: int, headers: Mapping[str, str], body: bytes, quoting: Quoting, limits: RateLimits | None
    ) -> _Unplaced:
        complaint = complaint_in(body)
        said = f"the provider `{self._provider.name}` answered with status {status}"
        words = quoting.words(complaint.message)
        why = f"{said}: {words}" if words else said
        final = final_error(complaint, quoting) if 400 <= status < 500 else None
        if final is None and not is_retried(status):
            final = RequestTurnedAway(
                said, why=words, hint=self._provider.env_key_instructions if status == 401 else ""
            )
        delay_ms = retry_after_ms(headers, now=time.time())
        if delay_ms is None and status == 429:
            delay_ms = hinted_delay_ms(complaint.message)
        return _Unplaced(why, delay_ms, final, limits)


def _client(provider: Provider) -> Client:
    from sandgate.model.direct_client import DirectClient, direct_address

    address = None if provider.query_params else direct_address(provider.url, os.environ)
    if address is None:
        from sandgate.model.library_client import LibraryClient

        return LibraryClient(
            provider, connect_s=CONNECT_S, connections_max=CONNECTIONS_MAX, kept_max=KEPT_MAX, kept_s=KEPT_S
        )
    return DirectClient(address, connect_s=CONNECT_S, connections_max=CONNECTIONS_MAX, kept_max=KEPT_MAX, kept_s=KEPT_S)


def request_json(body: Any) -> bytes:
    """JSON as a request has it. Half a character, as broken output has it, becomes a mark: no server reads that."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
