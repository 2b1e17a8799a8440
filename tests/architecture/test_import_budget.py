"""A plain command pays for every module that is imported before it starts.

Judged by the names of the modules, never by time: the same on every machine, and the failure names the culprit.
"""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from support.suite.source_tree import SOURCE, modules

HEAVY = frozenset(
    {"argparse", "asyncio", "collections.abc", "ctypes", "dataclasses", "enum", "functools", "inspect", "json"}
    | {"logging", "pathlib", "re", "selectors", "shutil", "socket", "struct", "subprocess", "tempfile"}
    | {"threading", "typing"}
)
"""Each costs a visible part of a bare interpreter's start (docs/decisions/0002 has the ratios)."""

ANSWERING = frozenset({"sandgate.reviewers.assembly", "sandgate.reviewers.terminal", "sandgate.approvals.chain"})
"""Needed only where somebody may be asked."""

START = "import sys; sys.path += [sys.argv.pop(1), sys.argv.pop(1)]; from sandgate.start import entry; entry()"


@pytest.mark.parametrize("arguments", [["--version"], ["--help"]], ids=" ".join)
def test_saying_something_imports_nothing_heavy(arguments: list[str], tmp_path: Path) -> None:
    assert _imported(arguments, tmp_path) & HEAVY == set()


@pytest.mark.host("namespace")
def test_a_plain_governed_command_imports_nothing_heavy(tmp_path: Path) -> None:
    """Required: the price of `sandgate run -- true` beside the interpreter is part of the product."""
    imported = _imported(["run", "--", "true"], tmp_path)
    assert imported & (HEAVY | ANSWERING) == set()
    assert "sandgate.runtime.runtime" in imported


def test_nothing_that_a_command_passes_knows_the_doubles() -> None:
    """Required: what starts no process cannot come into the place of what does."""
    front = ("sandgate.testing", "sandgate.reference")
    knowing = [name for name, path in modules().items() if "sandgate.testing" in path.read_text(encoding="utf-8")]
    assert [name for name in knowing if not name.startswith(front)] == []


def _imported(arguments: list[str], home: Path) -> set[str]:
    """Names of the modules that the program imported, from the interpreter's own account of them."""
    packages = sysconfig.get_path("purelib")
    # Without what earlier runs kept: the interpreter does not tell of modules that come from one file.
    options = ["-I", "-S", "-X", "utf8", "-X", "importtime", "-X", f"pycache_prefix={home / 'byte code'}"]
    command = [sys.executable, *options, "-c", START, str(SOURCE), packages, *arguments]
    surroundings = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
    project = home / "project"
    project.mkdir()
    ended = subprocess.run(
        command, cwd=project, env=surroundings, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    account = [line for line in ended.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in account}
