"""Required: what an earlier answer or rule implies is never asked again, and nothing that is not implied runs.

Generated sessions go through the real gate with a launcher that only pretends to run. Beside it a small model keeps
what the answers so far imply, from its own table of which spellings are the same command; it is asked about every
question that is put and every run that is started.
"""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandgate.approvals.answering import SessionAnswers
from sandgate.approvals.prompts.prompt import choices
from sandgate.gate.gate import Gate
from sandgate.gate.policies import Policies
from sandgate.gate.rulebook import Rulebook
from sandgate.policy.rules import NO_RULES
from sandgate.protocol.commands import CommandRequest, CommandResult
from sandgate.protocol.confinement import AttemptOutcome, ConfinedCommand
from sandgate.protocol.decisions import Decision
from sandgate.protocol.denials import Refused
from sandgate.protocol.permissions import ESCALATE, EffectivePermissions, Grant, WorkspaceWrite
from support.suite.searches import examples

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.decisions import ApprovalRequest

FILE = Refused("create", "openat", path="/out/a")
DIRECTORY = Refused("create", "mkdirat", path="/out/sub/d")
NETWORK = Refused("connect", "connect", address="192.0.2.1:443")

# Spelling -> (which command that is, its simple commands, what it needs). Written by hand: the model must not ask us.
COMMANDS: dict[tuple[str, ...], tuple[str, tuple[tuple[str, ...], ...], tuple[Refused, ...]]] = {
    ("touch", "/out/a"): ("touch", (("touch", "/out/a"),), (FILE,)),
    ("bash", "-c", "touch /out/a"): ("sh touch", (("touch", "/out/a"),), (FILE,)),
    ("/bin/bash", "-c", "touch '/out/a'"): ("sh touch", (("touch", "/out/a"),), (FILE,)),
    ("bash", "-lc", "touch /out/a"): ("login touch", (("touch", "/out/a"),), (FILE,)),
    ("make", "all"): ("make", (("make", "all"),), (FILE, DIRECTORY)),
    ("make", "all", "-j"): ("make -j", (("make", "all", "-j"),), (DIRECTORY, NETWORK)),
    ("bash", "-c", "make all && touch /out/a"): ("both", (("make", "all"), ("touch", "/out/a")), (FILE, NETWORK)),
    ("git", "reset", "--hard"): ("reset", (("git", "reset", "--hard"),), ()),
    ("true",): ("true", (("true",),), ()),
}
READS = (("true",),)
DANGEROUS = (("git", "reset", "--hard"),)
GIVES = {
    "create openat": Grant("write_path", "/out/a"),
    "create mkdirat": Grant("write_root", "/out/sub"),
    "connect connect": Grant("host", "192.0.2.1:443"),
}


def includes(wider: Grant, wanted: Grant) -> bool:
    below = wanted.kind.startswith("write") and wanted.value.startswith(wider.value + "/")
    return wider in (wanted, ESCALATE) or (wider.kind == "write_root" and below)


class Answered:
    """One answer for the session."""

    def __init__(self, grants: tuple[Grant, ...], uses: int | None, call: str) -> None:
        self.grants, self.uses, self.calls = grants, uses, {call}

    def holds(self, call: str) -> bool:
        return self.uses is None or call in self.calls or len(self.calls) < self.uses


class Model:
    """What the answers so far imply."""

    def __init__(self, policy: str) -> None:
        self.policy = policy
        self.given: dict[tuple[str, bool], list[Answered]] = {}
        self.rules: list[tuple[tuple[str, ...], bool]] = []
        self.places: list[Grant] = []  # given to whichever command of the session
        self.this_call: tuple[Grant, ...] | None = None  # what was approved in the running passage

    def holding(self, command: CommandRequest, call: str) -> list[Answered]:
        name = COMMANDS[command.argv][0]
        escalated = command.wish == "require_escalated"
        mine = [each for each in self.given.get((name, escalated), ()) if each.holds(call)]
        other = [each for each in self.given.get((name, not escalated), ()) if each.holds(call)]
        return mine + [each for each in other if not escalated or ESCALATE in each.grants]

    def rule_allows(self, command: CommandRequest) -> bool:
        return all(
            any(segment[: len(prefix)] == prefix for prefix, _bypass in self.rules)
            or (segment in READS and command.wish == "use_default")
            for segment in COMMANDS[command.argv][1]
        )

    def rule_lets_out(self, command: CommandRequest) -> bool:
        return all(
            any(segment[: len(prefix)] == prefix and bypass for prefix, bypass in self.rules)
            for segment in COMMANDS[command.argv][1]
        )

    def policy_allows(self, command: CommandRequest) -> bool:
        only_reads = all(segment in READS for segment in COMMANDS[command.argv][1])
        if command.wish == "require_escalated" or any(each in DANGEROUS for each in COMMANDS[command.argv][1]):
            return False
        return self.policy != "untrusted" or only_reads

    def implied(self, request: ApprovalRequest) -> bool:
        """Whether an earlier answer already says what this question asks."""
        if request.stage == "initial" and self.rule_allows(request.command):
            return True
        if request.stage == "retry" and self.in_places(request.grants):
            return True
        holding = self.holding(request.command, request.call_id)
        useful = [grant for each in holding for grant in each.grants if grant not in request.held]
        return bool(holding) and all(any(includes(wide, want) for wide in useful) for want in request.grants)

    def in_places(self, grants: tuple[Grant, ...]) -> bool:
        return all(any(includes(wide, want) for wide in self.places) for want in grants)

    def may_run(self, command: CommandRequest, grants: tuple[Grant, ...], call: str) -> bool:
        """Whether somebody allowed this run, with each of these grants."""
        holding = self.holding(command, call)
        allowed = self.policy_allows(command) or self.rule_allows(command) or bool(holding)
        sources = [grant for each in holding for grant in each.grants]
        sources += [ESCALATE] if self.rule_lets_out(command) else []
        sources += self.this_call or ()
        sources += self.places if ESCALATE not in grants else []
        return (allowed or self.this_call is not None) and all(
            any(includes(wide, grant) for wide in sources) for grant in grants
        )


