"""What happens next to one command: run it, ask about it, or stop. No I/O, no clock.

The ladder starts at policy's verdict and climbs only on an approval. Every run it orders carries the reason
it was allowed. Invariants, tested with random conversations:

- an unconfined run has exactly one of: policy that confines nothing, a rule that says so, an approval that
  named it (in this passage or earlier in the session);
- an approval buys one run, with exactly the grants that were shown;
- a run without the sandbox is never followed by a question;
- while a run is on its way, a call of it that is held is asked about at most once, and a no to it is never asked again;
  where nobody could be asked, nobody said no: then the next caller is asked (`held_for_another`).
"""

from __future__ import annotations

from sandgate.gate.policies import NOWHERE
from sandgate.protocol.decisions import RETRY_REASON, RETRY_WIDER, Refusal
from sandgate.protocol.denials import DenialReport
from sandgate.protocol.held_calls import HeldAnswer
from sandgate.protocol.permissions import ESCALATE
from sandgate.protocol.verdicts import Allow, Ask, Forbid
from sandgate.record import Record, never_reached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from sandgate.policy.targets import ChangedTargets
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.decisions import Decision, Stage
    from sandgate.protocol.denials import Denial
    from sandgate.protocol.permissions import Grant
    from sandgate.protocol.verdicts import Verdict

    _Matter = tuple[str, str | None, str | None]  # what was wanted, of which path or address
    RetryAfterApproval = Literal["silent", "ask"]

ATTEMPTS_MAX = 4  # runs of one command in one passage; each further one needs its own approval
SCOPES = {"approved_for_session": "for the session", "approved_with_amendment": "and by a rule from now on"}
QUESTIONS_MAX = 8  # about held calls of one command for one call of a tool; what is refused beyond is not asked about
TOO_MANY = f"it was asked about {QUESTIONS_MAX} times while it ran; what else it is refused now is not asked about"
WRITING = ("write_root", "write_path", "new_entry", "remove", "metadata")
PLANS_MAX = 4  # for one run: something that a plan speaks of may be taken away under each
AGAIN_MAX = 3  # times in one passage that a reviewer is asked again because of what changed meanwhile
KEEPS_CHANGING = "what was approved changed each time before it could run: {changed}"
COMMAND_REJECTED = "exec command rejected by user"


class AskReviewer(Record):
    """Ask a reviewer. `grants` is what a plain yes gives; `may_escalate` adds "without the sandbox"."""

    stage: Stage
    reason: str
    grants: tuple[Grant, ...] = ()
    denial: DenialReport | None = None
    may_escalate: bool = False
    covers_retry: bool = False  # a yes also covers one confined retry with what the first run lacked
    changed: str = ""  # what is not as it was when this was answered before


class Run(Record):
    """Start the command, with these grants over what policy gives."""

    allowed_by: str
    grants: tuple[Grant, ...] = ()

    @property
    def escalated(self) -> bool:
        return ESCALATE in self.grants


class Finish(Record):
    """Nothing more happens. `refusal` is set when nothing ran at all."""

    refusal: Refusal | None = None
    aborted: bool = False


class Judge(Record):
    """Judge the command anew and say `changed`: what an earlier answer or a rule was about is not what would run."""

    changed: str


Step = AskReviewer | Run | Judge | Finish


class Rules(Record):
    """What the ladder needs to know beside the verdict. All of it is decided before the first step."""

    policy: str  # the approval policy's name, for the trail
    confines: bool  # the sandbox policy confines at all
    may_ask_after_denial: bool
    repeats_typing: bool = False  # a run is a dialogue: another one would be given what was typed for this one
    wants_escalation: bool = False  # the caller asked to leave the sandbox from the start
    places: tuple[Grant, ...] = ()  # given to every command of the session: each run has them
    remembered: tuple[Grant, ...] | None = None  # given to this very command earlier in the session
    retry_after_approval: RetryAfterApproval = "silent"
    workspace: str = NOWHERE  # where a silent retry may open something to write
    command: CommandRequest | None = None  # whose words say what it is about to change; None: they do not


