"""`sandgate assess`."""

from __future__ import annotations

import json

import pytest

from sandgate.runtime import Runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def test_the_risk_and_the_facts_behind_it_are_said(program: Any) -> None:
    assert program("assess", "--", "rm", "-rf", str(program.home)) == 0
    lines = program.out.splitlines()
    assert any(line.startswith("Risk: HIGH (data deletion") for line in lines)
    assert any(line.startswith(f"  deletes: {program.home} (") for line in lines)
    assert program.home.is_dir()


def test_json_is_one_object(program: Any) -> None:
    assert program("assess", "--json", "--", "ls") == 0
    told = json.loads(program.out)
    assert (sorted(told), told["risk"]["risk_level"], program.out.count("\n")) == (["facts", "risk"], "low", 1)


def test_what_cannot_be_assessed_has_a_code_of_its_own(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: silence must not look like a low risk."""
    monkeypatch.setattr(Runtime, "risk", lambda *_: None)
    assert program("assess", "--", "ls") == 3
    assert (program.out, program.err) == ("", "sandgate: this command could not be assessed\n")
