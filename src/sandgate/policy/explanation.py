"""Why a command line is judged as it is: its parts, each with its own verdict, and the one change that flips it.

The tree shows more than the decision rests on. Where a script cannot be vouched for, it is judged as a whole, and its
parts tell what each would get alone; where a program starts another one, the inner command hangs below it. A change is
only ever named after trying it: the command was judged again with it, as `sandgate rules add` would have it, and the
verdict was another.
"""

from __future__ import annotations

from sandgate.commandline import segments
from sandgate.commandline.carried import handed_over
from sandgate.commandline.invocation import started_by
from sandgate.commandline.words import joined, program_name
from sandgate.commandline.wrappers import STARTERS
from sandgate.errors import RequestError, RuleError
from sandgate.policy.additions import added_rule
from sandgate.policy.amendments import proposed_amendment
from sandgate.policy.approval import judge, verdict_for
from sandgate.policy.program_places import said_by
from sandgate.policy.rules.model import NO_RULES, RuleSet, merged
from sandgate.protocol.verdicts import Allow, Ask
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Literal

    from sandgate.commandline import Segments
    from sandgate.commandline.bashcommands import Redirection
    from sandgate.policy.approval import Judgement
    from sandgate.policy.program_places import ProgramPlaces
    from sandgate.policy.rules.model import Rule
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.permissions import ApprovalPolicy, SandboxPolicy
    from sandgate.protocol.verdicts import Because, RuleDecision, Verdict, VerdictSource

    Argv = tuple[str, ...]
    ChangeKind = Literal["rule", "approval_policy", "command"]

PARTS_MAX = 200  # shown of one command line
DEPTH_MAX = 8  # programs that start programs
LOOSER = ("untrusted", "on-request", "on-failure")  # approval policies that ask, from the one that asks most


class Part(Record):
    """One command of a command line, or the whole of it."""

    text: str  # as a shell would be given it, a redirection as written
    verdict: RuleDecision
    source: VerdictSource
    detail: str
    parts: tuple[Part, ...] = ()  # what it consists of, or what it starts
    decides: bool = True  # False: what it would get alone; something around it is judged instead
    left_out: int = 0  # how many parts more there are than these


class _Shown(Record):
    """The parts that are shown, and how many more there are."""

    parts: tuple[Part, ...] = ()
    left_out: int = 0


class Change(Record):
    """One change after which the same command gets another verdict."""

    kind: ChangeKind
    what: str  # an argv prefix as shell words, the name of an approval policy, or words for the command's author
    verdict: RuleDecision  # what it would be then
    prefix: Argv = ()  # of a rule
    decide: RuleDecision = "allow"  # of a rule
    leaves_out: bool = False  # of a command: one part of it
    without: Rule | None = None  # the rule to remove


class PolicyCircumstances(Record):
    """What a verdict depends on beside the command."""

    policy: ApprovalPolicy
    sandbox: SandboxPolicy
    rules: RuleSet = NO_RULES
    backend_available: bool = True
    programs: Callable[[CommandRequest], ProgramPlaces] | None = None  # None: nobody knows a disk
    may_add_rules: bool = True  # somebody's own rules hold here, and there is a place for them

    def judge(self, command: CommandRequest) -> Judgement:
        return judge(
            command.argv,
            policy=self.policy,
            sandbox=self.sandbox,
            rules=self.rules,
            wish=command.wish,
            backend_available=self.backend_available,
            programs=self._places(command),
        )

    def verdict(self, command: CommandRequest) -> Verdict:
        return verdict_for(
            command,
            policy=self.policy,
            sandbox=self.sandbox,
            rules=self.rules,
            backend_available=self.backend_available,
            programs=self._places(command),
        )

    def _places(self, command: CommandRequest) -> ProgramPlaces:
        return self.programs(command) if self.programs is not None else said_by(command, self.sandbox)


def explanation_tree(command: CommandRequest, here: PolicyCircumstances) -> Part:
    """The tree of `command`. Its root has the strictest verdict of what decides."""
    return _Explainer(command, here).whole()


class _Explainer:
    """Judges the parts one by one, within a budget."""

    def __init__(self, command: CommandRequest, here: PolicyCircumstances) -> None:
        self._command = command
        self._here = here
        self._left = PARTS_MAX

    def whole(self) -> Part:
        judgement = self._judge(self._command.argv)
        causes = tuple(each.because for each in judgement.segments)
        strictest = next(cause for cause in causes if cause.verdict == judgement.decide)
        what = judgement.what
        if what.script is None:
            return self._part(strictest, 0, decides=True)
        if what.plain or what.complex:
            parts = tuple(self._part(cause, 1, decides=True) for cause in causes[:PARTS_MAX])
            return _of(strictest, what.argv, _Shown(parts, len(causes) - len(parts)), decides=True)
        return _of(strictest, what.argv, self._inside(what, 1), decides=True)

    def _inside(self, what: Segments, depth: int) -> _Shown:
        """The commands of a script that is judged as a whole, and the files its redirections write."""
        script = what.script
        if script is None:
            return _Shown()
        alone = self._each(tuple(command.argv for command in script.commands), depth)
        writing = [each for each in script.redirections if _writes(each)]
        files = tuple([_writing(each) for each in writing[:PARTS_MAX]])
        return _Shown((*alone.parts, *files), alone.left_out + len(writing) - len(files))

    def _each(self, commands: tuple[Argv, ...], depth: int) -> _Shown:
        named = tuple(argv for argv in commands if argv)
        shown = named[: max(self._left, 0)]
        self._left -= len(shown)
        return _Shown(tuple(self._alone(argv, depth) for argv in shown), len(named) - len(shown))

    def _alone(self, argv: Argv, depth: int) -> Part:
        judgement = self._judge(argv)
        cause = next(each.because for each in judgement.segments if each.because.verdict == judgement.decide)
        return self._part(cause.but(segment=argv), depth, decides=False)

    def _part(self, cause: Because, depth: int, *, decides: bool) -> Part:
        return _of(cause, cause.segment, self._started(cause.segment, depth), decides=decides)

    def _started(self, argv: Argv, depth: int) -> _Shown:
        if depth >= DEPTH_MAX or not argv or program_name(argv[0]) not in STARTERS:
            return _Shown()
        what = segments(argv)
        if what.script is not None:
            return self._inside(what, depth + 1)
        started = started_by(argv)
        texts = started.scripts or (() if started.commands else tuple(dict.fromkeys(handed_over(argv))))
        scripts = tuple(("bash", "-c", script) for script in texts)
        # A wrapper that hands its words to a shell names them twice, as an argv and as a script.
        return self._each(scripts or started.commands, depth + 1)

    def _judge(self, argv: Argv) -> Judgement:
        return self._here.judge(self._command.but(argv=argv))


