"""The program in this process, in a repository and a home of its own, with nobody at the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandgate.surfaces.cli.main import main
from support.agent.agent_double import Stage


class Program:
    """Runs one command line; `out` and `err` are what the last one said."""

    def __init__(self, repo: Path, home: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.repo, self.home = repo, home
        self.out = self.err = ""
        self._capture = capture

    def __call__(self, *arguments: str) -> int:
        self._capture.readouterr()
        code = main(list(arguments))
        self.out, self.err = self._capture.readouterr()
        return code


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Program:
    repo, home = tmp_path / "repo", tmp_path / "home"
    for place in (repo, home):
        place.mkdir()
    monkeypatch.chdir(repo)
    for name in list(os.environ):
        monkeypatch.delenv(name)
    for name, value in (("PATH", "/usr/local/bin:/usr/bin:/bin"), ("HOME", str(home)), ("LANG", "C.UTF-8")):
        monkeypatch.setenv(name, value)
    return Program(repo, home, capfd)


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """Sessions of a model, without one."""
    found = Stage()
    before = sys.modules.get("sandgate.agent.agent")
    module = found.install()
    monkeypatch.setattr("sandgate.agent.agent", module, raising=False)
    yield found
    sys.modules.pop("sandgate.agent.agent", None)
    if before is not None:
        sys.modules["sandgate.agent.agent"] = before
