"""What a script compares and counts is readable when no text of a variable is evaluated."""

from __future__ import annotations

import pytest

from sandgate.commandline.bash import parse


@pytest.mark.parametrize(
    "script",
    [
        "[[ -f x ]] && ls",
        "[[ -n $x && ( $y == a* || ! -d $z ) ]] && ls",
        "[[ $x =~ ^[0-9]+$ ]] && ls",
        "[[ $x =~ a$(ls) ]] && ls",
        "[[ $# -gt 0 && ${#x} -lt 3 ]] && ls",
        "echo $((2 * 3 % 4))",
        "i=0; i=$((i+1)); echo $i",
        "a=1; b=$((a)); echo $((a<<b))",
    ],
)
def test_comparing_texts_and_counting_numbers_is_readable(script: str) -> None:
    assert parse(script).readable


@pytest.mark.parametrize(
    "script",
    [
        "[[ $x -gt 1 ]] && ls",
        "[[ x -eq y ]] && ls",
        "[[ -v x ]] && ls",
        "[[ -o x ]] && ls",
        "[[ -t x ]] && ls",
        "echo $((x))",
        "i=0; i=$x; echo $((i))",
        "i=0; i+=a; echo $((i))",
        "i=0; printf -v i x; echo $((i))",
        "for i in $x; do echo $((i)); done",
        "i=(1 a); echo $((i))",
        "echo $((a[$(ls)]))",
        "((i++)); ls",
    ],
)
def test_what_evaluates_the_text_of_a_variable_is_not(script: str) -> None:
    assert not parse(script).readable
