"""`git reset --hard` where nobody is attached: it runs where nothing is lost, and is refused where work would be."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from support.process.program import Sandgate

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="makes a repository")


@pytest.fixture
def sandgate(tmp_path: Path) -> Sandgate:
    (tmp_path / "ws").mkdir()
    (tmp_path / "home").mkdir()
    return Sandgate(tmp_path / "ws", tmp_path / "home")


def git(sandgate: Sandgate, *words: str) -> str:
    identity = ["-c", "user.name=n", "-c", "user.email=e"]
    command = ["git", "-C", str(sandgate.workspace), *identity, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_a_clean_tree_goes_back_and_work_stays(sandgate: Sandgate) -> None:
    git(sandgate, "init", "-q")
    for content in ("one", "two"):
        (sandgate.workspace / "f").write_text(content)
        git(sandgate, "add", "f")
        git(sandgate, "commit", "-qm", content)
    last = git(sandgate, "rev-parse", "HEAD")
    back = ("run", "--", "git", "reset", "--hard", "HEAD~1")
    done = sandgate(*back)
    assert (done.code, (sandgate.workspace / "f").read_text()) == (0, "one"), done
    assert git(sandgate, "rev-parse", "HEAD@{1}") == last  # what it left is in the log of HEAD
    git(sandgate, "reset", "-q", "--hard", "HEAD@{1}")
    (sandgate.workspace / "f").write_text("work")
    refused = sandgate(*back)
    assert (refused.code, (sandgate.workspace / "f").read_text()) == (77, "work"), refused
    assert "throws away uncommitted work" in refused.err
