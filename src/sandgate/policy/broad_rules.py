"""Rules of files that allow more than they say.

`sandgate rules add` refuses to allow `python3` or `sudo`, because what follows could be anything. A file may say it all
the same: somebody may mean it. Nobody may overlook it, so each such rule is told, with a command that it lets through.
The same table says which beginnings are too short.
"""

from __future__ import annotations

from itertools import islice, product

from sandgate.commandline.words import joined, program_name
from sandgate.policy.amendment_bans import takes_code_from_input, why_banned
from sandgate.policy.rules.model import RuleSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sandgate.policy.rules.model import Rule

    Argv = tuple[str, ...]

WARNINGS_MAX = 20  # told of one configuration
SPELLINGS_MAX = 100  # of one rule with alternatives that are looked at
# What may stand behind a prefix, by program; it is shown only where the rule really lets it through.
_TAILS: dict[str, Argv] = {
    **dict.fromkeys(("python", "pypy", "py", "pythonw", "pyw"), ("-c", "CODE")),
    **dict.fromkeys(("node", "nodejs", "perl", "ruby", "lua", "luajit"), ("-e", "CODE")),
    "php": ("-r", "CODE"),
    "find": ("-exec", "COMMAND", ";"),
    "ssh": ("HOST", "COMMAND"),
    "docker": ("IMAGE", "COMMAND"),
    "rm": ("-rf", "DIRECTORY"),
}
_ANY_TAIL = ("ANYTHING",)


def too_broad(rules: Iterable[Rule]) -> tuple[str, ...]:
    """A sentence for each rule that allows a beginning which `rules add` refuses: file, line, what gets through."""
    found = [warning for warning in map(_warning, rules) if warning]
    if len(found) <= WARNINGS_MAX:
        return tuple(found)
    return (*found[:WARNINGS_MAX], f"{len(found) - WARNINGS_MAX} more rules allow more than they say")


def _warning(rule: Rule) -> str:
    if rule.decide != "allow":
        return ""
    for prefix in _spellings(rule):
        why = why_banned(prefix)
        if why and not (rule.exact and not takes_code_from_input(prefix)):
            line = f" (line {rule.line})" if rule.line and not rule.source.endswith(f":{rule.line}") else ""
            told = f"the rule `{rule.shown_prefix}` in {rule.source}{line} allows more than it says: {why}"
            return told + _lets_through(rule, prefix)
    return ""


def _spellings(rule: Rule) -> Iterator[Argv]:
    """The prefixes that a rule with alternatives stands for, as far as they are looked at."""
    places = [[word.casefold() for word in place] if rule.any_case else place for place in rule.prefix]
    return islice(product(*places), SPELLINGS_MAX)


def _lets_through(rule: Rule, prefix: Argv) -> str:
    """What judging says about a command that begins so and goes on with something of the worst."""
    from sandgate.policy.approval import judge
    from sandgate.protocol.permissions import WorkspaceWrite

    name = program_name(prefix[0])
    family = _TAILS.get(name) or _TAILS.get(name.rstrip("0123456789."), _ANY_TAIL)
    tails = [()] if rule.exact else [_ANY_TAIL] if prefix[-1][:1] == "-" else [family, _ANY_TAIL]
    rules = RuleSet((rule.but(until="", uses=None),))
    for argv in [prefix + tail for tail in tails]:
        found = judge(argv, policy="untrusted", sandbox=WorkspaceWrite(), rules=rules)
        if found.decide == "allow" and all(each.rule for each in found.segments):
            where = " and outside the sandbox" if all(each.bypass for each in found.segments) else ""
            return f"; `{joined(argv)}` runs unasked{where}"
    return "; it counts for nothing that this program starts"
