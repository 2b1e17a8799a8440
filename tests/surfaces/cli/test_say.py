"""What the program says, on real descriptors."""

import os

import pytest

from sandgate.errors import ConfigError
from sandgate.surfaces.cli import say


def test_facts_go_to_stderr_and_data_to_stdout(capfd: pytest.CaptureFixture[str]) -> None:
    say.fact("a fact")
    say.out("data\n")
    assert capfd.readouterr() == ("data\n", "sandgate: a fact\n")


def test_a_fact_cannot_paint_or_break_its_line(capfd: pytest.CaptureFixture[str]) -> None:
    """Required: paths and reasons come from models and programs."""
    say.fact("x\x1b[2J\nsandgate: approved")
    assert capfd.readouterr().err == "sandgate: x\\x1b[2J\\nsandgate: approved\n"


def test_an_error_says_what_why_and_what_to_do(capfd: pytest.CaptureFixture[str]) -> None:
    say.error(ConfigError("cannot read `x`", why="it is a directory", hint="move it\nor name another"))
    assert capfd.readouterr().err.splitlines() == [
        "sandgate: cannot read `x`: it is a directory",
        "sandgate: hint: move it",
        "sandgate: hint: or name another",
    ]


def test_undecodable_text_is_said_all_the_same(capfd: pytest.CaptureFixture[str]) -> None:
    say.out("\udcff\n")
    assert capfd.readouterr().out == "\\udcff\n"


def test_a_reader_that_went_away_is_no_failure() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    problem = say.write(writing, "nobody hears this")
    os.close(writing)
    assert isinstance(problem, BrokenPipeError)
    assert say.lost == []
