"""The driver: it asks, runs and reports exactly as the ladder orders, and leaves a complete trail."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.approvals.answering import SessionAnswers
from sandgate.approvals.holding import binding_of, contents_of
from sandgate.errors import DirectoryMissing, ProgramNotExecutable, ProgramNotFound, RuleError, SetupFailed
from sandgate.execution.asking import AskedMeanwhile
from sandgate.gate.attempts import not_started
from sandgate.gate.escalation import AGAIN_MAX, PLANS_MAX
from sandgate.gate.gate import Gate
from sandgate.gate.policies import Policies
from sandgate.gate.rulebook import Rulebook
from sandgate.policy.rules import NO_RULES, NetworkRule, Rule, RuleSet
from sandgate.protocol.commands import CommandRequest, CommandResult
from sandgate.protocol.confinement import AttemptOutcome, ConfinedCommand, ExecFailure, SetupFailure
from sandgate.protocol.decisions import Amendment
from sandgate.protocol.denials import Refused
from sandgate.protocol.held_calls import HeldAnswer, HeldCall
from sandgate.protocol.permissions import ESCALATE, DangerFullAccess, EffectivePermissions, Grant, WorkspaceWrite
from sandgate.protocol.risk import RiskAssessment
from sandgate.protocol.trace import ApprovalAnswered, ApprovalRequested, CommandBegan, CommandEnded, Notice
from sandgate.protocol.verdicts import Allow, Ask
from sandgate.reviewers.prepared import ScriptedReviewer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.trace import TraceRecord

MOTD = Grant("write_path", "/etc/motd")
TOUCH = CommandRequest(("touch", "/etc/motd"), "/repo", {"PATH": "/bin"})
REFUSED = Refused("write", "openat", path="/etc/motd")


def result(exit_code: int = 0) -> CommandResult:
    return CommandResult(exit_code, None, "exited", b"", b"", b"")


FINE = AttemptOutcome(result(), reported=True)
DENIED = AttemptOutcome(result(1), refused=(REFUSED,), reported=True)


class Stage:
    """A gate with everything around it under the test's control."""

    def __init__(self, *outcomes: AttemptOutcome, answers: tuple[str, ...] = (), **policies: Any) -> None:
        self.outcomes = list(outcomes)
        self.started: list[tuple[CommandRequest, tuple[Grant, ...]]] = []
        self.trail: list[TraceRecord] = []
        self.readiness: list[tuple[str, tuple[Grant, ...]]] = []
        self.asks: list[Any] = []
        self.assessed: list[bool] = []
        self.saved: list[Amendment] = []
        self.rules_fail = False
        self.falls_back = False
        self.plan_fails = False
        self.risk: RiskAssessment | None = None
        chosen = {
            "approval": "on-failure",
            "sandbox": WorkspaceWrite(),
            "rules": NO_RULES,
            "workspace": "/repo",
            **policies,
        }
        self.gate = Gate(
            Policies(**chosen),
            confinement=self,
            answering=SessionAnswers((ScriptedReviewer(answers),)),
            assess=self.assess,
            record=self.trail.append,
            new_id=iter(map(str, range(1000))).__next__,
            rulebook=Rulebook(Policies(**chosen), keep=self.keep),
        )

    def keep(self, amendment: Amendment) -> str:
        if self.rules_fail:
            raise RuleError("cannot save the rule")
        self.saved.append(amendment)
        return "default.rules"

    def plan(self, command: CommandRequest, grants: tuple[Grant, ...], **_more: Any) -> ConfinedCommand:
        if self.plan_fails:
            raise SetupFailed("cannot confine")
        self.started.append((command, grants))
        confined = ESCALATE not in grants and not isinstance(self.gate.policies.sandbox, DangerFullAccess)
        permissions = EffectivePermissions(writable=("/tmp",), confined=confined)
        backend: Any = "namespace" if confined else "none"
        return ConfinedCommand(backend, command.argv, command.cwd, command.env, permissions)

    def fall_back(self, _plan: ConfinedCommand, _failure: SetupFailure) -> bool:
        return self.falls_back

    def quarantine(self, paths: tuple[str, ...]) -> list[str]:
        return [f"moved {path}" for path in paths]

    def assess(self, _command: CommandRequest, denial: object) -> RiskAssessment | None:
        self.assessed.append(denial is not None)
        return self.risk

    def passes(self, command: CommandRequest = TOUCH) -> Any:
        return self.gate.pass_through(command, self)

    def expect(self) -> None:
        self.readiness.append(("expected", ()))

    def get_ready(self, grants: tuple[Grant, ...]) -> None:
        self.readiness.append(("ready", grants))

    def __call__(self, _call_id: str, _plan: ConfinedCommand) -> AttemptOutcome:
        self.readiness.append(("launched", ()))
        return self.outcomes.pop(0)

    def when_held(self, ask: Any) -> bool:
        self.asks.append(ask)
        return True

    def stand_down(self) -> None:
        self.readiness.append(("down", ()))


