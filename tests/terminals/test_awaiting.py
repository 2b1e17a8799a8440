"""A command knows the calls that wait for it, and forgets those that went away without a word."""

from __future__ import annotations

import gc

from sandgate.terminals.awaiting import Awaiting
from support.terminal.terminal_stage import Stage


def test_each_call_is_known_until_it_ends(stage: Stage) -> None:
    terminal = stage.start("exec cat", tty=True)
    first, second = Awaiting(terminal), Awaiting(terminal)
    assert set(terminal.awaiting) == {first, second}
    first.end()
    first.end()
    assert set(terminal.awaiting) == {second}


def test_the_end_of_a_call_is_a_use_of_the_command_and_only_the_first_time(stage: Stage) -> None:
    """Required: a command whose number was told just now is not the next to go."""
    terminal = stage.start("exec cat", tty=True)
    awaiting = Awaiting(terminal)
    terminal.last_used_ns = 0
    awaiting.end()
    assert terminal.last_used_ns > 0
    terminal.last_used_ns = 0
    awaiting.end()
    assert terminal.last_used_ns == 0


def test_a_call_that_is_dropped_waits_no_more(stage: Stage) -> None:
    terminal = stage.start("exec cat", tty=True)
    awaiting = Awaiting(terminal)
    assert len(terminal.awaiting) == 1
    del awaiting
    gc.collect()
    assert len(terminal.awaiting) == 0
