"""Expansions that only hand out text, and what bash does with the others."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from sandgate.commandline.expansions import counted, hands_out_text, is_number, prints_number, prints_path

EVIL = "a[$(touch planted)]"


def plants(script: str, folder: Path) -> bool:
    """Whether bash runs what the text of `x` holds."""
    subprocess.run(["bash", "-c", script], env={"x": EVIL, "PATH": "/usr/bin:/bin"}, cwd=folder, check=False,
                   capture_output=True)  # fmt: skip
    return (folder / "planted").exists()


@pytest.mark.parametrize(
    "text",
    ["${x}", "${x:-a b}", "${x-}", "${x:+y}", "${#x}", "${x#a*}", "${x%%.txt}", "${x/a/b}", "${x//a/b}", "${x^^}",
     "${x,}", "${x[@]}", "${x[3]}", "${#x[@]}", "${1}", "${1:-y}", "${@}", "${?}"],
)  # fmt: skip
def test_these_only_read_a_variable(text: str, tmp_path: Path) -> None:
    assert hands_out_text(text)
    assert not plants(f'echo "{text}"', tmp_path)


@pytest.mark.parametrize("text", ["${x@P}", "${!x}", "${y:x}", "${y[x]}", "${y:0:x}", "${y[x+1]}"])
def test_these_evaluate_what_a_variable_holds(text: str, tmp_path: Path) -> None:
    assert not hands_out_text(text)
    assert plants(f'y=abc; x="{EVIL}"; echo "{text}"', tmp_path) or text == "${x@P}"


@pytest.mark.parametrize(
    "text", ["${x:=y}", "${x:?y}", "${x:-$(ls)}", "${x:-`ls`}", "${(e)x}", "${x", "$x", "${ x}", "${x:h}", "${}"]
)
def test_everything_else_counts_as_evaluating(text: str) -> None:
    assert not hands_out_text(text)


def test_arithmetic_is_read_when_it_is_plain() -> None:
    assert counted("$((1 + 2))") == frozenset()
    assert counted("$((i+1))") == frozenset("i")
    assert counted("$(( $i * 2 ))") == frozenset("i")
    assert [counted(text) for text in ("$((a[0]))", "$((a) | (b))", "$(($(ls)))", "$((`ls`))", "$((a);(b))")] == [
        None
    ] * 5


def test_a_number_is_written_as_one_or_kept_by_the_shell() -> None:
    assert all(is_number(text) for text in ("3", '"3"', "$#", '"$?"', "${#x}"))
    assert not any(is_number(text) for text in ("x", "$x", '"$x"', "-1x", "", "${x}"))


@pytest.mark.parametrize(
    "text", ["$(id -u)", '"$(ls | wc -l)"', "$(wc -l < f)", "$(grep -c x f)", "$(cat f | grep -c x)", "$(nproc)"]
)
def test_these_print_a_number(text: str) -> None:
    assert prints_number(text)


@pytest.mark.parametrize(
    "text",
    ["$(cat f)", "$(wc -l f)", "$(grep -c x f g)", "$(grep -rc x)", "$(grep -c x *)", "$(id -u; cat f)", "$(id)", "$x",
     "$(wc -l < $f)", "$((1))"],
)  # fmt: skip
def test_these_may_print_anything(text: str) -> None:
    assert not prints_number(text)


@pytest.mark.parametrize(("text", "known"), [("$(pwd)", True), ("$(readlink -f x)", True), ("$(which ls)", True),
                                             ("$(realpath --relative-to=. x)", False), ("$(cat f)", False),
                                             ("$(pwd; cat f)", False), ("$(which -x)", False)])  # fmt: skip
def test_a_printed_path_begins_with_a_slash(text: str, known: bool) -> None:
    assert prints_path(text) is known
