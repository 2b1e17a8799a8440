"""The little notation that describes a program's arguments."""

from __future__ import annotations

import pytest

from sandgate.commandline.arguments import Reading, grammar, read

GREP = grammar("-nri -A= -e= --color[=] --regexp= --quiet -M[=] -NUM *", {})


@pytest.mark.parametrize(
    ("words", "options", "operands"),
    [
        ("", (), ()),
        ("a b", (), ("a", "b")),
        ("-n a", (("-n", None),), ("a",)),
        ("-nri", (("-n", None), ("-r", None), ("-i", None)), ()),
        ("-nA3 x", (("-n", None), ("-A", "3")), ("x",)),
        ("-A 3 x", (("-A", "3"),), ("x",)),
        ("-A -1 x", (("-A", "-1"),), ("x",)),
        ("--color x", (("--color", None),), ("x",)),
        ("--color=always", (("--color", "always"),), ()),
        ("--regexp=a --regexp b", (("--regexp", "a"), ("--regexp", "b")), ()),
        ("-M -M5", (("-M", None), ("-M", "5")), ()),
        ("-5 x", (("-NUM", "5"),), ("x",)),
        ("-- -n -z", (), ("-n", "-z")),
        ("x -n", (("-n", None),), ("x",)),
        ("- x", (), ("-", "x")),
    ],
)
def test_known_arguments_are_taken_apart(words: str, options: object, operands: object) -> None:
    reading = read(tuple(words.split()), GREP)
    assert reading is not None
    assert (reading.options, reading.operands) == (options, operands)


@pytest.mark.parametrize(
    "words",
    [
        "-A -n x",
        "--regexp --quiet",
        "-A --",
        "-z",
        "-nz",
        "--col",
        "--quiet=1",
        "--unknown",
        "-A",
        "--regexp",
        "-n5",
        "--color= --no",
        "-é",
    ],
)
def test_one_unknown_argument_makes_all_unreadable(words: str) -> None:
    assert read(tuple(words.split()), GREP) is None


def test_operands_are_counted() -> None:
    one = grammar("-c 1", {})
    assert [read(words, one) is not None for words in ((), ("a",), ("-c", "a"), ("a", "b"), ("--", "a", "b"))] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_find_style_options_are_whole_words() -> None:
    find = grammar("words -name= -print *", {})
    assert read((".", "-name", "*.py", "!", "(", "-print"), find) == Reading(
        (("-name", "*.py"), ("-print", None)), (".", "!", "("), (0, 3, 4)
    )
    assert read((".", "-name", "-print"), find) is None
    assert read((".", "-delete"), find) is None


def test_the_first_operand_may_end_the_options() -> None:
    nice = grammar("-n= stop *", {})
    reading = read(("-n", "5", "ls", "-la"), nice)
    assert reading is not None
    assert reading.operands == ("ls", "-la")


def test_a_line_may_borrow_from_another() -> None:
    assert grammar("@base -x", {"base": "-a= 2"}) == grammar("-a= 2 -x", {})
