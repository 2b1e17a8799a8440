"""The reviewer that docs/how-to/python.md shows, as somebody would paste it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import ApprovalRequest
from sandgate.protocol.permissions import Grant

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "python.md"
CACHE, ELSEWHERE = Grant("write_root", "/home/me/.cache/pip"), Grant("write_root", "/home/me")


@pytest.fixture
def reviewer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (block,) = [each for each in PAGE.read_text().split("```python\n")[1:] if "class OnlyCaches" in each]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    names: dict[str, Any] = {}
    exec(block.split("```")[0], names)
    return names["OnlyCaches"]()


@pytest.mark.parametrize(
    ("grants", "decision"),
    [((CACHE,), "approved"), ((CACHE, ELSEWHERE), "denied"), ((ELSEWHERE,), "denied"), ((), "denied")],
)
def test_it_approves_its_caches_and_nothing_else(reviewer: Any, grants: tuple[Grant, ...], decision: str) -> None:
    request = ApprovalRequest("q", "c", "initial", CommandRequest(("rm", "-rf", "d"), "/", {}), "", grants=grants)
    answer = reviewer.review(request)
    assert (answer.decision, answer.grants) == (decision, grants if decision == "approved" else ())
