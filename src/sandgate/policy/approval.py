"""May this command run: unasked, after a question, or not at all?

Three steps, each a table. First every segment of the command line gets a decision: from the rules that match it,
otherwise from `HEURISTIC`, read top down. Then the strictest segment speaks for all. Last, the approval policy
says what a question becomes (`QUESTIONS`): under `never` it is a refusal. Pure: no disk, no clock.
"""

from __future__ import annotations

from sandgate.commandline import segments
from sandgate.policy.dangerous import NONE_SPARED, dangerous_segments, find_danger
from sandgate.policy.lengths import TOO_LONG, echoed, too_long
from sandgate.policy.program_places import NOWHERE, said_by
from sandgate.policy.reach import programs_of, reaching, tightening
from sandgate.policy.rules.model import NO_RULES, STRICTNESS, Rule, strictest
from sandgate.policy.safety import SYSTEM_BINS, only_system_bins, safe_commands, trusted_program
from sandgate.protocol.permissions import DangerFullAccess, ExternalSandbox, Granular
from sandgate.protocol.verdicts import Allow, Ask, Because, Forbid
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from sandgate.commandline import Segments
    from sandgate.policy.dangerous import Danger
    from sandgate.policy.program_places import ProgramPlaces
    from sandgate.policy.rules.model import NetworkRule, RuleSet
    from sandgate.protocol.commands import CommandRequest, EscalationWish
    from sandgate.protocol.permissions import ApprovalPolicy, SandboxPolicy
    from sandgate.protocol.verdicts import RuleDecision, Verdict, VerdictSource

    Argv = tuple[str, ...]
    CommandClass = Literal["safe", "dangerous", "other"]
    FileSystemKind = Literal["unrestricted", "external", "restricted"]
    Tool = Literal["command", "apply_patch"]

NOBODY = "nobody may be asked"
REASON_RULES_OFF = "approval required by policy rule, but AskForApproval::Granular.rules is false"
REASON_SANDBOX_OFF = "approval required by policy, but AskForApproval::Granular.sandbox_approval is false"
MADE = "it would run what commands may have written, `{}`"
REASON_EMPTY = "command args are empty"
REASON_EMPTY_TTY = "missing command line for PTY"


class Row(Record):
    """One line of the heuristic table; an empty column stands for "any"."""

    decide: RuleDecision
    detail: str
    command: tuple[CommandClass, ...] = ()
    policy: tuple[str, ...] = ()  # a granular policy decides like on-request
    files: tuple[FileSystemKind, ...] = ()
    wish: tuple[EscalationWish, ...] = ()
    backend: tuple[bool, ...] = ()

    def fits(self, command: str, policy: str, files: str, wish: str, *, backend: bool) -> bool:
        return (
            (not self.command or command in self.command)
            and (not self.policy or policy in self.policy)
            and (not self.files or files in self.files)
            and (not self.wish or wish in self.wish)
            and (not self.backend or backend in self.backend)
        )


HEURISTIC: tuple[Row, ...] = (
    # A safe command that asks to leave the sandbox is judged like any other: leaving is what it asks for.
    Row("allow", "only reads", command=("safe",), wish=("use_default",)),
    Row("allow", "dangerous, but nobody is asked and nothing is confined here", command=("dangerous",),
        policy=("never",), files=("unrestricted", "external")),
    Row("forbid", f"dangerous, and {NOBODY}", command=("dangerous",), policy=("never",)),
    Row("ask", "dangerous", command=("dangerous",)),
    Row("forbid", "no usable sandbox backend", policy=("never",), files=("restricted",), backend=(False,)),
    Row("ask", "no usable sandbox backend", files=("restricted",), backend=(False,)),
    Row("allow", "policy never: runs as far as the sandbox lets it", policy=("never",)),
    Row("allow", "policy on-failure: the sandbox decides first", policy=("on-failure",)),
    Row("ask", "policy untrusted: not known to only read", policy=("untrusted",)),
    Row("allow", "nothing is confined under this sandbox policy", files=("unrestricted", "external")),
    Row("ask", "asks to run without the sandbox", wish=("require_escalated",)),
    Row("allow", "runs in the sandbox"),
)  # fmt: skip

# After a denial: may a reviewer be asked to run it with more freedom?
ASK_AFTER_DENIAL: dict[str, dict[Tool, bool]] = {
    "never": {"command": False, "apply_patch": False},
    "on-request": {"command": False, "apply_patch": True},
    "on-failure": {"command": True, "apply_patch": True},
    "untrusted": {"command": True, "apply_patch": True},
}


