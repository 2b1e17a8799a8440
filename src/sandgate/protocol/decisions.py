"""Questions to a reviewer, answers, and the trail of one command through the gate."""

from __future__ import annotations

from sandgate.protocol.permissions import ESCALATE
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from sandgate.protocol.bindings import Binding
    from sandgate.protocol.commands import CommandRequest, CommandResult
    from sandgate.protocol.denials import Denial, DenialReport
    from sandgate.protocol.held_calls import PerformedCall
    from sandgate.protocol.patches import FileChange
    from sandgate.protocol.permissions import EffectivePermissions, Grant, RuleGrant
    from sandgate.protocol.risk import AdviceOutcome, RiskAssessment
    from sandgate.protocol.verdicts import Verdict

    ReviewDecision = Literal[
        "approved", "approved_for_session", "approved_with_amendment", "denied", "abort", "timed_out"
    ]
    DecisionSource = Literal["user", "script", "cache", "rule", "config", "automated_reviewer", "none"]
    Stage = Literal["initial", "held", "retry"]  # before it runs, in the middle of a run, after one
    RefusedBy = Literal["policy", "rule", "reviewer"]


RETRY_REASON = "command failed; retry without sandbox?"  # stable text that clients match on
RETRY_WIDER = "command failed; retry in the sandbox with what it lacked?"  # the same of a retry that keeps the sandbox
RETRY_REASONS = (RETRY_REASON, RETRY_WIDER)  # for machines; people see what a yes gives


class ApprovalKey(Record):
    """Hashable identity of what was approved. Made by `approvals.keys`."""

    family: str  # which kind of tool asked; grants never leak from one family to another
    argv: tuple[str, ...]
    cwd: str
    environment: frozenset[tuple[str, str]]
    wish: str
    tty: bool


class Amendment(Record):
    """A rule that an answer may save: commands that begin with `prefix` are allowed, or given places."""

    prefix: tuple[str, ...]
    sandbox: Literal["keep", "bypass"] = "keep"  # "bypass": they run without the sandbox
    until: str = ""  # RFC 3339 with a zone; "": for ever
    uses: int | None = None  # how often it may be what allows a run; None: without end
    exact: bool = False  # only `prefix` itself, with nothing behind it
    same_content: tuple[str, ...] = ()  # "sha256:… /path": only as long as exactly these files are executed
    places: tuple[Grant, ...] = ()  # then it gives these, all of one kind, and allows nothing


class ApprovalRequest(Record):
    """Everything a reviewer sees. What is approved is exactly this command with exactly these grants."""

    request_id: str
    call_id: str
    stage: Stage
    command: CommandRequest
    reason: str  # "" when there is none beyond the policy
    grants: tuple[Grant, ...] = ()  # what a plain yes gives; empty: run inside the sandbox as planned
    denial: DenialReport | None = None
    risk: RiskAssessment | None = None
    may_escalate: bool = False  # "without the sandbox" may be chosen instead of the grants
    covers_retry: bool = False  # a yes also covers one confined retry with what the first run lacked
    keys: tuple[ApprovalKey, ...] = ()  # what "for the session" is about; empty: this very command
    changes: tuple[FileChange, ...] = ()  # what a patch does
    confined: bool = True  # the policy has a sandbox at all
    why: str = ""  # what asks: a row of the policy's table, or a rule and where it stands
    held: tuple[Grant, ...] = ()  # in force when it was stopped, and not enough
    amendment: Amendment | None = None  # the rule that an answer may save; None: none is offered
    binding: Binding | None = None  # what was seen when it was asked; None: it is about no command
    changed: str = ""  # why it is asked again: what is not as it was when it was approved
    lasting: bool = True  # the session goes on behind this passage, so an answer for it is worth something
    offline_risk: RiskAssessment | None = None  # without a model's words, where `risk` has them
    asked_by: str = ""  # on whose behalf, where it is not the agent that the user talks to: a sub-agent

    @property
    def may_change(self) -> bool:
        """Whether an answer may hold whatever becomes of the files that are executed: they stay in the sandbox."""
        leaves = self.command.wish == "require_escalated" or ESCALATE in self.grants
        return self.confined and not leaves and self.binding is not None and bool(self.binding.files)


class Decision(Record):
    """A reviewer's answer, and who gave it."""

    stage: Stage
    decision: ReviewDecision
    source: DecisionSource
    grants: tuple[Grant, ...] = ()  # what was given, when it was
    reason: str = ""  # why no reviewer could be asked, or what the reviewer said
    amendment: Amendment | None = None  # the rule that was accepted with it
    until: str = ""  # of an approval for the session: RFC 3339 with a zone; "": to its end
    uses: int | None = None  # the same: how many passages it covers, this one included; None: all
    changing: bool = False  # the same: also when the files that are executed change, inside the sandbox only
    advice: AdviceOutcome | None = None  # what a model said meanwhile; None: none was asked

    @property
    def approved(self) -> bool:
        return self.decision in ("approved", "approved_for_session", "approved_with_amendment")


class Refusal(Record):
    """Nothing ran, and this is who said so."""

    by: RefusedBy
    why: str


class HeldQuestion(Record):
    """A call that waited in the middle of a run while somebody was asked about it."""

    number: int  # of the command's held calls
    denial: Denial  # what it would have been without the question
    decision: Decision
    waited_ms: int
    other_path: str = ""  # the new name of a rename or link


class Attempt(Record):
    """One run of the command, with the reason it was allowed to run like that."""

    confined: bool
    backend: str
    guarantees: tuple[str, ...]
    result: CommandResult | None  # None: it lives on
    denial: DenialReport
    allowed_by: str  # "policy on-failure", "rule …", "approved by user (once)", …
    permissions: EffectivePermissions
    grants: tuple[Grant, ...] = ()
    remarks: tuple[str, ...] = ()  # sentences on what it left that something obeys later, and what it sought in vain
    held: tuple[HeldQuestion, ...] = ()  # what was asked about while it ran
    performed: tuple[PerformedCall, ...] = ()  # what the supervisor carried out on the word of a grant
    performed_omitted: int = 0  # further ones, counted
    by_rules: tuple[RuleGrant, ...] = ()  # what rules about places gave it

    @property
    def final(self) -> CommandResult:
        """The result of an attempt that is over."""
        if self.result is None:
            raise AssertionError("this attempt lives on")
        return self.result


class Passage(Record):
    """One command's way through the gate: the verdict, every question, every attempt."""

    command: CommandRequest
    verdict: Verdict
    attempts: tuple[Attempt, ...] = ()
    decisions: tuple[Decision, ...] = ()
    refusal: Refusal | None = None
    risk: RiskAssessment | None = None
    aborted: bool = False  # the reviewer wants the whole turn to stop

    @property
    def result(self) -> CommandResult | None:
        """The result that counts: the last attempt's. None when nothing ran, and while it is `running`."""
        return self.attempts[-1].result if self.attempts else None

    @property
    def running(self) -> bool:
        """It was started and lives on."""
        return bool(self.attempts) and self.attempts[-1].result is None
