"""Who is asked with a model looking on, and when the model is made at all."""

from __future__ import annotations

from contextlib import contextmanager

from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import ApprovalRequest, Decision
from sandgate.protocol.risk import AdviceOutcome, RiskAssessment
from sandgate.reviewers.with_risk_advice import WithRiskAdvice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

REQUEST = ApprovalRequest("r", "c", "initial", CommandRequest(("ls",), "/", {}), "")
YES = Decision("initial", "approved", "user")
WORDS = RiskAssessment("A model says: it lists.", "low", source="both")
OUTCOME = AdviceOutcome("success", "low", "both", "1")


class Model:
    """Counts what it is asked about, and whether that is over."""

    def __init__(self, *, concerned: bool = True, in_time: bool = True) -> None:
        self.concerned, self.in_time = concerned, in_time
        self.log: list[str] = []

    @contextmanager
    def about(self, _request: ApprovalRequest) -> Iterator[Any]:
        self.log.append("begun")
        yield self if self.concerned else None
        self.log.append("over")

    @property
    def advice(self) -> str:
        return "advice"

    def within(self, seconds: float) -> ApprovalRequest:
        self.log.append(f"waited {seconds:g}")
        return REQUEST.but(risk=WORDS) if self.in_time else REQUEST

    def outcome(self) -> AdviceOutcome:
        return OUTCOME


class Person:
    def __init__(self, answer: Decision | None = YES, *, automatic: bool = False) -> None:
        self.answer, self.automatic = answer, automatic
        self.calls: list[str] = []

    def review(self, request: ApprovalRequest) -> Decision | None:
        self.calls.append("alone" if request.risk is None else request.risk.description)
        return self.answer


class Reader(Person):
    def review_advised(self, _request: ApprovalRequest, advice: Any) -> Decision | None:
        self.calls.append(advice)
        return self.answer


class Form(Reader):
    """Shows a question once, and `hears` what comes later, or not."""

    def __init__(self, reading: Any) -> None:
        super().__init__()
        self.reading = reading

    def reads_advice(self, _request: ApprovalRequest) -> Any:
        return self.reading


def advised(*people: Person, model: Model, form_wait_ms: int = 0) -> WithRiskAdvice:
    def made() -> Any:
        model.log.append("made")
        return model

    return WithRiskAdvice(people, made, form_wait_ms=form_wait_ms)


def test_people_are_asked_in_order_with_the_model_looking_on() -> None:
    model, first, second, third = Model(), Reader(None), Person(), Person()
    chain = advised(first, second, third, model=model)
    assert chain.review(REQUEST) == chain.review(REQUEST) == YES.but(advice=OUTCOME)
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


def test_a_question_that_is_shown_once_has_the_words_that_come_in_time() -> None:
    """Required: whoever cannot be told later still reads what was paid for."""
    model, person = Model(), Person()
    assert advised(person, model=model, form_wait_ms=500).review(REQUEST) == YES.but(advice=OUTCOME)
    assert person.calls == [WORDS.description]
    assert "waited 0.5" in model.log


def test_words_that_come_too_late_for_the_form_lie_beside_it_where_they_are_heard() -> None:
    late = Model(in_time=False)
    heard, unheard = Form("both"), Form("once")
    advised(heard, model=late, form_wait_ms=500).review(REQUEST)
    advised(unheard, model=late, form_wait_ms=500).review(REQUEST)
    assert (heard.calls, unheard.calls) == (["advice"], ["alone"])


def test_no_model_is_asked_where_nobody_reads_what_it_says() -> None:
    """Required: a call costs money."""
    for person, wait_ms in ((Form("never"), 500), (Form("once"), 0), (Person(), 0)):
        model = Model()
        assert advised(person, model=model, form_wait_ms=wait_ms).review(REQUEST) == YES
        assert (model.log, person.calls) == ([], ["alone"])
