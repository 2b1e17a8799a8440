"""A server somewhere else: a transport of the SDK over a client that keeps what it is sent within bounds.

Tokens are taken from the environment when the server is started and go to its own address only: redirects elsewhere are
not followed. Answers are not compressed, because a small one that unpacks into gigabytes would pass every limit.
"""

from __future__ import annotations

import httpx2
from mcp.client.streamable_http import streamable_http_client

from sandgate.errors import ExternalServerFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from types import TracebackType
    from typing import Any

    from sandgate.external.server import ServerAddress

ANSWER_BYTES_MAX = 32 << 20  # one answer, or one event of a stream
CONNECT_SECONDS = 30.0
IDLE_SECONDS = 300.0  # between two pieces of an answer; how long a call may take is decided where it is made
REFUSED = (401, 403)


class AddressLink:
    """A transport in the sense of the SDK: `async with link as (received, to_send)`."""

    def __init__(self, address: ServerAddress, environ: Mapping[str, str]) -> None:
        self._address = address
        self._headers = headers_of(address, environ)
        self.refused = False  # it has turned us away: what opens it is missing or wrong
        self.fault = ""  # why an answer was not read to its end

    async def __aenter__(self) -> Any:
        self._client = httpx2.AsyncClient(
            headers=self._headers,
            timeout=httpx2.Timeout(CONNECT_SECONDS, read=IDLE_SECONDS),
            follow_redirects=False,
            event_hooks={"response": [self._came]},
        )
        await self._client.__aenter__()
        self._transport = streamable_http_client(
            self._address.url, http_client=self._client, max_sse_event_size=ANSWER_BYTES_MAX
        )
        return await self._transport.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        try:
            await self._transport.__aexit__(kind, error, where)
        finally:
            await self._client.__aexit__(None, None, None)

    async def _came(self, response: httpx2.Response) -> None:
        self.refused = self.refused or response.status_code in REFUSED
        if response.headers.get("content-encoding", "identity") != "identity":
            self.fault = "it compresses its answers, although it was asked not to"
            raise httpx2.DecodingError(self.fault, request=response.request)
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            response.stream = _Bounded(response.stream, self)


class _Bounded(httpx2.AsyncByteStream):
    """The body of one answer."""

    def __init__(self, stream: Any, link: AddressLink) -> None:
        self._stream = stream
        self._link = link

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size_bytes = 0
        async for chunk in self._stream:
            size_bytes += len(chunk)
            if size_bytes > ANSWER_BYTES_MAX:
                self._link.fault = f"it sent an answer of more than {ANSWER_BYTES_MAX >> 20} MiB"
                raise httpx2.ReadError(self._link.fault)
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


def headers_of(address: ServerAddress, environ: Mapping[str, str]) -> dict[str, str]:
    """What every request carries. Raises ExternalServerFailed when the token's variable is not set."""
    found = dict(address.http_headers)
    found |= {header: environ[name] for header, name in address.env_http_headers if environ.get(name, "").strip()}
    name = address.bearer_token_env_var
    if name:
        token = environ.get(name, "").strip()
        if not token:
            raise ExternalServerFailed(
                f"the variable `{name}` is not set", why="`bearer_token_env_var` says that it holds the token"
            )
        found["Authorization"] = f"Bearer {token}"
    found["Accept-Encoding"] = "identity"
    return found
