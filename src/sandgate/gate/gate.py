"""Carries out what the escalation ladder orders, for one command at a time, blocking.

Everything it needs is handed in: how policy judges, who reviews, how a plan is made and started. It imports
no event loop; a caller with one runs it on a thread. What it adds itself is the trail: every question, every
attempt and the reason each was allowed, as one `Passage`.
"""

from __future__ import annotations

from _thread import allocate_lock

from sandgate.errors import RequestError
from sandgate.gate.approval_state import JUDGED_AGAIN, ApprovalState, Moved, seeing
from sandgate.gate.attempts import (
    as_built,
    check_started,
    closed_to_it,
    has_failed,
    locked_outside,
    refused_in,
    unasked,
    with_performed,
)
from sandgate.gate.escalation import PLANS_MAX, AskReviewer, Escalation, Finish, Judge, Rules, Run
from sandgate.gate.gate_request import GateRequest
from sandgate.gate.policies import as_judged
from sandgate.gate.question_reason import only_reads, why_asked, with_named
from sandgate.gate.rulebook import Rulebook
from sandgate.policy.approval import may_ask_after_denial
from sandgate.protocol.confinement import SetupFailure
from sandgate.protocol.decisions import ApprovalRequest, Attempt, Decision, Passage
from sandgate.protocol.denials import DenialReport
from sandgate.protocol.permissions import ESCALATE
from sandgate.protocol.trace import ApprovalAnswered, ApprovalRequested, CommandBegan, CommandEnded, Notice
from sandgate.protocol.verdicts import Allow, Ask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.approvals.answering import SessionAnswers
    from sandgate.gate.attempts import HeldBefore
    from sandgate.gate.contracts import Assessor, Confining, Launcher, Pausing, WriteDown
    from sandgate.gate.escalation import Step
    from sandgate.gate.held_questions import HeldQuestions
    from sandgate.gate.policies import Policies
    from sandgate.policy.approval import Tool
    from sandgate.policy.rules import RuleSet
    from sandgate.protocol.bindings import Binding
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.confinement import AttemptOutcome, ConfinedCommand
    from sandgate.protocol.decisions import Amendment, ApprovalKey
    from sandgate.protocol.permissions import Grant
    from sandgate.protocol.risk import RiskAssessment
    from sandgate.protocol.trace import Recorder
    from sandgate.protocol.verdicts import Verdict

PEOPLE = ("user", "script")  # whose answers may change the rules