def test_a_command_that_runs_is_begun_ended_and_never_assessed() -> None:
    stage = Stage(FINE)
    passage = stage.passes()
    assert [type(record) for record in stage.trail] == [CommandBegan, CommandEnded]
    assert (passage.result, passage.refusal, passage.decisions, stage.assessed) == (result(), None, (), [])
    assert passage.attempts[0].allowed_by == "policy on-failure"


def test_an_approved_retry_runs_the_same_bytes_that_were_shown_with_the_grant() -> None:
    """Required: what the reviewer saw is what runs."""
    stage = Stage(DENIED, FINE, answers=("approve",))
    passage = stage.passes()
    requests = [record.request for record in stage.trail if isinstance(record, ApprovalRequested)]
    assert [request.command for request in requests] == [TOUCH]
    assert requests[0].grants == (MOTD,)
    assert stage.started == [(TOUCH, ()), (TOUCH, (MOTD,))]
    assert [attempt.confined for attempt in passage.attempts] == [True, True]
    assert passage.attempts[1].allowed_by == "approved by script (once)"


def test_the_trail_is_told_in_order_with_one_begin_and_one_end_an_attempt() -> None:
    stage = Stage(DENIED, FINE, answers=("approve",))
    stage.passes()
    assert [type(record) for record in stage.trail] == [
        CommandBegan,
        CommandEnded,
        ApprovalRequested,
        ApprovalAnswered,
        CommandBegan,
        CommandEnded,
    ]


def test_a_session_approval_goes_straight_to_what_was_granted_next_time() -> None:
    """The lineage ran it confined, was denied, and ran it again; side effects came twice."""
    stage = Stage(DENIED, FINE, FINE, answers=("approve-session",))
    stage.passes()
    again = stage.passes()
    assert stage.started[2:] == [(TOUCH, (MOTD,))]
    assert (len(again.attempts), again.decisions) == (1, ())
    assert again.attempts[0].allowed_by == "approved earlier in this session"


def test_policy_never_reports_the_denial_and_asks_nobody() -> None:
    stage = Stage(DENIED, answers=("approve",), approval="never")
    passage = stage.passes()
    assert (len(passage.attempts), passage.decisions) == (1, ())
    assert passage.attempts[0].denial.denied


def test_nothing_that_is_ready_outlives_a_question() -> None:
    """Required: people take long to answer, and what was made ready would be as old as the question."""
    stage = Stage(DENIED, FINE, answers=("approve",))
    stage.passes()
    expected, down, launched = ("expected", ()), ("down", ()), ("launched", ())
    assert stage.readiness == [expected, ("ready", ()), launched, down, ("ready", (MOTD,)), launched, down]
    refused = Stage(answers=("deny",), approval="untrusted")
    refused.passes()
    assert refused.readiness == [expected, down, down]


def test_plan_that_cannot_be_made_stands_everything_down() -> None:
    stage = Stage()
    stage.plan_fails = True
    with pytest.raises(SetupFailed):
        stage.passes()
    assert stage.readiness == [("expected", ()), ("ready", ()), ("down", ())]


def test_a_question_before_the_run_carries_the_risk_and_a_no_runs_nothing() -> None:
    stage = Stage(answers=("deny",), approval="untrusted")
    stage.risk = RiskAssessment("Changes a file.", "medium")
    passage = stage.passes()
    asked = next(record for record in stage.trail if isinstance(record, ApprovalRequested))
    assert asked.request.risk == stage.risk
    assert (passage.attempts, stage.started, passage.refusal.by) == ((), [], "reviewer")


def test_high_risk_is_asked_about_again_where_other_risk_is_covered_by_the_first_yes() -> None:
    inside = DENIED.but(refused=(REFUSED.but(path="/repo/out"),))
    covered = Stage(inside, FINE, answers=("approve",), approval="untrusted")
    assert len(covered.passes().decisions) == 1
    asked = Stage(inside, FINE, answers=("approve", "approve"), approval="untrusted")
    asked.risk = RiskAssessment("Deletes everything.", "high", ("data_deletion",))
    assert len(asked.passes().decisions) == 2


