from __future__ import annotations

import pytest

from sandgate.commandline.summary_options import Arguments, arguments

VALUED = frozenset(("-n", "-e", "--lines", "-path"))


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("", Arguments()),
        ("a - b", Arguments(("a", "-", "b"))),
        ("-l a --all", Arguments(("a",), ("-l", "--all"))),
        ("-n 5 a", Arguments(("a",), (), (("-n", "5"),))),
        ("-n5", Arguments((), (), (("-n", "5"),))),
        ("-rln 5", Arguments((), ("-r", "-l"), (("-n", "5"),))),
        ("-rlnx", Arguments((), ("-r", "-l"), (("-n", "x"),))),
        ("--lines=5 --lines 6 --all=x", Arguments((), ("--all",), (("--lines", "5"), ("--lines", "6")))),
        ("-path x", Arguments((), (), (("-path", "x"),))),
        ("-50", Arguments((), ("-50",))),
        ("-n", Arguments((), (), (("-n", ""),))),
        ("-n -- a", Arguments(("a",), (), (("-n", "--"),))),
        ("a -- -n -- b", Arguments(("a", "-n", "--", "b"))),
    ],
)
def test_words_are_sorted_into_options_and_operands(words: str, found: Arguments) -> None:
    assert arguments(tuple(words.split()), VALUED) == found


def test_an_option_is_found_with_and_without_a_value() -> None:
    given = arguments(("-l", "-n5", "-e", "x", "-n6"), VALUED)
    assert (given.has("-l"), given.has("-x", "-n"), given.has("-x")) == (True, True, False)
    assert (given.value("-n"), given.value("-e", "-n"), given.value("-l")) == ("5", "5", None)
