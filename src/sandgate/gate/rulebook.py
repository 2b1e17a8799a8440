"""The rules of one session as they stand now: those of the files, those accepted meanwhile, without those that ended.

An accepted rule counts at once, whether or not it could be saved. A rule that holds so many times is counted where all
sessions count (`uses`), before what it allows runs, only when the command would not have run without it, and once for
each part that needs it.
"""

from __future__ import annotations

from time import time

from sandgate.errors import SandgateError
from sandgate.gate.policies import as_judged
from sandgate.policy.approval import judge, unfit, verdict_for
from sandgate.policy.rules.model import RuleSet, merged
from sandgate.protocol.verdicts import Allow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import Protocol

    from sandgate.gate.contracts import Surroundings
    from sandgate.gate.policies import Policies
    from sandgate.policy.approval import Judgement
    from sandgate.policy.rules.model import PlaceRule, Rule
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.protocol.decisions import Amendment
    from sandgate.protocol.permissions import Grant, RuleGrant
    from sandgate.protocol.verdicts import Verdict

    Keep = Callable[[Amendment], str]  # saves the rule for later sessions and says where; raises SandgateError

    class Counted(Protocol):
        """How often rules were used, wherever they were used."""

        def used(self, rules: tuple[Rule, ...]) -> Mapping[str, int]: ...
        def take(self, rule: Rule, times: int) -> bool: ...


NOT_COUNTED = "one about a place cannot hold for so many times"


