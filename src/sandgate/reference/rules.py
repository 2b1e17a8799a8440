"""The page of rule files: what their tables and calls take, from the tables that read them."""

from __future__ import annotations

from sandgate.policy.rules import calls, entries, language, network, places
from sandgate.reference.markdown import table

INTRODUCTION = """\
# Rules

Both notations say the same; [how to write rules](../how-to/rules.md) has examples, what they reach, and where they
lie. A file that holds anything else is refused as a whole. No file has more than {rules} rules.
"""

MEANINGS = {
    "rule": {
        "prefix": "The first words of the commands it is about; a list stands for any of its words. Required.",
        "decide": "What becomes of them. Default `allow`.",
        "because": "One sentence that people are shown.",
        "sandbox": "`keep` (the default), or `bypass`: what it allows runs without the sandbox. Only where it allows.",
        "until": "When it ends: a time with its zone.",
        "uses": f"How often it may be what allows a command, from 1 to {entries.USES_MAX}. Only where it allows.",
        "any_case": "`true`: upper and lower case are the same.",
        "exact": "`true`: nothing may follow the prefix.",
        "same_content": f"Only while files hold this: `sha256:DIGEST /PATH`, {entries.FILES_MAX} at most.",
        "match": "Commands that it must match, as texts or lists of words; checked whenever the file is read.",
        "not_match": "Commands that it must not match.",
    },
    "host_executable": {
        "name": "The bare name of a program.",
        "paths": "Where the program lies that is meant; one elsewhere does not get what rules allow by the name.",
    },
    "network_rule": {
        "host": "A plain name or address; it covers what lies below it. Required.",
        "protocol": f"One of {', '.join(f'`{each}`' for each in network.PROTOCOLS)}.",
        "decide": "What becomes of commands that name it. Required.",
        "because": "One sentence that people are shown.",
    },
    "place_rule": {
        "path": "A path that begins with `/` or `~/`, or a list of them. Required.",
        "grant": f"What is given of it: {', '.join(f'`{each}`' for each in places.KINDS)}. Required where it allows; "
        "elsewhere every change, if it is left out.",
        "decide": "Whether it is given. Default `allow`.",
        "because": "One sentence that people are shown.",
        "prefix": "The first words of the commands that it is given to. Without it: every command.",
        "until": "When it ends: a time with its zone.",
    },
}
KNOWN = {
    "rule": entries.RULE_KEYS,
    "host_executable": entries.HOST_KEYS,
    "network_rule": network.KEYS,
    "place_rule": places.KEYS,
}
CALLS = {"rule": "prefix_rule"} | {name: name for name in ("host_executable", "network_rule", "place_rule")}


def page() -> str:
    """docs/reference/rules.md."""
    parts = [INTRODUCTION.format(rules=entries.RULES_MAX)]
    parts += [_section(name) for name in language.TABLES]
    decisions = (
        (
            f"`{toml}`",
            ", ".join(f"`{word}`" for word, means in calls.HOST_DECISIONS.items() if means == meant),
            _after(meant),
        )
        for toml, meant in language.DECISIONS.items()
    )
    parts += ["## Decisions\n", table(("TOML", "`.rules`", ""), decisions)]
    return "\n".join(parts)


def _section(name: str) -> str:
    call = CALLS[name]
    words = calls.ARGUMENTS[call] + calls.MORE_ARGUMENTS.get(call, ())
    meanings = MEANINGS[name]
    assert set(meanings) == set(KNOWN[name]), f"{name}: what is said is not what is read"
    rows = []
    for key in KNOWN[name]:
        word = calls.NAMES.get(key, key)
        rows.append((f"`{key}`", f"`{word}`" if word in words else "", meanings[key]))
    return f"## `[[{name}]]` and `{call}(…)`\n\n{table(('TOML', '`.rules`', ''), rows)}"


def _after(decision: str) -> str:
    return {
        "allow": "Nobody is asked. The sandbox stays, unless the rule says `bypass`.",
        "ask": "A reviewer is asked before it runs; nobody to ask means no.",
        "forbid": "It does not run, whatever else allows it. `deny` is the word for hosts alone, `forbidden` for both.",
    }[decision]
