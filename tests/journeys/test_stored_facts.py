"""What one `sandgate run` found out about the disk, and the next one goes on with."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandgate.runtime import Environment, open_runtime
from support.process.program import Sandgate, in_repository

pytestmark = pytest.mark.host("namespace", "notify")

TRIES = 50  # what has just changed is not stored, nor where others change something above
SPOIL = 'for each; do cat "$each"; echo x >>"$each"; mv "$each" "$each.away"; done; exit 0'


@pytest.fixture
def place() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as found:
        yield Path(found)


@pytest.fixture
def sandgate(place: Path) -> Sandgate:
    return in_repository(place)


def stored(sandgate: Sandgate, place: Path) -> Path:
    """The file, once there is one."""
    for _ in range(TRIES):
        sandgate("run", "--", "true")
        found = [*place.rglob("tmp/*/facts")]
        if found:
            return found[0]
    pytest.fail("nothing was stored")


def test_no_command_reads_or_changes_it(sandgate: Sandgate, place: Path) -> None:
    """Required, both halves: without the sandbox it is read, changed and moved away."""
    file = stored(sandgate, place)
    before = file.read_bytes()
    ran = sandgate("run", "-a", "never", "--", "sh", "-c", SPOIL, "sh", str(file))
    assert (ran.code, ran.out) == (0, ""), ran
    assert before
    assert file.exists()
    assert not file.with_name("facts.away").exists()
    real = subprocess.run(["sh", "-c", SPOIL, "sh", file], capture_output=True, timeout=20)
    assert real.stdout
    assert file.with_name("facts.away").read_bytes().endswith(b"x\n")


def test_what_a_command_plants_is_told_also_where_nothing_was_looked_for(sandgate: Sandgate, place: Path) -> None:
    """Required: what is compared with is remembered as well."""
    stored(sandgate, place)
    ran = sandgate("run", "--", "sh", "-c", "echo obey >AGENTS.md")
    assert "look at what was written meanwhile" in ran.err
    assert "AGENTS.md" in ran.err


def test_what_came_to_exist_between_two_runs_is_closed(sandgate: Sandgate, place: Path) -> None:
    (place / "repo/.git/hooks").mkdir(parents=True, exist_ok=True)
    stored(sandgate, place)
    (place / "repo/sub/.git/hooks").mkdir(parents=True)
    ran = sandgate("run", "-a", "never", "--", "sh", "-c", "echo x >sub/.git/hooks/post-checkout")
    assert "post-checkout (protected: " in ran.err
    assert not (place / "repo/sub/.git/hooks/post-checkout").exists()


def test_a_session_of_many_commands_leaves_it_for_the_next_one(sandgate: Sandgate, place: Path) -> None:
    """Required: also where commands live on, and nothing of the look is kept when it is written."""
    runtime = open_runtime(Environment(cwd=str(sandgate.workspace), environ=sandgate.env))
    try:
        for _ in range(TRIES):
            runtime.exec_command("true", login=False)
            if [*place.rglob("tmp/*/facts")]:
                break
            runtime.close()
            runtime = open_runtime(Environment(cwd=str(sandgate.workspace), environ=sandgate.env))
        else:
            pytest.fail("nothing was stored")
        assert runtime.confinement._memory.unsaved is None
    finally:
        runtime.close()
