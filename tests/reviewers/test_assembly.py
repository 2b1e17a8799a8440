"""Who is asked, and after whom."""

import pytest

from sandgate.errors import RequestError
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import ApprovalRequest, Decision
from sandgate.reviewers import terminal as human
from sandgate.reviewers.assembly import reviewers_for

REQUEST = ApprovalRequest("r", "c", "initial", CommandRequest(("touch", "x"), "/repo", {}), "")


class Colleague:
    """Has an opinion on everything."""

    def review(self, request: ApprovalRequest) -> Decision | None:
        return Decision(request.stage, "denied", "automated_reviewer")


class Person:
    """Stands in for the terminal."""

    def __init__(self, *, colour: bool, start: tuple[int, int] | None) -> None:
        self._colour, self._start = colour, start

    def review(self, request: ApprovalRequest) -> Decision | None:
        return Decision(request.stage, "abort", "user", reason=f"colour: {self._colour}")


def test_prepared_answers_come_first_then_the_callers_reviewers_then_the_person(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(human, "TerminalReviewer", Person)
    chain = reviewers_for(("approve",), (Colleague(),), ask_at_terminal=True, colour=True)
    assert [reviewer.review(REQUEST) for reviewer in chain] == [
        Decision("initial", "approved", "script"),
        Decision("initial", "denied", "automated_reviewer"),
        Decision("initial", "abort", "user", reason="colour: True"),
    ]


def test_nobody_is_made_up() -> None:
    assert reviewers_for((), (), ask_at_terminal=False, colour=False) == ()


def test_an_unknown_prepared_answer_is_noticed_at_once() -> None:
    with pytest.raises(RequestError):
        reviewers_for(("maybe",), (), ask_at_terminal=False, colour=False)
