"""What waits in changes/ is well formed, and a release loses none of it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from support.suite.rows import every
from support.suite.source_tree import REPOSITORY

CHANGES = REPOSITORY / "changes"
CONFIGURED = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["towncrier"]
KINDS = [kind["directory"] for kind in CONFIGURED["type"]]
BYTES_MAX = 1_000
"""What is longer is for the documentation; a fragment is what one person is told."""


def fragments() -> list[Path]:
    return [path for path in sorted(CHANGES.iterdir()) if path.name not in CONFIGURED["ignore"]]


def words(text: str) -> str:
    return " ".join(text.split())


@every("fragment", fragments())
def test_a_fragment_is_named_for_one_change_of_a_known_kind(fragment: Path) -> None:
    assert re.fullmatch(rf"[a-z0-9]+(-[a-z0-9]+)*\.({'|'.join(KINDS)})\.md", fragment.name)
    text = fragment.read_text()
    assert text.strip()
    assert len(text.encode()) <= BYTES_MAX
    assert "](" not in text, "a link would lead elsewhere from CHANGELOG.md"


def test_a_release_tells_every_fragment_once_and_takes_it_out(tmp_path: Path) -> None:
    """Required: done in a copy, with the tool a release is made with."""
    pytest.importorskip("towncrier", reason="this environment was made from an older requirements/dev.txt")
    shutil.copytree(CHANGES, tmp_path / "changes")
    for name in ("pyproject.toml", "CHANGELOG.md"):
        shutil.copy(REPOSITORY / name, tmp_path)
    before = (tmp_path / "CHANGELOG.md").read_text()
    told = [words(path.read_text()) for path in fragments()]
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    subprocess.run(["git", "add", "-A"], cwd=tmp_path, check=True)
    command = [sys.executable, "-m", "towncrier", "build", "--yes", "--version", "9.9.9", "--date", "2000-01-01"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    written = (tmp_path / "CHANGELOG.md").read_text()
    head, _, tail = before.partition(CONFIGURED["start_string"])
    assert written.startswith(head + CONFIGURED["start_string"] + "\n## 9.9.9, 2000-01-01\n")
    assert written.endswith(tail)
    together = words(written)
    assert [text for text in told if together.count(text) != 1] == []
    assert sorted(path.name for path in (tmp_path / "changes").iterdir()) == sorted(CONFIGURED["ignore"])


def test_a_file_that_is_no_fragment_stops_a_release(tmp_path: Path) -> None:
    pytest.importorskip("towncrier", reason="this environment was made from an older requirements/dev.txt")
    shutil.copy(REPOSITORY / "pyproject.toml", tmp_path)
    (tmp_path / "changes").mkdir()
    shutil.copy(CHANGES / "template.md.jinja", tmp_path / "changes")
    (tmp_path / "changes" / "slip.fixd.md").write_text("Something.\n")
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "9.9.9"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, "slip.fixd.md" in done.stderr) == (1, True)
