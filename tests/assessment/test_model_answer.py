"""An answer counts only in its form, and never makes less of what is known without it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.assessment.findings import RANK
from sandgate.assessment.model_answer import ModelAnswer, parsed_answer, with_offline
from sandgate.assessment.model_prompt import CATEGORY_NAMES, LEVELS
from sandgate.protocol.risk import RiskAssessment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

GOOD = {"description": "Deletes build.", "risk_level": "medium", "risk_categories": ["data_deletion"]}
ANSWER = ModelAnswer("Deletes build.", "medium", ("data_deletion",))
OFFLINE = RiskAssessment("Deletes a lot.", "high", ("data_deletion",), reasons=("deletes recursively",))


def answer(**changes: Any) -> ModelAnswer | None:
    return parsed_answer(json.dumps({**GOOD, **changes}))


TEXT = json.dumps(GOOD)


@pytest.mark.parametrize(
    "text",
    [TEXT, f"  {TEXT}\n", f"```json\n{TEXT}\n```", f"```\n{TEXT}\n```", f"Here it is: {TEXT} Done.", f"[{TEXT}]"],
)
def test_an_answer_alone_in_a_fence_or_in_prose_is_taken(text: str) -> None:
    assert parsed_answer(text) == ANSWER


@pytest.mark.parametrize(
    "text",
    [
        "", "no idea", "{", "[]", "null", f"{TEXT}{TEXT}", f"{TEXT}\n{TEXT}", "[" * 100_000, f"{TEXT} }}",
        f"```json\n{TEXT}\n```\n```json\n{TEXT}\n```",
        TEXT[:-1] + ', "risk_level": "low"}',
    ],
)  # fmt: skip
def test_what_is_no_single_object_is_nothing(text: str) -> None:
    assert parsed_answer(text) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"risk_level": "HIGH"}, {"risk_level": "critical"}, {"risk_level": None}, {"risk_level": ["low"]},
        {"description": ""}, {"description": " \n"}, {"description": "\x1b[0m"}, {"description": 3},
        {"risk_categories": "data_deletion"}, {"risk_categories": {}}, {"recommendation": "approve"},
    ],
)  # fmt: skip
def test_what_does_not_fit_the_schema_is_nothing(changes: dict[str, Any]) -> None:
    """Required: an unknown level drops the whole assessment."""
    assert answer(**changes) is None


def test_missing_fields_are_nothing_but_for_the_categories() -> None:
    for name in ("description", "risk_level"):
        assert parsed_answer(json.dumps({key: value for key, value in GOOD.items() if key != name})) is None
    assert answer(risk_categories=None) == ANSWER.__class__("Deletes build.", "medium")
    assert parsed_answer('{"description": "x", "risk_level": "low"}') == ModelAnswer("x", "low")


def test_unknown_categories_are_dropped_and_known_ones_stand_once_in_order() -> None:
    given_ = ["compliance", "evil", 3, None, ["x"], {"a": 1}, "data_deletion", "compliance"]
    found = answer(risk_categories=given_)
    assert found is not None
    assert found.categories == ("compliance", "data_deletion")


def test_a_description_is_one_plain_line_of_at_most_500_characters() -> None:
    for length in (499, 500, 501, 5000):
        found = answer(description="漢" * length)
        assert found is not None
        assert len(found.description) == min(length, 500)
    found = answer(description="a\n\n  b\t\x1b[31mc\x1b[0m\x07\x00 \u202ed\r\ne \ud800")
    assert found is not None
    assert found.description == "a b c \\u202ed e \\ud800"


@given(
    level=st.sampled_from(LEVELS),
    own=st.sampled_from(LEVELS),
    categories=st.lists(st.sampled_from(CATEGORY_NAMES), unique=True),
    words=st.text(max_size=700),
)
def test_a_model_takes_nothing_away(level: Any, own: Any, categories: list[Any], words: str) -> None:
    """Required: the offline layer is a floor."""
    offline = OFFLINE.but(risk_level=own)
    said = answer(description=words, risk_level=level, risk_categories=categories)
    if said is None:
        return
    both = with_offline(said, offline, prompt_version="1")
    assert RANK[both.risk_level] == max(RANK[level], RANK[own])
    assert both.risk_categories[:1] == offline.risk_categories
    assert len(both.risk_categories) <= 3
    assert both.reasons[:1] == offline.reasons
    assert both.description.startswith("Deletes a lot. A model says: ")
    assert len(both.description) <= 500
    assert both.description.isprintable()
    assert (both.source, both.prompt_version, both.facts) == ("both", "1", offline.facts)


def test_without_an_offline_assessment_the_level_is_medium_at_least() -> None:
    """Our choice: a model alone cannot call a command harmless."""
    alone = with_offline(ANSWER.but(level="low"), None, prompt_version="1")
    assert (alone.risk_level, alone.source, alone.confidence) == ("medium", "model", "low")
    assert with_offline(ANSWER.but(level="high"), None, prompt_version="1").risk_level == "high"


def test_long_words_of_our_own_leave_room_for_the_models() -> None:
    both = with_offline(ANSWER, OFFLINE.but(description="o" * 500), prompt_version="1")
    assert both.description.endswith("A model says: Deletes build.")
