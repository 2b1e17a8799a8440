"""On whose word a call was carried out; what really carries it out is in tests/journeys/test_held_calls.py."""

from __future__ import annotations

from sandgate.gate.attempts import with_performed
from sandgate.protocol.confinement import AttemptOutcome, ConfinedCommand
from sandgate.protocol.decisions import Attempt, Decision, HeldQuestion
from sandgate.protocol.denials import Denial, DenialReport
from sandgate.protocol.held_calls import PerformedCall
from sandgate.protocol.permissions import EffectivePermissions, Grant, RuleGrant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.decisions import DecisionSource

PLAN = ConfinedCommand("namespace", ("x",), "/", {}, EffectivePermissions())
RUN = Attempt(True, "namespace", (), None, DenialReport("not_denied"), "policy on-failure", PLAN.permissions)
NEW = Grant("new_entry", "/home/u/d")
OTHER = Grant("write_path", "/home/u/x/note")


def question(number: int, grant: Grant, source: DecisionSource = "user") -> HeldQuestion:
    denial = Denial("create", path=grant.value)
    return HeldQuestion(number, denial, Decision("held", "approved", source, (grant,)), waited_ms=5)


def told(
    *calls: PerformedCall,
    attempt: Attempt = RUN,
    plan: ConfinedCommand = PLAN,
    session: tuple[Grant, ...] = (),
) -> list[tuple[bool, str]]:
    outcome = AttemptOutcome(None, performed=calls, performed_omitted=3)
    found = with_performed(attempt, outcome, plan, session)
    assert found.performed_omitted == 3
    return [(each.asked, each.allowed_by) for each in found.performed]


def test_the_call_that_was_asked_about_has_that_answer_and_what_lies_below_it_too() -> None:
    asked = RUN.but(held=(question(1, NEW),))
    below = PerformedCall(0, "create", "/home/u/d/f")
    assert told(PerformedCall(1, "create", "/home/u/d"), below, attempt=asked) == [
        (True, "approved by user (once)"),
        (False, "approved by user (once)"),
    ]


def test_a_call_that_waited_and_was_given_meanwhile_is_no_question() -> None:
    """Required: it has a number, and nobody was asked about it."""
    asked = RUN.but(held=(question(1, NEW),))
    assert told(PerformedCall(2, "write", "/home/u/d"), attempt=asked) == [(False, "approved by user (once)")]


def test_a_call_that_was_made_again_after_a_signal_has_the_answer_to_the_first() -> None:
    asked = RUN.but(held=(question(1, NEW),))
    assert told(PerformedCall(2, "create", "/home/u/d"), attempt=asked) == [(True, "approved by user (once)")]


def test_a_name_that_goes_on_from_a_new_file_says_from_which() -> None:
    key = Grant("new_entry", "/home/u/.ssh/k2")
    asked = RUN.but(held=(question(1, key),))
    calls = (PerformedCall(1, "create", key.value), PerformedCall(0, "create", f"{key.value}.pub"))
    found = with_performed(asked, AttemptOutcome(None, performed=calls), PLAN, ())
    assert [each.beside for each in found.performed] == ["", key.value]
    assert found.performed[1].allowed_by == "approved by user (once)"


def test_a_name_that_was_granted_itself_goes_on_from_none() -> None:
    both = (Grant("new_entry", "/home/u/k"), Grant("new_entry", "/home/u/k.pub"))
    call = PerformedCall(0, "create", "/home/u/k.pub")
    found = with_performed(RUN.but(grants=both), AttemptOutcome(None, performed=(call,)), PLAN, ())
    assert found.performed[0].beside == ""


def test_what_the_first_yes_covers_is_on_the_word_of_that() -> None:
    allowed = RUN.but(allowed_by="approved by user (once)")
    waited, later = PerformedCall(1, "create", "/ws/made"), PerformedCall(0, "create", "/ws/made/f")
    assert told(waited, later, attempt=allowed) == [(False, "approved by user (once)")] * 2


def test_what_holds_for_the_session_was_approved_earlier() -> None:
    call = PerformedCall(0, "create", "/home/u/d/f")
    assert told(call, plan=PLAN.but(supervised_grants=(NEW,)), session=(NEW,)) == [
        (False, "approved earlier in this session")
    ]
    answered = RUN.but(held=(question(1, NEW, "cache"),))
    assert told(PerformedCall(1, "create", "/home/u/d"), attempt=answered) == [
        (False, "approved earlier in this session")
    ]


def test_nobody_is_named_for_what_a_setting_allows_also_where_somebody_was_asked() -> None:
    """Required: never told as decided by somebody who did not."""
    configured = PLAN.but(supervised_grants=(NEW,))
    asked = RUN.but(held=(question(1, OTHER),))
    assert told(PerformedCall(0, "create", "/home/u/d"), attempt=asked, plan=configured) == [(False, "")]


def test_a_name_beside_a_file_that_two_may_have_given_names_nobody() -> None:
    beside = PerformedCall(0, "create", "/home/u/x/sedAb12")
    asked = RUN.but(held=(question(1, OTHER),))
    assert told(beside, attempt=asked) == [(False, "approved by user (once)")]
    near = PLAN.but(supervised_grants=(Grant("write_path", "/home/u/x/b"),))
    assert told(beside, attempt=asked, plan=near) == [(False, "")]


def test_a_rule_about_a_directory_did_not_give_the_name_beside_a_file() -> None:
    """`vim ~/note` writes `~/note~` on the yes to `~/note`, whatever a rule says about `~/made`."""
    asked = RUN.but(held=(question(1, OTHER),))
    plan = PLAN.but(by_rules=(RuleGrant(Grant("write_root", "/home/u/x/made"), "rule `made`"),))
    backup = PerformedCall(0, "create", f"{OTHER.value}~")
    assert told(backup, attempt=asked, plan=plan) == [(False, "approved by user (once)")]
    inside = PerformedCall(0, "create", "/home/u/x/made/f")
    assert told(inside, attempt=asked, plan=plan) == [(False, "rule `made`")]


def test_an_answer_that_was_no_allows_nothing() -> None:
    no = question(1, NEW)
    denied = RUN.but(held=(no.but(decision=no.decision.but(decision="denied", grants=())),))
    assert told(PerformedCall(1, "create", "/home/u/d"), attempt=denied) == [(False, "")]
