"""A test that fails because it fails asks nothing, whatever its tools would have liked to write beside it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.escape.escape_stage import BOTH_BACKENDS
from support.process.program import Finished, Sandgate

pytestmark = pytest.mark.host("namespace", "notify")

GREEN = "import sys; sys.path.insert(0, {outside!r}); import tool"
RED = f"{GREEN}; sys.exit('1 failed')"


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where a virtual environment lies that no command may write to."""
    place = Path("/var/tmp") / f"sandgate-red-{os.getpid()}-{tmp_path_factory.getbasetemp().name}"
    place.mkdir()
    (place / "tool.py").write_text("used = True\n")
    yield place
    shutil.rmtree(place)


@pytest.fixture
def sandgate(tmp_path: Path) -> Sandgate:
    (tmp_path / "repo").mkdir()
    (tmp_path / "home").mkdir()
    return Sandgate(tmp_path / "repo", tmp_path / "home")


def run(sandgate: Sandgate, backend: str, script: str, *options: str) -> Finished:
    return sandgate("run", "-c", f"sandbox.backend={backend}", *options, "--", "python3", "-c", script)


@BOTH_BACKENDS
def test_a_red_test_asks_nothing_and_says_nothing_of_ours(sandgate: Sandgate, outside: Path, backend: str) -> None:
    script = RED.format(outside=str(outside))
    assert run(sandgate, backend, script, "-s", "danger-full-access").code == 1
    assert (outside / "__pycache__").is_dir()  # it would write there
    shutil.rmtree(outside / "__pycache__")
    found = run(sandgate, backend, script, "--answer", "approve")
    assert (found.code, found.err) == (1, "1 failed\n")
    assert not (outside / "__pycache__").exists()


@BOTH_BACKENDS
def test_what_was_refused_is_shown_on_request(sandgate: Sandgate, outside: Path, backend: str) -> None:
    script = RED.format(outside=str(outside))
    assert f"did without: create {outside}/__pycache__" in run(sandgate, backend, script, "-v").err
    (attempt,) = run(sandgate, backend, script, "--json").last["attempts"]
    assert attempt["denials"] == []
    assert {each["path"] for each in attempt["did_without"]} == {f"{outside}/__pycache__"}


@BOTH_BACKENDS
def test_what_a_test_needed_is_said_as_ever(sandgate: Sandgate, outside: Path, backend: str) -> None:
    script = f"{GREEN.format(outside=str(outside))}; open({str(outside / 'made')!r}, 'w')"
    found = run(sandgate, backend, script)
    assert f"denied: create {outside}/made" in found.err
    assert "__pycache__" not in found.err
