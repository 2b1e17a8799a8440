"""Variables whose uses begin as the script's own values do: what is relied on is true of the whole script."""

from __future__ import annotations

import pytest

from sandgate.commandline.bash import parse
from sandgate.commandline.steady import SteadyVariables, variable


def certainty(script: str) -> str:
    """Of the last word of the last command."""
    return parse(script).commands[-1].words[-1].certainty


@pytest.mark.parametrize(
    "script",
    [
        'for f in a.py b.py; do sed -n 1p "$f"; done',
        "for f in a.py b.py; do sed -n 1p $f; done",
        'for f in src/*.py; do sed -n 1p "$f"; done',
        "d=src; find $d",
        'd="two words"; find "$d"',
        'd=$(pwd); find "$d"',
        "n=$(ls | wc -l); head -n $n",
        "for i in {1..9}; do echo $i; done",
        'last "$USER"',
    ],
)
def test_a_use_begins_as_the_only_values_do(script: str) -> None:
    assert certainty(script) == "expanded"
    assert parse(script).readable


@pytest.mark.parametrize(
    "script",
    [
        "f=-delete; find $f",
        "f=src; f=-delete; find $f",
        "find $f; f=src; find $f; f=-delete",
        "f='a -delete'; find $f",
        "for f in src/*; do sed -n 1p $f; done",
        'for f in *; do sed -n 1p "$f"; done',
        'for f in $(ls); do sed -n 1p "$f"; done',
        "f=src; f+=x; find $f",
        "f=(src); find $f",
        "f=src; read f; find $f",
        "f=src; eval 'f=-delete'; find $f",
        "f=src; trap 'f=-x' DEBUG; find $f",
        "f=src; echo $((f = 1)); find $f",
        "IFS=x; f=ax-delete; find $f",
        "USER=-x; last $USER",
        "find $unknown",
    ],
)
def test_a_use_that_may_begin_otherwise_stays_unknown(script: str) -> None:
    uses = [word for command in parse(script).commands for word in command.words if word.text in ("$f", "$USER")]
    assert all(word.certainty == "unknown" for word in uses)


def test_without_quotes_a_value_with_blanks_says_nothing() -> None:
    variables = SteadyVariables()
    variables.gives("f", "two words")
    assert variables.begins_well("f", quoted=True)
    assert not variables.begins_well("f", quoted=False)


def test_what_was_relied_on_no_longer_holds_after_another_value() -> None:
    variables = SteadyVariables()
    variables.gives("f", "src")
    assert variables.begins_well("f", quoted=False)
    assert variables.held((), ())
    variables.gives("f", "-x")
    assert not variables.held((), ())


@pytest.mark.parametrize(("text", "name"), [("$f", "f"), ("${f}", "f"), ("${f:-x}", ""), ("$1", ""), ("f", "")])
def test_only_plain_uses_name_a_variable(text: str, name: str) -> None:
    assert variable(text) == name
