"""The module cache changes how fast a run starts and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "sandgate"
LISTING = (
    "import sys; sys.path.insert(0, sys.argv[1])\n"
    "from sandgate.modulecache import install\n"
    "cache = install()\n"
    "import sandgate.errors, sandgate.protocol.commands\n"
    "print(sandgate.errors.__file__, sandgate.errors.ConfigError.code, len(cache.used))\n"
    "cache.keep()\n"
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A small copy of the package that may be changed."""
    place = tmp_path / "sandgate"
    (place / "protocol").mkdir(parents=True)
    for name in (
        "__init__.py",
        "modulecache.py",
        "errors.py",
        "record.py",
        "protocol/__init__.py",
        "protocol/commands.py",
    ):
        (place / name).write_bytes((SOURCE / name).read_bytes())
    return place


def run(copy: Path, **env: str) -> list[str]:
    surroundings = {"PATH": os.environ["PATH"], **env}
    done = subprocess.run(
        [sys.executable, "-c", LISTING, str(copy.parent)], env=surroundings, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def cache_files(copy: Path) -> list[Path]:
    return list(copy.rglob("*.modules"))


def test_the_second_run_takes_its_modules_from_one_file_and_sees_the_same(copy: Path) -> None:
    first, second = run(copy), run(copy)
    assert first == [str(copy / "errors.py"), "bad_config", "0"]
    assert second == [str(copy / "errors.py"), "bad_config", "4"]
    assert len(cache_files(copy)) == 1


def test_a_changed_source_is_believed_not_the_cache(copy: Path) -> None:
    run(copy)
    text = (copy / "errors.py").read_text()
    (copy / "errors.py").write_text(text.replace('"bad_config"', '"changed_here"'))
    assert run(copy)[1] == "changed_here"
    assert run(copy)[1:] == ["changed_here", "4"]


def test_a_copy_of_everything_runs_its_own_code(copy: Path, tmp_path: Path) -> None:
    """Required: `cp -a a b` copies the cache too, and it names the modules of a."""
    run(copy)
    other = tmp_path / "other" / "sandgate"
    shutil.copytree(copy, other)
    assert run(other) == [str(other / "errors.py"), "bad_config", "0"]
    assert run(other) == [str(other / "errors.py"), "bad_config", "4"]


def test_only_modules_of_the_package_itself_are_kept(copy: Path) -> None:
    """Required: what says it is ours but lies elsewhere is not."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from sandgate.modulecache import install\n"
        "cache = install()\n"
        "import sandgate; sandgate.__path__.append(sys.argv[2])\n"
        "import sandgate.foreign, sandgate.errors\n"
        "cache.keep()\n"
        "print('sandgate.foreign' in install()._entries, 'sandgate.errors' in install()._entries)\n"
    )
    elsewhere = copy.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "foreign.py").write_text("")
    done = subprocess.run(
        [sys.executable, "-c", code, str(copy.parent), str(elsewhere)],
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "False True\n"


@pytest.mark.parametrize("content", [b"", b"not marshal", b"\xff" * 64])
def test_a_damaged_file_counts_as_none(copy: Path, content: bytes) -> None:
    run(copy)
    cache_files(copy)[0].write_bytes(content)
    assert run(copy)[1:] == ["bad_config", "0"]
    assert run(copy)[1:] == ["bad_config", "4"]


def test_nothing_is_written_where_python_may_not_cache(copy: Path) -> None:
    run(copy, PYTHONDONTWRITEBYTECODE="1")
    assert cache_files(copy) == []


def test_a_place_that_cannot_be_written_costs_nothing(copy: Path) -> None:
    (copy / "__pycache__").mkdir(exist_ok=True)
    (copy / "__pycache__" / f"run.{sys.implementation.cache_tag}.modules").mkdir()
    assert run(copy)[1] == "bad_config"


def test_a_file_that_was_cut_short_costs_only_time(copy: Path) -> None:
    run(copy)
    cache = cache_files(copy)[0]
    cache.write_bytes(cache.read_bytes()[:-200])
    assert run(copy)[1] == "bad_config"
