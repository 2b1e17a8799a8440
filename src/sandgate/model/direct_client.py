"""Direct connections to a provider, over HTTP/1.1: what nearly every request of a session takes.

The library that can do everything costs a quarter of a second of imports, which was half of the time to the first
request. So where nothing lies between us and an ordinary address, h11 reads and writes the protocol and asyncio the
sockets and TLS, with the certificates of the system. Proxies and unusual addresses stay with the library
(`direct_address` says which is which). What is offered here is the part of the library's client that `exchange.py`
uses, under its names.
"""

from __future__ import annotations

import asyncio
import os
import re

from sandgate.model.socket_wire import SocketWire
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncGenerator, Callable, Mapping

    import h11

TOGETHER_BYTES = 16 * 1024  # head and content in one piece, below this
HEAD_BYTES_MAX = 100 * 1024  # of the head of a response
ALPN = ["http/1.1"]
# Where distributions keep their certificates, for an OpenSSL that was built to look elsewhere.
CERTIFICATES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem")

_ORDINARY = re.compile(
    r"(https?)://([A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?)(?::([0-9]{1,5}))?(/[\w.~/-]*)", re.ASCII
)
_HASHED = re.compile(r"[0-9a-f]{8}\.[0-9]+")


class HttpAddress(Record):
    """Where requests go."""

    secure: bool
    host: str
    port: int
    target: str

    @property
    def named(self) -> str:
        """As the header `Host` has it: without a port that goes without saying."""
        return self.host if self.port == (443 if self.secure else 80) else f"{self.host}:{self.port}"


class DirectRequest(Record):
    """One request, ready to be sent."""

    head: h11.Request
    content: bytes


def direct_address(url: str, environ: Mapping[str, str]) -> HttpAddress | None:
    """The address of an ordinary URL to which no proxy may lie on the way; None: leave it to the library."""
    if any(value and name.lower().endswith("_proxy") and name.lower() != "no_proxy" for name, value in environ.items()):
        return None
    found = _ORDINARY.fullmatch(url)
    if found is None or ".." in found[2] or "/." in found[4]:
        return None
    secure = found[1] == "https"
    port = int(found[3]) if found[3] else 443 if secure else 80
    return HttpAddress(secure, found[2].lower(), port, found[4]) if 0 < port < 1 << 16 else None


class DirectClient:
    """Connections to one address. Belongs to one event loop, but may be made on any thread."""

    def __init__(
        self, address: HttpAddress, *, connect_s: float, connections_max: int, kept_max: int, kept_s: float
    ) -> None:
        """Reads the certificates, where they are needed."""
        import h11 as _h11  # noqa: F401  its import is a part of what is prepared

        self._address = address
        self._connect_s = connect_s
        self._kept_max, self._kept_s = kept_max, kept_s
        self._context = tls_context(os.environ) if address.secure else None
        self._room = asyncio.Semaphore(connections_max)
        self._open: set[SocketWire] = set()
        self._kept: list[tuple[SocketWire, float]] = []  # and until when; the latest last

    def build_request(self, method: str, headers: Mapping[str, str], content: bytes) -> DirectRequest:
        """Raises what h11 raises, and UnicodeEncodeError, for headers that cannot be sent."""
        import h11

        given = [(name.encode("ascii"), value.encode("ascii")) for name, value in headers.items()]
        named = {name.lower() for name, _value in given}
        own = [] if b"host" in named else [(b"Host", self._address.named.encode())]
        size = (b"Content-Length", str(len(content)).encode())
        return DirectRequest(
            h11.Request(method=method, target=self._address.target, headers=[*own, *given, size]), content
        )

    async def send(self, request: DirectRequest) -> DirectResponse:
        """The response, once its head is there; close it. Raises OSError, TimeoutError and what h11 raises."""
        await self._room.acquire()
        wire: SocketWire | None = None
        try:
            wire = self._kept_one() or await self._connected()
            self._open.add(wire)
            response = DirectResponse(wire, self._given_back)
            await response.begin(request)
        except BaseException:
            if wire is not None:
                wire.abort()
                self._open.discard(wire)
            self._room.release()
            raise
        return response

    async def aclose(self) -> None:
        """Closes every connection, whatever it is doing."""
        for wire in (*self._open, *(each for each, _until in self._kept)):
            wire.abort()
        self._kept.clear()
        await asyncio.sleep(0)  # sockets are closed by the loop, in its next round

    def _kept_one(self) -> SocketWire | None:
        now = asyncio.get_running_loop().time()
        while self._kept:
            wire, until = self._kept.pop()
            # Whatever comes before a request is no answer to it.
            if not wire.is_stale and now < until:
                return wire
            wire.abort()
        return None

    async def _connected(self) -> SocketWire:
        loop, address = asyncio.get_running_loop(), self._address
        async with asyncio.timeout(self._connect_s):
            _transport, wire = await loop.create_connection(
                SocketWire,
                address.host,
                address.port,
                ssl=self._context,
                server_hostname=address.host if address.secure else None,
                happy_eyeballs_delay=0.25,
            )
        return wire

    def _given_back(self, wire: SocketWire, again: bool) -> None:
        self._room.release()
        self._open.discard(wire)
        if not again or wire.is_stale:
            wire.abort()
            return
        self._kept.append((wire, asyncio.get_running_loop().time() + self._kept_s))
        while len(self._kept) > self._kept_max:
            self._kept.pop(0)[0].abort()