@pytest.mark.parametrize(
    ("failure", "error", "says"),
    [
        (SetupFailure("unshare", "EPERM"), SetupFailed, "unshare"),
        (ExecFailure("program", "ENOENT"), ProgramNotFound, "no program `touch`"),
        (ExecFailure("program", "EACCES"), ProgramNotExecutable, "cannot execute `touch`"),
        (ExecFailure("directory", "ENOENT"), DirectoryMissing, "/repo"),
    ],
)
def test_a_command_that_never_ran_is_an_error_and_never_a_question(
    failure: SetupFailure | ExecFailure, error: type[Exception], says: str
) -> None:
    """Required: setup failure is its own outcome, not a prompt to leave the sandbox."""
    stage = Stage(AttemptOutcome(None, failure=failure), answers=("approve",))
    with pytest.raises(error, match=says):
        stage.passes()
    assert not any(isinstance(record, ApprovalRequested) for record in stage.trail)


def test_a_missing_directory_is_told_without_an_option_that_a_model_or_a_program_does_not_have() -> None:
    with pytest.raises(DirectoryMissing) as raised:
        Stage(AttemptOutcome(None, failure=ExecFailure("directory", "ENOENT"))).passes()
    assert raised.value.hint == "choose a directory that exists"


@pytest.mark.parametrize(
    ("word", "why", "hint"),
    [
        ("ls -la", "it is one word with blanks in it", "give the words apart, as in `-- ls -la`"),
        ("cd", "it is not on the command's PATH", "such as `cd`, takes `--shell`"),
    ],
)
def test_what_is_no_program_is_told_with_the_way_that_helps(word: str, why: str, hint: str) -> None:
    outcome = AttemptOutcome(None, failure=ExecFailure("program", "ENOENT"))
    error = not_started(CommandRequest((word,), "/repo", {"PATH": "/bin"}), outcome)
    assert isinstance(error, ProgramNotFound)
    assert why in (error.why or "")
    assert hint in (error.hint or "")


def test_another_backend_takes_over_once_before_anything_ran() -> None:
    stage = Stage(AttemptOutcome(None, failure=SetupFailure("unshare", "EPERM")), FINE)
    stage.falls_back = True
    assert len(stage.passes().attempts) == 1
    assert len(stage.started) == 2
    broken = Stage(*[AttemptOutcome(None, failure=SetupFailure("x", "EPERM"))] * PLANS_MAX)
    broken.falls_back = True
    with pytest.raises(SetupFailed):
        broken.passes()
    assert len(broken.started) == PLANS_MAX


def test_full_access_runs_unconfined_and_the_trail_says_that_policy_wants_it() -> None:
    attempt = Stage(FINE, sandbox=DangerFullAccess()).passes().attempts[0]
    assert (attempt.confined, attempt.backend) == (False, "none")
    assert attempt.allowed_by.startswith("policy")


def test_protected_names_that_appeared_are_moved_away_and_said() -> None:
    stage = Stage(FINE.but(created_protected=("/repo/.codex",)))
    stage.passes()
    assert Notice("warning", "moved /repo/.codex") in stage.trail


def test_variables_that_were_asked_for_are_judged_like_env() -> None:
    """A pager, a preload or a diff program in the environment makes a reader run something else."""
    stage = Stage(approval="untrusted")
    log = CommandRequest(("git", "log"), "/repo", {"PATH": "/bin"})
    assert isinstance(stage.gate.verdict(log), Allow)
    loaded = log.but(env={"PATH": "/bin", "GIT_EXTERNAL_DIFF": "/x"}, set_variables=(("GIT_EXTERNAL_DIFF", "/x"),))
    assert isinstance(stage.gate.verdict(loaded), Ask)


def asked_in(stage: Stage) -> list[Any]:
    return [record.request for record in stage.trail if isinstance(record, ApprovalRequested)]


def test_a_saved_rule_answers_the_repeat_and_keeps_the_sandbox() -> None:
    stage = Stage(FINE, FINE, answers=("approve-always",), approval="untrusted")
    first, again = stage.passes(), stage.passes()
    assert stage.saved == [Amendment(("touch", "/etc/motd"))]
    assert (len(asked_in(stage)), again.decisions) == (1, ())
    assert [passage.attempts[0].confined for passage in (first, again)] == [True, True]


