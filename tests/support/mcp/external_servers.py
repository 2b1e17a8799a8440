"""The official SDK's server as a program and on loopback, and a bounded loop to talk to it on."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from sandgate.external.server import ExternalServer, ServerAddress, ServerProgram
from sandgate.external.servers import ExternalServers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

STAGE = str(Path(__file__).parent / "external_stage.py")
START_MS = 30_000  # an interpreter and the SDK, on a busy machine
ENVIRON = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "MY_SECRET_TOKEN": "hunter2", "GIVEN": "on"}


def stage(name: str = "stage", *manner: str, **more: Any) -> ExternalServer:
    """The server as a program."""
    program = ServerProgram(sys.executable, (STAGE, "stdio", *manner), **more.pop("program", {}))
    return ExternalServer(name, program, **{"startup_timeout_ms": START_MS, **more})


def servers(*those: ExternalServer, environ: Mapping[str, str] = ENVIRON) -> ExternalServers:
    return ExternalServers(those, environ=environ, cwd="/tmp", version="1")


@contextmanager
def listening(token: str = "") -> Iterator[str]:
    """The address of the same server over HTTP."""
    process = subprocess.Popen(
        [sys.executable, STAGE, "http"], env={**os.environ, "STAGE_TOKEN": token}, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        yield process.stderr.readline().strip()
    finally:
        process.kill()
        process.communicate()


def remote(url: str, **more: Any) -> ExternalServer:
    address = ServerAddress(url, **more.pop("address", {}))
    return ExternalServer("remote", address, **{"startup_timeout_ms": START_MS, **more})
