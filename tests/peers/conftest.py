"""The servers that the other programs talk to: `sandgate mcp` from this clone, and the one with the suite's tools."""

from __future__ import annotations

import functools
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from peers.serving import TOKEN_VARIABLE, serving
from support.suite.source_tree import REPOSITORY

LAUNCHER = str(REPOSITORY / "sandgate")
FIRST_USE_LIMIT_S = 300
"""For the launcher to make the server's environment, which the first use of a clone does."""


class Endpoint(NamedTuple):
    """Where a server listens, and what it wants to be shown."""

    url: str
    token: str


class Clone:
    """The program as a user starts it from a clone, with a home and a project of its own."""

    def __init__(self, launcher: str, place: Path, running: ExitStack) -> None:
        self.launcher = launcher
        self.project = place / "project"
        self.environ = {"PATH": os.environ["PATH"], "HOME": str(place / "home")}
        (place / "home").mkdir()
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        self._running = running
        self._started = functools.cache(self._start)

    def command(self, *options: str) -> list[str]:
        """`sandgate mcp` on its standard streams, for any program to start."""
        told = [f"{name}={value}" for name, value in self.environ.items()]
        return ["env", *told, self.launcher, "mcp", "-C", str(self.project), *options]

    def endpoint(self, *options: str) -> Endpoint:
        """`sandgate mcp --http`; it runs until the tests of the module are over."""
        return self._started(options)

    def _start(self, options: tuple[str, ...]) -> Endpoint:
        token = secrets.token_urlsafe(32)
        server = serving(self.command("--http", *options), {**self.environ, TOKEN_VARIABLE: token})
        return Endpoint(self._running.enter_context(server), token)


@pytest.fixture(scope="session")
def launcher() -> str:
    """The clone's own program, once it has made what it needs."""
    subprocess.run(
        [LAUNCHER, "mcp"], stdin=subprocess.DEVNULL, check=True, capture_output=True, timeout=FIRST_USE_LIMIT_S
    )
    return LAUNCHER


@pytest.fixture(scope="module")
def clone(launcher: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clone]:
    """`sandgate mcp` from this clone."""
    with ExitStack() as running:
        yield Clone(launcher, tmp_path_factory.mktemp("clone"), running)


@pytest.fixture(scope="module")
def fixtures_endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    """The server with the suite's tools, over HTTP."""
    token, home = secrets.token_urlsafe(32), tmp_path_factory.mktemp("home")
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "PYTHONPATH": f"{REPOSITORY / 'src'}:{REPOSITORY / 'tests'}",
        TOKEN_VARIABLE: token,
    }
    with serving([sys.executable, "-m", "peers.fixture_server"], environ) as url:
        yield Endpoint(url, token)
