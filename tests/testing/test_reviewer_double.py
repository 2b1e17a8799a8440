from __future__ import annotations

import asyncio
from threading import Thread
from typing import Any

import pytest

from sandgate.errors import RequestError
from sandgate.protocol.decisions import Decision
from sandgate.protocol.permissions import Grant
from sandgate.testing import NotInScript, ReviewerDouble
from support.approval.reviewing import request_for

WRITE = Grant("write_path", "/etc/motd")
LIMIT_S = 30


def test_answers_are_given_in_order_and_questions_remembered() -> None:
    reviewer = ReviewerDouble("approve", "deny", True, "abort")
    questions = [request_for("make", str(number), grants=(WRITE,)) for number in range(4)]
    assert [reviewer.review(each).decision for each in questions] == ["approved", "denied", "approved", "abort"]
    assert reviewer.asked == questions


def test_an_approval_gives_what_is_shown_and_a_no_nothing() -> None:
    reviewer = ReviewerDouble("approve-session", "deny")
    question = request_for("make", grants=(WRITE,))
    assert reviewer.review(question) == Decision(question.stage, "approved_for_session", "user", (WRITE,))
    assert reviewer.review(question) == Decision(question.stage, "denied", "user")


def test_a_decision_is_given_as_it_is() -> None:
    decision = Decision("initial", "denied", "automated_reviewer", reason="no")
    assert ReviewerDouble(decision).review(request_for("make")) is decision


def test_always_answers_what_is_left() -> None:
    reviewer = ReviewerDouble("deny", always="approve")
    assert [reviewer.review(request_for("make")).approved for _ in range(3)] == [False, True, True]


def test_a_question_without_an_answer_is_a_mistake_of_the_test() -> None:
    reviewer = ReviewerDouble("approve")
    reviewer.review(request_for("make"))
    with pytest.raises(NotInScript, match="no answer left to question 2"):
        reviewer.review(request_for("make"))


@pytest.mark.parametrize("wrong", ["yes", "approve ", 7])
def test_an_answer_that_there_is_not_is_said_at_once(wrong: Any) -> None:
    with pytest.raises(RequestError, match="is no answer"):
        ReviewerDouble(wrong)


def test_it_is_awaited_on_an_event_loop() -> None:
    reviewer = ReviewerDouble("approve")
    assert asyncio.run(reviewer(request_for("make"))).approved


def test_an_answer_is_held_back_until_it_is_let_go() -> None:
    reviewer = ReviewerDouble("approve", holds_back=True)
    given: list[Decision] = []
    asking = Thread(target=lambda: given.append(reviewer.review(request_for("make"))))
    asking.start()
    assert reviewer.is_asked.wait(LIMIT_S)
    assert given == []
    reviewer.open.set()
    asking.join(LIMIT_S)
    assert [each.decision for each in given] == ["approved"]
