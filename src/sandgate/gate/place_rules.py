"""What rules about places give one command.

A rule for certain words gives nothing to a line that does anything else: every part of it must be one that the rule is
about, or known to only read. What a program starts, loads or hides is judged as for a rule that allows.
"""

from __future__ import annotations

from sandgate.gate.policies import as_judged
from sandgate.policy.approval import judge
from sandgate.policy.common_places import homes_of, is_common
from sandgate.policy.rules.model import Rule, RuleSet
from sandgate.policy.rules.places import closing
from sandgate.protocol.confinement import PATCH
from sandgate.protocol.permissions import Grant, RuleGrant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.gate.contracts import Surroundings
    from sandgate.gate.policies import Policies
    from sandgate.policy.approval import Judgement
    from sandgate.policy.rules.model import PlaceRule
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.protocol.decisions import Amendment

GIVEN_MAX = 128  # grants of one command by rules; further ones are asked about as without them


def given_to(
    command: CommandRequest,
    places: tuple[PlaceRule, ...],
    rules: RuleSet,
    policies: Policies,
    here: Surroundings,
) -> tuple[RuleGrant, ...]:
    """In the order of the files; `places` are those of `rules` that hold by now. A rule that can give nothing here is
    told once."""
    if command.argv[0] == PATCH:  # which nothing carries out but ourselves
        return ()
    named = [
        RuleGrant(Grant(rule.grant, path), rule.named)
        for rule in places
        if rule.decide == "allow" and rule.grant is not None and is_about(rule, command, rules, policies)
        for path in rule.paths
    ]
    if not named:
        return ()
    from sandgate.sandbox.carried_grants import given_here

    found, notes = given_here(tuple(named[:GIVEN_MAX]), here.permissions())
    homes = homes_of(command.env)
    whole = [each for each in found if is_common(each.grant.value, homes=homes)]
    for note in (*notes, *(f"the {each.rule} gives nothing: it is about a whole home" for each in whole)):
        here.say_once(note)
    return tuple([each for each in found if each not in whole and not closing(each.grant, places, ("ask", "forbid"))])


def is_about(rule: PlaceRule, command: CommandRequest, rules: RuleSet, policies: Policies) -> bool:
    """Whether the whole of the command is what the rule names, beside what only reads."""
    if not rule.prefix:
        return True
    judged = _judged(command, RuleSet((Rule(rule.prefix, "allow"),), rules.host_executables), policies)
    return judged.decide == "allow" and bool(judged.by_rule)


def proposed(
    command: CommandRequest,
    plan: ConfinedCommand,
    grants: tuple[Grant, ...],
    rules: RuleSet,
    policies: Policies,
) -> Amendment | None:
    """The rule that would have made the question about these grants needless, where it is one to be offered."""
    if any(closing(grant, rules.places, ("ask", "forbid")) for grant in grants):
        return None
    from sandgate.policy.amendments import place_rule_of
    from sandgate.policy.place_amendments import proposed_place_rule

    judged = _judged(command, RuleSet(host_executables=rules.host_executables), policies)
    found = proposed_place_rule(judged, grants, plan.permissions, plan.env)
    return found if found is not None and is_about(place_rule_of(found), command, rules, policies) else None


def _judged(command: CommandRequest, rules: RuleSet, policies: Policies) -> Judgement:
    """Under the policy by which only reading needs no rule."""
    asked = as_judged(command)
    return judge(
        asked.argv,
        policy="untrusted",
        sandbox=policies.sandbox,
        rules=rules,
        backend_available=policies.backend_available,
        programs=policies.programs(asked),
    )
