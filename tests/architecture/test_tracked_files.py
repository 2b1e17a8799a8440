"""What must not stand in any file of the project."""

import re

import pytest

from support.suite.source_tree import REPOSITORY, project_files, shown

SHARED_PARENTS = frozenset({"/", "/root", "/home", "/tmp", "/srv", "/opt", "/usr/src"})
"""Folders that anyone may have, so their names say nothing about one machine."""

# Written so that this file does not hold what it looks for.
INDEX_ADDRESS = re.compile(r"(?<![\w.-])(pypi\.org|pythonhosted\.org|registry\.npmjs|deb\.debian\.org)")
UNFINISHED = re.compile(r"\b(T[O]DO|FIX[M]E|X[X]X|HA[C]K)\b|NotImplemented[E]rror")


def _lines_with(pattern: re.Pattern[str], *, besides: str = "") -> list[str]:
    found = []
    for path in project_files():
        if path.suffix == besides:
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        numbered = enumerate(text.splitlines(), 1)
        found += [f"{shown(path)}:{number}: {line.strip()}" for number, line in numbered if pattern.search(line)]
    return found


def test_no_file_names_a_package_index() -> None:
    """Required: where packages come from is the installer's configuration; the locks only say which bytes."""
    assert _lines_with(INDEX_ADDRESS) == []


def test_no_file_names_the_place_of_this_clone() -> None:
    """Required: a path that is true on one machine is wrong on all others."""
    parent = str(REPOSITORY.parent)
    if parent in SHARED_PARENTS:
        parent = str(REPOSITORY)
    before = r'(?<![\w.~}"])'  # samples of command lines have directories of that name in somebody's home
    assert _lines_with(re.compile(f"{before}{re.escape(parent)}/")) == []


def test_nothing_is_marked_as_unfinished() -> None:
    """Required: unfinished work is an issue, or a line in the limits of a document, never a mark in the code."""
    # Text files hold sample command lines, in which people do search for such marks.
    assert _lines_with(UNFINISHED, besides=".txt") == []


@pytest.mark.parametrize("lock", ["runtime", "mcp", "dev", "peers"])
def test_every_locked_requirement_is_exact_and_hashed(lock: str) -> None:
    """Required: the installer is never left a choice."""
    text = (REPOSITORY / "requirements" / f"{lock}.txt").read_text()
    logical = [line for line in text.replace("\\\n", " ").splitlines() if line and not line.startswith("#")]
    assert logical
    assert [line for line in logical if not re.match(r"[\w.-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", line)] == []


def test_every_locked_npm_package_is_hashed_and_names_no_registry() -> None:
    """Required: the same for what npm installs."""
    import json

    packages = json.loads((REPOSITORY / "requirements/peers/package-lock.json").read_text())["packages"]
    locked = {name: entry for name, entry in packages.items() if name}
    assert locked
    assert [name for name, entry in locked.items() if not entry.get("integrity", "").startswith("sha512-")] == []
    assert [name for name, entry in locked.items() if "resolved" in entry] == []


def test_the_two_locks_agree() -> None:
    """Required: the program is tested with the very packages it runs with."""
    runtime, dev = (_pins(lock) for lock in ("runtime", "dev"))
    assert {name: dev.get(name) for name in runtime} == runtime


def _pins(lock: str) -> dict[str, str]:
    text = (REPOSITORY / "requirements" / f"{lock}.txt").read_text()
    return dict(re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE))


def test_the_runtime_lock_holds_what_the_project_declares() -> None:
    import tomllib

    declared = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["dependencies"]
    assert dict(text.partition(" ;")[0].split("==") for text in declared).items() <= _pins("runtime").items()