def _of(cause: Because, argv: Argv, below: _Shown, *, decides: bool) -> Part:
    return Part(joined(argv), cause.verdict, cause.source, cause.detail, below.parts, decides, below.left_out)


def _writes(redirection: Redirection) -> bool:
    target = redirection.target
    return (
        ">" in redirection.operator
        and target is not None
        and not target.text.isdecimal()
        and (target.text not in ("-", "/dev/null"))
    )


def _writing(redirection: Redirection) -> Part:
    target = redirection.target.text if redirection.target is not None else ""
    return Part(
        f"{redirection.descriptor}{redirection.operator} {target}", "ask", "unparsed", "opens a file", (), False
    )


def flip(command: CommandRequest, here: PolicyCircumstances) -> Change | None:
    """The smallest change we know of that gives `command` another verdict; None when none was found.

    For what is asked or refused: a rule for the one part that needs it, an approval policy that asks less, or asking
    at all. For what is allowed: what would make it a question.
    """
    now = decision(here.verdict(command))
    for change in _candidates(command, here, now):
        found = decision(_with(change, command, here))
        if found != now and (now == "allow" or found != "forbid"):
            return change.but(verdict=found)
    return None


def decision(verdict: Verdict) -> RuleDecision:
    """The verdict as one word."""
    if isinstance(verdict, Allow):
        return "allow"
    return "ask" if isinstance(verdict, Ask) else "forbid"


def _candidates(command: CommandRequest, here: PolicyCircumstances, now: RuleDecision) -> Iterator[Change]:
    causes = here.verdict(command).because
    policy = here.policy if isinstance(here.policy, str) else "on-request"
    if now == "allow":
        if policy != "untrusted":
            yield Change("approval_policy", "untrusted", "ask")
        if causes and here.may_add_rules:
            yield _rule(causes[0].segment, "ask")
        return
    if command.wish == "require_escalated":
        yield Change("command", "do not ask to leave the sandbox (`--escalate`)", "allow")
    if now == "ask":
        yield from _saved(command, here) if here.may_add_rules else ()
        yield from _without_a_part(command, here)
        yield from [Change("approval_policy", each, "allow") for each in LOOSER[LOOSER.index(policy) + 1 :]]
        return
    yield from [Change("approval_policy", each, "ask") for each in reversed(LOOSER) if policy == "never"]
    for each in here.judge(command).segments:
        if each.rule is not None and each.because.verdict == "forbid":
            yield Change("rule", f"remove the {each.because.detail}", "allow", without=each.rule)


def _saved(command: CommandRequest, here: PolicyCircumstances) -> Iterator[Change]:
    """The rule that a reviewer would be offered to save, where a prefix alone says it."""
    proposed = proposed_amendment(
        command.but(prefix_rule=()),
        policy=here.policy,
        sandbox=here.sandbox,
        rules=here.rules,
        backend_available=here.backend_available,
    )
    if proposed is not None and not proposed.exact and proposed.sandbox == "keep":
        yield _rule(proposed.prefix, "allow")


def _without_a_part(command: CommandRequest, here: PolicyCircumstances) -> Iterator[Change]:
    """Leaving out the one part that is not allowed, of a line with others that are."""
    whole = explanation_tree(command, here)
    parts = whole.parts
    rest = [part for part in parts if part.verdict == "allow"]
    if rest and len(rest) == len(parts) - 1 and not whole.left_out:
        left_out = next(part for part in parts if part.verdict != "allow")
        yield Change("command", f"leave out `{left_out.text}`", "allow", leaves_out=True)


def _rule(prefix: Argv, decide: RuleDecision) -> Change:
    return Change("rule", joined(prefix), decide, prefix, decide)


def _with(change: Change, command: CommandRequest, here: PolicyCircumstances) -> Verdict:
    """The verdict once the change is made. Parts that are allowed alone are allowed one after the other."""
    if change.leaves_out:
        return Allow()
    if change.kind == "command":
        return here.verdict(command.but(wish="use_default"))
    if change.kind == "approval_policy":
        return here.but(policy=change.what).verdict(command)
    if change.without is not None:
        kept = tuple(rule for rule in here.rules.rules if rule != change.without)
        return here.but(rules=here.rules.but(rules=kept)).verdict(command)
    try:
        rule = added_rule(change.prefix, change.decide)
    except (RequestError, RuleError):
        return here.verdict(command)  # there can be no such rule, so nothing changes
    return here.but(rules=merged(here.rules, RuleSet((rule,)))).verdict(command)