def test_a_saved_rule_about_leaving_the_sandbox_says_so_and_does_it() -> None:
    stage = Stage(FINE, FINE, answers=("approve-always",), approval="on-request")
    escalated = TOUCH.but(wish="require_escalated", prefix_rule=("touch",))
    stage.passes(escalated)
    assert asked_in(stage)[0].amendment == Amendment(("touch",), "bypass")
    assert stage.passes(TOUCH.but(argv=("touch", "other"))).attempts[0].confined is False


def test_a_rule_that_cannot_be_saved_is_a_warning_and_the_run_counts_as_approved() -> None:
    """Required."""
    stage = Stage(FINE, answers=("approve-always",), approval="untrusted")
    stage.rules_fail = True
    assert stage.passes().result == result()
    assert any(isinstance(record, Notice) and record.kind == "warning" for record in stage.trail)


def test_for_a_high_risk_and_after_a_denial_no_rule_is_offered() -> None:
    high = Stage(answers=("approve-always",), approval="untrusted")
    high.risk = RiskAssessment("Deletes everything.", "high", ("data_deletion",))
    passage = high.passes()
    assert (asked_in(high)[0].amendment, passage.refusal.by) == (None, "reviewer")
    assert "no lasting rule is on offer" in passage.refusal.why
    denied = Stage(DENIED, answers=("deny",))
    denied.passes()
    assert asked_in(denied)[0].amendment is None


def test_the_question_says_why_it_is_asked_and_what_was_not_enough() -> None:
    stage = Stage(
        DENIED,
        DENIED.but(refused=(REFUSED.but(path="/etc/issue"),)),
        FINE,
        answers=("approve",) * 3,
        approval="untrusted",
    )
    stage.passes()
    first, second, third = asked_in(stage)
    assert first.why == "policy untrusted: not known to only read"
    assert (second.why, second.held, third.held) == ("", (), (MOTD,))


def test_connection_to_a_forbidden_address_is_denied_without_an_offer() -> None:
    """Required: nobody is asked to open what a rule forbids; another address is asked about as ever."""
    to = {address: Refused("connect", "connect", address=address) for address in ("10.0.0.1:80", "10.0.0.2:80")}
    rules = RuleSet(network=(NetworkRule("10.0.0.1", "https", "forbid"),))
    offered = {}
    for address, refused in to.items():
        outcome = AttemptOutcome(result(1), refused=(refused,), reported=True)
        stage = Stage(outcome, answers=("deny",), rules=rules)
        passage = stage.passes()
        (denial,) = passage.attempts[0].denial.denials
        assert denial.address == address
        offered[address] = [each.request.grants for each in stage.trail if isinstance(each, ApprovalRequested)]
    assert offered == {"10.0.0.1:80": [], "10.0.0.2:80": [(Grant("host", "10.0.0.2:80"),)]}


@pytest.mark.parametrize(
    ("name", "offered"), [("evil.example.test", []), ("good.example.test", [(Grant("host", "*"),)])]
)
def test_name_that_is_forbidden_and_looked_up_is_denied_without_an_offer(
    name: str, offered: list[tuple[Grant, ...]]
) -> None:
    rules = RuleSet(network=(NetworkRule("evil.example.test", "https", "forbid"),))
    outcome = AttemptOutcome(result(1), refused=(Refused("connect", "connect", address=name),), reported=True)
    stage = Stage(outcome, answers=("deny",), rules=rules)
    stage.passes()
    assert [each.request.grants for each in stage.trail if isinstance(each, ApprovalRequested)] == offered


class Exchanging(Stage):
    """A stage on which the script is another one before each of the first `times` starts."""

    def __init__(self, directory: Path, times: int, *, answers: tuple[str, ...] = ()) -> None:
        self.command = CommandRequest(("sh", "x.sh"), str(directory), {"PATH": "/usr/bin:/bin"})
        self.script, self.times = directory / "x.sh", times
        self.script.write_text("echo one")
        same = contents_of(binding_of(self.command)) or ()
        rules = RuleSet((Rule((("sh",), ("x.sh",)), "allow", same_content=same),))
        super().__init__(FINE, answers=answers, approval="untrusted", rules=rules)

    def plan(self, command: CommandRequest, grants: tuple[Grant, ...], **_more: Any) -> ConfinedCommand:
        if self.times:
            self.times -= 1
            self.script.write_text(f"echo {self.times}")
        return super().plan(command, grants)

    def noticed(self) -> list[str]:
        return [record.message for record in self.trail if isinstance(record, Notice)]


