"""The person at the terminal."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from sandgate.agent.terminal_person import Person
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import ApprovalRequest, Decision
from sandgate.reviewers import terminal as human

LIMIT_S = 10


def question(name: str) -> ApprovalRequest:
    return ApprovalRequest(name, name, "initial", CommandRequest(("ls",), "/repo", {}), "")


def put(monkeypatch: pytest.MonkeyPatch, review: Any) -> Person:
    """A person at this terminal."""

    class Terminal:
        def __init__(self, *, colour: bool, start: tuple[int, int] | None) -> None:
            assert colour is True
            assert start is None or all(start)

        def review(self, request: ApprovalRequest, _advice: Any, _withdrawn: int) -> Decision | None:
            found: Decision | None = review(request)
            return found

    monkeypatch.setattr(human, "TerminalReviewer", Terminal)
    return Person(colour=True)


@pytest.fixture
def withdrawn() -> Iterator[int]:
    """Not yet."""
    descriptor = os.eventfd(0)
    yield descriptor
    os.close(descriptor)


def test_control_c_at_a_question_stops_the_turn_and_not_the_program(
    monkeypatch: pytest.MonkeyPatch, withdrawn: int
) -> None:
    def review(_request: ApprovalRequest) -> Decision:
        raise KeyboardInterrupt

    answer = put(monkeypatch, review).review(question("a"), None, withdrawn)
    assert answer is not None
    assert (answer.decision, answer.source) == ("abort", "user")


def test_without_a_terminal_somebody_else_decides(monkeypatch: pytest.MonkeyPatch, withdrawn: int) -> None:
    assert put(monkeypatch, lambda _request: None).review(question("a"), None, withdrawn) is None


def test_two_questions_are_put_one_after_the_other(monkeypatch: pytest.MonkeyPatch, withdrawn: int) -> None:
    """Required: a key that answers one question never answers another that came in between."""
    story: list[str] = []
    shown, go = threading.Event(), threading.Event()

    def review(request: ApprovalRequest) -> Decision:
        story.append(f"shown {request.request_id}")
        shown.set()
        assert go.wait(LIMIT_S)
        story.append(f"answered {request.request_id}")
        return Decision(request.stage, "approved", "user")

    person = put(monkeypatch, review)
    first = threading.Thread(target=person.review, args=(question("a"), None, withdrawn))
    first.start()
    assert shown.wait(LIMIT_S)
    second = threading.Thread(target=person.review, args=(question("b"), None, withdrawn))
    second.start()
    go.set()
    for each in (first, second):
        each.join(LIMIT_S)
    assert story == ["shown a", "answered a", "shown b", "answered b"]


def test_a_question_that_is_not_needed_any_more_is_not_put(monkeypatch: pytest.MonkeyPatch, withdrawn: int) -> None:
    """Required: not even while another one is answered; nobody waits for that."""
    shown, go = threading.Event(), threading.Event()

    def review(request: ApprovalRequest) -> None:
        assert request.request_id == "a"
        shown.set()
        assert go.wait(LIMIT_S)

    person = put(monkeypatch, review)
    never = os.eventfd(0)
    first = threading.Thread(target=person.review, args=(question("a"), None, never))
    first.start()
    assert shown.wait(LIMIT_S)
    os.eventfd_write(withdrawn, 1)
    answers = [person.review(question("b"), None, withdrawn)]
    go.set()
    first.join(LIMIT_S)
    answers.append(person.review(question("b"), None, withdrawn))
    assert answers == [Decision("initial", "denied", "none", reason=human.WITHDRAWN)] * 2
    os.close(never)
