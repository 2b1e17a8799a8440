"""Puts a server for one editor together and serves it, until that goes or a signal comes."""

from __future__ import annotations

import asyncio
import os
import sys

from sandgate.display import visible
from sandgate.runtime import open_runtime
from sandgate.surfaces.acp.stdio import serve_stdio
from sandgate.surfaces.transport.streams import take_standard_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.surfaces.sessions.serving import Serving


def serve_client(serving: Serving) -> int:
    """0 when the client went, 128 + N after signal N. Raises ConfigError and RequestError before that."""
    with open_runtime(serving.environment) as probe:  # what is wrong with the configuration is said now
        for warning in probe.loaded.warnings:
            say(f"warning: {visible(warning)}")
    if os.isatty(0):
        say("waiting for an editor on standard input; this command belongs into its configuration")
    streams = take_standard_streams()
    signal = asyncio.run(serve_stdio(serving, streams, complain=say))
    return 0 if signal is None else 128 + signal


def say(text: str) -> None:
    """One line on standard error; standard output is the protocol's."""
    print(f"sandgate: {text}", file=sys.stderr, flush=True)
