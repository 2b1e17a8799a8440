"""`sandgate rules remove`: what `rules add` has written goes, whole lines of it; all else is left where it stands."""

from __future__ import annotations

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

OTHERS = 'prefix_rule(\n    pattern = ["make", "x"],\n    decision = "prompt",\n)\n'


def own(program: Any) -> Path:
    path: Path = program.home / ".sandgate" / "rules" / "default.rules"
    return path


@pytest.mark.parametrize("where", ["--user", "--project"])
def test_what_was_added_is_gone_and_no_longer_holds(program: Any, where: str) -> None:
    (program.repo / ".git").mkdir()  # else the project may begin further up, beside whatever lies there
    for deed in ("ask", "forbid"):
        assert program("rules", "add", where, "--decide", deed, "--", "make", "x") == 0
    assert program("rules", "add", where, "--decide", "forbid", "--", "make") == 0
    line = 'prefix_rule(pattern=["make", "x"], decision="forbidden")\n'
    assert (program("rules", "remove", where, "--decide", "forbid", "--", "make", "x"), program.out) == (0, line)
    assert program("rules", "remove", where, "--", "make", "x") == 0
    directory = program.home if where == "--user" else program.repo
    left = (directory / ".sandgate" / "rules" / "default.rules").read_text()
    assert left == 'prefix_rule(pattern=["make"], decision="forbidden")\n'


def test_where_no_such_rule_stands_nothing_changes(program: Any) -> None:
    assert program("rules", "add", "--", "make", "x") == 0
    before = own(program).read_text()
    for words in (("make",), ("make", "x", "y"), ("--decide", "ask", "--", "make", "x")):
        assert program("rules", "remove", *(words if "--" in words else ("--", *words))) == 2
        assert "no rule of yours that `rules add` has written says" in program.err
    assert own(program).read_text() == before


@pytest.mark.parametrize("name", ["default.rules", "other.rules"])
def test_a_rule_that_was_written_otherwise_is_named_and_left(program: Any, name: str) -> None:
    own(program).parent.mkdir(parents=True)
    file = own(program).with_name(name)
    file.write_text(OTHERS)
    assert program("rules", "remove", "--", "make", "x") == 2
    assert f"remove it there: {file}:1" in program.err
    assert file.read_text() == OTHERS
