"""Every rule that was read: whose it is, where it stands, what it says, and what is left of it."""

from __future__ import annotations

from time import time

from sandgate.config import load_settings
from sandgate.config.rules_in_force import used_so_far
from sandgate.policy.rules import NetworkRule, PlaceRule
from sandgate.policy.rules.written import LINEAGE_WORDS
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sandgate.config import Loaded
    from sandgate.policy.rules import Rule
    from sandgate.protocol.environment import Environment


class ListedRule(Record):
    """One rule of one file. `ended`: it is read, checked, and no longer in force."""

    layer: str  # system, user, project
    file: str
    rule: Rule | NetworkRule | PlaceRule
    uses_left: int | None = None  # None: without end
    ended: bool = False


class RuleListing(Record):
    """All rules, lowest precedence first, and what people should know about those that are not among them."""

    rules: tuple[ListedRule, ...]
    warnings: tuple[str, ...]


def loaded_for(environment: Environment) -> Loaded:
    """The configuration that holds in an environment."""
    return load_settings(
        cwd=environment.cwd,
        environ=environment.environ,
        overrides=environment.overrides,
        profile=environment.profile,
        typed=environment.typed,
    )


def listing(environment: Environment) -> RuleListing:
    """Raises ConfigError, and RuleError for a file that cannot be used."""
    from sandgate.config.rules_files import load_rules

    loaded = loaded_for(environment)
    read = load_rules(loaded)
    used, now = used_so_far(environment.environ, read.rules.rules), time()
    rules: tuple[Rule | NetworkRule | PlaceRule, ...] = (*read.rules.rules, *read.rules.network, *read.rules.places)
    found = [_placed(rule, loaded, read.files) for rule in rules]
    return RuleListing(tuple(_counted(each, used, now) for each in found), read.warnings)


def listed_json(each: ListedRule) -> dict[str, Any]:
    """One rule as `sandgate rules list --json` has it."""
    rule = each.rule
    about: dict[str, Any] = {
        "layer": each.layer,
        "file": each.file,
        "line": rule.line or None,
        "decision": LINEAGE_WORDS[rule.decide],
        "justification": rule.because or None,
    }
    if isinstance(rule, NetworkRule):
        return {**about, "host": rule.host, "protocol": rule.protocol}
    if isinstance(rule, PlaceRule):
        ends = {"until": rule.until or None, "in_force": not each.ended}
        return {**about, "paths": list(rule.paths), "grant": rule.grant, "pattern": _pattern(rule), **ends}
    return {
        **about,
        "pattern": _pattern(rule),
        "exact": rule.exact,
        "sandbox": rule.sandbox,
        "until": rule.until or None,
        "uses": rule.uses,
        "uses_left": each.uses_left,
        "same_content": list(rule.same_content),
        "in_force": not each.ended,
        "examples": rule.examples,
    }


def _pattern(rule: Rule | PlaceRule) -> list[str | list[str]]:
    return [place[0] if len(place) == 1 else list(place) for place in rule.prefix]


def _placed(rule: Rule | NetworkRule | PlaceRule, loaded: Loaded, files: tuple[str, ...]) -> ListedRule:
    file = max((file for file in files if rule.source.startswith(f"{file}:")), key=len)
    layer = max(
        (directory for directory in loaded.rules if file.startswith(f"{directory.path}/")),
        key=lambda directory: len(directory.path),
    )
    return ListedRule(layer.owner, file, rule)


def _counted(each: ListedRule, used: Mapping[str, int], now: float) -> ListedRule:
    if isinstance(each.rule, NetworkRule):
        return each
    if isinstance(each.rule, PlaceRule):
        return each.but(ended=not each.rule.holds(now))
    return each.but(uses_left=each.rule.uses_left(used), ended=not each.rule.holds(now, used))
