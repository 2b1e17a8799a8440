"""What an automatic reviewer's answer may come to."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.assessment.review_answer import (
    AUTHORIZATIONS,
    RATIONALE_CHARS_MAX,
    RISKS,
    ModelReview,
    UnreadableReview,
    review_from,
    why_not,
)
from support.suite.rows import every


def test_the_shortest_answers_get_the_levels_that_fit_them() -> None:
    assert review_from('{"outcome":"allow"}') == ModelReview("allow", "low")
    assert review_from('{"outcome":"deny"}') == ModelReview("deny", "high")


def test_json_may_stand_in_prose_and_in_a_fence() -> None:
    said = 'Well.\n```json\n{"outcome": "deny", "risk_level": "medium", "rationale": "a\\nb"}\n```\nThat is all.'
    assert review_from(said) == ModelReview("deny", "medium", rationale="a b")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "allow",
        "{}",
        '{"outcome": "Allow"}',
        '{"outcome": true}',
        '{"outcome": "allow", "risk_level": "none"}',
        '{"outcome": "allow", "risk_level": 1}',
        '{"outcome": "allow", "user_authorization": "total"}',
        '{"outcome": "allow", "suspected_injection": "no"}',
        '{"outcome": "allow", "rationale": 5}',
        '{"outcome": "deny"} {"outcome": "allow"}',
        '{"outcome": "deny", "outcome": "allow"}',
        '["outcome", "allow"]',
        '{"outcome": "allow"',
        "{" * 50_000 + "}" * 50_000,
        '{"outcome": "allow", "rationale": "' + "x" * 200_000 + '"}',
    ],
)
def test_what_cannot_be_read_is_no_opinion(text: str) -> None:
    with pytest.raises(UnreadableReview):
        review_from(text)


def test_a_rationale_cannot_move_a_terminal_and_is_bounded() -> None:
    found = review_from(json.dumps({"outcome": "allow", "rationale": "\x1b[2Jx\u202ey\n" + "z" * 5000}))
    assert "\x1b" not in found.rationale
    assert "\u202e" not in found.rationale
    assert len(found.rationale) <= RATIONALE_CHARS_MAX + 1


@every("authorization", AUTHORIZATIONS)
@every("risk", RISKS)
@every("floor", [None, "low", "medium", "high"])
@every("user_heard", [True, False])
def test_the_table_of_what_counts_as_a_yes(risk: str, authorization: str, floor: str | None, user_heard: bool) -> None:
    review = ModelReview("allow", risk, authorization)  # type: ignore[arg-type]
    admitted = why_not(review, floor, user_heard=user_heard) == ""  # type: ignore[arg-type]
    high = "high" in (risk, floor)
    wanted = user_heard and authorization in ("medium", "high")
    assert admitted == (risk != "critical" and (not high or wanted))


def test_a_no_and_a_suspicion_never_count_as_a_yes() -> None:
    assert why_not(ModelReview("deny", "low", "high"), None, user_heard=True)
    assert why_not(ModelReview("allow", "low", "high", suspected_injection=True), None, user_heard=True)


@given(st.text(max_size=200) | st.recursive(st.none() | st.booleans() | st.text(max_size=5), st.lists).map(json.dumps))
def test_no_text_is_an_opinion_without_saying_allow_or_deny(text: str) -> None:
    try:
        found = review_from(text)
    except UnreadableReview:
        return
    assert f'"{found.outcome}"' in text