class Escalation:
    """One passage. Call `begin`, then answer each step with `reviewed` or `attempted` until `Finish`."""

    def __init__(self, verdict: Verdict, rules: Rules) -> None:
        self._verdict = verdict
        self._rules = rules
        self._grants: tuple[Grant, ...] = ()
        self._asked: AskReviewer | None = None
        self._allowing: AskReviewer | None = None  # what the last run follows from, or would have to be asked for it
        self._before: tuple[Grant, ...] = ()  # the grants before the last run
        self._asked_again = 0
        self._approved_by: str | None = None  # who approved the first run, when it was asked about
        self._silent_retry_spent = False
        self._attempts = 0
        self._held = 0  # questions about held calls
        self._refused: set[_Matter] = set()  # what a held call was refused
        self._unanswered: set[_Matter] = set()  # of that, what nobody was there to say no to
        self._stopped = False  # by an answer to a held call

    def begin(self) -> Step:
        """The first step, from the verdict alone."""
        verdict = self._verdict
        if isinstance(verdict, Forbid):
            return Finish(Refusal(verdict.by, verdict.reason))
        if isinstance(verdict, Ask):
            wished = (ESCALATE,) if self._rules.wants_escalation and self._rules.confines else verdict.grants
            covers = not wished and self._may_run_again and self._rules.retry_after_approval == "silent"
            return self._ask(AskReviewer("initial", verdict.reason, wished, covers_retry=covers))
        if isinstance(verdict, Allow):
            return self._first_run(verdict)
        return never_reached(verdict)

    def reviewed(self, decision: Decision) -> Step:
        """A reviewer has answered the last `AskReviewer`."""
        asked, self._asked = self._asked, None
        if asked is None:
            raise AssertionError("no question is open")
        if decision.approved:
            return self._approved(asked, decision)
        aborted = decision.decision == "abort"
        if asked.stage == "initial":
            return Finish(Refusal("reviewer", refusal_text(decision)), aborted)
        return Finish(aborted=aborted)

    def moved(self, changed: str) -> Step:
        """The last `Run` was not carried out: what was approved is not what would run. `changed` says what."""
        self._attempts -= 1
        self._grants = self._before
        self._asked_again += 1
        if self._asked_again > AGAIN_MAX:
            nothing_ran = self._attempts == 0
            return Finish(Refusal("policy", KEEPS_CHANGING.format(changed=changed)) if nothing_ran else None)
        if self._allowing is None:  # a rule, or an answer for the session: whether it still holds is to be judged
            return Judge(changed)
        return self._ask(self._allowing.but(changed=changed))

    def judged(self, verdict: Verdict, rules: Rules) -> Step:
        """Policy, rules and earlier answers have been asked anew; nothing has run so far."""
        self._verdict, self._rules = verdict, rules
        return self.begin()

    def held(self, denial: Denial, grants: tuple[Grant, ...] | None) -> AskReviewer | HeldAnswer:
        """The run that is on its way has met `denial`, and waits; `grants` are the fewest that its intent needs.

        Empty where nothing helps, or where programs do without it; None where only another run could have it.
        """
        if grants is None:
            return HeldAnswer()
        if not grants or not self.may_hold:
            return self._no(denial)
        if set(grants) <= {*self._grants}:  # given meanwhile, for another call
            return HeldAnswer(grants)
        if _matter(denial) in self._refused:
            return HeldAnswer()
        if self._is_covered(denial, grants):
            self._grants = tuple(dict.fromkeys((*self._grants, *grants)))
            return HeldAnswer(grants)
        if self._held >= QUESTIONS_MAX:
            first, self._held = self._held == QUESTIONS_MAX, QUESTIONS_MAX + 1
            return self._no(denial, by_nobody=True).but(said=TOO_MANY if first else "")
        self._held += 1
        return self._ask(AskReviewer("held", "", grants, DenialReport("denied", (denial,))))

    def held_answered(self, decision: Decision) -> HeldAnswer:
        """A reviewer has answered the question about a held call. What was given stays with the command."""
        asked, self._asked = self._asked, None
        if asked is None or asked.denial is None:
            raise AssertionError("no question about a held call is open")
        if decision.source == "cache":
            self._held -= 1  # nobody was asked
        if decision.approved and decision.grants:
            self._grants = tuple(dict.fromkeys((*self._grants, *decision.grants)))
            return HeldAnswer(decision.grants)
        self._stopped = decision.decision == "abort"
        return self._no(asked.denial.denials[0], by_nobody=decision.source == "none").but(stop=self._stopped)

    def held_in_vain(self, denial: Denial) -> None:
        """What was allowed could not be done, and another run would not help. Wanted again, it is tried again."""
        self._refused.add(_matter(denial))

    def held_withdrawn(self) -> None:
        """Nobody waits for the answer any more. That is no no: the same may be asked again."""
        self._asked = None

    def held_for_another(self) -> None:
        """From now on another caller, or another call of his, can be asked: what nobody said no to is asked anew."""
        self._refused -= self._unanswered
        self._unanswered.clear()
        self._held = 0

    @property
    def grants(self) -> tuple[Grant, ...]:
        """What the run that is on its way has been given so far."""
        return self._grants

    @property
    def may_hold(self) -> bool:
        """Whether anybody may be asked while the run is on its way."""
        return self._confined_now and self._rules.may_ask_after_denial and not self._stopped

    def _no(self, denial: Denial, *, by_nobody: bool = False) -> HeldAnswer:
        self._refused.add(_matter(denial))
        if by_nobody:
            self._unanswered.add(_matter(denial))
        return HeldAnswer()

    def attempted(self, denial: DenialReport, *, failed: bool) -> Step:
        """The last `Run` is over; `denial` is what the sandbox says about it.

        `failed`: it ended by itself and not well. A command that coped with a denial is reported, not retried; so
        is one that ran out of time or was stopped.
        """
        if self._stopped:
            return Finish(aborted=True)
        denial = self._without_refused(denial)
        if not failed or not denial.denied or not self._confined_now or self._attempts >= ATTEMPTS_MAX:
            return Finish()
        if not self._may_run_again:
            return Finish()
        offered, may_escalate = offer(denial.denials, (*self._grants, *self._rules.places), self._targets())
        if not offered:
            return Finish()
        question = AskReviewer(
            "retry", RETRY_REASON if ESCALATE in offered else RETRY_WIDER, offered, denial, may_escalate
        )
        if self._may_retry_silently(offered, denial):
            self._silent_retry_spent = True
            self._allowing = question
            return self._run(f"{self._approved_by}, which covers one retry with what it lacked", offered)
        return self._ask(question)

    def _without_refused(self, denial: DenialReport) -> DenialReport:
        """Less what was decided while the command ran: that is not put to anybody again."""
        if not self._refused:
            return denial
        left = tuple([each for each in denial.denials if _matter(each) not in self._refused])
        return denial.but(denials=left, verdict="denied" if left else "not_denied") if denial.denied else denial

    def _targets(self) -> ChangedTargets | None:
        if self._rules.command is None:
            return None
        from sandgate.policy.targets import targets_of

        return targets_of(self._rules.command, self._rules.workspace)

    def _first_run(self, verdict: Allow) -> Run:
        if not self._rules.confines:
            return self._run("policy: the sandbox policy confines nothing", ())
        if verdict.bypass_sandbox:
            return self._run("rule: every segment is allowed without the sandbox", (ESCALATE,))
        if self._rules.remembered:
            return self._run("approved earlier in this session", self._rules.remembered)
        return self._run(f"policy {self._rules.policy}", ())

    def _approved(self, asked: AskReviewer, decision: Decision) -> Run:
        self._allowing = asked
        by = approved_by(decision)
        if asked.stage == "initial" and decision.source != "rule":  # a rule said nothing about a retry
            self._approved_by = by
        return self._run(by, decision.grants)

    def _run(self, allowed_by: str, grants: tuple[Grant, ...]) -> Run:
        self._attempts += 1
        self._before = self._grants
        self._grants = tuple(dict.fromkeys((*self._grants, *grants)))
        return Run(allowed_by, self._grants)

    def _ask(self, review: AskReviewer) -> AskReviewer:
        self._asked = review
        return review

    @property
    def _may_run_again(self) -> bool:
        return self._rules.may_ask_after_denial and not self._rules.repeats_typing

    @property
    def _confined_now(self) -> bool:
        return self._rules.confines and ESCALATE not in self._grants

    def _may_retry_silently(self, offered: tuple[Grant, ...], denial: DenialReport) -> bool:
        """The first prompt said "if blocked, retried once with what it lacked in the workspace", and no more.

        Secrets, sockets, the network, protected names and whatever is only guessed are always shown first.
        """
        return (
            not self._silent_retry_spent
            and all(each.certain for each in denial.denials)
            and self._covers_what_it_lacked(offered)
        )

    def _is_covered(self, denial: Denial, grants: tuple[Grant, ...]) -> bool:
        """What a silent retry would be given, a held call of the first run gets, and needs no retry."""
        return self._attempts == 1 and denial.certain and self._covers_what_it_lacked(grants)

    def _covers_what_it_lacked(self, grants: tuple[Grant, ...]) -> bool:
        """Whether the answer to the first question was about these, too."""
        return (
            self._approved_by is not None
            and self._rules.retry_after_approval == "silent"
            and all(_is_plainly_inside(grant, self._rules.workspace) for grant in grants)
        )


