"""The schemas say what the program really writes and reads: real lines and files are held to them."""

from __future__ import annotations

import copy
import json
import re
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped] # it brings no types
import pytest

from sandgate.config.schema import KEYS
from sandgate.reference import events, settings
from support.suite.source_tree import REPOSITORY

LIMIT_S = 300  # with the making of the environment on first use
LAUNCHER = str(REPOSITORY / "sandgate")
REFUSED_PATCH = "*** Begin Patch\n*** Add File: ../x\n+x\n*** End Patch\n"


@pytest.fixture
def repo() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="sandgate-reader-", dir="/var/tmp") as place:
        made = Path(place, "home", "repo")
        made.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", made], check=True)
        yield made


def lines(repo: Path, *arguments: str) -> list[dict[str, Any]]:
    environ = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(repo.parent), "LANG": "C.UTF-8"}
    done = subprocess.run(
        [LAUNCHER, *arguments], cwd=repo, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=LIMIT_S, check=False,
    )  # fmt: skip
    return [json.loads(line) for line in done.stdout.splitlines()]


RUNS = (
    ("-s", "read-only", "--", "sh", "-c", "echo out; echo err >&2; exit 3"),
    ("--answer", "approve", "--", "sh", "-c", "echo hello > ~/note"),
    ("--answer", "deny", "--", "sh", "-c", "echo hello > ~/note"),
    ("--answer", "abort", "--", "bash", "-c", 'cd / && rm -rf "$HOME"/'),
    ("--timeout", "0.2", "--", "sleep", "60"),
    ("--", "no-such-program"),
    ("-c", "no=such", "--", "true"),
)


@pytest.mark.slow
@pytest.mark.host("namespace", "notify")
@pytest.mark.parametrize("arguments", RUNS, ids=" ".join)
def test_every_line_of_a_run_is_as_the_schema_says(arguments: tuple[str, ...], repo: Path) -> None:
    written = lines(repo, "run", "--json", *arguments)
    validator = jsonschema.Draft202012Validator(json.loads(events.run_schema()))
    assert written[-1]["type"] == "run_completed"
    assert [(line, error.message) for line in written for error in validator.iter_errors(line)] == []


@pytest.mark.slow
@pytest.mark.host("namespace", "notify")
def test_every_line_of_an_agent_is_as_the_schema_says(repo: Path) -> None:
    shutil.copytree(REPOSITORY / "docs/examples/cart", repo, dirs_exist_ok=True)
    written = lines(repo, "agent", "--json", "--model-script", "answers.jsonl", "make the test pass")
    validator = jsonschema.Draft202012Validator(json.loads(events.agent_schema()))
    assert {"thread.started", "turn.started", "item.started", "item.completed"} < {line["type"] for line in written}
    assert [(line, error.message) for line in written for error in validator.iter_errors(line)] == []


def test_a_line_that_lacks_a_key_or_has_another_type_is_no_event() -> None:
    """So that the tests above can fail."""
    validator = jsonschema.Draft202012Validator(json.loads(events.run_schema()))
    event: dict[str, Any] = {"type": "warning", "seq": 1, "message": "x"}
    assert validator.is_valid(event)
    for wrong in ({"type": "warning", "seq": 1}, {**event, "seq": "1"}, {**event, "type": "warn"}):
        assert not validator.is_valid(wrong)


def blocks() -> list[tuple[str, str]]:
    pages = sorted((REPOSITORY / "docs" / "how-to").glob("*.md"))
    found = [
        (page.name, block)
        for page in pages
        for block in re.findall(r"^```toml\n(.*?)^```$", page.read_text(), re.M | re.S)
    ]
    return [(name, block) for name, block in found if "[[rule]]" not in block]


@pytest.mark.parametrize(("page", "block"), blocks(), ids=lambda text: text[:30])
def test_configuration_on_the_pages_fits_its_schema(page: str, block: str) -> None:
    validator = jsonschema.Draft202012Validator(json.loads(settings.schema()))
    assert list(validator.iter_errors(tomllib.loads(block))) == [], page


def test_every_key_is_in_the_schema_and_takes_its_default_and_nothing_of_another_kind() -> None:
    schema = json.loads(settings.schema())
    for name, row in KEYS.items():
        place = schema
        for part in name.split("."):
            place = place["properties"][part]
        validator = jsonschema.Draft202012Validator(place)
        assert "default" not in place or validator.is_valid(place["default"])
        assert not validator.is_valid(3.5) or row[1] == "seconds", name


def test_a_misspelt_key_is_refused_where_the_loader_refuses_it() -> None:
    validator = jsonschema.Draft202012Validator(json.loads(settings.schema()))
    good = {"shell_environment_policy": {"exclude": ["A"]}, "profiles": {"p": {"sandbox": {"network": "on"}}}}
    assert validator.is_valid(good)
    slip = copy.deepcopy(good)
    slip["shell_environment_policy"]["exclud"] = ["A"]  # type: ignore[index]
    assert not validator.is_valid(slip)
    assert not validator.is_valid({"profiles": {"p": {"sandbox": {"network": "maybe"}}}})