class Found(Record):
    """Where the words of a command line may find their programs."""

    argv: Argv  # the whole command line: a shell that is not the system's vouches for nothing inside
    system_bins: tuple[str, ...]
    system_only: bool  # a bare name can only mean a program in a system directory
    programs: ProgramPlaces

    def strangers(self, what: Segments, segment: Argv) -> list[str]:
        """Programs of the segment, as it calls them, that lie where commands may have put them."""
        return [program for program in programs_of(what, segment) if self.programs.planted(program)]

    def named(self, strangers: list[str], rule: Rule, rules: RuleSet) -> bool:
        """Whether the rule itself, or a `host_executable` entry, names each of them by its path."""
        words = {word for place in rule.prefix for word in place if "/" in word}
        return all(each in words or rules.host_admits(self.programs.planted(each)) for each in strangers)

    def means(self, program: str, rule: Rule, rules: RuleSet) -> bool:
        """Whether `program` is certainly the one `rule` names, so that it may leave the sandbox."""
        if "/" not in program:
            return self.system_only
        if program[:1] != "/":
            return False
        named = program in rule.prefix[0] or bool(rules.host_admits(program))
        return named or trusted_program(program, self.system_bins)


class Judged(Record):
    """One segment with its decision."""

    because: Because
    rule: Rule | None = None  # the one that decided
    bypass: bool = False


class Judgement(Record):
    """Every segment's decision, and the strictest of them."""

    what: Segments
    segments: tuple[Judged, ...]
    decide: RuleDecision

    @property
    def by_rule(self) -> tuple[Judged, ...]:
        """The segments whose strictest decision a rule made."""
        return tuple([each for each in self.segments if each.rule and each.because.verdict == self.decide])


def verdict_for(
    command: CommandRequest,
    *,
    policy: ApprovalPolicy,
    sandbox: SandboxPolicy,
    rules: RuleSet = NO_RULES,
    backend_available: bool = True,
    system_bins: tuple[str, ...] = SYSTEM_BINS,
    programs: ProgramPlaces | None = None,
) -> Verdict:
    """What policy says about `command` before anybody is asked. `programs`: None where nobody knows the disk."""
    refusal = unfit(command, policy)
    if refusal is not None:
        return refusal
    judgement = judge(
        command.argv,
        policy=policy,
        sandbox=sandbox,
        rules=rules,
        wish=command.wish,
        backend_available=backend_available,
        system_bins=system_bins,
        programs=programs or said_by(command, sandbox),
    )
    return conclude(judgement, policy)


def unfit(command: CommandRequest, policy: ApprovalPolicy) -> Forbid | None:
    """Requests that are refused before anything is judged."""
    if not command.argv:
        return Forbid(REASON_EMPTY_TTY if command.tty else REASON_EMPTY)
    if command.wish == "require_escalated" and policy != "on-request":
        return Forbid(
            f"reject command: the approval policy is `{policy_name(policy)}`; "
            "do not ask to run without the sandbox under this policy"
        )
    return None


