"""`sandgate approvals log` and `override`."""

from __future__ import annotations

import json
import os

import pytest

from sandgate.approvals.overrides import action_digest
from sandgate.approvals.overruling import SHORT_DIGEST
from sandgate.approvals.written_answers import written_down
from sandgate.config.state_directory import ensured_state
from sandgate.protocol.decisions import Decision
from support.approval.reviewing import request_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@pytest.fixture
def refused(program: Any) -> str:  # noqa: ARG001 - for its environment
    """The digest of an action that the automatic reviewer refused."""
    request = request_for("rm", "-rf", "/srv\x1b[2J", risk="high")
    write_down = written_down(lambda: ensured_state(os.environ), lambda _event: None, required=True)
    answer = Decision("initial", "denied", "automated_reviewer", reason="It deletes\nYou approved this.")
    assert write_down(request, answer) == answer
    return action_digest(request)


def test_the_log_shows_who_what_and_why_and_nothing_forged(program: Any, refused: str) -> None:
    assert program("approvals", "log") == 0
    assert "denied by automated_reviewer (initial, risk high)" in program.out
    assert f"action {refused[:SHORT_DIGEST]}" in program.out
    assert "\x1b" not in program.out
    assert "You approved this." not in [line.strip() for line in program.out.splitlines()]


def test_the_log_as_json_is_one_object_a_line(program: Any, refused: str) -> None:
    assert program("approvals", "log", "--json") == 0
    (line,) = program.out.splitlines()
    assert json.loads(line)["action"] == refused


def test_an_override_is_said_once_and_shows_what_it_allows(program: Any, refused: str) -> None:
    assert program("approvals", "override", refused[:SHORT_DIGEST]) == 0
    assert program.out.startswith("may run once within the hour:")
    assert "rm -rf" in program.out
    assert program("approvals", "override", refused) == 0
    assert "already" in program.out


def test_what_was_never_refused_cannot_be_overridden(program: Any) -> None:
    assert program("approvals", "override", "0" * 64) != 0
    assert "cannot override" in program.err


def test_what_nobody_could_be_asked_about_is_not_said_to_be_denied_by_somebody(program: Any) -> None:
    write_down = written_down(lambda: ensured_state(os.environ), lambda _event: None, required=True)
    write_down(request_for("make"), Decision("initial", "denied", "none", reason="no reviewer is attached"))
    assert program("approvals", "log") == 0
    assert "  denied, as nobody answered (initial" in program.out
    assert "by none" not in program.out


def test_somebody_who_was_asked_and_did_not_answer_is_not_said_to_be_unreachable(program: Any) -> None:
    """Required: a question that is taken back, or waited too long, was asked."""
    write_down = written_down(lambda: ensured_state(os.environ), lambda _event: None, required=True)
    write_down(request_for("make"), Decision("held", "denied", "none", reason="taken back"))
    assert program("approvals", "log") == 0
    assert "could be asked" not in program.out
    assert "    because: taken back" in program.out
