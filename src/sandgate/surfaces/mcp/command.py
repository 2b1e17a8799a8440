"""Puts a server together and serves it, until the other side goes or a signal comes."""

from __future__ import annotations

import asyncio
import sys

from sandgate.display import visible
from sandgate.record import Record
from sandgate.runtime import open_runtime
from sandgate.runtime.pending import open_ledger
from sandgate.runtime.sealing import sealing_key
from sandgate.surfaces.mcp.server import build_server
from sandgate.surfaces.mcp.sessions import Sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mcp.server.lowlevel import Server

    from sandgate.runtime import Environment
    from sandgate.runtime.pending import Ledger

HOST = "127.0.0.1"
TOKEN_VARIABLE = "SANDGATE_MCP_TOKEN"


class Wishes(Record):
    """How to serve."""

    http: bool = False
    port: int = 0  # 0: a free one
    token_file: str | None = None
    waits_elsewhere: bool = False  # a client that cannot ask waits for somebody at another terminal
    approval_timeout_s: float = 600.0


def serve(environment: Environment, wishes: Wishes) -> int:
    """0 when the other side went. Raises ConfigError, RuleError and RequestError before it serves."""
    with open_runtime(environment) as probe:  # what is wrong with the configuration is said now, not to the first call
        login_allowed = probe.settings.allow_login_shell
        for warning in probe.loaded.warnings:
            print(f"sandgate: warning: {visible(warning)}", file=sys.stderr)
    ledger = open_ledger(environment.environ)
    asyncio.run(_serve(environment, wishes, ledger=ledger, login_allowed=login_allowed))
    return 0


async def _serve(environment: Environment, wishes: Wishes, *, ledger: Ledger, login_allowed: bool) -> None:
    server = build_server(
        Sessions(environment, ledger, timeout_s=wishes.approval_timeout_s),
        login_allowed=login_allowed,
        waits_elsewhere=wishes.waits_elsewhere,
        sealing_key=sealing_key(environment.environ),
    )
    if wishes.http:
        await _serve_http(server, environment, wishes)
    else:
        from sandgate.surfaces.mcp.stdio import serve_stdio

        await serve_stdio(server, complain=lambda text: print(f"sandgate: {text}", file=sys.stderr, flush=True))


async def _serve_http(server: Server[Any], environment: Environment, wishes: Wishes) -> None:
    from sandgate.surfaces.mcp.http import serve_http
    from sandgate.surfaces.mcp.tokens import Tokens

    if wishes.token_file is not None:
        tokens = Tokens.from_file(wishes.token_file)
    else:
        tokens = Tokens.from_variable(environment.environ) or Tokens.fresh()
    await serve_http(
        server,
        host=HOST,
        port=wishes.port,
        tokens=tokens,
        announce=lambda url: print(f"sandgate: serving MCP at {url}", file=sys.stderr, flush=True),
    )
