"""Which rule would have made this question needless, and how it is written down.

Who answers a question may also say "and always". What is then saved is proposed here, before anybody is asked, so that
the exact rule can be shown: the words of the first part of the command that the policy's own table asks about, or the
beginning that the caller wished for, if that is narrow enough. Nothing is proposed where it would not help, where a
rule asks (somebody wanted that), and where the words do not say what would run. Pure.
"""

from __future__ import annotations

from sandgate.policy.amendment_bans import why_banned
from sandgate.policy.approval import judge
from sandgate.policy.dangerous import find_danger
from sandgate.policy.program_places import said_by
from sandgate.policy.rules import written
from sandgate.policy.rules.model import NO_RULES, PlaceRule, Rule, RuleSet, merged
from sandgate.protocol.decisions import Amendment
from sandgate.protocol.permissions import confines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.policy.approval import Judgement
    from sandgate.policy.program_places import ProgramPlaces
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.permissions import ApprovalPolicy, SandboxPolicy


def proposed_amendment(
    command: CommandRequest,
    *,
    policy: ApprovalPolicy,
    sandbox: SandboxPolicy,
    rules: RuleSet = NO_RULES,
    backend_available: bool = True,
    programs: ProgramPlaces | None = None,
) -> Amendment | None:
    """The rule to offer with the question whether `command` may run; None when there is none to offer."""

    places = programs or said_by(command, sandbox)

    def judged(more: tuple[Rule, ...] = ()) -> Judgement:
        return judge(
            command.argv,
            policy=policy,
            sandbox=sandbox,
            rules=merged(rules, RuleSet(more)),
            wish=command.wish,
            backend_available=backend_available,
            programs=places,
        )

    now = judged()
    what = now.what
    if what.complex or any(each.rule and each.because.verdict == "ask" for each in now.segments):
        return None
    leaves = command.wish == "require_escalated" and confines(sandbox)
    wished = Amendment(command.prefix_rule, "bypass" if leaves else "keep")
    if command.prefix_rule and _may_be_wished(wished.prefix, now) and _allows_all(judged((rule_of(wished),)), leaves):
        return wished
    at = next((at for at, each in enumerate(now.segments) if each.because.verdict == "ask"), None)
    if at is None or (what.unparsed and what.argv[-1].strip()):
        return None
    because = now.segments[at].because
    # Behind `rm -rf build` anything could stand: what is dangerous is allowed as it is, or not at all.
    found = wished.but(prefix=because.segment, exact=because.source == "danger-list")
    if why_banned(found.prefix):
        return None
    then = judged((rule_of(found),)).segments[at]
    return found if then.because.verdict == "allow" and (then.bypass or not leaves) else None


def rule_of(amendment: Amendment, source: str = "") -> Rule:
    """The rule that an accepted amendment is."""
    return Rule(
        tuple((word,) for word in amendment.prefix),
        "allow",
        sandbox=amendment.sandbox,
        source=source,
        until=amendment.until,
        uses=amendment.uses,
        exact=amendment.exact,
        same_content=amendment.same_content,
    )


def rule_line(amendment: Amendment) -> str:
    """The line of a `.rules` file that an accepted amendment becomes."""
    if amendment.places:
        return written.place_line(place_rule_of(amendment))
    return written.rule_line(rule_of(amendment))


def place_rule_of(amendment: Amendment, source: str = "") -> PlaceRule:
    """The rule about places that an accepted amendment is."""
    paths, prefix = tuple([grant.value for grant in amendment.places]), tuple([(word,) for word in amendment.prefix])
    return PlaceRule(paths, amendment.places[0].kind, "allow", prefix, until=amendment.until, source=source)


def _may_be_wished(prefix: tuple[str, ...], now: Judgement) -> bool:
    """Narrow enough, not dangerous as it stands, and nobody wrote a rule about any of this."""
    if why_banned(prefix) or any(each.rule for each in now.segments):
        return False
    from sandgate.commandline import segments

    return find_danger(segments(prefix)) is None


def _allows_all(then: Judgement, leaves: bool) -> bool:
    return then.decide == "allow" and (not leaves or all(each.bypass for each in then.segments))
