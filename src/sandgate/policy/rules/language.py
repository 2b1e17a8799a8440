"""The TOML form of rules.

    [[rule]]
    prefix    = ["git", ["status", "diff", "log"]]
    decide    = "allow"
    because   = "reads the repository, writes nothing"
    match     = ["git status --short", "git log -3"]
    not_match = ["git -c core.pager=sh log"]

    [[host_executable]]
    name  = "git"
    paths = ["/usr/bin/git"]

Every rule carries examples if its author wishes; they are checked when the file is loaded, against that rule
alone and with the file's own `host_executable` entries. A file that says anything we do not understand is refused
as a whole: a rule that is silently dropped is a door left open.
"""

from __future__ import annotations

from sandgate.commandline.words import joined, program_name, split
from sandgate.errors import RuleError
from sandgate.policy.rules.model import HostExecutable, Rule, RuleSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NoReturn

    from sandgate.protocol.verdicts import RuleDecision

_DECISIONS: dict[str, RuleDecision] = {"allow": "allow", "ask": "ask", "forbid": "forbid"}
_TABLES = ("rule", "host_executable")
_RULE_KEYS = ("prefix", "decide", "because", "sandbox", "match", "not_match")
_HOST_KEYS = ("name", "paths")


def rules_from_table(table: Mapping[str, Any], source: str) -> RuleSet:
    """The rules of one file already read as TOML. Raises RuleError naming `source` and the entry."""
    for key in table:
        if key not in _TABLES:
            _fail(source, f"unknown table `{key}`", f"a rules file holds {' and '.join(f'[[{t}]]' for t in _TABLES)}")
    hosts = tuple(
        [_host(entry, f"{source}: host_executable {at}") for at, entry in _entries(table, "host_executable", source)]
    )
    read = [
        (_rule(entry, f"{source}: rule {at}"), entry, f"{source}: rule {at}")
        for at, entry in _entries(table, "rule", source)
    ]
    for rule, entry, where in read:
        _check_examples(rule, entry, hosts, where)
    return RuleSet(tuple([rule for rule, _, _ in read]), hosts)


def _entries(table: Mapping[str, Any], name: str, source: str) -> list[tuple[int, dict[str, Any]]]:
    entries = table.get(name, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        _fail(source, f"`{name}` is not a list of tables", f"write [[{name}]] with two brackets")
    return list(enumerate(entries, start=1))


def _rule(entry: dict[str, Any], where: str) -> Rule:
    _only_keys(entry, _RULE_KEYS, where)
    decide = _decision(entry.get("decide", "allow"), where)
    sandbox = entry.get("sandbox", "keep")
    if sandbox not in ("keep", "bypass"):
        _fail(where, f"`sandbox` is {sandbox!r}", 'it must be "keep" or "bypass"')
    if sandbox == "bypass" and decide != "allow":
        _fail(where, '`sandbox = "bypass"` on a rule that does not allow', "remove one of the two")
    because = entry.get("because", "")
    if not isinstance(because, str) or ("because" in entry and not because.strip()):
        _fail(where, "`because` is blank or not text", "say why, or leave it out")
    return Rule(_prefix(entry.get("prefix"), where), decide, because, sandbox, source=where)


def _decision(value: object, where: str) -> RuleDecision:
    if not isinstance(value, str) or value not in _DECISIONS:
        _fail(where, f"`decide` is {value!r}", f"it must be one of {', '.join(_DECISIONS)}")
    return _DECISIONS[value]


def _prefix(value: object, where: str) -> tuple[tuple[str, ...], ...]:
    if not isinstance(value, list) or not value:
        _fail(where, "`prefix` is missing, empty or not a list", 'for example prefix = ["git", ["status", "log"]]')
    places: list[tuple[str, ...]] = []
    for place in value:
        tokens = [place] if isinstance(place, str) else place
        if not isinstance(tokens, list) or not tokens or not all(isinstance(t, str) and t for t in tokens):
            _fail(where, f"`prefix` holds {place!r}", "each place is a word, or a non-empty list of words")
        places.append(tuple(tokens))
    return tuple(places)


def _host(entry: dict[str, Any], where: str) -> HostExecutable:
    _only_keys(entry, _HOST_KEYS, where)
    name, paths = entry.get("name"), entry.get("paths")
    if not isinstance(name, str) or not name or "/" in name:
        _fail(where, f"`name` is {name!r}", "it must be the bare name of a program")
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        _fail(where, "`paths` is not a list of paths", 'for example paths = ["/usr/bin/git"]')
    for path in paths:
        if path[:1] != "/" or program_name(path) != name:
            _fail(where, f"path `{path}` does not fit", f"it must be absolute and end in `/{name}`")
    return HostExecutable(name, tuple(dict.fromkeys(paths)))


def _check_examples(rule: Rule, entry: dict[str, Any], hosts: tuple[HostExecutable, ...], where: str) -> None:
    alone = RuleSet((rule,), hosts)
    for key, wanted in (("match", True), ("not_match", False)):
        for argv in _examples(entry, key, where):
            if bool(alone.matching(argv)) is not wanted:
                found = "is not matched" if wanted else "is matched"
                _fail(
                    where,
                    f"example `{joined(argv)}` {found} by prefix `{rule.shown_prefix}`",
                    f"fix `{key}` or `prefix`",
                )


def _examples(entry: dict[str, Any], key: str, where: str) -> list[tuple[str, ...]]:
    examples = entry.get(key, [])
    if not isinstance(examples, list):
        _fail(where, f"`{key}` is not a list", f'for example {key} = ["git status"]')
    found: list[tuple[str, ...]] = []
    for example in examples:
        argv = split(example) if isinstance(example, str) else _tokens(example)
        if not argv:
            _fail(where, f"`{key}` holds {example!r}", "an example is a non-empty command")
        found.append(argv)
    return found


def _tokens(example: object) -> tuple[str, ...] | None:
    if isinstance(example, list) and all(isinstance(token, str) for token in example):
        return tuple(example)
    return None


def _only_keys(entry: dict[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in entry:
        if key not in known:
            _fail(where, f"unknown key `{key}`", f"known keys: {', '.join(known)}")


def _fail(where: str, why: str, hint: str) -> NoReturn:
    raise RuleError(f"cannot use the rules in {where}", why=why, hint=hint)
