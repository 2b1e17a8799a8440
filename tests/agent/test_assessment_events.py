"""What is known about risk, as events: a model's words with what asking cost, each told once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandgate.agent.assessment_events import AssessmentEvents
from sandgate.protocol.events import SandboxAssessment
from sandgate.protocol.risk import RiskAssessment
from sandgate.protocol.trace import ApprovalUpdated, RiskAssessed
from sandgate.protocol.usage import TokenUsage

if TYPE_CHECKING:
    from sandgate.protocol.events import EventMessage

RISK = RiskAssessment("Removes things.", "high")
COST = TokenUsage(input_tokens=7, output_tokens=2, total_tokens=9)


def test_what_asking_costs_is_summed_apart_and_words_belong_to_their_question() -> None:
    """Required: no words are told of a question whose answer was not heard."""
    told: list[EventMessage] = []
    events = AssessmentEvents(lambda _call, message: told.append(message))
    events.ended(RiskAssessed("c", "timeout", 5, "v", request_id="q1", usage=COST))
    events.ended(RiskAssessed("c", "success", 6, "v", "high", request_id="q2", usage=COST))
    events.updated(ApprovalUpdated("q2", RISK))
    events.updated(ApprovalUpdated("q3", RISK))
    first, second = told
    assert isinstance(first, SandboxAssessment)
    assert isinstance(second, SandboxAssessment)
    assert (first.approval_id, first.risk, first.total_token_usage) == ("q1", None, COST)
    assert (second.approval_id, second.risk, second.total_token_usage) == ("q2", RISK, COST.plus(COST))