class Rulebook:
    """`keep` None: rules cannot be added here. `counted` None: rules that hold so many times do not hold at all."""

    def __init__(
        self,
        policies: Policies,
        *,
        keep: Keep | None = None,
        counted: Callable[[], Counted] | None = None,
        now: Callable[[], float] = time,
    ) -> None:
        self._policies = policies
        self._keep = keep
        self._counted = counted
        self._now = now
        self._rules = policies.rules
        self._all_hold = _have_no_end(policies.rules)
        self.may_add = keep is not None
        self.added = 0  # rules accepted in this session
        self._ties = any(rule.same_content for rule in policies.rules.rules)

    def hold(self, policies: Policies) -> None:
        """Other policies from now on; the rules that were accepted meanwhile stay."""
        if policies.rules is not self._policies.rules:
            before = self._policies.rules.fields()
            accepted = {
                name: tuple([each for each in value if each not in before[name]])
                for name, value in self._rules.fields().items()
            }
            self._rules = merged(policies.rules, RuleSet(**accepted))
            self._all_hold = _have_no_end(self._rules)
            self._ties = any(rule.same_content for rule in self._rules.rules)
        self._policies = policies

    def verdict(self, command: CommandRequest) -> Verdict:
        """What policy and rules say now. Nothing is counted."""
        return self._judged(command, self.holding(command))

    def admitted(self, command: CommandRequest) -> Verdict:
        """The same for a command that runs at once if it may: rules that were needed are used up by that."""
        spent: set[str] = set()
        while True:
            rules = self.holding(command, spent)
            verdict = self._judged(command, rules)
            needed = self._needed(command, rules) if isinstance(verdict, Allow) else {}
            refused = [
                rule for rule, times in needed.items() if self._counted is None or not self._counted().take(rule, times)
            ]
            if not refused:
                return verdict
            spent.update(rule.identity for rule in refused)

    def proposed(self, command: CommandRequest) -> Amendment | None:
        """The rule to offer with the question about this command; None when there is none."""
        if self._keep is None:
            return None
        from sandgate.policy.amendments import proposed_amendment

        policies, asked = self._policies, as_judged(command)
        return proposed_amendment(
            asked,
            policy=policies.approval,
            sandbox=policies.sandbox,
            rules=self.holding(command),
            backend_available=policies.backend_available,
            programs=policies.programs(asked),
        )

    def proposed_place(
        self, command: CommandRequest, plan: ConfinedCommand, grants: tuple[Grant, ...]
    ) -> Amendment | None:
        """The rule to offer with the question about a call of this command; None when there is none."""
        if self._keep is None:
            return None
        from sandgate.gate.place_rules import proposed

        return proposed(command, plan, grants, self._rules.but(places=self._places()), self._policies)

    def adopt(self, amendment: Amendment) -> str:
        """From now on the rule holds, and for later sessions if it can be saved; what to warn about, if anything."""
        from sandgate.policy.amendment_bans import why_banned

        banned = why_banned(amendment.prefix)
        if banned:
            return f"the rule was not accepted: {banned}"
        if amendment.places and amendment.uses is not None:
            return f"the rule was not accepted: {NOT_COUNTED}"
        from sandgate.policy.amendments import place_rule_of, rule_of

        source, warning = "", ""
        try:
            source = self._keep(amendment) if self._keep is not None else ""
        except SandgateError as problem:
            warning = f"the rule holds in this session only: {problem}"
        if amendment.places:
            self._rules = merged(self._rules, RuleSet(places=(place_rule_of(amendment, source),)))
            return warning
        rule = rule_of(amendment, source)
        if rule not in self._rules.rules:
            self._rules = merged(self._rules, RuleSet((rule,)))
            self._all_hold = _have_no_end(self._rules)
            self._ties = self._ties or bool(rule.same_content)
            self.added += 1
        return warning

    def given_by_rules(self, command: CommandRequest, here: Surroundings) -> tuple[RuleGrant, ...]:
        """What rules about places give a command without a question, as its calls name it."""
        if not self._rules.places:
            return ()
        from sandgate.gate.place_rules import given_to

        return given_to(command, self._places(), self._rules, self._policies, here)

    def closed(self, grant: Grant) -> str:
        """The rule that forbids what is to be granted, as a reason names it; "" where none does."""
        if grant.kind == "host":
            return self._closed_host(grant.value)
        if not self._rules.places:
            return ""
        from sandgate.policy.rules.places import closing

        rule = closing(grant, self._places(), ("forbid",))
        return "" if rule is None else rule.named

    def _closed_host(self, value: str) -> str:
        if not self._rules.network:
            return ""
        from sandgate.policy.rules.network import forbidding

        rule = forbidding(value, self._rules.network)
        return "" if rule is None else rule.named

    def _places(self) -> tuple[PlaceRule, ...]:
        now = self._now()
        return tuple([rule for rule in self._rules.places if rule.holds(now)])

    def _judged(self, command: CommandRequest, rules: RuleSet) -> Verdict:
        policies, asked = self._policies, as_judged(command)
        return verdict_for(
            asked,
            policy=policies.approval,
            sandbox=policies.sandbox,
            rules=rules,
            backend_available=policies.backend_available,
            programs=policies.programs(asked),
        )

    def holding(self, command: CommandRequest, spent: Collection[str] = ()) -> RuleSet:
        """The rules that hold for this command now, without those whose identities are in `spent`."""
        rules = self._rules
        if self._all_hold:  # the same value each time, for policy, which keeps an index of it
            return rules
        used = self._used(spent)
        rules = self._unchanged(command, rules.in_force(self._now(), used))
        if unfit(command, self._policies.approval) is not None:
            return rules
        from sandgate.policy.limited import holding

        return holding(self._judging(command), rules, used)

    def is_tied(self, command: CommandRequest) -> bool:
        """Whether a rule that may be about this command holds only while what it executes stays the same."""
        return self._ties and any(_may_be_about(rule, command) for rule in self._rules.rules if rule.same_content)

    def _unchanged(self, command: CommandRequest, rules: RuleSet) -> RuleSet:
        """Without the rules that were about other files, or other content, than this command would execute."""
        if not self.is_tied(command):
            return rules
        from sandgate.approvals.holding import binding_of, contents_of

        now = contents_of(binding_of(command))
        held = [rule for rule in rules.rules if not rule.same_content or tuple(sorted(rule.same_content)) == now]
        return rules.but(rules=tuple(held))

    def _used(self, spent: Collection[str]) -> dict[str, int]:
        counting = tuple([rule for rule in self._rules.rules if rule.uses is not None])
        used = dict(self._counted().used(counting)) if self._counted is not None else {}
        for rule in counting:
            if rule.identity in spent or self._counted is None:
                used[rule.identity] = rule.uses or 0
        return used

    def _needed(self, command: CommandRequest, rules: RuleSet) -> dict[Rule, int]:
        if self._all_hold:
            return {}
        from sandgate.policy.limited import times_needed

        return times_needed(self._judging(command), rules)

    def _judging(self, command: CommandRequest) -> Callable[[RuleSet], Judgement]:
        policies, asked = self._policies, as_judged(command)
        return lambda rules: judge(
            asked.argv,
            policy=policies.approval,
            sandbox=policies.sandbox,
            rules=rules,
            wish=asked.wish,
            backend_available=policies.backend_available,
            programs=policies.programs(asked),
        )


def _have_no_end(rules: RuleSet) -> bool:
    return all(rule.uses is None and not rule.until and not rule.same_content for rule in rules.rules)


def _may_be_about(rule: Rule, command: CommandRequest) -> bool:
    """Quick and generous: whether the first word stands anywhere in the command."""
    text = "\n".join(command.argv)
    return rule.any_case or any(token.rpartition("/")[2] in text for token in rule.prefix[0])
