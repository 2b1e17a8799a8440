"""`sandgate rules remove`: the rules that begin with these very words, out of the file that `rules add` writes.

Only whole lines go, and only those that say what `rules add` would have written. A rule that stands otherwise, or in
another file, is left to the user, who is told where it stands.
"""

from __future__ import annotations

from sandgate.commandline.words import joined
from sandgate.config.rule_listing import listing, loaded_for
from sandgate.config.rules_files import read_rules
from sandgate.config.rules_writing import remove_lines, rules_file
from sandgate.display import visible
from sandgate.errors import RequestError
from sandgate.policy.rules import NetworkRule, PlaceRule, Rule
from sandgate.policy.rules.written import place_line, rule_line
from sandgate.surfaces.cli import say
from sandgate.surfaces.cli.rules_add import directory_of, granted_here
from sandgate.surfaces.cli.session import environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.policy.rules import RuleSet
    from sandgate.surfaces.cli.parse import ParsedLine


def remove_rules(parsed: ParsedLine) -> int:
    """0 when they are gone; what is taken out is printed. Raises RequestError and RuleError."""
    loaded = loaded_for(environment(parsed))
    directory, guarded = directory_of(parsed, loaded)
    wanted = granted_here(parsed)
    path = rules_file(directory)
    read = read_rules(path, guarded=guarded)
    meant = [rule for rule in _all(read) if _is_meant(rule, parsed, wanted)]
    standing = _lines(path)
    gone = [line for line in map(_line, meant) if line in standing]
    if len(gone) < len(meant) or not meant:
        raise _elsewhere(parsed, wanted, [rule for rule in meant if _line(rule) not in standing])
    say.out("".join(f"{visible(line)}\n" for line in gone))
    remove_lines(directory, gone)
    say.fact(f"no longer in {path}")
    return 0


def _all(read: RuleSet | None) -> tuple[Rule | PlaceRule, ...]:
    return () if read is None else (*read.rules, *read.places)


def _line(rule: Rule | PlaceRule) -> str:
    return place_line(rule) if isinstance(rule, PlaceRule) else rule_line(rule)


def _is_meant(rule: Rule | PlaceRule, parsed: ParsedLine, wanted: tuple[str, ...]) -> bool:
    about = tuple([f"{rule.grant}={path}" for path in rule.paths]) if isinstance(rule, PlaceRule) else ()
    if about != wanted or rule.prefix != tuple((word,) for word in parsed.argv):
        return False
    return parsed.text("decide") in (None, rule.decide)


def _lines(path: str) -> frozenset[str]:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return frozenset(line.rstrip("\r\n") for line in file)
    except FileNotFoundError:
        return frozenset()


def _elsewhere(parsed: ParsedLine, wanted: tuple[str, ...], written_otherwise: list[Rule | PlaceRule]) -> RequestError:
    said = joined((*wanted, *parsed.argv))
    if written_otherwise:
        places = ", ".join(rule.source for rule in written_otherwise)
        return RequestError(
            f"the rule `{said}` was not written by `sandgate rules add`", hint=f"remove it there: {places}"
        )
    found = [each.rule for each in listing(environment(parsed)).rules]
    others = [rule.source for rule in found if not isinstance(rule, NetworkRule) and _is_meant(rule, parsed, wanted)]
    where = f"it stands in another file; remove it there: {', '.join(others)}" if others else "see: sandgate rules list"
    return RequestError(f"no rule of yours that `rules add` has written says `{said}`", hint=where)
