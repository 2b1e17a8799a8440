"""The TOML form of rules.

    [[rule]]
    prefix    = ["git", ["status", "diff", "log"]]
    decide    = "allow"
    because   = "reads the repository, writes nothing"
    match     = ["git status --short", "git log -3"]
    not_match = ["git -c core.pager=sh log"]

    [[rule]]
    prefix = ["make", "deploy"]
    until  = 2026-12-31T18:00:00Z
    uses   = 3

    [[host_executable]]
    name  = "git"
    paths = ["/usr/bin/git"]

    [[network_rule]]
    host     = "paste.example.com"
    protocol = "https"
    decide   = "forbid"

    [[place_rule]]
    path   = "~/.config/tool/state"
    grant  = "write_path"
    prefix = ["tool", "login"]

Every rule carries examples if its author wishes; they are checked when the file is loaded, against that rule
alone and with the file's own `host_executable` entries.
"""

from __future__ import annotations

from sandgate.policy.rules.entries import RULES_MAX, RulePlace, agreeing, host_executable, rule_of
from sandgate.policy.rules.model import RuleSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sandgate.protocol.verdicts import RuleDecision

TABLES = ("rule", "host_executable", "network_rule", "place_rule")
DECISIONS: dict[str, RuleDecision] = {"allow": "allow", "ask": "ask", "forbid": "forbid"}
Lines = dict[str, tuple[int, ...]]  # table -> the line of each entry's header


def rules_from_table(
    table: Mapping[str, Any], source: str, lines: Mapping[str, tuple[int, ...]] | None = None
) -> RuleSet:
    """The rules of one file already read as TOML. Raises RuleError naming `source` and the entry."""
    whole = RulePlace(source, 0, {}, DECISIONS)
    for key in table:
        if key not in TABLES:
            whole.refuse(f"unknown table `{key}`", f"a rules file holds {' and '.join(f'[[{t}]]' for t in TABLES)}")
    hosts = tuple(
        [host_executable(entry, place) for entry, place in _entries(table, "host_executable", whole, lines or {})]
    )
    read = [(rule_of(entry, place), entry, place) for entry, place in _entries(table, "rule", whole, lines or {})]
    found = RuleSet(tuple([agreeing(rule, entry, hosts, place) for rule, entry, place in read]), hosts)
    places = _entries(table, "place_rule", whole, lines or {})
    if places:
        from sandgate.policy.rules.places import place_rule_of

        found = found.but(places=tuple([place_rule_of(entry, place) for entry, place in places]))
    network = _entries(table, "network_rule", whole, lines or {})
    if not network:
        return found
    from sandgate.policy.rules.network import last_of_each_host, network_rule_of

    return found.but(network=last_of_each_host([network_rule_of(entry, place) for entry, place in network]))


def _entries(
    table: Mapping[str, Any], name: str, whole: RulePlace, lines: Mapping[str, tuple[int, ...]]
) -> list[tuple[dict[str, Any], RulePlace]]:
    entries = table.get(name, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        whole.refuse(f"`{name}` is not a list of tables", f"write [[{name}]] with two brackets")
    if len(entries) > RULES_MAX:
        whole.refuse(f"it has more than {RULES_MAX} entries `{name}`", "split it, or say it with fewer")
    known = lines.get(name, ())
    at = known if len(known) == len(entries) else (0,) * len(entries)
    return [
        (entry, whole.but(where=f"{whole.where}: {name} {number}", line=at[number - 1]))
        for number, entry in enumerate(entries, start=1)
    ]