def judge(
    argv: Argv,
    *,
    policy: ApprovalPolicy,
    sandbox: SandboxPolicy,
    rules: RuleSet = NO_RULES,
    wish: EscalationWish = "use_default",
    backend_available: bool = True,
    system_bins: tuple[str, ...] = SYSTEM_BINS,
    programs: ProgramPlaces = NOWHERE,
) -> Judgement:
    """Steps A and B: a decision for each segment, and the strictest of all. `programs`: where those it names lie."""
    what = segments(argv)
    unjudged = too_long(what)
    shell = what.script is not None
    if unjudged or (shell and (not trusted_program(argv[0], system_bins) or programs.planted(argv[0]))):
        # Somebody's own `bash` may do anything with the script, so its words vouch for nothing.
        what = what.but(commands=(argv,), plain=False, complex=False)
    files = _file_system_kind(sandbox)
    confined = files == "restricted" and backend_available
    danger, spared = find_danger(what), NONE_SPARED
    if danger is not None and confined and wish == "use_default" and not unjudged:
        from sandgate.policy.deletions import made_again

        spared = made_again(what, programs)
        danger = find_danger(what, spared)
    dangerous = dangerous_segments(what, danger, spared)
    path = programs.path
    found = Found(argv, system_bins, only_system_bins(path, system_bins), programs)
    # A stranger's `ls` on PATH may run in the sandbox, and nowhere else.
    names_hold = found.system_only or (confined and _names_are_fixed(path))
    known_names = names_hold and not unjudged
    safe = safe_commands(what, system_bins, confined=confined) if known_names else (False,) * len(what.commands)
    decides_like = _decides_like(policy)
    known: dict[tuple[CommandClass, Argv], Judged] = {}  # a segment that comes again is judged the same
    judged: list[Judged] = []
    for at, segment in enumerate(what.commands):
        vouched = safe[at] and not found.strangers(what, segment)
        kind: CommandClass = "dangerous" if dangerous[at] else "safe" if vouched else "other"
        answer = known.get((kind, segment))
        if answer is None:
            row = next(row for row in HEURISTIC if row.fits(kind, decides_like, files, wish, backend=backend_available))
            detail = TOO_LONG if unjudged and kind == "other" and row.decide == "ask" else _detail(row, kind, danger)
            heuristic = Because(segment, row.decide, _source(kind, row, what), detail)
            answer = known[kind, segment] = _with_rules(what, segment, heuristic, rules, found)
        judged.append(answer)
    if rules.network:
        judged = _with_hosts(what, judged, rules)
    if rules.rules:
        judged += _with_hidden(what, _strictest(judged), rules)
    return Judgement(what, tuple(judged), _strictest(judged))


def conclude(judgement: Judgement, policy: ApprovalPolicy) -> Verdict:
    """Step C: what the strictest decision becomes under this approval policy."""
    because = tuple([each.because for each in judgement.segments])
    argv = judgement.what.argv
    if judgement.decide == "allow":
        return Allow(because, bypass_sandbox=all(each.bypass for each in judgement.segments))
    rule = strictest(tuple([each.rule for each in judgement.by_rule if each.rule])) if judgement.by_rule else None
    if judgement.decide == "forbid":
        return Forbid(_forbidden(echoed(argv), rule, because), because, by="rule" if rule else "policy")
    asks = f"`{echoed(argv)}` requires approval{f': {rule.because}' if rule and rule.because else ' by policy'}"
    if policy == "never":
        return Forbid(f"{asks}, and {NOBODY}", because, by="rule" if rule else "policy")
    if isinstance(policy, Granular) and rule and not policy.rules:
        return Forbid(REASON_RULES_OFF, because, by="rule")
    if isinstance(policy, Granular) and not rule and not policy.sandbox_approval:
        return Forbid(REASON_SANDBOX_OFF, because)
    return Ask(because, asks) if rule else Ask(because)


def may_ask_after_denial(policy: ApprovalPolicy, tool: Tool = "command") -> bool:
    """Whether a sandbox denial may become a question."""
    if isinstance(policy, Granular):
        return policy.sandbox_approval
    return ASK_AFTER_DENIAL[policy][tool]


def policy_name(policy: ApprovalPolicy) -> str:
    """As people write it in messages and files."""
    return "granular" if isinstance(policy, Granular) else policy


def _names_are_fixed(path: str | None) -> bool:
    """False when a bare `ls` may be the one in the working directory: PATH has a relative or an empty entry."""
    return path is None or all(entry[:1] == "/" for entry in path.split(":"))


def _decides_like(policy: ApprovalPolicy) -> str:
    return "on-request" if isinstance(policy, Granular) else policy


def _file_system_kind(sandbox: SandboxPolicy) -> FileSystemKind:
    if isinstance(sandbox, DangerFullAccess):
        return "unrestricted"
    return "external" if isinstance(sandbox, ExternalSandbox) else "restricted"


def _source(kind: CommandClass, row: Row, what: Segments) -> VerdictSource:
    if kind == "dangerous" and "dangerous" in row.command:
        return "danger-list"
    if kind == "safe" and "safe" in row.command:
        return "safe-list"
    return "unparsed" if what.unparsed else "policy"


def _detail(row: Row, kind: CommandClass, danger: Danger | None) -> str:
    if kind == "dangerous" and danger is not None:
        return f"{row.detail}: `{echoed(danger.argv)}` {danger.why}"
    return row.detail


