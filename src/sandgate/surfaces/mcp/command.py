"""Puts a server together and serves it, until the other side goes or a signal comes."""

from __future__ import annotations

import asyncio
import os
import sys

from sandgate.config.agent import NO_MODEL, NO_MODEL_HINT
from sandgate.display import visible
from sandgate.errors import ConfigError
from sandgate.record import Record
from sandgate.runtime import open_runtime
from sandgate.serving.ledger_access import open_ledger
from sandgate.serving.sealing_key import sealing_key
from sandgate.surfaces.mcp.calling import Channels
from sandgate.surfaces.mcp.server import build_server
from sandgate.surfaces.mcp.sessions import Sessions
from sandgate.surfaces.transport.streams import take_standard_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mcp.server.lowlevel import Server

    from sandgate.runtime import Environment
    from sandgate.serving.ledger_access import Ledger
    from sandgate.surfaces.mcp.client_thread import Delegation
    from sandgate.surfaces.transport.tokens import Tokens

HOST = "127.0.0.1"
TOKEN_NAME = "mcp.tokens"  # in the state directory
VARIABLE = "SANDGATE_MCP_TOKEN"


class Wishes(Record):
    """How to serve."""

    http: bool = False
    port: int = 0  # 0: a free one
    token_file: str | None = None
    forms: bool = True  # the client is asked
    waits_elsewhere: bool = False  # what no person saw there waits for a person at another terminal
    approval_timeout_s: float = 600.0
    delegation: Delegation | None = None  # clients may hand whole tasks to agents


def serve_clients(environment: Environment, wishes: Wishes) -> int:
    """0 when the other side went, 128 + N after signal N. Raises ConfigError, RuleError, RequestError before that."""
    with open_runtime(environment) as probe:  # what is wrong with the configuration is said now, not to the first call
        login_allowed = probe.settings.allow_login_shell
        if wishes.token_file is not None:
            from sandgate.surfaces.transport.token_choice import require_out_of_reach

            require_out_of_reach(os.path.abspath(wishes.token_file), probe.confinement.permissions())
        for warning in probe.loaded.warnings:
            say(f"warning: {visible(warning)}")
        if wishes.delegation is not None:
            _require_model(wishes.delegation, probe.loaded.values)
    ledger = open_ledger(environment.environ)
    # Before there is an event loop; what is wrong with tokens is said before anything is served, too.
    way: Tokens | tuple[int, int]
    if wishes.http:
        way, environment = _tokens(environment, wishes)
    else:
        if os.isatty(0):
            say("waiting for an MCP client on standard input; this command belongs into a client's configuration")
        way = take_standard_streams()
    signal = asyncio.run(_serve(environment, wishes, way, ledger=ledger, login_allowed=login_allowed))
    return 0 if signal is None else 128 + signal


def _require_model(delegation: Delegation, values: Mapping[str, Any]) -> None:
    """A task that no model can do is refused to who starts the server, not to a client later."""
    if not any(delegation.fields().values()) and values.get("model") is None:
        raise ConfigError(f"`--sessions` needs a model: {NO_MODEL}", hint=NO_MODEL_HINT)


async def _serve(
    environment: Environment, wishes: Wishes, way: Tokens | tuple[int, int], *, ledger: Ledger, login_allowed: bool
) -> int | None:
    server = build_server(
        Sessions(environment, ledger, timeout_s=wishes.approval_timeout_s, delegation=wishes.delegation),
        login_allowed=login_allowed,
        channels=channels(wishes, environment.environ),
        sealing_key=sealing_key(environment.environ),
    )
    if isinstance(way, tuple):
        from sandgate.surfaces.mcp.stdio import serve_stdio

        return await serve_stdio(server, way, complain=say)
    return await _serve_http(server, wishes, way)


def channels(wishes: Wishes, environ: Mapping[str, str]) -> Channels:
    """Where questions go. Over HTTP the client has not started us: our environment says nothing of it."""
    return Channels({} if wishes.http else environ, forms=wishes.forms, elsewhere=wishes.waits_elsewhere)


async def _serve_http(server: Server[Any], wishes: Wishes, tokens: Tokens) -> int | None:
    from sandgate.surfaces.mcp.http import serve_http

    return await serve_http(
        server,
        host=HOST,
        port=wishes.port,
        tokens=tokens,
        announce=lambda url: say(f"serving MCP at {url}"),
    )


def _tokens(environment: Environment, wishes: Wishes) -> tuple[Tokens, Environment]:
    from sandgate.surfaces.transport.token_choice import chosen_tokens

    return chosen_tokens(environment, VARIABLE, TOKEN_NAME, file=wishes.token_file, say=say)


def say(text: str) -> None:
    """One line on standard error; standard output is the protocol's."""
    print(f"sandgate: {text}", file=sys.stderr, flush=True)
