"""Everything that runs at our next start is known, however the interpreter was started."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandgate.sandbox.looking import Look
from sandgate.sandbox.own_code import CLONE_CODE, OwnCode, own_code, own_places

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
    assert {str(clone / name) for name in (".venv-mcp", ".venv-dev", ".venv-python3.12")} <= set(found.absent)


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
    assert (found.present, found.loaded) == ((str(program),), (str(tmp_path),))


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


def test_what_decides_where_the_interpreter_finds_its_library_is_closed_or_must_not_come_to_exist(
    tmp_path: Path,
) -> None:
    """Required: of each of these names the next start would make its library."""
    prefix = tmp_path / "python"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "lib" / "python3.11").mkdir(parents=True)
    (prefix / "bin" / "python3.11").write_text("")
    (prefix / "bin" / "python").symlink_to("python3.11")
    found = own_code(
        str(tmp_path / "sandgate"),
        executable=str(prefix / "bin" / "python"),
        import_path=(str(prefix / "lib" / "python311.zip"), str(prefix / "lib" / "python3.11")),
        more=(),
        library=str(prefix / "lib" / "python3.11"),
    )
    assert {str(prefix / name) for name in ("bin/python", "bin/python3.11", "lib")} <= set(found.present)
    wanted = ("bin/pyvenv.cfg", "pyvenv.cfg", "bin/pybuilddir.txt", "bin/lib", "lib/python311.zip", "lib64")
    assert {str(prefix / name) for name in wanted} <= set(found.absent)
    assert found.shared == (str(prefix / "lib"),)
    assert found.loaded == ()


def test_every_link_on_the_way_is_closed(tmp_path: Path) -> None:
    """Required: who can exchange a link on the way has the next start go elsewhere."""
    package = tmp_path / "real" / "src" / "sandgate"
    package.mkdir(parents=True)
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("real")
    found = own_code(str(tmp_path / "one" / "src" / "sandgate"), executable="", import_path=(), more=())
    assert set(found.present) == {str(tmp_path / "one"), str(tmp_path / "two"), str(package)}


def test_the_script_and_the_name_on_the_search_path_are_closed(tmp_path: Path) -> None:
    for name in ("first", "second", "bin"):
        (tmp_path / name).mkdir()
    script = tmp_path / "bin" / "sandgate"
    script.write_text("")
    (tmp_path / "second" / "sandgate").symlink_to(script)
    found = own_code(
        str(tmp_path / "nothing"),
        executable="",
        import_path=(str(tmp_path / "bin"), "/nowhere"),
        more=(),
        script=str(script),
        search_path=(str(tmp_path / "first"), str(tmp_path / "second"), "/usr/bin"),
    )
    assert {str(tmp_path / "bin"), str(script), str(tmp_path / "second" / "sandgate")} <= set(found.present)
    assert found.found_first == (str(tmp_path / "first" / "sandgate"),)


def test_caches_and_a_users_modules_are_known_below_every_home(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    (one / ".cache" / "sandgate").mkdir(parents=True)
    (two / ".local" / "lib").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "xdg").symlink_to("elsewhere")
    found = own_places((str(one), str(two)), str(tmp_path / "xdg"), Look())
    assert str(one / ".cache" / "sandgate") in found.present
    assert str(tmp_path / "elsewhere" / "sandgate") in found.absent
    user = f"python{sys.version_info.major}.{sys.version_info.minor}"
    assert {str(two / ".cache" / "sandgate"), str(two / ".local" / "lib" / user)} <= set(found.absent)


def test_a_linked_cache_is_closed_with_its_link(tmp_path: Path) -> None:
    (tmp_path / "real" / "sandgate").mkdir(parents=True)
    (tmp_path / ".cache").symlink_to("real")
    found = own_places((str(tmp_path),), "", Look())
    assert {str(tmp_path / ".cache"), str(tmp_path / "real" / "sandgate")} <= set(found.present)
