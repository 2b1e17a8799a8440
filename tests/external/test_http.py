from __future__ import annotations

import asyncio
import gzip

import pytest

from sandgate.errors import ExternalServerFailed
from sandgate.external import http
from sandgate.external.http import headers_of
from sandgate.external.server import ServerAddress
from support.mcp.external_servers import remote, servers
from support.process.loops import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def test_headers_come_from_the_configuration_and_the_environment() -> None:
    address = ServerAddress("u", "TOKEN", (("X-Team", "one"),), (("X-Org", "ORG"), ("X-None", "BLANK")))
    environ = {"TOKEN": " secret\n", "ORG": "us", "BLANK": " "}
    assert headers_of(address, environ) == {
        "X-Team": "one",
        "X-Org": "us",
        "Authorization": "Bearer secret",
        "Accept-Encoding": "identity",
    }


def test_without_its_token_nothing_is_asked() -> None:
    with pytest.raises(ExternalServerFailed, match="the variable `TOKEN` is not set"):
        headers_of(ServerAddress("u", "TOKEN"), {"TOKEN": " "})


def answered(how: Callable[[bytes], bytes]) -> str:
    """Why a server was not used that answers every request like this."""
    said: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        writer.write(how(head))
        try:
            await writer.drain()
        finally:
            writer.close()

    async def work() -> None:
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            async with servers(remote(f"http://127.0.0.1:{port}/mcp", startup_timeout_ms=10_000)) as found:
                said.extend(each.message for each in found.failures)

    run(work())
    return said[0]


def response(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Content-Type: application/json", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def test_an_answer_that_is_too_long_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Required."""
    monkeypatch.setattr(http, "ANSWER_BYTES_MAX", 1 << 20)
    assert "an answer of more than 1 MiB" in answered(lambda _head: response(b" " * (2 << 20)))


def test_an_answer_that_would_unpack_into_more_is_not_unpacked() -> None:
    """Required: a small answer can stand for gigabytes."""
    packed = gzip.compress(b" " * (1 << 20))
    assert "compresses its answers" in answered(lambda _head: response(packed, "Content-Encoding: gzip"))


def test_a_redirect_to_another_place_is_not_followed() -> None:
    """Required: a token goes where it was meant to go."""
    said = answered(lambda _head: response(b"", "Location: http://127.0.0.2:1/mcp", status="307 Temporary Redirect"))
    assert "did not start" in said


def test_a_server_that_wants_to_know_who_asks_is_told_apart() -> None:
    """Required."""
    said = answered(lambda _head: response(b"{}", status="401 Unauthorized"))
    assert "it wants to know who asks" in said
    assert "mcp_servers.remote.bearer_token_env_var" in said
