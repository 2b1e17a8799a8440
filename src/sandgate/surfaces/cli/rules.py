"""`sandgate rules`: which rules hold, what they say about a command, and whether their examples hold.

What a file says is shown with everything invisible made visible, so that no rule can look like another.
"""

from __future__ import annotations

import os

from sandgate.commandline.words import joined
from sandgate.config.rule_listing import listed_json, listing, loaded_for
from sandgate.config.rules_files import SUFFIXES, read_rules, too_broad_rules
from sandgate.display import visible
from sandgate.errors import RequestError, RuleError
from sandgate.policy.rules import NetworkRule, PlaceRule
from sandgate.policy.rules.places import shown_places
from sandgate.runtime.foresight import matches_json, matching_rules
from sandgate.surfaces.cli import say
from sandgate.surfaces.cli.session import environment, opened, requested

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.config.rule_listing import ListedRule
    from sandgate.policy.rules import Rule, RuleSet
    from sandgate.runtime.foresight import RuleMatch
    from sandgate.surfaces.cli.parse import ParsedLine

CODES = {"allow": 0, "ask": 3, "forbid": 4}
EXAMPLES_FAILED = 1
TYPED = {"granted": "grant", "same_content": "same-content"}  # where an option has another name than its key
# option -> the deeds it means something to
IDLE = {
    "decide": ("add", "remove"),
    "granted": ("add", "remove"),
    "because": ("add",),
    "until": ("add",),
    "uses": ("add",),
    "same_content": ("add",),
    "project": ("add", "remove"),
    "user": ("add", "remove"),
    "write": ("import",),
    "json": ("list", "check", "import"),
}


def main(parsed: ParsedLine) -> int:
    """`check -- CMD`: 0 allow, 3 ask, 4 forbidden. Of files: 1 when one, or an example, fails. Otherwise 0."""
    deed = parsed.words[0]
    for option, deeds in IDLE.items():
        if option in parsed.values and deed not in deeds:
            raise RequestError(f"`--{TYPED.get(option, option)}` means nothing to `sandgate rules {deed}`")
    match deed:
        case "list":
            return _list(parsed)
        case "check" if parsed.argv:
            return _check(parsed)
        case "check":
            return _test(parsed)
        case "test":
            return _test(parsed)
        case "add":
            from sandgate.surfaces.cli.rules_add import add

            return add(parsed)
        case "remove":
            from sandgate.surfaces.cli.rules_remove import remove_rules

            return remove_rules(parsed)
        case _:
            from sandgate.surfaces.cli.rules_import import import_rules

            return import_rules(parsed)


def _list(parsed: ParsedLine) -> int:
    found = listing(environment(parsed))
    for warning in found.warnings:
        say.fact(f"warning: {warning}")
    if parsed.on("json"):
        import json

        say.out(json.dumps({"rules": [listed_json(each) for each in found.rules]}) + "\n")
        return 0
    if not found.rules:
        say.fact("there are no rules")
    say.out("".join(f"{_listed(each)}\n" for each in found.rules))
    if any(isinstance(each.rule, NetworkRule) and each.rule.decide == "allow" for each in found.rules):
        say.fact(
            "a rule that allows a host opens nothing yet: there is no proxy, so the network is off, on, or granted"
        )
    return 0


def _listed(each: ListedRule) -> str:
    rule = each.rule
    where = f"{each.file}:{rule.line}" if rule.line else rule.source
    more = _limits(each)
    told = f"  ({', '.join(more)})" if more else ""
    because = f"  # {rule.because}" if rule.because else ""
    return visible(f"{each.layer}  {where}  {rule.decide}  {_about(rule)}{told}{because}")


def _about(rule: Rule | NetworkRule | PlaceRule) -> str:
    if isinstance(rule, PlaceRule):
        return shown_places(rule)
    return f"host {rule.host} ({rule.protocol})" if isinstance(rule, NetworkRule) else rule.shown_prefix


def _limits(each: ListedRule) -> list[str]:
    rule = each.rule
    if isinstance(rule, NetworkRule):
        return []
    if isinstance(rule, PlaceRule):
        return [f"until {rule.until}"] * bool(rule.until) + ["no longer in force"] * each.ended
    said = [
        ("exact", rule.exact),
        ("without regard to case", rule.any_case),
        ("leaves the sandbox", rule.sandbox == "bypass"),
        (f"until {rule.until}", bool(rule.until)),
        (f"{each.uses_left} of {rule.uses} uses left", rule.uses is not None),
        ("no longer in force", each.ended),
    ]
    return [words for words, holds in said if holds]


def _check(parsed: ParsedLine) -> int:
    runtime = opened(parsed)
    for warning in runtime.rule_warnings:
        say.fact(f"warning: {warning}")
    found = matching_rules(runtime, requested(parsed, runtime))
    if parsed.on("json"):
        import json

        say.out(json.dumps(matches_json(found)) + "\n")
    else:
        lines = [f"decision: {found.decide}", *(_matched(match) for match in found.matches)]
        lines += [f"  gives: {each.grant.kind} {each.grant.value} ({each.rule})" for each in found.gives]
        say.out("".join(f"{visible(line)}\n" for line in lines))
    return CODES[found.decide]


def _matched(match: RuleMatch) -> str:
    segment = joined(match.segment)
    because = f": {match.because}" if match.because else ""
    if match.kind == "heuristics":
        return f"  {match.decide}: {segment} (no rule{because})"
    what = "host" if match.kind == "network" else "rule"
    return f"  {match.decide}: {segment} ({what} `{joined(match.prefix)}` in {match.source}{because})"


def _test(parsed: ParsedLine) -> int:
    failed = 0
    paths = parsed.words[1:]
    if paths and not any(path.endswith(SUFFIXES) or os.path.exists(path) for path in paths):
        raise RequestError(
            f"`{paths[0]}` is no rules file, which `sandgate rules {parsed.words[0]}` takes",
            hint=f"what the rules say of a command: sandgate rules check -- {joined(paths)}",
        )
    for path in paths or _files(parsed):
        try:
            rules = read_rules(os.path.abspath(path), guarded=False)
            if rules is None or not path.endswith(SUFFIXES):
                raise RuleError(f"cannot use `{path}`", why="there is no rules file of that name")
            say.out(f"ok: {visible(path)}: {_counts(rules)}\n")
            for warning in too_broad_rules(rules):
                say.fact(f"warning: {warning}")
        except RuleError as wrong:
            failed = EXAMPLES_FAILED
            say.error(wrong)
    return failed


def _files(parsed: ParsedLine) -> list[str]:
    """Every rules file that holds here, whether or not it can be used."""
    from sandgate.config.rules_files import rule_paths

    return rule_paths(loaded_for(environment(parsed)))


def _counts(rules: RuleSet) -> str:
    examples = sum(rule.examples for rule in rules.rules)
    numbers = (len(rules.rules) + len(rules.network) + len(rules.places), "rule"), (examples, "example")
    return ", ".join(f"{number} {word}{'s' * (number != 1)}" for number, word in numbers)
