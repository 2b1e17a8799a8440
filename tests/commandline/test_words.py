"""Quoting for display and splitting of quoted text."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.commandline.words import joined, program_name, quoted, split, unescaped_bare


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("ls", "ls"),
        ("", "''"),
        ("a b", "'a b'"),
        ("it's", "'it'\"'\"'s'"),
        ("a\nb", "$'a\\nb'"),
        ("\x1b[31m", "$'\\e[31m'"),
        ("caf\u00e9", "'caf\u00e9'"),
        ("\udcff", "$'\\xff'"),
        ("\u202e", "$'\\U0000202e'"),
        ("--x=$HOME", "'--x=$HOME'"),
    ],
)
def test_a_word_is_shown_so_that_nothing_in_it_acts_on_a_terminal(word: str, shown: str) -> None:
    assert quoted(word) == shown


def test_bash_reads_back_what_was_quoted() -> None:
    words = ("a b", "it's", "", "tab\there", "new\nline", "\x1b[0m", "back\\slash", "$HOME", "caf\u00e9", "\udcff")
    read = subprocess.run(["bash", "-c", f"printf '%s\\0' {joined(words)}"], capture_output=True, check=True).stdout
    assert tuple(read.decode("utf-8", "surrogateescape").split("\0")[:-1]) == words


@given(st.lists(st.text(st.characters(codec="ascii", exclude_characters="\0"))))
def test_splitting_agrees_with_the_standard_library(words: list[str]) -> None:
    assert split(shlex.join(words)) == tuple(words)


@pytest.mark.parametrize("text", ["'open", '"open', "end\\", "a 'b"])
def test_an_open_quote_gives_no_words(text: str) -> None:
    assert split(text) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ()),
        ("  \n ", ()),
        ("a  b\tc", ("a", "b", "c")),
        ("''", ("",)),
        ('a"b c"d', ("ab cd",)),
        ('"a\\"b\\n"', ('a"b\\n',)),
        ("a\\ b", ("a b",)),
    ],
)
def test_text_is_split_as_a_shell_would(text: str, words: tuple[str, ...]) -> None:
    assert split(text) == words


def test_a_program_is_named_by_its_last_component() -> None:
    assert [program_name(path) for path in ("/bin/rm", "rm", "./rm", "a/")] == ["rm", "rm", "rm", ""]


def test_unquoted_backslashes_disappear_and_joined_lines_join() -> None:
    assert [unescaped_bare(text) for text in ("\\rm", "a\\\nb", "a\\\\b", "x\\")] == ["rm", "ab", "a\\b", "x"]
