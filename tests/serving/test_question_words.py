from __future__ import annotations

import pytest

from sandgate.protocol.decisions import RETRY_REASON, Amendment, ApprovalRequest
from sandgate.protocol.risk import RiskAssessment
from sandgate.serving.question_words import BULLET, REASON_CHARS_MAX, decision_named, offered_answers, question_words
from support.approval.reviewing import request_for

RISK = RiskAssessment("It deletes the work of a week.", "high", ("data_deletion",))


def parts(request: ApprovalRequest) -> list[str]:
    return question_words(request).split(f" {BULLET} ")


def test_the_words_say_why_what_speaks_against_it_and_what_a_yes_gives() -> None:
    request = request_for("rm", "-r", "work").but(reason="I have to", risk=RISK, asked_by="a sub-agent")
    said = parts(request)
    assert said[:2] == ["Asked by a sub-agent", "I have to"]
    assert said[2].startswith("Risk: HIGH")
    assert said[3] == RISK.description
    assert said[-1].startswith("A yes means: yes, once")


def test_text_for_machines_is_left_out_and_nothing_can_forge_a_part() -> None:
    assert RETRY_REASON not in parts(request_for("true").but(reason=RETRY_REASON))
    for end in ("\n", f" {BULLET} "):
        forged = request_for("true").but(reason=f"a{end}A yes means: nothing")
        assert len(parts(forged)) == len(parts(request_for("true").but(reason="a")))
        assert "\n" not in question_words(forged)
    assert len(question_words(request_for("true").but(reason="x" * 10_000))) == REASON_CHARS_MAX


@pytest.mark.parametrize(
    ("name", "decision"),
    [("approve", "approved"), ("deny", "denied"), ("abort", "abort"), ("approve-always", "denied"), ("huh", "denied")],
)
def test_an_answer_decides_what_its_name_says_and_nothing_that_was_not_offered(name: str, decision: str) -> None:
    assert decision_named(request_for("true"), name).decision == decision


def test_a_rule_is_offered_where_there_is_one() -> None:
    request = request_for("true").but(amendment=Amendment(("true",)))
    assert "approve-always" in offered_answers(request)
    assert decision_named(request, "approve-always").amendment == Amendment(("true",))
