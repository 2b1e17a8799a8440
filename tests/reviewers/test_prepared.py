"""Prepared answers."""

import pytest

from sandgate.errors import RequestError
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import Amendment, ApprovalRequest, Decision
from sandgate.protocol.permissions import Grant
from sandgate.reviewers.prepared import ANSWERS, ScriptedReviewer

MOTD = Grant("write_path", "/etc/motd")
RETRY = ApprovalRequest(
    "r", "c", "retry", CommandRequest(("touch", "/etc/motd"), "/", {}), "", (MOTD,), may_escalate=True
)


def test_answers_are_given_in_order_and_then_the_question_goes_on() -> None:
    reviewer = ScriptedReviewer(("approve", "deny", "approve-session", "abort"))
    assert [reviewer.review(RETRY) for _ in range(5)] == [
        Decision("retry", "approved", "script", (MOTD,)),
        Decision("retry", "denied", "script"),
        Decision("retry", "approved_for_session", "script", (MOTD,)),
        Decision("retry", "abort", "script"),
        None,
    ]


def test_an_approval_gives_nothing_that_was_not_offered() -> None:
    """Required: also where leaving the sandbox is possible."""
    assert ScriptedReviewer(("approve",)).review(RETRY.but(grants=())) == Decision("retry", "approved", "script")


def test_an_unknown_answer_is_noticed_before_anything_runs() -> None:
    with pytest.raises(RequestError, match="`--answer yes` is not an answer") as caught:
        ScriptedReviewer(("approve", "yes"))
    assert (
        caught.value.hint
        == "use one of: approve, approve-session, approve-session-changing, approve-always, deny, abort"
    )


def test_a_prepared_answer_saves_the_rule_that_is_offered_and_without_one_it_is_a_no() -> None:
    """Required: an answer that was not offered is never taken for a smaller yes."""
    offered = RETRY.but(amendment=Amendment(("touch",)))
    always = Decision("retry", "approved_with_amendment", "script", (MOTD,), amendment=Amendment(("touch",)))
    assert ScriptedReviewer(("approve-always",)).review(offered) == always
    refused = ScriptedReviewer(("approve-always",)).review(RETRY)
    assert refused is not None
    assert (refused.decision, refused.grants, refused.amendment) == ("denied", (), None)
    assert "no lasting rule is on offer" in refused.reason
    assert [answer for answer in ANSWERS if answer in refused.reason.partition("on offer: ")[2]] == [
        "approve",
        "approve-session",
        "deny",
        "abort",
    ]
