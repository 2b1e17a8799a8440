"""How far a rule reaches into what a program starts.

One that allows stops before the program its words do not name; one that asks or forbids goes through wrappers to all of
them. So allowing `env` allows nothing that `env` runs, and forbidding `rm` forbids `env rm`.
"""

from __future__ import annotations

from sandgate.commandline import segments
from sandgate.commandline.words import program_name
from sandgate.commandline.wrappers import STARTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.commandline import Segments
    from sandgate.policy.rules.model import Rule, RuleSet

    Argv = tuple[str, ...]


def reaching(segment: Argv, matching: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Without rules that allow a program and stop before what it runs or loads: `env` allows no `env rm`, `rg` no
    `rg --pre`, `make lint` no `make lint -f x`."""
    if not matching:
        return matching
    from sandgate.commandline.loading import loads

    loaded = loads(segment)
    if loaded:
        matching = tuple(
            [rule for rule in matching if rule.decide != "allow" or loaded == loads(segment[: len(rule.prefix)])]
        )
    if program_name(segment[0]) not in STARTERS:
        return matching
    from sandgate.commandline.commissions import commissioned
    from sandgate.commandline.invocation import inner_place

    place = inner_place(segment)
    told = list(commissioned(segment))
    return tuple(
        [
            rule
            for rule in matching
            if rule.decide != "allow"
            or ((place is None or len(rule.prefix) > place) and told == list(commissioned(segment[: len(rule.prefix)])))
        ]
    )


def programs_of(what: Segments, segment: Argv) -> list[str]:
    """The first words of a segment and of all that it starts: each of them must be the program its name means."""
    if what.script is not None and segment == what.argv:
        from sandgate.commandline.invocation import everything_run

        return [argv[0] for argv in everything_run(what).commands]
    if not segment or program_name(segment[0]) not in STARTERS:
        return [*segment[:1]]
    from sandgate.commandline.invocation import everything_run, started_by

    started = started_by(segment)
    if not started.commands and not started.scripts:
        return [segment[0]]
    return [segment[0], *[argv[0] for argv in everything_run(segments(segment)).commands if argv != segment]]


def tightening(what: Segments, segment: Argv, rules: RuleSet) -> tuple[Rule, ...]:
    """Asking and forbidding rules that match the segment spelled otherwise, or a command that it starts."""
    if not segment:
        return ()
    found = despite_spelling(segment, rules)
    if program_name(segment[0]) in STARTERS:
        from sandgate.commandline.invocation import everything_run

        for argv in everything_run(what if segment == what.argv else segments(segment)).commands:
            if argv != segment:
                found += [rule for rule in rules.matching(argv) if rule.decide != "allow"]
                found += despite_spelling(argv, rules)
    return tuple(dict.fromkeys(found))


def despite_spelling(argv: Argv, rules: RuleSet) -> list[Rule]:
    """Asking and forbidding rules about the same command, its options elsewhere or its words others."""
    from sandgate.policy.other_spellings import spelled_otherwise

    found = _despite_options(argv, rules)
    for other in spelled_otherwise(argv):
        found += [rule for rule in rules.matching(other) if rule.decide != "allow"]
        found += _despite_options(other, rules)
    return found


def _despite_options(argv: Argv, rules: RuleSet) -> list[Rule]:
    """`kubectl -n prod delete` is what one about `kubectl delete` means, too."""
    if not any(word[:1] == "-" for word in argv):
        return []
    possible = [rule for rule in rules.about(argv[0]) if rule.decide != "allow" and len(rule.prefix) > 1]
    if not possible:
        return []
    from sandgate.policy.spared_options import covers_despite_options

    return [rule for rule in possible if covers_despite_options(rule, argv)]
