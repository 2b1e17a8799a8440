"""What CONTRIBUTING says where everyday changes go is so: each is made in a copy of the sources."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CHANGES: list[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("everyday_changes.toml").read_text(encoding="utf-8")
)["changes"]
COPIED = ("src", "native", "tests/support/kernel", "tests/support/command")
ANCHORS = {"above", "instead_of"}  # what a line is put at; a file without is new
CHANGES_MIN = 12
SHOWS_MAX_S = 60


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources, for changes; each is taken back."""
    place = tmp_path_factory.mktemp("clone")
    for name in COPIED:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(ROOT / name, place / name)
    return place


def ran(copy: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A Python on the copy alone."""
    environment = {**os.environ, "PYTHONPATH": f"{copy}/src:{copy}/tests", "PYTHONDONTWRITEBYTECODE": "1"}
    command = (sys.executable, *words)
    return subprocess.run(
        command, cwd=copy, env=environment, capture_output=True, text=True, timeout=SHOWS_MAX_S, check=False
    )


@contextmanager
def made(copy: Path, change: dict[str, Any]) -> Iterator[None]:
    """The copy with the change, for as long as the block lasts."""
    before: dict[Path, bytes | None] = {}
    files = [*(each["file"] for each in change["edits"]), *filter(None, [change.get("regenerated")])]
    for path in [copy / name for name in files]:
        before[path] = path.read_bytes() if path.exists() else None
    try:
        for edit in change["edits"]:
            put(copy / edit["file"], edit)
        if "by" in change:
            done = ran(copy, *change["by"])
            assert done.returncode == 0, done.stderr
        yield
    finally:
        for path, content in before.items():
            if content is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(content)


def put(path: Path, edit: dict[str, str]) -> None:
    if not ANCHORS & edit.keys():
        assert not path.exists(), f"{path} is there already"
        path.write_text(edit["line"], encoding="utf-8")
        return
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    anchor = edit.get("above") or edit["instead_of"]
    at = next((number for number, line in enumerate(lines) if line.startswith(anchor)), None)
    assert at is not None, f"{edit['file']} has no line that begins with {anchor!r}"
    lines[at : at + ("instead_of" in edit)] = [f"{edit['line']}\n"]
    path.write_text("".join(lines), encoding="utf-8")


def rows() -> dict[str, str]:
    """The table's lines: what to add, and the cell that says which files change."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("| to add | change |")[2].partition("\n\n")[0]
    cells = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    return {cell[0]: cell[1] for cell in cells if "---" not in cell[0]}


def named(cell: str) -> set[str]:
    """The files that a cell names."""
    return set(re.findall(r"`((?:src|native)/[\w./]+\.(?:py|h|c))`", cell))


@pytest.mark.parametrize("change", CHANGES, ids=lambda each: each["row"])
def test_a_change_touches_the_files_that_are_named_and_then_works(copy: Path, change: dict[str, Any]) -> None:
    touched = {each["file"] for each in change["edits"] if ANCHORS & each.keys()}
    touched |= {change[key] for key in ("regenerated",) if key in change}
    assert named(rows()[change["row"]]) == touched
    before = ran(copy, "-c", change["shows"])
    assert before.returncode != 0, "it is so without the change"
    with made(copy, change):
        after = ran(copy, "-c", change["shows"])
        assert after.returncode == 0, after.stderr


def test_twelve_everyday_changes_are_made() -> None:
    assert len(CHANGES) >= CHANGES_MIN
    assert {change["row"] for change in CHANGES} <= set(rows())


def test_what_the_table_names_is_there() -> None:
    missing = [name for cell in rows().values() for name in named(cell) if not (ROOT / name).exists()]
    assert missing == []