class Gate:
    """One door for every command of one session."""

    def __init__(
        self,
        policies: Policies,
        *,
        confinement: Confining,
        answering: SessionAnswers,
        assess: Assessor,
        record: Recorder,
        new_id: Callable[[], str],
        rulebook: Rulebook | None = None,
        write_down: WriteDown = lambda _request, decision: decision,
    ) -> None:
        """`write_down` keeps an answer before it counts, and says what it counts for."""
        self.policies = policies
        self.rulebook = rulebook or Rulebook(policies)
        self._confinement = confinement
        self._answering = answering
        self._assess = assess
        self._record = record
        self._write_down = write_down
        self.new_id = new_id
        self.asks_at_call = False  # what a command is refused waits for an answer, where somebody can be asked
        # Taken on the thread of a passage; what it gives makes another thread work for the same caller.
        self.on_behalf: Callable[[], Callable[[], None]] = lambda: lambda: None
        self.lasting = True  # another command may come: False where the session ends with the first
        self.closed = False  # then nothing runs any more, whatever is still being decided
        self.wanted: Callable[[], bool] = lambda: True  # whether the caller that this thread works for still waits
        self._pause: Pausing | None = None
        self._open_questions = 0
        self._asking = allocate_lock()

    def verdict(self, command: CommandRequest) -> Verdict:
        """What policy and rules say; no reviewer is asked, nothing runs."""
        return self.rulebook.verdict(command)

    def rules_holding(self, command: CommandRequest) -> RuleSet:
        """The rules that hold for a command now, accepted ones included. Nothing is counted."""
        return self.rulebook.holding(command)

    @property
    def may_add_rules(self) -> bool:
        """Whether an answer, or the user, can have a rule saved."""
        return self.rulebook.may_add

    def pass_through(self, asked: CommandRequest | GateRequest, launch: Launcher) -> Passage:
        """Understand, decide, ask, confine, run, explain, retry. Raises when Sandgate cannot do its part."""
        return _Passage(self, asked if isinstance(asked, GateRequest) else GateRequest(asked), launch).walk()

    def pause_while_asking(self, pause: Pausing) -> None:
        """From now on `pause` is held while a reviewer is being asked, be it since before.

        Not where questions stand side by side: each is about its own call, and keeps no other call waiting.
        """
        if self._answering.side_by_side:
            return
        with self._asking:
            self._pause = pause
            for _ in range(self._open_questions):
                pause.hold()

    def ask(self, request: ApprovalRequest) -> Decision:
        """Puts one question to the reviewers, tells that it was asked and answered, and takes up an accepted rule."""
        rules = self.rulebook.added
        step = int(request.stage != "held")  # then the command is there, and a call that waits for it may come back
        self._count_question(step)
        try:
            decision = self._answering.chain.review(
                request,
                lambda: self._record(ApprovalRequested(request)),
                lambda: self._allowed_meanwhile(request, rules),
                lambda decision: self._write_down(request, decision),
            )
        finally:
            self._count_question(-step)
        self._record(ApprovalAnswered(request.request_id, decision))
        if decision.decision == "approved_with_amendment" and decision.amendment and decision.source in PEOPLE:
            warning = self.rulebook.adopt(decision.amendment)
            if warning:
                self._record(Notice("warning", warning))
                decision = decision.but(reason=decision.reason or warning)
        return decision

    def _count_question(self, step: int) -> None:
        with self._asking:
            self._open_questions += step
            if self._pause is not None and step:
                self._pause.hold() if step > 0 else self._pause.release()

    def _allowed_meanwhile(self, request: ApprovalRequest, rules_before: int) -> Decision | None:
        """What a rule decides that was accepted while the question waited for its turn."""
        if self.rulebook.added == rules_before or request.stage != "initial" or request.keys or request.changes:
            return None
        verdict = self.rulebook.admitted(request.command)
        if not isinstance(verdict, Allow):
            return None
        return Decision(request.stage, "approved", "rule", (ESCALATE,) if verdict.bypass_sandbox else ())

    def refused(self, plan: ConfinedCommand, outcome: AttemptOutcome, held: HeldBefore = ()) -> DenialReport:
        """What the sandbox says about an attempt, also before its end."""
        return refused_in(plan, outcome, self.policies.rules.network, self.rulebook.closed, held)

    def ended(
        self,
        call_id: str,
        command: CommandRequest,
        attempt: Attempt,
        plan: ConfinedCommand,
        outcome: AttemptOutcome,
        *,
        record: Recorder | None = None,
    ) -> Attempt:
        """The attempt with its result and what the sandbox says about it; told once, for one that lived on later."""
        record = record or self._record
        denial, built = self.refused(plan, outcome, attempt.held), as_built(plan, outcome.layers)
        attempt = attempt.but(result=outcome.result, denial=denial, remarks=outcome.remarks, guarantees=built)
        if outcome.performed or outcome.performed_omitted:
            attempt = with_performed(attempt, outcome, plan, self._answering.places)
            self._answering.write_performed(call_id, command, attempt)
        for message in outcome.remarks:
            record(Notice("warning", message))
        if strange := unasked(outcome.created_protected, plan, attempt):
            for message in self._confinement.quarantine(strange):
                record(Notice("warning", message))
        if outcome.locked:
            record(Notice("warning", locked_outside(outcome.locked)))
        record(CommandEnded(call_id, command, attempt))
        result = outcome.result
        if result and (said := closed_to_it(plan, attempt.denial, failed=has_failed(result), output=result.aggregated)):
            record(Notice("warning", said))
        return attempt

    def rules_for(self, asked: GateRequest, verdict: Verdict, call_id: str, risk: RiskAssessment | None) -> Rules:
        """What the ladder needs to know about this command."""
        command, policies = asked.command, self.policies
        tool: Tool = "apply_patch" if asked.changes else "command"
        keys = self._answering.keys_for(command, asked.keys)
        runs_confined = isinstance(verdict, Allow) and not verdict.bypass_sandbox and policies.confines
        after = policies.retry_after_approval
        if after == "by-risk":
            after = "ask" if risk is not None and risk.risk_level == "high" else "silent"
        if asked.changes:  # what a patch does was shown; what stops it is news
            after = "ask"
        return Rules(
            policy=policies.name,
            confines=policies.confines,
            may_ask_after_denial=may_ask_after_denial(policies.approval, tool),
            repeats_typing=command.tty,
            wants_escalation=command.wish == "require_escalated",
            places=self._answering.planned_places(self.rulebook.closed),
            remembered=self._remembered(asked, keys, call_id) if keys and runs_confined else None,
            retry_after_approval=after,
            workspace=policies.workspace,
            command=None if asked.changes else command,
        )

    def _remembered(self, asked: GateRequest, keys: tuple[ApprovalKey, ...], call_id: str) -> tuple[Grant, ...] | None:
        """What earlier answers give a command that runs at once, counted where they hold so many times."""
        seen, store = seeing(asked.command), self._answering.store
        given = store.recall_all(keys, call_id, seen)
        return store.use(keys, given, call_id, seen) if given else None


