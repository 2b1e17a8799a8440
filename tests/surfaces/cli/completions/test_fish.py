"""Asks a real fish what it would complete, where there is one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from sandgate.surfaces.cli.completions.fish import completion_script
from sandgate.surfaces.cli.options import COMMANDS

LIMIT_S = 60


def completed(line: str, place: Path) -> set[str]:
    """The words alone, without what is said about them."""
    (place / "sandgate.fish").write_text(completion_script())
    asked = "source sandgate.fish; complete -C $argv[1]"
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(place), "LC_ALL": "C.UTF-8"}
    command = ["fish", "--no-config", "-c", asked, line]
    done = subprocess.run(command, cwd=place, env=environ, capture_output=True, text=True, timeout=LIMIT_S)
    assert (done.returncode, done.stderr) == (0, "")
    return {each.partition("\t")[0] for each in done.stdout.splitlines()}


@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish here")
@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("sandgate agen", {"agent"}),
        ("sandgate run --sand", {"--sandbox"}),
        ("sandgate run -s ", {"read-only", "workspace-write", "danger-full-access"}),
        ("sandgate run --sandbox=re", {"--sandbox=read-only"}),
        ("sandgate run -- ls --sand", set()),
        ("sandgate rules im", {"import"}),
        ("sandgate rules import cl", {"claude-settings"}),
        ("sandgate run -C fo", {"folder/"}),
    ],
)
def test_words_that_fit_are_offered(line: str, wanted: set[str], tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert completed(line, tmp_path) == wanted


def test_every_option_and_command_has_its_line() -> None:
    """What can be said without a fish."""
    lines = completion_script().splitlines()
    for command in COMMANDS:
        own = [line for line in lines if f"from {command.name};" in line]
        for flag in (flag for option in command.options for flag in option.flags):
            assert any(f"-l {flag[2:]} " in line or f"-s {flag[1:]} " in line for line in own), (command.name, flag)
    assert all(line.count("'") % 2 == 0 or "\\'" in line for line in lines)
