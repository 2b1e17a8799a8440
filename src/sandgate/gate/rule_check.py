"""Which rules speak about a command, and what the rest of policy says where none does. Runs and counts nothing."""

from __future__ import annotations

from sandgate.commandline.words import program_name
from sandgate.gate.policies import as_judged
from sandgate.policy.approval import judge
from sandgate.policy.reach import reaching
from sandgate.policy.rules.written import LINEAGE_WORDS
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from sandgate.gate.policies import Policies
    from sandgate.policy.approval import Judged
    from sandgate.policy.rules import Rule, RuleSet
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.permissions import RuleGrant
    from sandgate.protocol.verdicts import RuleDecision

    Argv = tuple[str, ...]
    MatchKind = Literal["prefix", "network", "heuristics"]


class RuleMatch(Record):
    """One reason for the decision about one segment of a command line."""

    kind: MatchKind
    segment: Argv
    decide: RuleDecision
    prefix: Argv = ()  # the words a rule matched; of a rule about hosts, the host
    because: str = ""
    source: str = ""
    resolved_program: str = ""  # the path that answered to the rule's bare name


class RuleMatches(Record):
    """Everything that speaks about a command line; the strictest of it decides."""

    matches: tuple[RuleMatch, ...]
    decide: RuleDecision
    gives: tuple[RuleGrant, ...] = ()  # of rules about places


def rule_matches(
    policies: Policies, rules: RuleSet, command: CommandRequest, gives: tuple[RuleGrant, ...] = ()
) -> RuleMatches:
    """What rules and policy say about each segment, before the approval policy makes a question a refusal.

    `rules` are those that hold by now, which may be more than the `policies` of a session began with.
    """
    asked = as_judged(command)
    judgement = judge(
        asked.argv,
        policy=policies.approval,
        sandbox=policies.sandbox,
        rules=rules,
        wish=command.wish,
        backend_available=policies.backend_available,
        programs=policies.programs(asked),
    )
    found = [match for judged in judgement.segments for match in _about(judged, rules)]
    return RuleMatches(tuple(found), judgement.decide, gives)


def matches_json(found: RuleMatches) -> dict[str, Any]:
    """In the lineage's response shape."""
    given = [{"placeRuleMatch": {**each.grant.fields(), "rule": each.rule}} for each in found.gives]
    matched = [_match_json(match) for match in found.matches]
    return {"matchedRules": [*matched, *given], "decision": LINEAGE_WORDS[found.decide]}


def _match_json(match: RuleMatch) -> dict[str, Any]:
    decision = LINEAGE_WORDS[match.decide]
    if match.kind == "heuristics":
        return {"heuristicsRuleMatch": {"command": list(match.segment), "decision": decision}}
    more = {"justification": match.because} if match.because else {}
    if match.kind == "network":
        return {"networkRuleMatch": {"host": match.prefix[0], "decision": decision, **more}}
    program = {"resolvedProgram": match.resolved_program} if match.resolved_program else {}
    return {"prefixRuleMatch": {"matchedPrefix": list(match.prefix), "decision": decision, **program, **more}}


def _about(judged: Judged, rules: RuleSet) -> list[RuleMatch]:
    segment = judged.because.segment
    counting = reaching(segment, rules.matching(segment))  # the others are named in the reason
    direct = [rule for rule in counting if rule is not judged.rule]
    speaking = [*([judged.rule] if judged.rule else []), *direct]
    if not speaking:
        because = judged.because
        return [RuleMatch("heuristics", segment, because.verdict, because=because.detail, source=because.source)]
    return [_match(rule, segment, rules) for rule in speaking]


def _match(rule: Rule, segment: Argv, rules: RuleSet) -> RuleMatch:
    # Where nothing better is known, it matched a command that this segment starts.
    match = RuleMatch(
        "prefix", segment, rule.decide, tuple(place[0] for place in rule.prefix), rule.because, rule.source
    )
    if rule not in rules.rules:
        return match.but(kind="network")
    length = len(rule.prefix)
    if rule.covers(segment):
        return match.but(prefix=segment[:length])
    bare = (program_name(segment[0]), *segment[1:])
    if rule.covers(bare):
        return match.but(prefix=bare[:length], resolved_program=segment[0] if segment[0][:1] == "/" else "")
    return match
