"""`sandgate acp`: what is said before anything is served. What it serves is in tests/surfaces/acp."""

from __future__ import annotations

import sys
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--model-script", "/nowhere"), 2, "there is no model script `/nowhere`"),
        (("--listen", "stdio://"), 2, "--listen"),
        (("-c", "sandbox_mode=nonsense"), 78, "sandbox_mode"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_served(
    program: Any, arguments: tuple[str, ...], code: int, said: str
) -> None:
    assert program("acp", *arguments) == code
    assert said in program.err
    assert program.out == ""


def test_without_the_library_it_says_what_is_missing(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name == "acp" or name.startswith("acp.")]:
        monkeypatch.delitem(sys.modules, name)
    for name in [name for name in sys.modules if name.startswith("sandgate.surfaces.acp")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "acp", None)
    assert program("acp") == 2
    assert "is not installed" in program.err
    assert "extra `acp`" in program.err
