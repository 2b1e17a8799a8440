"""Network rules: which hosts may be reached, which need a question, and which nobody reaches.

There is no proxy yet that would see every connection by its name. Until then these rules do what can be done
honestly: a command whose words name a host is judged by them, and an address that is forbidden is never offered as a
grant. An `allow` opens nothing. What a program looks up by itself is not seen here (docs/threat-model.md).
"""

from __future__ import annotations

from sandgate.policy.rules.entries import because_of, decision_of, only_keys
from sandgate.policy.rules.model import STRICTNESS, NetworkRule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from sandgate.commandline import Segments
    from sandgate.policy.rules.entries import Place
    from sandgate.policy.rules.model import NetworkProtocol

KEYS = ("host", "protocol", "decide", "because")
# approvals.md section 8.2
PROTOCOLS: dict[str, NetworkProtocol] = {
    "http": "http",
    "https": "https",
    "https_connect": "https",
    "http-connect": "https",
    "socks5_tcp": "socks5_tcp",
    "socks5_udp": "socks5_udp",
}
HOST_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-_")
ADDRESS_CHARACTERS = frozenset("0123456789abcdef:.%")
HOST_CHARACTERS_MAX = 253
BEFORE_A_HOST = "/@=\"'"  # in a word of several words, such as a program's text, only after one of these


def network_rule_of(entry: dict[str, Any], place: Place) -> NetworkRule:
    """The rule an entry says, its host in normal form. Raises RuleError naming the place."""
    only_keys(entry, KEYS, place)
    protocol = entry.get("protocol")
    if not isinstance(protocol, str) or protocol not in PROTOCOLS:
        place.refuse(f"`protocol` is {protocol!r}", f"it must be one of {', '.join(PROTOCOLS)}")
    if "decide" not in entry:
        place.refuse(f"`{place.name('decide')}` is missing", f"it must be one of {', '.join(place.decisions)}")
    decide = decision_of(entry["decide"], place)
    host = entry.get("host")
    normal = normal_host(host) if isinstance(host, str) else None
    if normal is None:
        hint = "a plain name or address, without scheme, path or `*`; it covers what lies below it"
        place.refuse(f"`host` is {host!r}", hint)
    return NetworkRule(normal, PROTOCOLS[protocol], decide, because_of(entry, place), place.where, place.line)


def normal_host(text: str) -> str | None:
    """A host without port, brackets and final dot, in lower case; None when the text names none."""
    host = text.strip().lower()
    if host.startswith("["):
        inside, bracket, port = host[1:].partition("]")
        fits = bracket and (port == "" or _is_port(port)) and ":" in inside and ADDRESS_CHARACTERS.issuperset(inside)
        return inside if fits else None
    if host.count(":") > 1:
        return host if ADDRESS_CHARACTERS.issuperset(host) else None
    name, colon, port = host.partition(":")
    if colon and not _is_port(colon + port):
        return None
    name = name.removesuffix(".")
    if len(name) > HOST_CHARACTERS_MAX or not all(name.split(".")):
        return None
    # A name in other letters than these is the business of whoever wrote it to say in its ASCII form.
    return name if HOST_CHARACTERS.issuperset(name) else None


def settled(rules: Sequence[NetworkRule]) -> tuple[NetworkRule, ...]:
    """The rules of one file: of those that allow or forbid a host the last one holds, as where they come from."""
    last = {rule.host: at for at, rule in enumerate(rules) if rule.decide != "ask"}
    return tuple([rule for at, rule in enumerate(rules) if rule.decide == "ask" or last[rule.host] == at])


def host_lists(rules: Sequence[NetworkRule]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The hosts that are allowed, and those that are forbidden. Between files the strictest holds."""
    forbidden = dict.fromkeys(rule.host for rule in rules if rule.decide == "forbid")
    allowed = dict.fromkeys(rule.host for rule in rules if rule.decide == "allow")
    return tuple(host for host in allowed if host not in forbidden), tuple(forbidden)


def rule_for_words(words: Sequence[str], rules: Sequence[NetworkRule]) -> NetworkRule | None:
    """The strictest rule that asks about or forbids a host one of the words names; None when there is none."""
    wanted = [rule for rule in rules if rule.decide != "allow"]
    if not wanted:
        return None
    named = {host for word in words for host in hosts_named(word)}
    return max(
        [rule for rule in wanted if any(covers(rule.host, host) for host in named)],
        key=lambda rule: STRICTNESS[rule.decide],
        default=None,
    )


def words_of(what: Segments) -> tuple[str, ...]:
    """Every word of a command line and of what it starts, variables and files of redirections included."""
    from sandgate.commandline.invocation import everything_run

    found = everything_run(what)
    assigned = [word.text for command in what.script.commands for word in command.assignments] if what.script else []
    targets = [each.target.text for each in found.redirections if each.target is not None]
    return (*(word for argv in found.commands for word in argv), *assigned, *targets, *found.scripts)


def forbids(address: str, rules: Sequence[NetworkRule]) -> bool:
    """Whether a rule forbids this very address (`host:port`)."""
    return normal_host(address) in host_lists(rules)[1]


def covers(host: str, other: str) -> bool:
    """Whether `other` is the host or lies below it."""
    return other == host or other.endswith(f".{host}")


def hosts_named(word: str) -> set[str]:
    """Everything in a word that may be a host: of a URL, of `user@host:path`, of `host:port`, the word itself.

    In a word that has blanks, such as a script or a message, only what stands after a slash, an `@` or a quote.
    """
    lower = word.lower()
    several = any(blank in lower for blank in " \t\n")
    found: set[str] = set()
    at = 0
    while at < len(lower):
        if lower[at] not in HOST_CHARACTERS:
            at += 1
            continue
        start = at
        while at < len(lower) and lower[at] in HOST_CHARACTERS:
            at += 1
        if not several or (start and lower[start - 1] in BEFORE_A_HOST):
            found.add(lower[start:at].strip("."))
    if ":" in lower:
        found |= {address for address in _between_marks(lower) if address.count(":") > 1}
    return found - {""}


def _between_marks(text: str) -> list[str]:
    """The parts that may be an IPv6 address, in brackets or bare."""
    return "".join([each if each in ADDRESS_CHARACTERS else " " for each in text]).split()


def _is_port(text: str) -> bool:
    return text[:1] == ":" and text[1:].isascii() and text[1:].isdigit()
