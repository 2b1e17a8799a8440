"""What a wheel carries, built without a network from this tree."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILD_MAX_S = 120


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("dist")
    command = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder))
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=BUILD_MAX_S)
    (built,) = folder.glob("*.whl")
    return zipfile.ZipFile(built)


def below(wheel: zipfile.ZipFile, part: str) -> dict[str, str]:
    """The texts of files whose path in the wheel has `part`, by what comes behind it."""
    found = {name.partition(part)[2]: name for name in wheel.namelist() if part in name}
    return {rest: wheel.read(name).decode() for rest, name in found.items()}


@pytest.mark.slow
def test_every_manual_page_lies_where_man_looks_below_a_prefix(wheel: zipfile.ZipFile) -> None:
    pages = {page.name: page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "man").glob("*.1")}
    assert below(wheel, ".data/data/share/man/man1/") == pages != {}


@pytest.mark.slow
def test_what_completes_commands_lies_where_each_shell_looks_below_a_prefix(wheel: zipfile.ZipFile) -> None:
    from sandgate.surfaces.cli.completions import bash, fish, zsh

    assert below(wheel, ".data/data/share/bash-completion/completions/") == {"sandgate": bash.completion_script()}
    assert below(wheel, ".data/data/share/zsh/site-functions/") == {"_sandgate": zsh.completion_script()}
    assert below(wheel, ".data/data/share/fish/vendor_completions.d/") == {"sandgate.fish": fish.completion_script()}


@pytest.mark.slow
def test_types_and_the_helper_or_its_sources_are_in_it(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    assert {"sandgate/py.typed", "sandgate/testing/__init__.py"} <= set(names)
    assert any(re.fullmatch(r"sandgate/_native/(sandgate-exec|src/.*\.c)", name) for name in names)


def test_every_extra_that_a_page_names_exists() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.py")]
    said = {
        (extra.strip(), str(page.relative_to(ROOT)))
        for page in pages
        for group in re.findall(r"\bsandgate\[([a-z, ]+)\]", page.read_text(encoding="utf-8"))
        for extra in group.split(",")
    }
    assert said
    assert [each for each in sorted(said) if each[0] not in extras] == []
