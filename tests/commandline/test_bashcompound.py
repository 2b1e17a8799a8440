"""Functions, `case` and declarations: what is known to run, and what is not vouched for."""

from __future__ import annotations

import pytest

from sandgate.commandline.bash import parse


def calls(text: str) -> list[str]:
    return [" ".join(command.argv) for command in parse(text).commands if command.calls_function]


def test_a_call_behind_its_definition_is_known() -> None:
    assert calls("f() { ls; }; f a; f b") == ["f a", "f b"]


@pytest.mark.parametrize("text", ["f; f() { ls; }", "f() { f; }", "a() { b; }; b() { a; }"])
def test_a_call_before_the_definition_or_inside_a_function_is_not(text: str) -> None:
    assert calls(text) == []


def test_the_body_of_a_function_is_among_the_commands() -> None:
    assert "rm x" in [" ".join(command.argv) for command in parse("f() { rm x; }").commands]


def test_what_a_pattern_substitutes_is_among_the_commands() -> None:
    assert "rm x" in [" ".join(command.argv) for command in parse("case a in $(rm x)) ls;; esac").commands]


def test_an_export_keeps_its_assignments() -> None:
    (command,) = parse("export A=1 B=2").commands
    assert [word.text for word in command.assignments] == ["A=1", "B=2"]
