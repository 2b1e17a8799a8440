"""Puts an app server together and serves it, until the other side goes or a signal comes."""

from __future__ import annotations

import asyncio
import os
import sys

from sandgate.display import visible
from sandgate.errors import RequestError
from sandgate.runtime import open_runtime
from sandgate.surfaces.app_server.threads import OpenThreads
from sandgate.surfaces.transport.streams import take_standard_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket

    from sandgate.protocol.permissions import EffectivePermissions
    from sandgate.surfaces.sessions.serving import Serving
    from sandgate.surfaces.transport.tokens import Tokens

VARIABLE = "SANDGATE_APP_SERVER_TOKEN"
TOKEN_NAME = "app-server.tokens"  # in the state directory


def serve_standard_streams(serving: Serving) -> int:
    """0 when the client went, 128 + N after signal N. Raises ConfigError and RequestError before that."""
    _checked(serving)
    if os.isatty(0):
        say("waiting for a client on standard input; this command belongs into a client's configuration")
    streams = take_standard_streams()
    signal = asyncio.run(_serve_streams(serving, streams))
    return 0 if signal is None else 128 + signal


def serve_port(serving: Serving, port: int, token_file: str | None) -> int:
    """The same for clients with a token on the loopback address; 128 + N after signal N."""
    from sandgate.surfaces.app_server.sockets import listen_on_port
    from sandgate.surfaces.transport.token_choice import chosen_tokens, require_out_of_reach

    permissions = _checked(serving)
    if token_file is not None:
        require_out_of_reach(os.path.abspath(token_file), permissions)
    tokens, environment = chosen_tokens(serving.environment, VARIABLE, TOKEN_NAME, file=token_file, say=say)
    return _served(serving.but(environment=environment), listen_on_port(port), tokens)


def serve_path(serving: Serving, path: str) -> int:
    """The same on a Unix socket, which no confined command can see."""
    from sandgate.surfaces.app_server.sockets import listen_at, made_at, remove_own

    permissions, path = _checked(serving), os.path.abspath(path)
    real = os.path.realpath(path)
    if permissions.confined and any(os.path.commonpath((root, real)) == root for root in permissions.writable):
        raise RequestError(
            f"cannot listen at `{visible(path)}`",
            why="a confined command may write there, and so could take the server's place",
            hint="choose a directory that is yours alone, such as $XDG_RUNTIME_DIR",
        )
    environment = serving.environment
    hidden = environment.but(hidden=(*environment.hidden, path, real))
    listening = listen_at(path)
    own = made_at(path)
    try:
        return _served(serving.but(environment=hidden), listening, None)
    finally:
        remove_own(path, own)


def say(text: str) -> None:
    """One line on standard error; standard output is the protocol's."""
    print(f"sandgate: {text}", file=sys.stderr, flush=True)


def _checked(serving: Serving) -> EffectivePermissions:
    """What is wrong with the configuration is said now, not to the first thread."""
    with open_runtime(serving.environment) as probe:
        for warning in probe.loaded.warnings:
            say(f"warning: {visible(warning)}")
        return probe.confinement.permissions()


def _served(serving: Serving, listening: socket.socket, tokens: Tokens | None) -> int:
    return 128 + asyncio.run(_serve_sockets(serving, listening, tokens))


async def _serve_streams(serving: Serving, streams: tuple[int, int]) -> int | None:
    from sandgate.surfaces.app_server.stdio import serve_stdio

    return await serve_stdio(OpenThreads(serving), streams, complain=say)


async def _serve_sockets(serving: Serving, listening: socket.socket, tokens: Tokens | None) -> int:
    from sandgate.surfaces.app_server.sockets import serve_sockets

    return await serve_sockets(
        OpenThreads(serving), listening, tokens, announce=lambda address: say(f"serving clients at {address}")
    )