class DirectResponse:
    """One response, on its way in. `headers` have names in small letters."""

    def __init__(self, wire: SocketWire, give_back: Callable[[SocketWire, bool], None]) -> None:
        import h11

        self._wire = wire
        self._give_back = give_back
        self._protocol = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD_BYTES_MAX)
        self._closed = False
        self.status_code = 0
        self.headers: Mapping[str, str] = {}

    async def begin(self, request: DirectRequest) -> None:
        """Sends the request and waits for the head."""
        import h11

        protocol = self._protocol
        head = protocol.send(request.head) or b""
        # `h11` gives the content back as it is; a long one is not copied only to travel with the head.
        content = (protocol.send(h11.Data(request.content)) or b"") + (protocol.send(h11.EndOfMessage()) or b"")
        if len(content) < TOGETHER_BYTES:
            head, content = head + content, b""
        await self._wire.write(head)
        if content:
            await self._wire.write(content)
        while True:
            event = await self._event()
            if isinstance(event, h11.Response):
                break
            if not isinstance(event, h11.InformationalResponse):
                raise h11.RemoteProtocolError("no response")
        self.status_code = event.status_code
        self.headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in event.headers}

    async def aiter_raw(self) -> AsyncGenerator[bytes, None]:
        """The body as it comes. Raises OSError and what h11 raises where it is cut short."""
        import h11

        while isinstance(event := await self._event(), h11.Data):
            yield bytes(event.data)

    async def aclose(self) -> None:
        """Lets the connection carry another request if this one is over, and closes it otherwise."""
        if self._closed:
            return
        self._closed = True
        import h11

        protocol = self._protocol
        over = protocol.our_state is h11.DONE and protocol.their_state is h11.DONE and not protocol.trailing_data[0]
        self._give_back(self._wire, over)

    async def _event(self) -> object:
        import h11

        while (event := self._protocol.next_event()) is h11.NEED_DATA:
            self._protocol.receive_data(await self._wire.read())
        return event


def tls_context(environ: Mapping[str, str]) -> ssl.SSLContext:
    """Certificates and names are checked, against what the system trusts or the variables of OpenSSL name."""
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_alpn_protocols(ALPN)
    file, directory = environ.get("SSL_CERT_FILE"), environ.get("SSL_CERT_DIR")
    if file:
        directory = None
    elif not directory:
        built = ssl.get_default_verify_paths()
        directory = built.openssl_capath if _has_certificates(built.openssl_capath) else None
        # A directory is looked into when a certificate is wanted; a file is read as a whole, which takes longer.
        files = (built.openssl_cafile, *(() if directory else CERTIFICATES))
        file = next(filter(os.path.isfile, files), None)
    if file or directory:
        context.load_verify_locations(file, directory)
    return context


def _has_certificates(directory: str) -> bool:
    """Whether any stands under the name by which OpenSSL looks for it."""
    try:
        with os.scandir(directory) as found:
            return any(_HASHED.fullmatch(each.name) for each in found)
    except OSError:
        return False
