"""Every row of the table says where its command stands, and no program has a place in two tables."""

from __future__ import annotations

from sandgate.commandline.invocation import inner_place, started_by
from sandgate.commandline.launcher_rows import LAUNCHERS
from sandgate.commandline.wrappers import SHELL_PROGRAMS, STARTERS, WRAPPERS
from support.command.launching import EVERY_LAUNCHED
from support.suite.rows import every


@every("argv", EVERY_LAUNCHED)
def test_every_row_of_the_table_says_where_its_command_stands(argv: tuple[str, ...]) -> None:
    found = started_by(argv)
    assert ("rm", "x") in found.commands or "rm x" in found.scripts
    place = inner_place(argv)
    assert place is not None
    assert "rm" in argv[place]
    assert argv[0] in STARTERS


def test_no_launcher_is_a_wrapper_or_a_shell() -> None:
    """Required: one table says what a program starts."""
    assert LAUNCHERS.keys().isdisjoint(WRAPPERS)
    assert LAUNCHERS.keys().isdisjoint(SHELL_PROGRAMS)
