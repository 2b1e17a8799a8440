"""The rules of one session as they stand now: those of the files, those accepted meanwhile, without those that ended.

An accepted rule counts at once, whether or not it could be saved. A rule that holds so many times is counted where all
sessions count (`uses`), before what it allows runs, and only when the command would not have run without it.
"""

from __future__ import annotations

from time import time

from sandgate.errors import SandgateError
from sandgate.gate.policies import as_judged
from sandgate.policy.approval import verdict_for
from sandgate.policy.rules.model import RuleSet, merged
from sandgate.protocol.verdicts import Allow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol

    from sandgate.gate.policies import Policies
    from sandgate.policy.rules.model import Rule
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.decisions import Amendment
    from sandgate.protocol.verdicts import Verdict

    Keep = Callable[[Amendment], str]  # saves the rule for later sessions and says where; raises SandgateError

    class Counted(Protocol):
        """How often rules were used, wherever they were used."""

        def used(self, rules: tuple[Rule, ...]) -> Mapping[str, int]: ...
        def take(self, rule: Rule) -> bool: ...


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

    def verdict(self, command: CommandRequest) -> Verdict:
        """What policy and rules say now. Nothing is counted."""
        return self._judged(command, self.in_force())

    def admitted(self, command: CommandRequest) -> Verdict:
        """The same for a command that runs at once if it may: rules that were needed are used up by one."""
        spent: set[str] = set()
        while True:
            rules = self.in_force(spent)
            verdict = self._judged(command, rules)
            needed = self._needed(command, verdict, rules) if isinstance(verdict, Allow) else ()
            refused = [rule for rule in needed if self._counted is None or not self._counted().take(rule)]
            if not refused:
                return verdict
            spent.update(rule.identity for rule in refused)

    def proposed(self, command: CommandRequest) -> Amendment | None:
        """The rule to offer with the question about this command; None when there is none."""
        if self._keep is None:
            return None
        from sandgate.policy.amendments import proposed_amendment

        policies = self._policies
        return proposed_amendment(
            as_judged(command),
            policy=policies.approval,
            sandbox=policies.sandbox,
            rules=self.in_force(),
            backend_available=policies.backend_available,
        )

    def adopt(self, amendment: Amendment) -> str:
        """From now on the rule holds, and for later sessions if it can be saved; what to warn about, if anything."""
        from sandgate.policy.amendment_bans import why_banned

        banned = why_banned(amendment.prefix)
        if banned:
            return f"the rule was not accepted: {banned}"
        from sandgate.policy.amendments import rule_of

        source, warning = "", ""
        try:
            source = self._keep(amendment) if self._keep is not None else ""
        except SandgateError as problem:
            warning = f"the rule holds in this session only: {problem}"
        rule = rule_of(amendment, source)
        if rule not in self._rules.rules:
            self._rules = merged(self._rules, RuleSet((rule,)))
            self._all_hold = _have_no_end(self._rules)
            self.added += 1
        return warning

    def _judged(self, command: CommandRequest, rules: RuleSet) -> Verdict:
        policies = self._policies
        return verdict_for(
            as_judged(command),
            policy=policies.approval,
            sandbox=policies.sandbox,
            rules=rules,
            backend_available=policies.backend_available,
        )

    def in_force(self, spent: set[str] | frozenset[str] = frozenset()) -> RuleSet:
        """The rules that hold now, without those whose identities are in `spent`."""
        rules = self._rules
        if self._all_hold:  # the same value each time, for whoever keeps an index of it
            return rules
        counting = tuple([rule for rule in rules.rules if rule.uses is not None])
        used = dict(self._counted().used(counting)) if self._counted is not None else {}
        for rule in counting:
            if rule.identity in spent or self._counted is None:
                used[rule.identity] = rule.uses or 0
        return rules.in_force(self._now(), used)

    def _needed(self, command: CommandRequest, verdict: Allow, rules: RuleSet) -> tuple[Rule, ...]:
        """The rules with a limited number of uses without which the command would be judged otherwise."""
        if self._all_hold:
            return ()
        counting = [rule for rule in rules.rules if rule.uses is not None and rule.decide == "allow"]
        needed: list[Rule] = []
        without = rules.but(rules=tuple([rule for rule in rules.rules if rule not in counting]))
        if not counting or _same(self._judged(command, without), verdict):
            return ()
        left = rules
        for rule in counting:
            less = left.but(rules=tuple([each for each in left.rules if each != rule]))
            if _same(self._judged(command, less), verdict):
                left = less
            else:
                needed.append(rule)
        return tuple(needed)


def _have_no_end(rules: RuleSet) -> bool:
    return all(rule.uses is None and not rule.until for rule in rules.rules)


def _same(one: Verdict, other: Allow) -> bool:
    return isinstance(one, Allow) and one.bypass_sandbox == other.bypass_sandbox
