"""The ladder, told as conversations, and its invariants under any conversation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.gate.escalation import (
    AGAIN_MAX,
    ATTEMPTS_MAX,
    QUESTIONS_MAX,
    TOO_MANY,
    AskReviewer,
    Escalation,
    Finish,
    Judge,
    Rules,
    Run,
    offer,
)
from sandgate.protocol.decisions import RETRY_REASON, RETRY_WIDER, Decision, Refusal
from sandgate.protocol.denials import Denial, DenialReport
from sandgate.protocol.held_calls import HeldAnswer
from sandgate.protocol.permissions import ESCALATE, Grant
from sandgate.protocol.verdicts import Allow, Ask, Forbid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.gate.escalation import Step
    from sandgate.protocol.decisions import ReviewDecision
    from sandgate.protocol.verdicts import Verdict

MOTD = Grant("write_path", "/etc/motd")
INSIDE = Grant("write_path", "/repo/out")
CACHE = Grant("write_root", "/home/u/.cache")
ON_FAILURE = Rules(policy="on-failure", confines=True, may_ask_after_denial=True, workspace="/repo")
NOT_DENIED = DenialReport("not_denied")


def denied(*grants: Grant | None) -> DenialReport:
    return DenialReport("denied", tuple(Denial("write", path="/etc/motd", grant=grant) for grant in grants))


def answered(decision: Any, *grants: Grant, stage: Any = "retry", source: Any = "user") -> Decision:
    return Decision(stage, decision, source, grants)


def test_an_allowed_command_runs_confined_and_ends() -> None:
    ladder = Escalation(Allow(), ON_FAILURE)
    assert ladder.begin() == Run("policy on-failure")
    assert ladder.attempted(NOT_DENIED, failed=True) == Finish()


def test_a_denial_is_offered_with_the_smallest_grant_and_approval_runs_with_exactly_that() -> None:
    ladder = Escalation(Allow(), ON_FAILURE)
    ladder.begin()
    report = denied(MOTD, MOTD)
    assert ladder.attempted(report, failed=True) == AskReviewer(
        "retry", RETRY_WIDER, (MOTD,), report, may_escalate=True
    )
    assert ladder.reviewed(answered("approved", MOTD)) == Run("approved by user (once)", (MOTD,))
    assert ladder.attempted(NOT_DENIED, failed=True) == Finish()


def test_a_command_that_coped_with_a_denial_is_not_asked_about() -> None:
    ladder = Escalation(Allow(), ON_FAILURE)
    ladder.begin()
    assert ladder.attempted(denied(MOTD), failed=False) == Finish()


def test_a_refused_retry_keeps_the_result_of_the_attempt() -> None:
    ladder = Escalation(Allow(), ON_FAILURE)
    ladder.begin()
    ladder.attempted(denied(MOTD), failed=True)
    assert ladder.reviewed(answered("denied")) == Finish()


def test_abort_at_the_retry_stops_the_turn() -> None:
    ladder = Escalation(Allow(), ON_FAILURE)
    ladder.begin()
    ladder.attempted(denied(MOTD), failed=True)
    assert ladder.reviewed(answered("abort")) == Finish(aborted=True)


def test_a_grant_that_did_not_help_leaves_only_the_way_out_of_the_sandbox() -> None:
    ladder = Escalation(Allow(), ON_FAILURE)
    ladder.begin()
    ladder.attempted(denied(MOTD), failed=True)
    ladder.reviewed(answered("approved", MOTD))
    step = ladder.attempted(denied(MOTD), failed=True)
    assert isinstance(step, AskReviewer)
    assert (step.grants, step.reason) == ((ESCALATE,), RETRY_REASON)


def test_a_new_denial_after_a_grant_is_a_new_question_and_grants_add_up() -> None:
    ladder = Escalation(Allow(), ON_FAILURE)
    ladder.begin()
    ladder.attempted(denied(MOTD), failed=True)
    ladder.reviewed(answered("approved", MOTD))
    step = ladder.attempted(denied(CACHE), failed=True)
    assert isinstance(step, AskReviewer)
    assert step.grants == (CACHE,)
    assert ladder.reviewed(answered("approved", CACHE)) == Run("approved by user (once)", (MOTD, CACHE))


@pytest.mark.parametrize("policy", ["never", "on-request"])
def test_without_the_right_to_ask_a_denial_is_only_reported(policy: str) -> None:
    ladder = Escalation(Allow(), Rules(policy=policy, confines=True, may_ask_after_denial=False))
    ladder.begin()
    assert ladder.attempted(denied(MOTD), failed=True) == Finish()


def test_a_denial_nothing_would_remove_is_not_asked_about() -> None:
    ladder = Escalation(Allow(), ON_FAILURE)
    ladder.begin()
    assert ladder.attempted(denied(None), failed=True) == Finish()


def test_forbidden_refuses_before_anything_runs() -> None:
    ladder = Escalation(Forbid("`rm` rejected", by="rule"), ON_FAILURE)
    assert ladder.begin() == Finish(Refusal("rule", "`rm` rejected"))


def test_a_refused_question_before_the_first_run_is_a_refusal() -> None:
    ladder = Escalation(Ask(), ON_FAILURE)
    assert ladder.begin() == AskReviewer("initial", "", covers_retry=True)
    assert ladder.reviewed(answered("denied", stage="initial")) == Finish(
        Refusal("reviewer", "exec command rejected by user")
    )


def test_a_review_that_missed_its_deadline_is_not_called_a_users_no() -> None:
    ladder = Escalation(Ask(), ON_FAILURE)
    ladder.begin()
    step = ladder.reviewed(answered("timed_out", stage="initial"))
    assert isinstance(step, Finish)
    assert step.refusal is not None
    assert "deadline" in step.refusal.why


def test_an_approved_command_is_retried_silently_inside_the_workspace_and_only_once() -> None:
    ladder = Escalation(Ask(), ON_FAILURE)
    ladder.begin()
    assert ladder.reviewed(answered("approved", stage="initial")) == Run("approved by user (once)")
    step = ladder.attempted(denied(INSIDE), failed=True)
    assert step == Run("approved by user (once), which covers one retry with what it lacked", (INSIDE,))
    again = ladder.attempted(denied(Grant("write_path", "/repo/other")), failed=True)
    assert isinstance(again, AskReviewer)


@pytest.mark.parametrize(
    "grant",
    [
        MOTD,
        Grant("write_path", "/repo/.envrc"),
        Grant("write_root", "/repo/sub/.git/hooks"),
        Grant("write_root", "/repo"),
        Grant("write_path", "/repository/x"),
        Grant("read_path", "/repo/secret"),
        Grant("unix_socket", "/repo/s"),
        Grant("host", "*"),
    ],
)
def test_secrets_sockets_the_network_and_other_places_are_always_shown_first(grant: Grant) -> None:
    """An attacker solicited them behind one careless yes."""
    ladder = Escalation(Ask(), ON_FAILURE)
    ladder.begin()
    ladder.reviewed(answered("approved", stage="initial"))
    assert isinstance(ladder.attempted(denied(grant), failed=True), AskReviewer)


def test_what_is_only_guessed_is_never_granted_silently() -> None:
    ladder = Escalation(Ask(), ON_FAILURE)
    ladder.begin()
    ladder.reviewed(answered("approved", stage="initial"))
    guess = DenialReport("denied", (Denial("write", path="/repo/out", certain=False, grant=INSIDE),))
    assert isinstance(ladder.attempted(guess, failed=True), AskReviewer)


def test_a_silent_retry_never_leaves_the_sandbox() -> None:
    ladder = Escalation(Ask(), ON_FAILURE)
    ladder.begin()
    ladder.reviewed(answered("approved", stage="initial"))
    step = ladder.attempted(denied(ESCALATE), failed=True)
    assert isinstance(step, AskReviewer)
    assert step.grants == (ESCALATE,)


def test_when_told_to_ask_an_approved_command_is_asked_about_again() -> None:
    ladder = Escalation(Ask(), ON_FAILURE.but(retry_after_approval="ask"))
    ladder.begin()
    ladder.reviewed(answered("approved", stage="initial"))
    assert isinstance(ladder.attempted(denied(MOTD), failed=True), AskReviewer)


def test_a_wish_to_leave_the_sandbox_is_what_the_first_question_grants() -> None:
    ladder = Escalation(Ask(), ON_FAILURE.but(policy="on-request", wants_escalation=True))
    assert ladder.begin() == AskReviewer("initial", "", (ESCALATE,))
    step = ladder.reviewed(answered("approved", ESCALATE, stage="initial"))
    assert isinstance(step, Run)
    assert step.escalated
    assert ladder.attempted(denied(MOTD), failed=True) == Finish()


def test_a_rule_may_bypass_the_sandbox_and_the_trail_says_so() -> None:
    step = Escalation(Allow(bypass_sandbox=True), ON_FAILURE).begin()
    assert isinstance(step, Run)
    assert step.escalated
    assert step.allowed_by.startswith("rule")


def test_what_the_session_granted_is_used_at_once() -> None:
    step = Escalation(Allow(), ON_FAILURE.but(remembered=(MOTD,))).begin()
    assert step == Run("approved earlier in this session", (MOTD,))


def test_an_answer_without_a_question_is_a_bug() -> None:
    with pytest.raises(AssertionError, match="no question"):
        Escalation(Allow(), ON_FAILURE).reviewed(answered("approved"))


def test_a_denial_the_host_would_repeat_does_not_widen_the_offer() -> None:
    assert offer((Denial("write", grant=MOTD), Denial("other", grant=None)), ()) == ((MOTD,), True)


def test_one_denial_that_needs_the_way_out_decides_the_offer() -> None:
    assert offer((Denial("write", grant=MOTD), Denial("other", grant=ESCALATE)), ()) == ((ESCALATE,), True)


GRANTS = st.sampled_from([MOTD, CACHE, ESCALATE, None])
REPORTS = st.one_of(
    st.just(NOT_DENIED),
    st.just(DenialReport("unknown")),
    st.lists(GRANTS, min_size=1, max_size=3).map(lambda grants: denied(*grants)),
)
VERDICTS: st.SearchStrategy[Verdict] = st.sampled_from([Allow(), Allow(bypass_sandbox=True), Ask(), Forbid("no")])
RULES = st.builds(
    Rules,
    policy=st.just("p"),
    confines=st.booleans(),
    may_ask_after_denial=st.booleans(),
    wants_escalation=st.booleans(),
    remembered=st.sampled_from([None, (), (MOTD,), (ESCALATE,)]),
    retry_after_approval=st.sampled_from(["silent", "ask"]),
)
ANSWERS: st.SearchStrategy[ReviewDecision] = st.sampled_from(
    ["approved", "approved_for_session", "denied", "abort", "timed_out"]
)


@given(VERDICTS, RULES, st.data())
def test_no_conversation_runs_unconfined_without_one_of_the_four_reasons(
    verdict: Verdict, rules: Rules, data: st.DataObject
) -> None:
    """Required: an unconfined run has a policy, a rule, or an approval that named it; runs are bounded."""
    ladder = Escalation(verdict, rules)
    step: Step = ladder.begin()
    runs, approvals, moves, named = 0, 0, 0, False
    silent = isinstance(verdict, Ask)
    while not isinstance(step, Finish):
        if isinstance(step, AskReviewer):
            decision = data.draw(ANSWERS)
            given = step.grants if decision.startswith("approved") else ()
            approvals += bool(given) or decision.startswith("approved")
            named = named or ESCALATE in given
            step = ladder.reviewed(Decision(step.stage, decision, "user", given))
            continue
        if isinstance(step, Judge):
            assert runs == approvals == 0, "what an answer of this passage allowed is asked about again"
            verdict, rules = data.draw(VERDICTS), data.draw(RULES)
            silent = silent or isinstance(verdict, Ask)
            step = ladder.judged(verdict, rules)
            continue
        if data.draw(st.booleans()):
            moves += 1
            step = ladder.moved("x")
            continue
        runs += 1
        if step.escalated:
            by_rule = isinstance(verdict, Allow) and verdict.bypass_sandbox
            by_session = rules.remembered is not None and ESCALATE in rules.remembered
            assert named or by_rule or by_session
        step = ladder.attempted(data.draw(REPORTS), failed=data.draw(st.booleans()))
    assert moves <= AGAIN_MAX + 1
    assert runs <= min(ATTEMPTS_MAX, 1 + approvals + silent)
    assert (step.refusal is None) or runs == 0


HELD = Denial("create", path="/home/u/k", grant=None)
KEY = (Grant("new_entry", "/home/u/k"),)


def running(rules: Rules = ON_FAILURE) -> Escalation:
    ladder = Escalation(Allow(), rules)
    ladder.begin()
    return ladder


def test_a_held_call_is_asked_about_and_a_yes_stays_with_the_command() -> None:
    ladder = running()
    assert ladder.held(HELD, KEY) == AskReviewer("held", "", KEY, DenialReport("denied", (HELD,)))
    assert ladder.held_answered(answered("approved", *KEY, stage="held")) == HeldAnswer(KEY)
    assert ladder.held(HELD, KEY) == HeldAnswer(KEY)  # another call for the same, without a question
    ladder.attempted(denied(MOTD), failed=True)
    assert ladder.reviewed(answered("approved", MOTD)) == Run("approved by user (once)", (*KEY, MOTD))


def test_a_no_to_a_held_call_is_never_asked_again_not_even_afterwards() -> None:
    """Required: neither while it runs nor when it has failed because of it."""
    ladder = running()
    ladder.held(HELD, KEY)
    assert ladder.held_answered(answered("denied", stage="held")) == HeldAnswer()
    assert ladder.held(HELD, KEY) == HeldAnswer()
    report = DenialReport("denied", (HELD.but(grant=KEY[0]),))
    assert ladder.attempted(report, failed=True) == Finish()


def test_what_could_not_be_held_is_still_asked_about_when_it_has_failed() -> None:
    ladder = running()
    ladder.held(HELD, KEY)
    ladder.held_answered(answered("denied", stage="held"))
    both = DenialReport("denied", (HELD.but(grant=KEY[0]), Denial("read", path="/etc/s", grant=MOTD)))
    step = ladder.attempted(both, failed=True)
    assert isinstance(step, AskReviewer)
    assert (step.stage, step.grants) == ("retry", (MOTD,))
    other = running()
    assert other.held(HELD, None) == HeldAnswer()
    assert isinstance(other.attempted(DenialReport("denied", (HELD.but(grant=KEY[0]),)), failed=True), AskReviewer)


@pytest.mark.parametrize(
    ("wanted", "asked"),
    [("/repo/made", False), ("/repo/.vscode", True), ("/repo/a/.git/x", True), ("/elsewhere", True)],
)
def test_a_yes_before_it_runs_covers_what_it_lacks_in_the_workspace(wanted: str, asked: bool) -> None:
    """Required: what the first question said that a yes gives is not asked for again, and nothing else is given."""
    ladder = Escalation(Ask(()), ON_FAILURE)
    ladder.begin()
    ladder.reviewed(answered("approved", stage="initial"))
    grants = (Grant("new_entry", wanted),)
    step = ladder.held(Denial("create", path=wanted), grants)
    assert isinstance(step, AskReviewer) == asked
    assert step == HeldAnswer(grants) or asked


def test_who_said_nothing_before_it_ran_covers_nothing() -> None:
    assert isinstance(running().held(Denial("create", path="/repo/x"), (Grant("new_entry", "/repo/x"),)), AskReviewer)


def test_a_call_that_nothing_helps_is_refused_without_a_question() -> None:
    assert running().held(HELD, ()) == HeldAnswer()
    never = Rules(policy="never", confines=True, may_ask_after_denial=False)
    assert running(never).held(HELD, KEY) == HeldAnswer()


def test_a_dialogue_is_asked_about_while_it_runs_and_is_not_run_again() -> None:
    """Required: another run would be given what was typed for this one."""
    ladder = running(ON_FAILURE.but(repeats_typing=True))
    assert isinstance(ladder.held(HELD, KEY), AskReviewer)
    assert ladder.held_answered(answered("approved", *KEY, stage="held")) == HeldAnswer(KEY)
    assert ladder.attempted(denied(MOTD), failed=True) == Finish()
    assert Escalation(Ask(), ON_FAILURE.but(repeats_typing=True)).begin() == AskReviewer("initial", "")


def test_after_so_many_questions_a_command_is_refused_and_told_once() -> None:
    ladder = running()
    for number in range(QUESTIONS_MAX):
        path = f"/home/u/{number}"
        assert isinstance(ladder.held(HELD.but(path=path), (Grant("new_entry", path),)), AskReviewer)
        ladder.held_answered(answered("denied", stage="held"))
    assert ladder.held(HELD, KEY) == HeldAnswer(said=TOO_MANY)
    assert ladder.held(HELD.but(path="/home/u/more"), KEY) == HeldAnswer()


def test_what_was_answered_for_the_session_is_no_question_of_the_command() -> None:
    """Required: a command may make many files in a place that was given for the session."""
    ladder = running()
    for number in range(QUESTIONS_MAX * 2):
        grant = Grant("new_entry", f"/home/u/made/{number}")
        assert isinstance(ladder.held(HELD.but(path=grant.value), (grant,)), AskReviewer)
        given = answered("approved_for_session", grant, stage="held", source="cache")
        assert ladder.held_answered(given) == HeldAnswer((grant,))


def test_what_nobody_could_be_asked_about_is_asked_about_for_the_next_caller() -> None:
    """Required: nobody said no; until then it is not asked about again, and a real no stays one."""
    ladder = running()
    denied_by_user = HELD.but(path="/home/u/no")
    ladder.held(denied_by_user, KEY)
    ladder.held_answered(answered("denied", stage="held"))
    ladder.held(HELD, KEY)
    assert ladder.held_answered(answered("denied", stage="held", source="none")) == HeldAnswer()
    assert ladder.held(HELD, KEY) == HeldAnswer()
    ladder.held_for_another()
    assert ladder.held(denied_by_user, KEY) == HeldAnswer()
    assert isinstance(ladder.held(HELD, KEY), AskReviewer)


def test_the_questions_are_counted_anew_for_the_next_caller() -> None:
    """Required: a shell that lives for a day is asked about in its second hour, and a flood stays bounded."""
    ladder = running()
    for turn in range(2):
        for number in range(QUESTIONS_MAX):
            path = f"/home/u/{turn}-{number}"
            assert isinstance(ladder.held(HELD.but(path=path), (Grant("new_entry", path),)), AskReviewer)
            ladder.held_answered(answered("denied", stage="held"))
        assert ladder.held(HELD, KEY) == HeldAnswer(said=TOO_MANY)
        ladder.held_for_another()
    assert isinstance(ladder.held(HELD, KEY), AskReviewer)


def test_abort_at_a_held_call_ends_the_command_and_the_turn() -> None:
    ladder = running()
    ladder.held(HELD, KEY)
    assert ladder.held_answered(answered("abort", stage="held")) == HeldAnswer(stop=True)
    assert ladder.held(HELD.but(path="/x"), KEY) == HeldAnswer()
    assert ladder.attempted(denied(MOTD), failed=True) == Finish(aborted=True)


def test_a_question_that_nobody_waits_for_any_more_is_no_no() -> None:
    """Required: an interrupted call may be made again, and is asked about again."""
    ladder = running()
    ladder.held(HELD, KEY)
    ladder.held_withdrawn()
    assert isinstance(ladder.held(HELD, KEY), AskReviewer)


PLACES = st.sampled_from(["/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h", "/i", "/j", "/k"])


@given(RULES, st.lists(st.tuples(PLACES, st.sampled_from([True, False, None]), ANSWERS), max_size=30))
def test_no_run_of_held_calls_asks_twice_about_one_or_more_often_than_it_may(
    rules: Rules, calls: list[tuple[str, bool | None, ReviewDecision]]
) -> None:
    """Required: whatever is held and answered, in any order."""
    ladder = Escalation(Allow(), rules)
    ladder.begin()
    asked: list[str] = []
    given: set[Grant] = set()
    for path, helps, decision in calls:
        grants = (Grant("new_entry", path),)
        step = ladder.held(HELD.but(path=path), grants if helps else () if helps is False else None)
        if isinstance(step, HeldAnswer):
            assert set(step.grants) <= given, "it was given what nobody approved"
            continue
        asked.append(path)
        assert rules.confines
        assert rules.may_ask_after_denial
        answer = ladder.held_answered(Decision("held", decision, "user", grants if "approved" in decision else ()))
        given |= set(answer.grants)
    assert len(asked) == len(set(asked)) <= QUESTIONS_MAX
