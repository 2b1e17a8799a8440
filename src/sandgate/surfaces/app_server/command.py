"""Puts an app server together and serves it, until the other side goes or a signal comes."""

from __future__ import annotations

import asyncio
import os
import sys

from sandgate.config import load_settings
from sandgate.display import visible
from sandgate.surfaces.app_server.threads import OpenThreads
from sandgate.surfaces.transport.streams import take_standard_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.surfaces.app_server.thread_settings import Serving


def serve_standard_streams(serving: Serving) -> int:
    """0 when the client went, 128 + N after signal N. Raises ConfigError and RequestError before that."""
    environment = serving.environment
    loaded = load_settings(  # what is wrong with the configuration is said now, not to the first thread
        cwd=environment.cwd,
        environ=environment.environ,
        overrides=environment.overrides,
        profile=environment.profile,
        typed=environment.typed,
    )
    for warning in loaded.warnings:
        say(f"warning: {visible(warning)}")
    if os.isatty(0):
        say("waiting for a client on standard input; this command belongs into a client's configuration")
    streams = take_standard_streams()
    signal = asyncio.run(_serve(serving, streams))
    return 0 if signal is None else 128 + signal


async def _serve(serving: Serving, streams: tuple[int, int]) -> int | None:
    from sandgate.surfaces.app_server.stdio import serve_stdio

    return await serve_stdio(OpenThreads(serving), streams, complain=say)


def say(text: str) -> None:
    """One line on standard error; standard output is the protocol's."""
    print(f"sandgate: {text}", file=sys.stderr, flush=True)
