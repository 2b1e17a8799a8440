"""The server that the other programs talk to."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from peers.serving import serving
from source_tree import REPOSITORY

COMMAND = ["env", f"PYTHONPATH={REPOSITORY / 'tests'}", sys.executable, "-m", "peers.fixture_server"]
"""A command line, so that it may be any program."""


class Endpoint(NamedTuple):
    """Where the server listens, and what it wants to be shown."""

    url: str
    token: str


@pytest.fixture
def stdio_command() -> list[str]:
    """A server on its standard streams."""
    return [*COMMAND, "stdio"]


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    """A server on a port of loopback."""
    token = secrets.token_urlsafe(32)
    with serving([*COMMAND, "http"], os.environ | {"SANDGATE_MCP_TOKEN": token}) as url:
        yield Endpoint(url, token)
