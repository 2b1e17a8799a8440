"""The `.rules` form: what its calls mean.

    prefix_rule(
        pattern = ["git", ["status", "log"]],
        decision = "allow",                      # or "prompt", "forbidden"; "allow" when it is missing
        justification = "reads the repository",
        match = ["git status --short"],
        not_match = ["git push"],
    )
    host_executable(name = "git", paths = ["/usr/bin/git"])
    network_rule(host = "paste.example.com", protocol = "https", decision = "deny")

The language other agents of this lineage use, so that one file serves all. Five words are ours: `sandbox="bypass"`
(elsewhere an allowed command always leaves the sandbox; here only if its rule says so), `until`, `uses`, `exact` and
`same_content`.
How the calls were read, as literals or by Starlark, makes no difference here.
"""

from __future__ import annotations

from sandgate.policy.rules.entries import RULES_MAX, RulePlace, agreeing, host_executable, rule_of
from sandgate.policy.rules.model import RuleSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from sandgate.policy.rules.literal import RuleCall
    from sandgate.policy.rules.model import HostExecutable, NetworkRule, PlaceRule, Rule
    from sandgate.protocol.verdicts import RuleDecision

# call -> its arguments in order, and which of them are ours and never positional
ARGUMENTS = {
    "prefix_rule": ("pattern", "decision", "match", "not_match", "justification"),
    "host_executable": ("name", "paths"),
    "network_rule": ("host", "protocol", "decision", "justification"),
    "place_rule": ("path", "grant", "decision", "justification"),
}
MORE_ARGUMENTS = {
    "prefix_rule": ("canonical_matching", "sandbox", "until", "uses", "exact", "same_content"),
    "place_rule": ("pattern", "until"),
}
NAMES = {"prefix": "pattern", "decide": "decision", "because": "justification", "any_case": "canonical_matching"}
KEYS = {word: key for key, word in NAMES.items()}
DECISIONS: dict[str, RuleDecision] = {"allow": "allow", "prompt": "ask", "forbidden": "forbid"}
HOST_DECISIONS: dict[str, RuleDecision] = {"allow": "allow", "prompt": "ask", "deny": "forbid", "forbidden": "forbid"}


def rules_from_calls(calls: Sequence[RuleCall], source: str) -> RuleSet:
    """The rules of one file. Raises RuleError naming file and line of the call that cannot be used.

    Examples are checked last, so that a `host_executable` counts wherever it stands.
    """
    if len(calls) > RULES_MAX:
        RulePlace(source, 0, NAMES, DECISIONS).refuse(f"it has more than {RULES_MAX} rules", "say it with fewer")
    hosts: list[HostExecutable] = []
    network: list[NetworkRule] = []
    places: list[PlaceRule] = []
    read: list[tuple[Rule, dict[str, Any], RulePlace]] = []
    for call in calls:
        where = f"{source}:{call.line}" if call.line else source
        place = RulePlace(where, call.line, NAMES, DECISIONS)
        entry = _entry(call, place)
        match call.name:
            case "prefix_rule":
                read.append((rule_of(entry, place), entry, place))
            case "host_executable":
                hosts.append(host_executable(entry, place))
            case "place_rule":
                places.append(_place_rule(entry, place))
            case _:
                network.append(_network_rule(entry, place))
    rules = [agreeing(rule, entry, tuple(hosts), place) for rule, entry, place in read]
    return RuleSet(tuple(rules), tuple(hosts), _settled(network), tuple(places))


def _entry(call: RuleCall, place: RulePlace) -> dict[str, Any]:
    """The call's arguments under the keys of an entry; None stands for one that is missing."""
    words = ARGUMENTS[call.name]
    known = words + MORE_ARGUMENTS.get(call.name, ())
    if len(call.positional) > len(words):
        place.refuse(f"`{call.name}` has too many arguments", f"it takes {', '.join(known)}")
    given = dict(zip(words, call.positional, strict=False))
    for word, value in call.named.items():
        if word not in known:
            place.refuse(f"`{call.name}` does not take `{word}`", f"it takes {', '.join(known)}")
        if word in given:
            place.refuse(f"`{word}` is given twice", "remove one of the two")
        given[word] = value
    return {KEYS.get(word, word): value for word, value in given.items() if value is not None}


def _network_rule(entry: dict[str, Any], place: RulePlace) -> NetworkRule:
    from sandgate.policy.rules.network import network_rule_of

    return network_rule_of(entry, place.but(decisions=HOST_DECISIONS))


def _place_rule(entry: dict[str, Any], place: RulePlace) -> PlaceRule:
    from sandgate.policy.rules.places import place_rule_of

    return place_rule_of(entry, place.but(decisions=HOST_DECISIONS))


def _settled(network: list[NetworkRule]) -> tuple[NetworkRule, ...]:
    if not network:
        return ()
    from sandgate.policy.rules.network import last_of_each_host

    return last_of_each_host(network)