def test_a_rule_tied_to_a_script_that_is_exchanged_at_the_start_is_judged_again_and_says_so(tmp_path: Path) -> None:
    stage = Exchanging(tmp_path, 1, answers=("approve",))
    passage = stage.passes(stage.command)
    assert [len(passage.decisions), len(passage.attempts)] == [1, 1], "the rule is not about this script: asked"
    assert passage.refusal is None
    (said,) = stage.noticed()
    assert "judged again" in said
    assert "x.sh" in said


def test_what_changes_before_every_start_is_refused_and_each_time_is_told(tmp_path: Path) -> None:
    stage = Exchanging(tmp_path, 100, answers=("approve",) * 10)
    passage = stage.passes(stage.command)
    assert passage.attempts == ()
    assert passage.refusal is not None
    assert "x.sh" in passage.refusal.why
    assert len(stage.noticed()) == 1
    assert len(passage.decisions) == AGAIN_MAX, "asked about what is there then"


KEY = Grant("new_entry", "/srv/k")
HELD = HeldCall(1, Refused("create", "openat", "/srv/k", program="touch"))


class HoldingStage(Stage):
    """Its commands are refused `HELD` while they run, and wait for what becomes of it."""

    def __call__(self, call_id: str, plan: ConfinedCommand) -> AttemptOutcome:
        if plan.holds_calls:
            with AskedMeanwhile() as asking:
                self.became = self.asks[-1](HELD, asking)
        return super().__call__(call_id, plan)


def holding(*outcomes: AttemptOutcome, answers: tuple[str, ...] = (), **policies: Any) -> HoldingStage:
    stage = HoldingStage(*outcomes, answers=answers, **policies)
    stage.gate.asks_at_call = True
    return stage


def test_a_held_call_is_asked_about_while_the_command_runs_and_it_runs_once() -> None:
    """Required: a yes is no second run."""
    stage = holding(FINE, answers=("approve",))
    passage = stage.passes()
    assert stage.became == HeldAnswer((KEY,))
    assert len(stage.started) == len(passage.attempts) == 1
    assert [(each.number, each.denial.path, each.decision.source) for each in passage.attempts[0].held] == [
        (1, "/srv/k", "script")
    ]
    told = [type(record).__name__ for record in stage.trail]
    assert told == ["CommandBegan", "ApprovalRequested", "ApprovalAnswered", "CommandEnded"]


def test_what_was_given_for_the_session_is_given_to_its_other_commands_unasked() -> None:
    """Required: the place, not the command, is what such an answer is about."""
    stage = holding(FINE, FINE, answers=("approve-session",))
    stage.passes()
    stage.passes(TOUCH.but(argv=("mkdir", "/srv/k")))
    assert stage.became == HeldAnswer((KEY,))
    assert len([record for record in stage.trail if isinstance(record, ApprovalRequested)]) == 1


@pytest.mark.parametrize("policies", [{"approval": "never"}, {"sandbox": DangerFullAccess()}])
def test_nothing_is_held_where_nobody_may_be_asked(policies: Any) -> None:
    stage = holding(FINE, **policies)
    stage.passes()
    assert stage.asks == []


def test_nothing_is_held_unless_it_is_asked_for() -> None:
    """Required: with `sandbox.ask = "after"`, and with nobody there, a command runs as before."""
    stage = Stage(FINE)
    stage.passes()
    assert stage.asks == []


class CountedPause:
    def __init__(self) -> None:
        self.held = 0

    def hold(self) -> None:
        self.held += 1

    def release(self) -> None:
        pass


@pytest.mark.parametrize(("at_call", "held"), [(True, 0), (False, 1)])
def test_only_a_question_in_the_middle_of_a_run_lets_the_time_of_others_run(at_call: bool, held: int) -> None:
    """Required: a tool call that waits for the command comes back and says so."""
    outcomes = (FINE,) if at_call else (DENIED, FINE)
    stage = holding(*outcomes, answers=("approve",))
    stage.gate.asks_at_call = at_call
    pause = CountedPause()
    stage.gate.pause_while_asking(pause)
    stage.passes()
    assert len([record for record in stage.trail if isinstance(record, ApprovalRequested)]) == 1
    assert pause.held == held


def test_an_answer_that_comes_too_late_gives_nothing() -> None:
    stage = holding(FINE, answers=("approve", "approve"))
    stage.passes()
    with AskedMeanwhile() as asking:
        asking.withdraw()
        other = HELD.but(refused=HELD.refused.but(path="/srv/other"))
        assert stage.asks[-1](other, asking) == HeldAnswer()
