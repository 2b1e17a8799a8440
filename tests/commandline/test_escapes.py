"""Commands in the languages of programs that are no shells."""

from __future__ import annotations

import pytest

from sandgate.commandline.escapes import ESCAPES, ESCAPES_MAX, escaped


@pytest.mark.parametrize(
    ("program", "text", "command"),
    [
        ("dc", "2 2 + p\n!ls -l", "ls -l"),
        ("ftp", "!ls -l", "ls -l"),
        ("tclsh", "puts [exec ls -l]", "ls -l"),
        ("wish", 'open "|ls -l"', "ls -l"),
        ("m4", "a syscmd(`ls -l')", "ls -l"),
        ("m4", "esyscmd(ls -l)", "ls -l"),
        ("psql", r"\o |ls -l", "ls -l"),
        ("psql", "copy t from program 'ls -l';", "ls -l"),
        ("sqlite3", "select edit('', 'ls -l')", "ls -l"),
        ("sqlite3", ".shell ls -l", "ls -l"),
        ("vim", ":r !ls -l", "ls -l"),
        ("pdflatex", r"\immediate\write18{ls -l}", "ls -l"),
    ],
)
def test_a_command_behind_a_mark_is_found(program: str, text: str, command: str) -> None:
    assert command in list(escaped(program, text))


@pytest.mark.parametrize(("program", "text"), [("dc", "1 2 + p"), ("vim", "q!"), ("sqlite3", "select a, b from t")])
def test_where_no_mark_stands_there_is_none(program: str, text: str) -> None:
    assert list(escaped(program, text)) == []


def test_no_text_has_more_than_so_many() -> None:
    for program, marks in ESCAPES.items():
        assert len(list(escaped(program, f"{marks[0]}x\n" * (2 * ESCAPES_MAX)))) <= ESCAPES_MAX
