"""`sandgate rules add`: one more rule, shown as it is written before it is written."""

from __future__ import annotations

import os
from time import time

from sandgate.config.executed_content import executed_content
from sandgate.config.paths import DIRECTORY_NAME
from sandgate.config.rule_listing import loaded_for
from sandgate.config.rules_files import load_rules, read_rules
from sandgate.config.rules_writing import append_line, rules_file
from sandgate.display import visible
from sandgate.errors import RequestError
from sandgate.policy.additions import added_place_rule, added_rule
from sandgate.policy.rules import PlaceRule, Rule
from sandgate.policy.rules.written import place_line, rule_line
from sandgate.surfaces.cli import say
from sandgate.surfaces.cli.session import environment
from sandgate.surfaces.cli.timestamps import moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.config import Loaded
    from sandgate.surfaces.cli.parse import ParsedLine


def add(parsed: ParsedLine) -> int:
    """0 when the rule stands in its file, be it since before. Raises RequestError and RuleError."""
    loaded = loaded_for(environment(parsed))
    rule = _place_rule(parsed) if parsed.texts("granted") else _rule(parsed)
    line = place_line(rule) if isinstance(rule, PlaceRule) else rule_line(rule)
    directory, guarded = directory_of(parsed, loaded)
    _check_project(parsed, rule)
    path = rules_file(directory)
    # A broken file is not added to, nor is one beside it: nothing starts until that one is mended.
    load_rules(loaded)
    read_rules(path, guarded=guarded)
    if isinstance(rule, PlaceRule) and rule.decide == "allow":
        _check_given(parsed, rule)
    say.out(f"{visible(line)}\n")
    append_line(directory, line)
    say.fact(f"stands in {path}")
    if not guarded and loaded.settings.trust != "trusted":
        say.fact("warning: this project is not trusted, so its rules do not hold")
    return 0


def _rule(parsed: ParsedLine) -> Rule:
    """The rule the options ask for."""
    until = parsed.text("until")
    decide = parsed.text("decide") or "allow"
    if parsed.on("same_content") and decide != "allow":
        raise RequestError("`--same-content` is for a rule that allows", hint="what is asked or forbidden always is")
    return added_rule(
        parsed.argv,
        decide,
        because=parsed.text("because"),
        until=None if until is None else moment(until, time(), option="--until"),
        uses=_uses(parsed.text("uses")),
        same_content=executed_content(parsed.argv, environment(parsed)) if parsed.on("same_content") else (),
    )


def _place_rule(parsed: ParsedLine) -> PlaceRule:
    """The same of places; a relative path, or one with `..`, means what it means here."""
    idle = next((option for option in ("uses", "same_content") if option in parsed.values), "")
    if idle:
        raise RequestError(f"`--{idle.replace('_', '-')}` means nothing to a rule about a place")
    until = parsed.text("until")
    return added_place_rule(
        granted_here(parsed),
        parsed.argv,
        parsed.text("decide") or "allow",
        because=parsed.text("because"),
        until=None if until is None else moment(until, time(), option="--until"),
    )


def _check_given(parsed: ParsedLine, rule: PlaceRule) -> None:
    """Raises RequestError where the rule would give nothing to commands of this directory."""
    from sandgate.runtime.idle_places import refuse_idle
    from sandgate.surfaces.cli.session import opened

    with opened(parsed, lasting=False) as session:
        refuse_idle(rule, session)


def granted_here(parsed: ParsedLine) -> tuple[str, ...]:
    """Each `KIND=PATH`, the path absolute or beginning with `~/`."""
    return tuple([_absolute(each, environment(parsed).cwd) for each in parsed.texts("granted")])


def _absolute(granted: str, cwd: str) -> str:
    kind, mark, path = granted.partition("=")
    if not mark or not path:
        raise RequestError(f"`--grant {granted}` has not the form KIND=PATH", hint="--grant write_path=~/note")
    return f"{kind}={path}" if path[:2] in ("~", "~/") else f"{kind}={os.path.normpath(os.path.join(cwd, path))}"


def _check_project(parsed: ParsedLine, rule: Rule | PlaceRule) -> None:
    if not parsed.on("project"):
        return
    if rule.decide == "allow":
        raise RequestError("a project's rules may only ask or forbid", hint="leave `--project` out")
    if isinstance(rule, Rule) and any(program.startswith("/") for program in rule.prefix[0]):
        raise RequestError("a project's rules name programs by their bare name", hint=f"not `{rule.shown_prefix}`")


def directory_of(parsed: ParsedLine, loaded: Loaded) -> tuple[str, bool]:
    """The configuration directory whose rules are meant, and whether that is the user's own."""
    if parsed.on("project") and parsed.on("user"):
        raise RequestError("`--project` and `--user` are two places", hint="choose one")
    if parsed.on("project"):
        return os.path.join(loaded.settings.project_root, DIRECTORY_NAME), False
    own = next((each.path for each in loaded.rules if each.owner == "user"), None)
    if own is None:
        raise RequestError("there is no place for your rules", why="you have no home directory", hint="set `$HOME`")
    if not loaded.settings.rules_enabled:
        raise RequestError("your rules do not hold", why="`rules.enabled` is false")
    return os.path.dirname(own), True


def _uses(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise RequestError(f"`--uses {text}` is not a number", hint="give a whole number above 0")
    return int(text)
