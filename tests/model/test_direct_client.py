"""Which requests go directly, and what a direct connection does that no answer of a model shows."""

from __future__ import annotations

import asyncio
import shutil
import socket
import ssl
import subprocess
import sys
from contextlib import aclosing
from pathlib import Path
from threading import Event, Thread

import pytest

from sandgate.model.direct_client import DirectClient, HttpAddress, direct_address, tls_context
from support.model.responses_server import LIMIT_S, Connection, Manner, ResponsesServer, keeps, message, turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

HEADERS = {"Accept": "text/event-stream"}


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://api.example.com/v1/responses", HttpAddress(True, "api.example.com", 443, "/v1/responses")),
        ("http://LOCALHOST:11434/v1/responses", HttpAddress(False, "localhost", 11434, "/v1/responses")),
        ("http://127.0.0.1/v1/chat/completions", HttpAddress(False, "127.0.0.1", 80, "/v1/chat/completions")),
    ],
)
def test_an_ordinary_address_is_taken_apart(url: str, address: HttpAddress) -> None:
    assert direct_address(url, {}) == address


@pytest.mark.parametrize(
    "url",
    [
        "https://me:secret@x.test/v1",
        "https://x.test",
        "https://x.test/v1?a=b",
        "https://x.test/v1#a",
        "https://x.test/a/../v1",
        "https://x..test/v1",
        "https://x.test/a%20b",
        "https://x.test/a b",
        "https://x.test/v1\n",
        "https://bücher.test/v1",
        "https://[::1]/v1",
        "https://x.test:0/v1",
        "https://x.test:65536/v1",
        "ftp://x.test/v1",
        "HTTPS://x.test/v1",
        "",
    ],
)
def test_any_other_address_is_left_to_the_library(url: str) -> None:
    assert direct_address(url, {}) is None


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "http_proxy"])
def test_where_a_proxy_is_named_the_library_decides(name: str) -> None:
    url = "https://x.test/v1"
    assert direct_address(url, {name: "http://proxy.test:3128"}) is None
    assert direct_address(url, {name: "", "NO_PROXY": "*"}) is not None


def test_a_port_that_goes_without_saying_is_not_said() -> None:
    assert [HttpAddress(secure, "x", port, "/").named for secure, port in ((True, 443), (False, 80), (True, 80))] == [
        "x",
        "x",
        "x:80",
    ]


def asked(url: str, then: Callable[[DirectClient], Awaitable[object]]) -> None:
    async def work() -> None:
        address = direct_address(f"{url}/responses", {})
        assert address is not None
        client = DirectClient(address, connect_s=LIMIT_S, connections_max=2, kept_max=1, kept_s=LIMIT_S)
        try:
            async with asyncio.timeout(LIMIT_S):
                await then(client)
        finally:
            await client.aclose()

    asyncio.run(work())


async def body(client: DirectClient, headers: dict[str, str] | None = None) -> bytes:
    response = await client.send(client.build_request("POST", headers or HEADERS, b"{}"))
    try:
        async with aclosing(response.aiter_raw()) as pieces:
            return b"".join([piece async for piece in pieces])
    finally:
        await response.aclose()


def raw(*pieces: bytes) -> Manner:
    return lambda connection: connection.send(*pieces)


def test_what_a_server_says_unasked_is_no_answer_to_the_next_request() -> None:
    """Required: a farewell on a kept connection must not be taken for a response."""
    farewell = b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"

    kept = Event()

    def answers(connection: Connection) -> None:
        keeps(*turn(message("hi")))(connection)
        if kept.wait(LIMIT_S):
            connection.send(farewell)

    async def then(client: DirectClient) -> None:
        await body(client)
        wire, _until = client._kept[0]
        kept.set()
        while not wire.is_stale:
            await asyncio.sleep(0)
        response = await client.send(client.build_request("POST", HEADERS, b"{}"))
        assert response.status_code == 200
        await response.aclose()

    with ResponsesServer(answers) as server:
        asked(server.url, then)
        assert [each.number for each in server.connections] == [0, 1]


