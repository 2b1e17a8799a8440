"""What every HTTP request passes before the SDK sees it.

Anything on this machine can connect: every user, and every web page a browser shows. A page can have its own name
resolve to our address and so speak to us as to its own server; the names it then sends give it away. So, on every path
and for every method: the address asked for must be ours, no foreign page may have sent the request, the token must be
known, and the body must be whole, in bounds and a message. What is behind the door never meets a token.
"""

from __future__ import annotations

from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend, RequireAuthMiddleware
from mcp.server.auth.provider import AccessToken
from starlette.middleware.authentication import AuthenticationMiddleware

from sandgate.surfaces.mcp.connections import HEADERS_BYTES_MAX
from sandgate.surfaces.mcp.disconnects import Disconnects
from sandgate.surfaces.mcp.messages import MESSAGE_BYTES_MAX, NoMessage, message_too_long, read_message, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from sandgate.surfaces.mcp.resuming import Resuming
    from sandgate.surfaces.transport.tokens import Tokens

PATH = "/mcp"
SESSION_HEADER = b"mcp-session-id"


class Verifier:
    """Our tokens, as the SDK asks for them."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    async def verify_token(self, token: str) -> AccessToken | None:
        """The principal is the client; the token itself goes no further."""
        name = self._tokens.principal(token)
        return None if name is None else AccessToken(token="", client_id=name, scopes=[])


def door(inside: ASGIApp, *, authorities: frozenset[str], tokens: Tokens, resuming: Resuming) -> ASGIApp:
    """The application for uvicorn. `authorities` are the `host:port` we answer to."""
    room: ASGIApp = PrincipalDoor(inside, resuming)
    room = RequireAuthMiddleware(AuthContextMiddleware(room), required_scopes=[])
    room = AuthenticationMiddleware(room, backend=BearerAuthBackend(Verifier(tokens)))
    return Threshold(room, authorities)


class Threshold:
    """Turns away who asks for another address, comes from a web page or says too much about itself."""

    def __init__(self, inside: ASGIApp, authorities: frozenset[str]) -> None:
        self._inside = inside
        self._authorities = authorities
        self._origins = frozenset(f"http://{authority}" for authority in authorities)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            return
        hosts, origins = _values(scope, b"host"), _values(scope, b"origin")
        if _head_bytes(scope) > HEADERS_BYTES_MAX:
            await _answer(send, 431, f"the headers are longer than {HEADERS_BYTES_MAX} bytes".encode())
        elif len(hosts) != 1 or hosts[0].lower() not in self._authorities:
            await _answer(send, 421, b"this server has another address")
        elif len(origins) > 1 or not self._origins.issuperset(origins):
            await _answer(send, 403, b"web pages may not talk to this server")
        else:
            await self._inside(scope, receive, send)


class PrincipalDoor:
    """Where a known principal's request becomes a message for the SDK."""

    def __init__(self, inside: ASGIApp, resuming: Resuming) -> None:
        self._inside = inside
        self._resuming = resuming
        self._disconnects = Disconnects(inside)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["path"] != PATH:
            await _answer(send, 404, b"nothing is here; the path is /mcp")
            return
        body = await _body(receive)
        if body is None:
            await _answer(send, 413, written(message_too_long()) or b"", b"application/json")
            return
        if scope["method"] == "POST":
            message = read_message(body)
            if isinstance(message, NoMessage):
                await _answer(send, 400, written(message.answer) or b"", b"application/json")
                return
        await self._within_session(scope, _again(body, receive), send)

    async def _within_session(self, scope: Scope, receive: Receive, send: Send) -> None:
        named = _values(scope, SESSION_HEADER)
        events = self._resuming.enter(named[0] if named else None)

        session = (scope["user"].username, named[0]) if named else None

        async def send_and_listen(message: Message) -> None:
            if message["type"] == "http.response.start":
                if session is None:
                    for name, value in message["headers"]:
                        if name.lower() == SESSION_HEADER:
                            self._resuming.opened(value.decode("latin-1"), events)
                elif scope["method"] == "GET" and message["status"] == 200:
                    self._disconnects.listens(session)
            await send(message)

        headers = [(name, value) for name, value in scope["headers"] if name != b"authorization"]
        inner = {**scope, "headers": headers}
        if session is None:
            await self._inside(inner, receive, send_and_listen)
            return
        with self._disconnects.request(session, inner):
            await self._inside(inner, receive, send_and_listen)
            if scope["method"] == "DELETE":
                self._disconnects.forget(session)


def _head_bytes(scope: Scope) -> int:
    """Of the first line and the headers as they came, but for blanks. uvicorn only limits what is still incomplete."""
    first_line = len(f"{scope['method']}  HTTP/1.1\r\n") + len(scope["raw_path"]) + len(scope["query_string"])
    return first_line + sum(len(name) + len(value) + len(": \r\n") for name, value in scope["headers"])


def _values(scope: Scope, wanted: bytes) -> list[str]:
    return [value.decode("latin-1") for name, value in scope["headers"] if name == wanted]


async def _body(receive: Receive) -> bytes | None:
    """All of it; None when it is longer than a message may be. Its time is limited by the connection."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return bytes(body)  # the client left; the next `receive` is told
        body += message.get("body", b"")
        if len(body) > MESSAGE_BYTES_MAX:
            return None
        if not message.get("more_body", False):
            return bytes(body)


def _again(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the whole body first."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


async def _answer(send: Send, status: int, body: bytes, kind: bytes = b"text/plain; charset=utf-8") -> None:
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
