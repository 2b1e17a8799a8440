"""Everything that runs at our next start is known, however the interpreter was started."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandgate.sandbox.own_code import CLONE_CODE, OwnCode, own_code

SOURCE = Path(__file__).resolve().parents[2] / "src"
# How ./sandgate starts: without `site`, so that the interpreter does not know its environment.
ASK = """
import sys
sys.path += sys.argv[1:3]
sys.pycache_prefix = sys.argv[3] or None
from sandgate.sandbox.own_code import OWN_CODE
import json
print(json.dumps(OWN_CODE.present))
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with an environment; its package is our own source."""
    root = tmp_path / "clone"
    packages = root / ".venv" / "lib" / "python3.11" / "site-packages"
    packages.mkdir(parents=True)
    (root / ".venv" / "bin").mkdir()
    (root / ".venv" / "pyvenv.cfg").write_text("")
    (root / ".venv" / "bin" / "python").symlink_to(os.path.realpath(sys.executable))
    for name in CLONE_CODE:
        (root / name).mkdir()
    (root / "src" / "sandgate").mkdir()
    return root


def ours(clone: Path) -> OwnCode:
    packages = clone / ".venv" / "lib" / "python3.11" / "site-packages"
    return own_code(
        str(clone / "src" / "sandgate"),
        executable=str(clone / ".venv" / "bin" / "python"),
        import_path=(str(clone / "src"), str(packages)),
        more=(),
    )


def test_a_clone_is_protected_with_all_that_its_starter_reads(clone: Path) -> None:
    """Required: the environment and the scripts of a clone are code that runs outside the sandbox."""
    found = ours(clone)
    assert {str(clone / name) for name in (*CLONE_CODE, ".venv")} <= set(found.present)
    assert os.path.realpath(sys.executable) in found.present
    assert str(clone) not in found.present
    assert found.absent == (str(clone / ".venv-mcp"), str(clone / ".venv-dev"))


def test_environments_for_other_pythons_are_protected_too(clone: Path) -> None:
    (clone / ".venv-python3.13").mkdir()
    assert str(clone / ".venv-python3.13") in ours(clone).present


def test_a_linked_environment_is_protected_as_link_and_as_directory(clone: Path) -> None:
    (clone / ".venv").rename(clone.parent / "real")
    (clone / ".venv").symlink_to(clone.parent / "real")
    assert {str(clone / ".venv"), str(clone.parent / "real")} <= set(ours(clone).present)


def test_a_mark_further_up_makes_nothing_an_environment(tmp_path: Path) -> None:
    """Required: a planted file must not close the whole workspace."""
    (tmp_path / "pyvenv.cfg").write_text("")
    (tmp_path / "tools" / "python" / "bin").mkdir(parents=True)
    program = tmp_path / "tools" / "python" / "bin" / "python"
    program.write_text("")
    found = own_code(str(tmp_path / "lib" / "sandgate"), executable=str(program), import_path=(str(tmp_path),), more=())
    assert found == OwnCode((str(program),))


def test_the_environment_is_found_although_python_does_not_know_it(clone: Path) -> None:
    bytecode = clone / "bytecode"
    bytecode.mkdir()
    python = clone / ".venv" / "bin" / "python"
    packages = clone / ".venv" / "lib" / "python3.11" / "site-packages"
    done = subprocess.run(
        [python, "-I", "-S", "-B", "-c", ASK, SOURCE, packages, bytecode], capture_output=True, text=True, check=True
    )
    present = json.loads(done.stdout)
    assert {str(clone / ".venv"), str(bytecode), str(SOURCE / "sandgate")} <= set(present)