def _is_plainly_inside(grant: Grant, workspace: str) -> bool:
    """A place to write below the workspace, reached through no name that starts with a dot."""
    inside = grant.value.removeprefix(workspace.rstrip("/") + "/")
    below = inside != grant.value and not any(part.startswith(".") for part in inside.split("/"))
    return grant.kind in WRITING and below


def _matter(denial: Denial) -> _Matter:
    """What makes two refused calls the same: what was wanted, of what."""
    return denial.operation, denial.path, denial.address


def offer(
    denials: tuple[Denial, ...], given: tuple[Grant, ...], targets: ChangedTargets | None = None
) -> tuple[tuple[Grant, ...], bool]:
    """The smallest set of grants that the whole command takes, and whether "without the sandbox" is a choice too.

    Empty when nothing helps: a denial without a grant is one the host itself would repeat. When a denial needs
    the way out, or a grant was given already and did not help, only leaving the sandbox removes them all.
    """
    wanted = tuple(dict.fromkeys(grant for denial in denials for grant in denial.grants))
    if targets is not None:
        from sandgate.policy.targets import widened

        wanted = widened(denials, targets)
    if not wanted:
        return (), False
    from sandgate.protocol.implied_grants import without_implied

    wanted = without_implied(wanted)
    if ESCALATE in wanted or set(wanted) <= set(given):
        return (ESCALATE,), True
    return wanted, True


def approved_by(decision: Decision) -> str:
    """On whose word, in the words of the trail."""
    return f"approved by {decision.source} ({SCOPES.get(decision.decision, 'once')})"


def refusal_text(decision: Decision) -> str:
    """Why nothing ran, in the words the model and the exit line use."""
    if decision.reason:
        return decision.reason
    if decision.decision == "timed_out":
        return "the review missed its deadline; this says nothing about the command"
    return COMMAND_REJECTED
