"""The automatic reviewer: what becomes of good, bad, late and missing answers."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.approvals.overrides import Overrides, action_digest
from sandgate.assessment.review_question import ReviewCircumstances
from sandgate.errors import Late, ModelFailed, NoOutput, Withdrawn
from sandgate.model.client import ModelClient
from sandgate.model.provider import Provider
from sandgate.protocol.conversation import ConversationEntry
from sandgate.protocol.decisions import Decision
from sandgate.protocol.permissions import Grant
from sandgate.protocol.trace import AutoReview, Notice
from sandgate.reviewers.asking_session import AskingSession
from sandgate.reviewers.model_reviewer import ModelReviewer
from support.approval.reviewing import request_for
from support.model.responses_server import ResponsesServer, says, stays_silent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from sandgate.model.question import ModelQuestion
    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.protocol.trace import TraceRecord

ALLOW = '{"outcome": "allow", "risk_level": "low", "rationale": "It only builds."}'
DENY = '{"outcome": "deny", "risk_level": "high", "rationale": "It deletes /srv."}'
HERE = ReviewCircumstances("on-request", "workspace-write")


class Model:
    """Answers as it is told; an exception is raised."""

    def __init__(self, *answers: str | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[ModelQuestion] = []

    def answer(self, question: ModelQuestion, **_others: Any) -> str:
        self.asked.append(question)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


class Person:
    """Gives one decision, or None when nobody is there; remembers what was shown."""

    def __init__(self, decision: Decision | None) -> None:
        self.decision = decision
        self.shown: list[ApprovalRequest] = []

    def review(self, request: ApprovalRequest) -> Decision | None:
        self.shown.append(request)
        return self.decision


def guardian(model: Any, heard: list[TraceRecord] | None = None, **others: Any) -> ModelReviewer:
    return ModelReviewer(lambda: model, HERE, record=(heard if heard is not None else []).append, **others)


def after(said: tuple[ConversationEntry, ...]) -> AskingSession:
    asking = AskingSession("s1")
    asking.conversation = lambda: said
    return asking


def reviews(heard: list[TraceRecord]) -> list[AutoReview]:
    return [record for record in heard if isinstance(record, AutoReview)]


def test_a_yes_gives_just_what_was_asked_for_and_is_no_session_approval() -> None:
    grant = Grant("write_root", "/srv")
    decision = guardian(Model(ALLOW)).review(request_for("make", grants=(grant,)))
    assert decision == Decision("initial", "approved", "automated_reviewer", (grant,), "It only builds.")


def test_a_no_carries_the_reason_and_how_a_person_overrides_it() -> None:
    request = request_for("rm", "-rf", "/srv", risk="high")
    decision = guardian(Model(DENY)).review(request)
    assert (decision.decision, decision.source) == ("denied", "automated_reviewer")
    assert "unacceptable risk" in decision.reason
    assert "It deletes /srv." in decision.reason
    assert f"sandgate approvals override {action_digest(request)[:12]}" in decision.reason


@pytest.mark.parametrize(
    ("answer", "decision", "status"),
    [
        (Late("late"), "timed_out", "timed_out"),
        (Withdrawn("gone"), "abort", "aborted"),
        (ModelFailed("Missing environment variable: `KEY`."), "denied", "failed"),
        (NoOutput("nothing"), "denied", "failed"),
        (RuntimeError("bug"), "denied", "failed"),
        ("yes, go ahead", "denied", "failed"),
        ("{}", "denied", "failed"),
    ],
)
def test_its_own_trouble_refuses_and_is_never_called_risky(answer: Any, decision: str, status: str) -> None:
    heard: list[TraceRecord] = []
    found = guardian(Model(answer), heard).review(request_for("make"))
    assert found.decision == decision
    assert "risk" not in found.reason
    began, ended = reviews(heard)
    assert (began.status, ended.status) == ("in_progress", status)
    assert began.review_id == ended.review_id
    assert (ended.risk_level, ended.user_authorization) == ("", "")
    if status in ("timed_out", "failed"):
        assert "says nothing about the command" in found.reason


def test_what_the_offline_assessor_calls_high_needs_the_users_own_words() -> None:
    wanted = '{"outcome": "allow", "risk_level": "low", "user_authorization": "high"}'
    dangerous = request_for("rm", "-rf", "/srv/old", risk="high")
    assert guardian(Model(wanted)).review(dangerous).decision == "denied"
    agent = (ConversationEntry("assistant", "The user told me to delete /srv/old."),)
    assert guardian(Model(wanted), asking=after(agent)).review(dangerous).decision == "denied"
    user = (ConversationEntry("user", "Delete /srv/old."),)
    assert guardian(Model(wanted), asking=after(user)).review(dangerous).decision == "approved"


def test_what_nobody_assessed_is_taken_for_high() -> None:
    assert guardian(Model(ALLOW)).review(request_for("thing", risk=None)).decision == "denied"


def test_what_cannot_be_shown_whole_is_no_matter_for_a_model() -> None:
    decision = guardian(Model(ALLOW)).review(request_for("bash", "-c", 'TOKEN="$(rm -r ~)" true'))
    assert decision.decision == "denied"
    assert "says nothing about the command" in decision.reason


def test_three_refusals_in_a_row_stop_the_turn_each_time() -> None:
    heard: list[TraceRecord] = []
    reviewer = guardian(Model(DENY), heard)
    decisions = [reviewer.review(request_for("rm", str(number))).decision for number in range(6)]
    assert decisions == ["denied", "denied", "abort", "denied", "denied", "abort"]
    assert len([record for record in heard if isinstance(record, Notice)]) == 2


def test_trouble_never_trips_the_breaker() -> None:
    reviewer = guardian(Model(Late("late")))
    assert {reviewer.review(request_for("make")).decision for _ in range(20)} == {"timed_out"}


def test_a_person_who_is_there_has_the_last_word_and_hears_why() -> None:
    yes = Decision("initial", "approved", "user")
    person = Person(yes)
    assert guardian(Model(DENY), then=person).review(request_for("rm", "x")) == yes
    (shown,) = person.shown
    assert "It deletes /srv." in shown.reason
    assert guardian(Model(ALLOW), then=person).review(request_for("make")).source == "automated_reviewer"
    assert len(person.shown) == 1


@pytest.mark.parametrize("nobody", [None, Decision("initial", "denied", "none", reason="no reviewer")])
def test_where_nobody_can_be_asked_the_refusal_stands(nobody: Decision | None) -> None:
    decision = guardian(Model(DENY), then=Person(nobody)).review(request_for("rm", "x"))
    assert (decision.decision, decision.source) == ("denied", "automated_reviewer")


def test_a_person_can_be_left_out() -> None:
    person = Person(Decision("initial", "approved", "user"))
    assert guardian(Model(DENY), then=person, on_denial="deny").review(request_for("rm", "x")).decision == "denied"
    assert person.shown == []


def test_an_override_lets_exactly_that_action_through_once(tmp_path: Path) -> None:
    overrides = Overrides(str(tmp_path))
    model = Model(DENY)
    reviewer = guardian(model, overrides=overrides)
    refused = request_for("rm", "x")
    overrides.allow_once(action_digest(refused))
    assert reviewer.review(request_for("rm", "y")).decision == "denied"
    allowed = reviewer.review(refused)
    assert (allowed.decision, allowed.source) == ("approved", "user")
    assert reviewer.review(refused).decision == "denied"
    assert len(model.asked) == 2


def test_what_is_asked_holds_the_action_between_tags_of_its_own() -> None:
    model = Model(ALLOW)
    reviewer = guardian(model, policy="Deny everything that is not make.")
    reviewer.review(request_for("make"))
    reviewer.review(request_for("make"))
    one, two = model.asked
    assert "Deny everything that is not make." in one.instructions
    assert one.text.splitlines()[0] != two.text.splitlines()[0]
    assert '"make"' in one.text


@given(st.text(max_size=120) | st.dictionaries(st.text(max_size=12), st.text(max_size=12)).map(json.dumps))
def test_no_other_text_is_ever_a_yes(text: str) -> None:
    assert not guardian(Model(text)).review(request_for("make")).approved


OPINIONS = st.fixed_dictionaries(
    {"outcome": st.sampled_from(["allow", "deny", "ALLOW", ""])},
    optional={
        "risk_level": st.sampled_from(["low", "medium", "high", "critical", "Low", "none"]),
        "user_authorization": st.sampled_from(["unknown", "low", "medium", "high", "all"]),
        "suspected_injection": st.booleans(),
    },
)


@given(OPINIONS, st.sampled_from(["low", "medium", "high", None]))
def test_only_a_valid_allow_that_policy_admits_is_a_yes(opinion: dict[str, Any], risk: Any) -> None:
    approved = guardian(Model(json.dumps(opinion))).review(request_for("make", risk=risk)).approved
    expected = (
        opinion["outcome"] == "allow"
        and opinion.get("risk_level", "low") in ("low", "medium")
        and opinion.get("user_authorization", "low") != "all"
        and not opinion.get("suspected_injection", False)
        and risk in ("low", "medium")
    )
    assert approved == expected


def _client(server: ResponsesServer) -> ModelClient:
    return ModelClient(Provider("local", server.url), model="test", environ={})


def test_against_a_real_server_that_answers_well() -> None:
    with ResponsesServer(says(ALLOW)) as server:
        assert guardian(_client(server)).review(request_for("make")).approved
        (connection,) = server.connections
    assert connection.asked.body["tools"] == []
    assert connection.asked.headers["x-openai-subagent"] == "auto_review"


def test_against_a_real_server_that_never_answers() -> None:
    with ResponsesServer(stays_silent) as server:
        decision = guardian(_client(server), deadline_ms=200).review(request_for("make"))
    assert decision.decision == "timed_out"


def test_a_review_that_nobody_waits_for_is_withdrawn_and_its_connection_closed() -> None:
    tells: list[Callable[[], None]] = []
    asked = Event()

    def registered(tell: Callable[[], None]) -> None:
        tells.append(tell)
        asked.set()

    with ResponsesServer(stays_silent) as server, ThreadPoolExecutor(1) as pool:
        reviewer = guardian(_client(server), when_cancelled=registered)
        decision = pool.submit(reviewer.review, request_for("make"))
        assert asked.wait(10)
        tells[0]()
        assert decision.result(10).decision == "abort"


def test_two_reviews_at_once_keep_their_answers_apart() -> None:
    with ResponsesServer(says(ALLOW)) as server, ThreadPoolExecutor(4) as pool:
        heard: list[TraceRecord] = []
        reviewer = guardian(_client(server), heard)
        requests = [request_for("make", call_id=str(number)) for number in range(4)]
        assert all(decision.approved for decision in pool.map(reviewer.review, requests))
    ended = [record.review_id for record in reviews(heard) if record.status == "approved"]
    assert sorted(ended) == ["0", "1", "2", "3"]
