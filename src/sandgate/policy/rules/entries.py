"""What every rule must be, in whatever form it was written.

The TOML form and the `.rules` form differ in words and in nothing else: each turns what it read into an entry with
the keys below, and `RulePlace` says how the file calls them, so that an error speaks the language of the file. A file
that says anything we do not understand is refused as a whole: a rule that is silently dropped is a door left open.
"""

from __future__ import annotations

from sandgate.commandline.words import joined, program_name, split
from sandgate.errors import RuleError
from sandgate.policy.rules.model import HostExecutable, Rule, RuleSet, instant
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NoReturn

    from sandgate.protocol.verdicts import RuleDecision

    Entry = dict[str, Any]

RULE_KEYS = (
    "prefix", "decide", "because", "sandbox", "until", "uses", "any_case", "exact", "same_content",
    "match", "not_match",
)  # fmt: skip
HOST_KEYS = ("name", "paths")
USES_MAX = 1_000_000
RULES_MAX = 10_000  # in one file
FILES_MAX = 64  # that one rule names
_HEXADECIMAL = frozenset("0123456789abcdef")


class RulePlace(Record):
    """Where an entry stands, and the words of its file."""

    where: str  # "file: rule 2", "file:7"
    line: int
    names: Mapping[str, str]  # key of an entry -> what the file calls it; the same where it is missing
    decisions: Mapping[str, RuleDecision]  # word of the file -> what it means

    def name(self, key: str) -> str:
        return self.names.get(key, key)

    def refuse(self, why: str, hint: str) -> NoReturn:
        line = f" (line {self.line})" if self.line and not self.where.endswith(f":{self.line}") else ""
        raise RuleError(f"cannot use the rules in {self.where}{line}", why=why, hint=hint)


def rule_of(entry: Entry, place: RulePlace) -> Rule:
    """The rule an entry says. Raises RuleError naming the place."""
    only_keys(entry, RULE_KEYS, place)
    decide = decision_of(entry.get("decide", next(iter(place.decisions))), place)
    sandbox = entry.get("sandbox", "keep")
    if sandbox not in ("keep", "bypass"):
        place.refuse(f"`sandbox` is {sandbox!r}", 'it must be "keep" or "bypass"')
    if sandbox == "bypass" and decide != "allow":
        place.refuse('`sandbox = "bypass"` on a rule that does not allow', "remove one of the two")
    return Rule(
        prefix_of(entry.get("prefix"), place),
        decide,
        because_of(entry, place),
        sandbox,
        source=place.where,
        until=until_of(entry.get("until"), place),
        uses=_uses(entry.get("uses"), decide, place),
        line=place.line,
        any_case=_switch(entry, "any_case", place),
        exact=_switch(entry, "exact", place),
        same_content=_same_content(entry.get("same_content", []), decide, place),
    )


def host_executable(entry: Entry, place: RulePlace) -> HostExecutable:
    """Which paths may answer to a bare name."""
    only_keys(entry, HOST_KEYS, place)
    name, paths = entry.get("name"), entry.get("paths")
    if not isinstance(name, str) or not name or "/" in name:
        place.refuse(f"`name` is {name!r}", "it must be the bare name of a program")
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        place.refuse("`paths` is not a list of paths", 'for example paths = ["/usr/bin/git"]')
    for path in paths:
        if path[:1] != "/" or "\0" in path or program_name(path) != name:
            place.refuse(f"path `{path}` does not fit", f"it must be absolute and end in `/{name}`")
    return HostExecutable(name, tuple(dict.fromkeys(paths)))


def agreeing(rule: Rule, entry: Entry, hosts: tuple[HostExecutable, ...], place: RulePlace) -> Rule:
    """The rule, once every example of its entry agrees with it, alone and with the file's `hosts`."""
    alone = RuleSet((rule,), hosts)
    examples = 0
    for key, wanted in (("match", True), ("not_match", False)):
        for argv in _examples(entry, key, place):
            examples += 1
            if bool(alone.matching(argv)) is not wanted:
                prefix = place.name("prefix")
                found = "is not matched" if wanted else "is matched"
                place.refuse(
                    f"example `{joined(argv)}` {found} by {prefix} `{rule.shown_prefix}`", f"fix `{key}` or `{prefix}`"
                )
    return rule.but(examples=examples) if examples else rule


