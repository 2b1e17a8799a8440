"""How often one command needs the rules that hold only so many times.

`npm test; npm test` needs the rule for `npm test` twice, and a rule that holds once more does not allow it. So what is
judged, what is foretold and what is counted before a run all start here. Where several such rules would do, as few as
possible are used; that the uses of two could be added up is not looked for, and the command is asked about. Pure.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sandgate.policy.approval import Judged, Judgement
    from sandgate.policy.rules.model import Rule, RuleSet

    Judging = Callable[[RuleSet], Judgement]  # one command under different rules


def holding(judging: Judging, rules: RuleSet, used: Mapping[str, int]) -> RuleSet:
    """`rules`, which are in force, without those the command needs oftener than they hold; these are in `short`."""
    while True:
        needed = times_needed(judging, rules)
        short = [rule for rule, times in needed.items() if times > (rule.uses_left(used) or 0)]
        if not short:
            return rules
        rules = _without(rules, *short).but(short=(*rules.short, *short))


def times_needed(judging: Judging, rules: RuleSet) -> dict[Rule, int]:
    """The rules with a limited number of uses without which the command would be judged otherwise, and how often."""
    counting = [rule for rule in rules.rules if rule.uses is not None and rule.decide == "allow"]
    if not counting:
        return {}
    now = judging(rules)
    if now.decide != "allow" or _same(judging(_without(rules, *counting)), now):
        return {}
    needed: list[Rule] = []
    for rule in counting:
        less = _without(rules, rule)
        if _same(judging(less), now):
            rules = less
        else:
            needed.append(rule)
    with_all = judging(rules)
    return {rule: _times(with_all, judging(_without(rules, rule))) for rule in needed}


def _without(rules: RuleSet, *left_out: Rule) -> RuleSet:
    return rules.but(rules=tuple([rule for rule in rules.rules if rule not in left_out]))


def _same(one: Judgement, other: Judgement) -> bool:
    return one.decide == other.decide and _leaves(one) == _leaves(other)


def _leaves(judgement: Judgement) -> bool:
    return all(each.bypass for each in judgement.segments)


def _times(with_it: Judgement, without: Judgement) -> int:
    """For how many of its parts the command needs the rule that `without` lacks."""
    leaves = _leaves(with_it)

    def differ(one: Judged, other: Judged) -> bool:
        return one.because.verdict != other.because.verdict or (leaves and one.bypass != other.bypass)

    pairs = zip(with_it.segments, without.segments, strict=False)
    return max(1, sum(differ(one, other) for one, other in pairs))
