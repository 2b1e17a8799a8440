"""Requests by way of httpx2, where `direct_client.py` leaves them to it: proxies, and addresses that need more work."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from httpx2 import Request

    from sandgate.model.incoming import Response
    from sandgate.model.provider import Provider


class LibraryClient:
    """One provider, as `DirectClient`. Making one takes up to half a second; on any thread."""

    def __init__(
        self, provider: Provider, *, connect_s: float, connections_max: int, kept_max: int, kept_s: float
    ) -> None:
        from httpx2 import AsyncClient, Limits, Timeout

        self._provider = provider
        self._client = AsyncClient(
            timeout=Timeout(None, connect=connect_s),
            limits=Limits(max_connections=connections_max, max_keepalive_connections=kept_max, keepalive_expiry=kept_s),
            follow_redirects=False,
        )

    def build_request(self, method: str, headers: Mapping[str, str], content: bytes) -> Request:
        """Raises what httpx2 raises."""
        params = dict(self._provider.query_params) or None
        return self._client.build_request(
            method, self._provider.url, params=params, headers=dict(headers), content=content
        )

    async def send(self, request: Request) -> Response:
        """The response, once its head is there; close it. Raises what httpx2 raises."""
        return await self._client.send(request, stream=True)

    async def aclose(self) -> None:
        """Closes every connection."""
        await self._client.aclose()
