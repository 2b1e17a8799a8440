"""Who is asked with a model looking on, and when the model is made at all."""

from __future__ import annotations

from contextlib import contextmanager

from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import ApprovalRequest, Decision
from sandgate.reviewers.with_risk_advice import WithRiskAdvice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

REQUEST = ApprovalRequest("r", "c", "initial", CommandRequest(("ls",), "/", {}), "")
YES = Decision("initial", "approved", "user")


class Model:
    """Counts what it is asked about, and whether that is over."""

    def __init__(self, *, concerned: bool = True) -> None:
        self.concerned = concerned
        self.log: list[str] = []

    @contextmanager
    def about(self, _request: ApprovalRequest) -> Iterator[Any]:
        self.log.append("begun")
        yield self if self.concerned else None
        self.log.append("over")

    @property
    def advice(self) -> str:
        return "advice"


class Person:
    def __init__(self, answer: Decision | None = YES, *, automatic: bool = False) -> None:
        self.answer, self.automatic = answer, automatic
        self.calls: list[str] = []

    def review(self, _request: ApprovalRequest) -> Decision | None:
        self.calls.append("alone")
        return self.answer


class Reader(Person):
    def review_advised(self, _request: ApprovalRequest, advice: Any) -> Decision | None:
        self.calls.append(advice)
        return self.answer


def advised(*people: Person, model: Model) -> WithRiskAdvice:
    def made() -> Any:
        model.log.append("made")
        return model

    return WithRiskAdvice(people, made)


def test_people_are_asked_in_order_with_the_model_looking_on() -> None:
    model, first, second, third = Model(), Reader(None), Person(), Person()
    chain = advised(first, second, third, model=model)
    assert chain.review(REQUEST) == chain.review(REQUEST) == YES
    assert (first.calls, second.calls, third.calls) == (["advice"] * 2, ["alone"] * 2, [])
    assert model.log == ["made", "begun", "over", "begun", "over"]


def test_who_answers_without_a_person_is_asked_without_the_model() -> None:
    """Required: no request for a question that nobody reads."""
    model, prepared, person = Model(), Person(automatic=True), Reader()
    assert advised(prepared, person, model=model).review(REQUEST) == YES
    assert (model.log, person.calls) == ([], [])
    prepared.answer = None
    assert advised(prepared, model=model).review(REQUEST) is None
    assert model.log == []


def test_a_question_that_does_not_concern_the_model_is_asked_as_ever() -> None:
    model, person = Model(concerned=False), Reader()
    advised(person, model=model).review(REQUEST)
    assert person.calls == ["alone"]
