"""The committed reference is what the program is, and its manual pages and schemas can be read."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import jsonschema  # type: ignore[import-untyped] # it brings no types
import pytest

from sandgate.reference.__main__ import COMMAND, pages, stale, write_pages
from sandgate.surfaces.cli.options import COMMANDS

LIMIT_S = 60
SCHEMAS = [name for name in pages() if name.endswith(".json")]
MANUALS = [name for name in pages() if name.endswith(".1")]


def test_the_committed_pages_are_what_would_be_written() -> None:
    assert stale() == [], f"run `{COMMAND}` and commit what it changes"


def test_what_differs_or_is_left_over_is_told_and_mended(tmp_path: Path) -> None:
    write_pages(tmp_path)
    assert stale(tmp_path) == []
    (tmp_path / "reference" / "rules.md").write_text("other")
    (tmp_path / "man" / "sandgate-gone.1").write_text("")
    assert stale(tmp_path) == ["reference/rules.md", "man/sandgate-gone.1"]
    write_pages(tmp_path)
    assert stale(tmp_path) == []
    assert not (tmp_path / "man" / "sandgate-gone.1").exists()


def test_every_command_and_option_is_on_the_page_and_in_its_manual() -> None:
    made = pages()
    for command in COMMANDS:
        _, _, section = made["reference/command-line.md"].partition(f"## `sandgate {command.name}`\n")
        manual = made[f"man/sandgate-{command.name}.1"].replace("\\-", "-")
        for flag in (flag for option in command.options for flag in option.flags):
            assert f"`{flag}" in section.partition("\n## ")[0]
            assert f"\\fB{flag}\\fR" in manual


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_one(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(pages()[name]))


@pytest.mark.skipif(shutil.which("groff") is None, reason="no groff here")
@pytest.mark.parametrize("name", MANUALS)
def test_a_manual_page_is_formatted_without_a_warning(name: str) -> None:
    command = ["groff", "-man", "-Tutf8", "-ww", "-K", "utf8"]
    done = subprocess.run(command, input=pages()[name].encode(), capture_output=True, timeout=LIMIT_S, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"User Commands" in done.stdout
