"""How certain the words of a script are. What statements make of them is in test_bash.py."""

from __future__ import annotations

from sandgate.commandline.bash import parse
from sandgate.commandline.bashwords import Word, source_text
from support.suite.rows import every


@every(
    "word, certainty",
    [
        ("a", "exact"),
        ("'a b'", "exact"),
        ('"a"', "exact"),
        ("a\\ b", "exact"),
        ("{}", "exact"),
        ("HEAD@{1}", "exact"),
        ("\\*", "exact"),
        ("'*'", "exact"),
        ("src/*.py", "expanded"),
        ("a{1,2}", "expanded"),
        ("a{1..3}", "expanded"),
        ("~/x", "expanded"),
        ('"a$b"', "expanded"),
        ('src/"$b"', "expanded"),
        ('"$HOME/x"', "expanded"),
        ("=ls", "expanded"),
        ("*", "unknown"),
        ("?x", "unknown"),
        ("[ab]", "unknown"),
        ("{a,-b}", "unknown"),
        ("$x", "unknown"),
        ("a$x", "unknown"),
        ('"$x"', "unknown"),
        ("$HOME/x", "unknown"),
        ("$(ls)", "unknown"),
        ("a`ls`", "unknown"),
        ("$'x'", "exact"),
        ("$'\\x41'", "unknown"),
        ("''$x", "unknown"),
        ('""*', "unknown"),
    ],
)
def test_a_word_says_what_the_shell_may_still_make_of_it(word: str, certainty: str) -> None:
    command = parse(f"ls {word}").commands[0]
    assert command.words[1].certainty == certainty


def test_quotes_go_and_escapes_are_decoded() -> None:
    words = parse("""x 'a b' "c\\"d" e\\ f g"h"'i' '' "" """).commands[0].words
    assert [word.text for word in words] == ["x", "a b", 'c"d', "e f", "ghi", "", ""]


def test_only_a_bare_word_is_bare() -> None:
    words = parse("ls a 'b' c\\d *.e ~/f $g").commands[0].words
    assert [word.bare for word in words] == [True, True, False, False, False, False, False]


def test_a_word_that_may_become_anything_is_shown_as_written() -> None:
    assert parse("ls a$x").commands[0].words[1] == Word("a$x", "unknown", bare=False, plain=False, whole=False)


def test_bytes_that_are_not_text_survive() -> None:
    assert source_text(b"a\xff") == "a\udcff"
    assert parse("ls '\udcff'").commands[0].argv == ("ls", "\udcff")
