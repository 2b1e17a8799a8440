"""`./check` runs the contracts over the real package; this shows that they would notice."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.suite.source_tree import REPOSITORY, SOURCE

LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"

PLANTED = (
    ("Data flows one way", "policy/__init__.py", "import sandgate.gate"),
    ("Surfaces enter by the front door", "surfaces/__init__.py", "import sandgate.kernel"),
    ("Deciding does no I/O", "protocol/__init__.py", "import socket"),
    ("Only kernel speaks ctypes", "sandbox/__init__.py", "import ctypes"),
    ("Only those who serve or call servers load the SDK", "runtime/__init__.py", "import mcp_types"),
    ("No package tangles inside itself", "sandbox/this.py", "import sandgate.sandbox.that"),
    ("No package tangles inside itself", "sandbox/that.py", "import sandgate.sandbox.this"),
)
"""Contract, file, and an import that breaks it."""


@pytest.mark.slow
def test_a_planted_import_breaks_each_contract(tmp_path: Path) -> None:
    """Required: a contract that cannot fail protects nothing."""
    package = tmp_path / "sandgate"
    shutil.copytree(SOURCE / "sandgate", package, ignore=shutil.ignore_patterns("__pycache__", "_native"))
    for _, name, statement in PLANTED:
        with (package / name).open("a") as file:
            file.write(f"\n{statement}\n")
    assert _broken_contracts(tmp_path) == {contract for contract, _, _ in PLANTED}


@pytest.mark.slow
def test_a_new_top_level_package_has_to_find_its_place(tmp_path: Path) -> None:
    """Required: nobody adds a room for leftovers without saying where it belongs."""
    package = tmp_path / "sandgate"
    shutil.copytree(SOURCE / "sandgate", package, ignore=shutil.ignore_patterns("__pycache__", "_native"))
    (package / "utils").mkdir()
    (package / "utils" / "__init__.py").touch()
    assert "Data flows one way" in _broken_contracts(tmp_path)


def _broken_contracts(source: Path) -> set[str]:
    config = REPOSITORY / ".importlinter"
    command = [sys.executable, "-c", LINT, "--no-cache", "--config", str(config)]
    surroundings = {**os.environ, "PYTHONPATH": str(source)}
    printed = subprocess.run(command, cwd=source, env=surroundings, capture_output=True, text=True).stdout
    return set(re.findall(r"^(.+) BROKEN", printed, re.MULTILINE))
