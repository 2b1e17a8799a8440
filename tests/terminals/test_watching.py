"""Waiting for texts: where it goes on, and what it says when there is nothing to wait for any more."""

from __future__ import annotations

import pytest

from sandgate.errors import RequestError
from sandgate.patterns.wanted import Patterns, Wanted
from sandgate.terminals.watching import patterns_for
from support.terminal.terminal_stage import LIMIT_MS, Stage


def test_the_next_wait_goes_on_behind_the_last_match(stage: Stage) -> None:
    terminal = stage.start("echo one two one; read x; echo one", tty=True)
    first = terminal.wait_for(["one"], timeout_ms=LIMIT_MS)
    second = terminal.wait_for(["one"], timeout_ms=LIMIT_MS)
    assert first is not None
    assert second is not None
    assert (first.end, second.end) == (3, 11)
    assert terminal.wait_for(["one"], timeout_ms=50) is None
    terminal.write(b"\n")
    assert terminal.wait_for(["one"], timeout_ms=LIMIT_MS) is not None


def test_an_offset_of_ones_own_moves_nobody_else(stage: Stage) -> None:
    terminal = stage.start("echo one two; read x", tty=True)
    for _ in range(2):
        found = terminal.wait_for(["two"], timeout_ms=LIMIT_MS, offset=0)
        assert found is not None
        assert found.end == 7
    assert terminal.cursor == 0


def test_texts_and_patterns_may_be_mixed_and_the_match_says_which_it_was(stage: Stage) -> None:
    terminal = stage.start("echo error: 42", tty=True)
    found = terminal.wait_for(["never", Wanted(r"error: \d+", regex=True)], timeout_ms=LIMIT_MS)
    assert found is not None
    assert (found.which, found.text) == (1, "error: 42")


def test_the_end_of_a_command_ends_the_wait(stage: Stage) -> None:
    assert stage.start("echo nothing").wait_for(["something"], timeout_ms=LIMIT_MS) is None


def test_only_patterns_need_an_automaton() -> None:
    assert not isinstance(patterns_for(["a", b"b"]), Patterns)
    assert isinstance(patterns_for(["a", Wanted("b", regex=True)]), Patterns)


def test_what_cannot_be_waited_for_is_refused_at_once(stage: Stage) -> None:
    terminal = stage.start("exec sleep 1000")
    for wanted in ([], [""], [Wanted("(", regex=True)]):
        with pytest.raises(RequestError):
            terminal.wait_for(wanted, timeout_ms=LIMIT_MS)