class Session:
    """The real gate, somebody who answers as drawn, and the model that looks on."""

    def __init__(self, policy: Any, draw: Any) -> None:
        self.model = Model(policy)
        self.draw = draw
        self.names = iter(map(str, range(10_000)))
        self.command = CommandRequest((), "/", {})
        self.call = ""
        policies = Policies(approval=policy, sandbox=WorkspaceWrite(), rules=NO_RULES, workspace="/repo")
        self.gate = Gate(
            policies,
            confinement=self,
            answering=SessionAnswers((self,)),
            assess=lambda _command, _denial: None,
            record=lambda _record: None,
            new_id=self.new_id,
            rulebook=Rulebook(policies, keep=lambda _amendment: "default.rules"),
        )

    def new_id(self) -> str:
        self.last_id = next(self.names)
        return self.last_id

    def passes(self, command: CommandRequest) -> None:
        self.command, self.model.this_call = command, None
        self.call = str(int(self.last_id) + 1) if hasattr(self, "last_id") else "0"
        self.gate.pass_through(command, self)

    def review(self, request: ApprovalRequest) -> Decision:
        model = self.model
        assert request.call_id == self.call
        assert not model.implied(request), f"asked again: {request}"
        choice = self.draw(st.sampled_from(choices(request)))
        uses = self.draw(st.sampled_from((None, None, 1, 2))) if choice.decision == "approved_for_session" else None
        decision = Decision(
            request.stage, choice.decision, "user", choice.grants, amendment=choice.amendment, uses=uses
        )
        if decision.approved:
            model.this_call = (*(model.this_call or ()), *decision.grants)
        if decision.decision == "approved_for_session":
            key = (COMMANDS[request.command.argv][0], request.command.wish == "require_escalated")
            model.given.setdefault(key, []).append(Answered(decision.grants, uses, request.call_id))
            if request.stage == "retry" and uses is None and ESCALATE not in decision.grants:
                model.places += decision.grants
        if decision.amendment is not None:
            model.rules.append((decision.amendment.prefix, decision.amendment.sandbox == "bypass"))
        return decision

    # The confinement and the launcher.

    def plan(self, command: CommandRequest, grants: tuple[Grant, ...], **_more: Any) -> ConfinedCommand:
        assert self.model.may_run(command, grants, self.call), f"ran unasked: {command.argv} with {grants}"
        for each in self.model.holding(command, self.call):
            if each.uses is not None and self._needs(each, grants):
                each.calls.add(self.call)
        self.grants = grants
        confined = ESCALATE not in grants
        return ConfinedCommand(
            "namespace" if confined else "none",
            command.argv,
            command.cwd,
            command.env,
            EffectivePermissions(writable=("/repo",), confined=confined),
        )

    def _needs(self, each: Answered, grants: tuple[Grant, ...]) -> bool:
        """Whether this run used up one of so many: it was asked about, or takes what the answer gave."""
        endless = [one for one in self.model.holding(self.command, self.call) if one.uses is None]
        for_running = not self.model.policy_allows(self.command) and not self.model.rule_allows(self.command)
        lent = [*self.model.places, *(grant for one in endless for grant in one.grants)]
        takes = any(grant in each.grants and grant not in lent for grant in grants)
        return takes or (for_running and not endless and self.model.this_call is None)

    def __call__(self, _call_id: str, _plan: ConfinedCommand) -> AttemptOutcome:
        if ESCALATE in self.grants:
            return AttemptOutcome(CommandResult(0, None, "exited", b"", b"", b""), reported=True)
        lacking = tuple(
            refused
            for refused in COMMANDS[self.command.argv][2]
            if not any(includes(grant, GIVES[f"{refused.operation} {refused.syscall}"]) for grant in self.grants)
        )[:1]  # step by step, as real programs fail
        code = 1 if lacking else 0
        return AttemptOutcome(CommandResult(code, None, "exited", b"", b"", b""), refused=lacking, reported=True)

    def expect(self) -> None: ...
    def get_ready(self, grants: tuple[Grant, ...]) -> None: ...
    def stand_down(self) -> None: ...
    def when_held(self, _ask: object) -> bool:
        return False

    def fall_back(self, _plan: ConfinedCommand, _failure: object) -> bool:
        return False

    def quarantine(self, _paths: tuple[str, ...]) -> list[str]:
        return []


@settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.sampled_from(("untrusted", "on-failure", "on-request")))
def test_nothing_implied_is_asked_and_nothing_else_runs(data: st.DataObject, policy: str) -> None:
    session = Session(policy, data.draw)
    for _ in range(data.draw(st.integers(1, 12))):
        argv = data.draw(st.sampled_from(tuple(COMMANDS)))
        escalated = policy == "on-request" and data.draw(st.booleans())
        wish: Any = "require_escalated" if escalated else "use_default"
        session.passes(CommandRequest(argv, "/repo", {"PATH": "/bin:/usr/bin"}, wish=wish))
