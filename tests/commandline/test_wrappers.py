"""The table of programs that run other programs."""

from __future__ import annotations

from sandgate.commandline.arguments import grammar, read
from sandgate.commandline.wrappers import FIND_RUNNERS, GIT_GLOBALS, WRAPPERS
from support.suite.rows import every


@every("name", sorted(WRAPPERS))
def test_every_wrapper_line_says_what_follows_the_options(name: str) -> None:
    shapes = {"command", "assigned", "script", "operand", "command_option"}
    assert grammar(WRAPPERS[name], WRAPPERS).marks & shapes


def test_the_options_of_git_end_where_its_command_begins() -> None:
    reading = read(("-C", "x", "--git-dir=y", "log", "-p"), grammar(GIT_GLOBALS, {}))
    assert reading is not None
    assert reading.operands == ("log", "-p")


def test_find_runs_programs_in_four_ways() -> None:
    assert {"-exec", "-execdir", "-ok", "-okdir"} == FIND_RUNNERS