def _with_rules(what: Segments, segment: Argv, heuristic: Because, rules: RuleSet, found: Found) -> Judged:
    """Rules that match the segment decide it; those that match a command inside it may only tighten."""
    if not rules.rules and not rules.short:
        return Judged(heuristic)
    matching = rules.matching(segment)
    strangers = found.strangers(what, segment) if any(rule.decide == "allow" for rule in matching) else []
    meant = [rule for rule in matching if rule.decide != "allow" or found.named(strangers, rule, rules)]
    outer = reaching(segment, tuple(meant))
    inner = tightening(what, segment, rules)
    if outer:
        rule = strictest(outer + inner)
        leaves = rule.decide == "allow" and _as_written(what) and _leaves(segment, outer, rules, found)
        made = found.programs.steered(segment, max(len(each.prefix) for each in outer)) if leaves else ""
        because = _by_rule(segment, rule)
        if made:
            because = because.but(detail=f"{because.detail}; it stays in the sandbox: {MADE.format(echoed((made,)))}")
        return Judged(because, rule, leaves and not made)
    if inner:
        rule = strictest(inner)
        if STRICTNESS[rule.decide] >= STRICTNESS[heuristic.verdict]:
            return Judged(_by_rule(segment, rule), rule)
    if heuristic.verdict != "allow" and (matching or rules.short):
        from sandgate.policy.idle_rules import with_idle_rule

        return Judged(with_idle_rule(heuristic, matching, rules.short, strangers))
    return Judged(heuristic)


def _strictest(judged: list[Judged]) -> RuleDecision:
    return max([each.because.verdict for each in judged], key=STRICTNESS.__getitem__)


def _with_hidden(what: Segments, decide: RuleDecision, rules: RuleSet) -> list[Judged]:
    """The line once more, where it runs what a rule is about, or what nobody can know, without naming it."""
    from sandgate.policy.hidden_programs import hidden

    found = hidden(what, decide, rules)
    if found is None or found.rule is None:
        return [Judged(Because(what.argv, "ask", "unparsed", found.unknown))] if found else []
    return [Judged(_by_rule(found.argv, found.rule), found.rule)]


def _with_hosts(what: Segments, judged: list[Judged], rules: RuleSet) -> list[Judged]:
    """Each segment as the hosts it names let it be; what stands between the segments speaks for the whole line."""
    from sandgate.policy.rules.network import HostRules, all_words

    hosts = HostRules(rules.network)
    found: list[Judged] = []
    seen = 0
    for each in judged:
        rule = hosts.about(each.because.segment)
        seen = max(seen, STRICTNESS[rule.decide] if rule else 0)
        decides = rule is not None and STRICTNESS[rule.decide] >= STRICTNESS[each.because.verdict]
        found.append(_by_host(each.because.segment, rule) if rule is not None and decides else each)
    whole = hosts.about(all_words(what))
    if whole is not None and STRICTNESS[whole.decide] > seen:
        found.append(_by_host(what.argv, whole))
    return found


def _by_host(segment: Argv, rule: NetworkRule) -> Judged:
    """A host as the rule of the words that name it."""
    said = "is forbidden" if rule.decide == "forbid" else "needs approval"
    because = rule.because or f"the host `{rule.host}` {said}"
    stands_for = Rule(((rule.host,),), rule.decide, because, source=rule.source, line=rule.line)
    return Judged(_by_rule(segment, stands_for), stands_for)


def _leaves(segment: Argv, matching: tuple[Rule, ...], rules: RuleSet, found: Found) -> bool:
    """Whether a rule takes the segment out of the sandbox, and no planted program can take its place."""
    if "/" not in found.argv[0] and not found.system_only:  # of a script: its shell
        return False
    return any(rule.sandbox == "bypass" and found.means(segment[0], rule, rules) for rule in matching)


def _as_written(what: Segments) -> bool:
    """No redirection to a file and no variable beside the command: a rule speaks of its words alone."""
    if what.script is None or not what.complex:
        return True
    assigned = any(command.assignments for command in what.script.commands)
    return not assigned and all(redirection.target is None for redirection in what.script.redirections)


def _by_rule(segment: Argv, rule: Rule) -> Because:
    why = f": {rule.because}" if rule.because else ""
    return Because(segment, rule.decide, "rule", f"{rule.named}{why}")


def _forbidden(shown: str, rule: Rule | None, because: tuple[Because, ...]) -> str:
    if rule is None:
        details = [each.detail for each in because if each.verdict == "forbid"]
        return f"`{shown}` rejected: blocked by policy ({details[0].replace(f'`{shown}` ', 'it ', 1)})"
    if rule.because:
        return f"`{shown}` rejected: {rule.because}"
    return f"`{shown}` rejected: policy forbids commands starting with `{rule.shown_prefix}`"
