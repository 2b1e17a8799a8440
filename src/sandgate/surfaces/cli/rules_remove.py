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
from sandgate.policy.rules import Rule
from sandgate.policy.rules.written import rule_line
from sandgate.surfaces.cli import say
from sandgate.surfaces.cli.rules_add import directory_of
from sandgate.surfaces.cli.session import environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.surfaces.cli.parse import ParsedLine


def remove_rules(parsed: ParsedLine) -> int:
    """0 when they are gone; what is taken out is printed. Raises RequestError and RuleError."""
    directory, guarded = directory_of(parsed, loaded_for(environment(parsed)))
    path = rules_file(directory)
    read = read_rules(path, guarded=guarded)
    meant = [rule for rule in read.rules if _is_meant(rule, parsed)] if read is not None else []
    standing = _lines(path)
    gone = [line for line in map(rule_line, meant) if line in standing]
    if len(gone) < len(meant) or not meant:
        raise _elsewhere(parsed, [rule for rule in meant if rule_line(rule) not in standing])
    say.out("".join(f"{visible(line)}\n" for line in gone))
    remove_lines(directory, gone)
    say.fact(f"no longer in {path}")
    return 0


def _is_meant(rule: Rule, parsed: ParsedLine) -> bool:
    decide = parsed.text("decide")
    return rule.prefix == tuple((word,) for word in parsed.argv) and decide in (None, rule.decide)


def _lines(path: str) -> frozenset[str]:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return frozenset(line.rstrip("\r\n") for line in file)
    except FileNotFoundError:
        return frozenset()


def _elsewhere(parsed: ParsedLine, written_otherwise: list[Rule]) -> RequestError:
    said = joined(parsed.argv)
    if written_otherwise:
        places = ", ".join(rule.source for rule in written_otherwise)
        return RequestError(
            f"the rule `{said}` was not written by `sandgate rules add`", hint=f"remove it there: {places}"
        )
    found = [each.rule for each in listing(environment(parsed)).rules]
    others = [rule.source for rule in found if isinstance(rule, Rule) and _is_meant(rule, parsed)]
    where = f"it stands in another file; remove it there: {', '.join(others)}" if others else "see: sandgate rules list"
    return RequestError(f"no rule of yours that `rules add` has written says `{said}`", hint=where)
