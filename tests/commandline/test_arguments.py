"""The little notation that describes a program's arguments."""

from __future__ import annotations

import pytest

from sandgate.commandline.arguments import Reading, grammar, read, readings

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


LISTS = grammar("-l -n= 2", {})


@pytest.mark.parametrize("words", ["", "a b", "-l a", "-n 1 a b", "-l -- a b", "-l -- a -x", "-l"])
def test_options_before_operands_have_one_reading(words: str) -> None:
    argv = tuple(words.split())
    assert readings(argv, LISTS, permutes=False, heeds_end=True) == (read(argv, LISTS),)


def test_behind_the_end_of_options_may_stand_options() -> None:
    meant = readings(("a", "--", "-l"), LISTS, permutes=True)
    assert meant is not None
    assert [(each.options, each.operands) for each in meant] == [((), ("a", "-l")), ((("-l", None),), ("a",))]
    assert readings(("--", "-x"), LISTS, permutes=True) is None


def test_an_option_behind_an_operand_may_be_an_operand() -> None:
    meant = readings(("a", "-l"), LISTS, permutes=False)
    assert meant is not None
    assert [(each.options, each.operands) for each in meant] == [((("-l", None),), ("a",)), ((), ("a", "-l"))]


def test_what_ends_the_options_may_be_an_operand_as_well() -> None:
    meant = readings(("a", "--"), LISTS, permutes=False)
    assert meant is not None
    assert [each.operands for each in meant] == [("a",), ("a", "--"), ("a",)]


@pytest.mark.parametrize("words", ["a -n 1", "a -l b", "a -x"])
def test_one_reading_outside_the_grammar_is_enough(words: str) -> None:
    assert readings(tuple(words.split()), LISTS, permutes=False) is None


def test_a_program_known_to_permute_has_one_reading() -> None:
    assert readings(("a", "-n", "1"), LISTS, permutes=True) == (read(("a", "-n", "1"), LISTS),)


def test_where_operands_end_the_options_there_is_one_reading() -> None:
    stopping = grammar("-l stop *", {})
    assert readings(("a", "-x"), stopping, permutes=False) == (read(("a", "-x"), stopping),)