def test_interim_responses_are_passed_over() -> None:
    async def then(client: DirectClient) -> None:
        assert await body(client) == b"hi"

    pieces = b"HTTP/1.1 103 Early Hints\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
    with ResponsesServer(raw(*pieces)) as server:
        asked(server.url, then)


def test_a_body_that_is_cut_short_is_an_error() -> None:
    async def then(client: DirectClient) -> None:
        with pytest.raises(Exception, match="peer closed connection"):
            await body(client)

    with ResponsesServer(raw(b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhi")) as server:
        asked(server.url, then)


def test_a_large_body_is_sent_whole_and_a_head_without_end_is_refused() -> None:
    async def then(client: DirectClient) -> None:
        content = b'"' + b"x" * 5_000_000 + b'"'
        with pytest.raises(Exception, match="too long"):
            await client.send(client.build_request("POST", HEADERS, content))

    with ResponsesServer(raw(b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 100_000)) as server:
        asked(server.url, then)
        assert len(str(server.asked[0].body)) == 5_000_000


def test_a_header_of_ours_never_becomes_two() -> None:
    client = DirectClient(HttpAddress(False, "x", 80, "/"), connect_s=1, connections_max=1, kept_max=1, kept_s=1)
    for value in ("a\r\nX-More: b", "a\0", "ü"):
        with pytest.raises(Exception, match=r"Illegal|encode"):
            client.build_request("POST", {"Authorization": value}, b"")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of `localhost`, signed by itself; the key beside it."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make a certificate")
    place = tmp_path_factory.mktemp("certificate")
    line = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    line += ["-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "it.pem"]
    subprocess.run(line, cwd=place, check=True, capture_output=True)
    return place / "it.pem"


def handshake(certificate: Path, host: str) -> tuple[int, bytes]:
    """Asks a server with this certificate under the name `host`."""
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    served.load_cert_chain(certificate, certificate.with_name("key.pem"))
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        accepted, _ = listener.accept()
        with accepted:
            accepted.settimeout(LIMIT_S)
            try:
                with served.wrap_socket(accepted, server_side=True) as secured:
                    secured.recv(1 << 16)
                    secured.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
            except OSError:
                return  # the client does not trust us

    async def ask() -> tuple[int, bytes]:
        address = HttpAddress(True, host, listener.getsockname()[1], "/v1/responses")
        client = DirectClient(address, connect_s=LIMIT_S, connections_max=1, kept_max=1, kept_s=1)
        try:
            response = await client.send(client.build_request("POST", HEADERS, b"{}"))
            pieces = [piece async for piece in response.aiter_raw()]
            await response.aclose()
            return response.status_code, b"".join(pieces)
        finally:
            await client.aclose()

    thread = Thread(target=serve, daemon=True)
    thread.start()
    with listener:
        try:
            return asyncio.run(ask())
        finally:
            thread.join(LIMIT_S)


def test_a_server_with_a_certificate_that_is_trusted_is_asked(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert handshake(certificate, "localhost") == (200, b"hi")


def test_a_server_nobody_vouches_for_is_not_told_anything(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required."""
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(certificate, "localhost")


def test_a_certificate_of_another_name_is_none(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with pytest.raises(ssl.SSLCertVerificationError, match=r"127\.0\.0\.1"):
        handshake(certificate, "127.0.0.1")


def test_every_context_checks_certificates_and_names(tmp_path: Path) -> None:
    """Required."""
    for environ in ({}, {"SSL_CERT_DIR": str(tmp_path)}):
        context = tls_context(environ)
        assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
    with pytest.raises(OSError, match="No such file"):
        tls_context({"SSL_CERT_FILE": str(tmp_path / "missing")})


def test_a_direct_request_imports_no_large_library() -> None:
    """The reason for all of this."""
    code = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "from sandgate.model.direct_client import HttpAddress, DirectClient\n"
        "DirectClient(HttpAddress(False, 'x', 80, '/'), connect_s=1, connections_max=1, kept_max=1, kept_s=1)\n"
        "print([name for name in ('httpx2', 'httpcore2', 'anyio', 'email', 'http') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code, *sys.path], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