def decision_of(value: object, place: RulePlace) -> RuleDecision:
    """What the file's word for a decision means."""
    if not isinstance(value, str) or value not in place.decisions:
        place.refuse(f"`{place.name('decide')}` is {value!r}", f"it must be one of {', '.join(place.decisions)}")
    return place.decisions[value]


def because_of(entry: Entry, place: RulePlace) -> str:
    """The sentence people are shown, "" when there is none."""
    because = entry.get("because", "")
    if not isinstance(because, str) or ("because" in entry and not because.strip()):
        place.refuse(f"`{place.name('because')}` is blank or not text", "say why, or leave it out")
    return because


def only_keys(entry: Entry, known: tuple[str, ...], place: RulePlace) -> None:
    """Refuses an entry that says more than we understand."""
    for key in entry:
        if key not in known:
            place.refuse(f"unknown key `{key}`", f"known keys: {', '.join(place.name(each) for each in known)}")


def _switch(entry: Entry, key: str, place: RulePlace) -> bool:
    value = entry.get(key, False)
    if not isinstance(value, bool):
        place.refuse(f"`{place.name(key)}` is {value!r}", "it must be true or false")
    return value


def prefix_of(value: object, place: RulePlace) -> tuple[tuple[str, ...], ...]:
    """The first words that an entry names, each place with its alternatives."""
    name = place.name("prefix")
    if not isinstance(value, list) or not value:
        place.refuse(f"`{name}` is missing, empty or not a list", f'for example {name} = ["git", ["status", "log"]]')
    places: list[tuple[str, ...]] = []
    for each in value:
        tokens = [each] if isinstance(each, str) else each
        if not isinstance(tokens, list) or not tokens or not all(_is_token(token) for token in tokens):
            place.refuse(f"`{name}` holds {each!r}", "each place is a word, or a non-empty list of words")
        places.append(tuple(tokens))
    return tuple(places)


def _is_token(token: object) -> bool:
    """A word that an argument can be; no argument holds a NUL, so a rule with one would never match."""
    return isinstance(token, str) and token != "" and "\0" not in token


def until_of(value: object, place: RulePlace) -> str:
    """When an entry ends, "" for never."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else getattr(value, "isoformat", str)()  # TOML has a type for it
    try:
        instant(text)
    except (ValueError, OverflowError):
        hint = 'a time with its zone, for example "2026-12-31T18:00:00Z" or "2026-12-31T18:00:00+01:00"'
        place.refuse(f"`until` is {text!r}", hint)
    return str(text)


def _uses(value: object, decide: RuleDecision, place: RulePlace) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= USES_MAX:
        place.refuse(f"`uses` is {value!r}", f"it must be a whole number from 1 to {USES_MAX}")
    if decide != "allow":
        place.refuse("`uses` on a rule that does not allow", "remove it: only what is allowed is counted")
    return value


def _same_content(value: object, decide: RuleDecision, place: RulePlace) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > FILES_MAX or not all(_is_digested(each) for each in value):
        hint = 'for example same_content = ["sha256:9f86d0…b2b0 /home/me/project/deploy.sh"]'
        place.refuse("`same_content` is no list of digests, each with a path", hint)
    if value and decide != "allow":
        place.refuse("`same_content` on a rule that does not allow", "remove it: what is asked or forbidden always is")
    return tuple(value)


def _is_digested(each: object) -> bool:
    if not isinstance(each, str):
        return False
    digest, _, path = each.partition(" ")
    figures = digest.removeprefix("sha256:")
    is_digest = digest.startswith("sha256:") and len(figures) == 64 and set(figures) <= _HEXADECIMAL
    return is_digest and path[:1] == "/" and "\0" not in path


def _examples(entry: Entry, key: str, place: RulePlace) -> list[tuple[str, ...]]:
    examples = entry.get(key, [])
    if not isinstance(examples, list):
        place.refuse(f"`{key}` is not a list", f'for example {key} = ["git status"]')
    found: list[tuple[str, ...]] = []
    for example in examples:
        argv = split(example) if isinstance(example, str) else _tokens(example)
        if not argv:
            place.refuse(f"`{key}` holds {example!r}", "an example is a non-empty command")
        found.append(argv)
    return found


def _tokens(example: object) -> tuple[str, ...] | None:
    if isinstance(example, list) and all(isinstance(token, str) for token in example):
        return tuple(example)
    return None