class _Passage:
    """The state of one command on its way through."""

    def __init__(self, gate: Gate, asked: GateRequest, launch: Launcher) -> None:
        self._gate = gate
        self._asked = asked
        self._command = asked.command
        self._launch = launch
        self._call_id = asked.call_id or gate.new_id()
        self._attempts: list[Attempt] = []
        self._decisions: list[Decision] = []
        self._risk: RiskAssessment | None = None
        self._why, self._reads = "", False  # why a reviewer is asked; whether policy vouches that it only reads
        self._ladder: Escalation  # since the first verdict
        self._questions: HeldQuestions | None = None  # of the run that is on its way, or was the last
        self._approval_state = ApprovalState(self._command, ties=not self._asked.changes and not self._asked.keys)

    def walk(self) -> Passage:
        try:
            self._launch.expect()  # most commands may run at once
            return self._walk()
        finally:
            self._launch.stand_down()
            self._approval_state.let_go()

    def _walk(self) -> Passage:
        verdict, rules = self._judged()
        self._ladder = ladder = Escalation(verdict, rules)
        step: Step = ladder.begin()
        while not isinstance(step, Finish):
            match step:
                case AskReviewer():
                    step = ladder.reviewed(self._ask(step))
                case Run():
                    try:
                        attempt = self._run(step)
                    except Moved as moved:
                        step = ladder.moved(str(moved))
                    else:
                        step = ladder.attempted(attempt.denial, failed=has_failed(attempt.result))
                case Judge():
                    self._gate._record(Notice("warning", JUDGED_AGAIN.format(changed=step.changed)))
                    verdict, rules = self._judged()
                    step = ladder.judged(verdict, rules)
        return Passage(
            command=self._command,
            verdict=verdict,
            attempts=tuple(self._attempts),
            decisions=tuple(self._decisions),
            refusal=step.refusal,
            risk=self._risk,
            aborted=step.aborted,
        )

    def _judged(self) -> tuple[Verdict, Rules]:
        """What policy, rules and earlier answers say now, tied to what lies there now."""
        self._approval_state.let_go()
        if self._gate.rulebook.is_tied(self._command):
            self._approval_state.take(())
        book, here = self._gate.rulebook, self._gate._confinement
        verdict = self._asked.verdict or with_named(book.admitted(self._command), self._command, here, book.closed)
        self._why, self._reads = why_asked(verdict), only_reads(verdict)
        if isinstance(verdict, Ask):
            self._assess(None)
        rules = self._gate.rules_for(self._asked, verdict, self._call_id, self._risk)
        if rules.remembered is not None:
            self._approval_state.take(rules.remembered)
        return verdict, rules

    def _ask(self, review: AskReviewer) -> Decision:
        self._launch.stand_down()  # a reviewer may take long to answer, and a sandbox must not be older than the answer
        self._approval_state.take(review.grants)
        return self._decided(review, self._approval_state.binding, self._attempts[-1].grants if self._attempts else ())

    def _ask_while_held(self, review: AskReviewer) -> Decision:
        """About the run that is on its way: what it is tied to was looked at before it began."""
        return self._decided(review, None, self._ladder.grants)

    def _decided(self, review: AskReviewer, binding: Binding | None, held: tuple[Grant, ...]) -> Decision:
        if review.denial is not None:
            self._assess(review.denial)
        request = ApprovalRequest(
            request_id=self._gate.new_id(),
            call_id=self._call_id,
            stage=review.stage,
            command=self._command,
            reason=review.reason,
            grants=review.grants,
            denial=review.denial,
            risk=self._risk,
            may_escalate=review.may_escalate,
            covers_retry=review.covers_retry,
            keys=self._asked.keys,
            changes=self._asked.changes,
            confined=self._gate.policies.confines,
            why=self._why if review.stage == "initial" else "",
            held=held,
            binding=binding,
            changed=review.changed,
            amendment=self._amendment(review),
            lasting=self._gate.lasting,
        )
        decision = self._gate.ask(request)
        self._decisions.append(decision)
        return decision

    def _amendment(self, review: AskReviewer) -> Amendment | None:
        """The rule to offer: for a command before it runs, or for a call that waits; where it is no high risk."""
        asked, rulebook, confined = self._asked, self._gate.rulebook, self._gate.policies.confines
        is_high = self._risk is not None and self._risk.risk_level == "high"
        if is_high or review.stage == "retry" or asked.keys or asked.changes or asked.verdict:
            return None
        if self._questions is not None and review.stage == "held":
            return rulebook.proposed_place(self._command, self._questions.plan, review.grants)
        proposed = rulebook.proposed(self._command)
        return None if proposed is None else self._approval_state.tied_rule(proposed, confined=confined)

    def _assess(self, denial: DenialReport | None) -> None:
        if self._asked.assess is not None:
            self._risk = self._asked.assess(denial)
        elif not self._asked.changes:  # which by itself are no command
            self._risk = self._gate._assess(as_judged(self._command), denial)

    def _run(self, order: Run) -> Attempt:
        if self._gate.closed:  # perhaps while a reviewer was being asked
            raise RequestError("the session is closed, so nothing more runs in it", hint="open another one")
        if not self._gate.wanted():  # a yes of a model, or of policy, that comes after the turn was ended
            raise RequestError("nobody waits for this any more, so it is not run", hint="ask for it again")
        for again in range(PLANS_MAX):  # nothing ran where one fails: another backend takes over, or another plan
            plan, outcome = self._start(order.grants, again=again > 0)
            failed = outcome.failure
            if not isinstance(failed, SetupFailure) or not self._gate._confinement.fall_back(plan, failed):
                break
        check_started(self._command, plan, outcome)
        attempt = Attempt(
            confined=plan.confined,
            backend=plan.backend,
            guarantees=plan.guarantees,
            result=None,
            denial=DenialReport("unknown"),
            allowed_by=order.allowed_by,
            permissions=plan.permissions,
            grants=order.grants,
            by_rules=plan.by_rules,
            held=tuple(self._questions.told) if self._questions is not None else (),
        )
        if not outcome.running:
            attempt = self._gate.ended(self._call_id, self._command, attempt, plan, outcome)
        self._attempts.append(attempt)
        return attempt

    def _start(self, grants: tuple[Grant, ...], *, again: bool = False) -> tuple[ConfinedCommand, AttemptOutcome]:
        grants = self._gate._answering.with_planned(grants, self._gate.rulebook.closed)
        self._approval_state.make_roots()
        later = self._launch.get_ready(grants)
        plan = self._gate._confinement.plan(self._command, grants, reads=self._reads, later=None if again else later)
        try:
            plan = self._approval_state.tied(plan)
        except Moved:
            self._launch.stand_down()
            raise
        plan = self._holding(self._gate._answering.with_places(plan, self._gate.rulebook.closed))
        self._gate._record(CommandBegan(self._call_id, self._command, len(self._attempts) + 1, plan.backend))
        return plan, self._launch(self._call_id, plan)

    def _holding(self, plan: ConfinedCommand) -> ConfinedCommand:
        """The plan, whose calls are held where somebody is attached who is asked about them."""
        gate, ladder, closed, self._questions = self._gate, self._ladder, self._gate.rulebook.closed, None
        if not (gate.asks_at_call and gate._answering.reviewers) or not plan.confined or not ladder.may_hold:
            return plan
        from sandgate.gate.held_questions import HeldQuestions

        self._questions = HeldQuestions(plan, ladder, self._ask_while_held, gate._record, gate.on_behalf(), closed)
        return plan.but(holds_calls=True) if self._launch.when_held(self._questions) else plan
