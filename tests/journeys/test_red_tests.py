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
KEEPS = """
import os
try:
    os.mkdir(os.path.expanduser("~/.cargo"))
except OSError as problem:
    raise SystemExit({ending})
print("kept")
"""


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


@pytest.fixture
def away(sandgate: Sandgate, outside: Path) -> Sandgate:
    """With a home outside /tmp, where Landlock lets commands write."""
    (outside / "home").mkdir()
    return Sandgate(sandgate.workspace, outside / "home")


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


@BOTH_BACKENDS
def test_a_cache_that_a_program_goes_on_without_is_no_question(away: Sandgate, backend: str) -> None:
    (away.workspace / "tool.py").write_text(KEEPS.format(ending="print('goes on')"))
    line = ("--answer", "approve", "--", "bash", "-c", "exec -a cargo python3 tool.py")
    found = away("run", "-c", f"sandbox.backend={backend}", *line)
    assert (found.code, found.out) == (0, "goes on\n")
    assert not (away.home / ".cargo").exists()


@BOTH_BACKENDS
def test_a_program_that_fails_without_its_cache_is_asked_about_then(away: Sandgate, backend: str) -> None:
    (away.workspace / "tool.py").write_text(KEEPS.format(ending="f'no cache: {problem.strerror}'"))
    line = ("--answer", "approve", "--", "bash", "-c", "exec -a cargo python3 tool.py")
    found = away("run", "-c", f"sandbox.backend={backend}", *line)
    assert (found.code, found.out) == (0, "kept\n")
    assert (away.home / ".cargo").is_dir()


@BOTH_BACKENDS
def test_who_says_the_name_of_a_cache_is_asked_at_once(away: Sandgate, backend: str) -> None:
    line = ("--answer", "approve", "--", "bash", "-c", "mkdir ~/.cargo && echo once")
    found = away("run", "-c", f"sandbox.backend={backend}", *line)
    assert (found.code, found.out) == (0, "once\n")
    assert (away.home / ".cargo").is_dir()
