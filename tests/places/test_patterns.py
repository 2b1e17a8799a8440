"""A pattern stands for what bash would make of it, and for a little more."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from sandgate.places.patterns import could_be

NAMES = ["a", "ab", "abc", ".a", ".ab", "b", "a.b", "x[y", "a{b"]
PATTERNS = [
    "*",
    "?",
    "a*",
    "a?",
    "*b",
    "*b*",
    ".*",
    ".?",
    ".[a]",
    "[ab]",
    "[!a]",
    "{a,b}",
    "a{b,c}",
    "a[b",
    "**",
    "a*c",
    "",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_no_name_is_missed_that_bash_finds(pattern: str, tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / name).touch()
    script = f"shopt -s nullglob; printf '%s\\n' {pattern}"
    said = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    found = {line for line in said.stdout.splitlines() if line in NAMES and line != pattern}
    assert found <= {name for name in NAMES if could_be(pattern, name)}


@pytest.mark.parametrize(
    ("pattern", "path", "may"),
    [
        (".e*", ".env", True),
        (".[e]nv", ".env", True),
        ("*nv", ".env", False),
        ("/etc/sha*", "/etc/shadow", True),
        ("/*/shadow", "/etc/shadow", True),
        ("/*", "/etc/shadow", False),
        ("/etc/*-release", "/etc/shadow", False),
        ("*" * 40 + "b", "a" * 200, False),
    ],
)
def test_patterns_go_one_directory_at_a_time(pattern: str, path: str, *, may: bool) -> None:
    assert could_be(pattern, path) is may
