"""Asks a real bash what it would complete."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from sandgate.surfaces.cli.completions.bash import completion_script
from sandgate.surfaces.cli.options import COMMANDS, Command

LIMIT_S = 20
ASK = """
eval "$SCRIPT"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_sandgate
printf '%s\\n' "${COMPREPLY[@]}"
"""

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")


def completed(*words: str, directory: Path) -> list[str]:
    command = ["bash", "--noprofile", "--norc", "-c", ASK, "bash", "sandgate", *words]
    environ = {"SCRIPT": completion_script(), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(command, cwd=directory, env=environ, capture_output=True, text=True, timeout=LIMIT_S)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("agen",), ["agent"]),
        (("--v",), ["--version"]),
        (("run", "--sand"), ["--sandbox"]),
        (("run", "-s", ""), ["read-only", "workspace-write", "danger-full-access"]),
        (("run", "--sandbox", "=", "re"), ["read-only"]),
        (("run", "--sandbox", "="), ["read-only", "workspace-write", "danger-full-access"]),
        (("run", "--timeout", ""), []),
        (("run", "--enable", "uni"), ["unified_exec"]),
        (("run", "-C", "f"), ["folder"]),
        (("run", "--", "mkfif"), ["mkfifo"]),
        (("run", "--", "cat", "f"), []),  # left to readline, which completes files
        (("patch", "f"), []),
        (("patch", "--stri"), ["--strict-unique"]),
        (("agent", "--image", "fi"), ["file"]),
        (("rules", "im"), ["import"]),
        (("rules", "import", ""), ["claude-settings", "gemini-policy"]),
        (("approvals", "res"), ["resolve"]),
        (("completion", ""), ["--help", "bash", "zsh", "fish"]),
        (("help", "doc"), ["doctor"]),
    ],
)
def test_words_that_fit_are_offered(words: tuple[str, ...], wanted: list[str], tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    completions = completed(*words, directory=tmp_path)
    assert set(completions) == set(wanted)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_option_of_every_command_is_offered(command: Command, tmp_path: Path) -> None:
    flags = {flag for option in command.options for flag in option.flags}
    assert set(completed(command.name, "-", directory=tmp_path)) == flags | {"--help"}
