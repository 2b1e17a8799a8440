"""Network rules: which hosts may be reached, which need a question, and which nobody reaches.

There is no proxy yet that would see every connection by its name. Until then these rules do what can be done
honestly: a command whose words name a host is judged by them, and an address or a name that is forbidden is never
offered as a grant, also where a lookup waits for one. An `allow` opens nothing (docs/threat-model.md).
"""

from __future__ import annotations

from sandgate.policy.rules.entries import because_of, decision_of, only_keys
from sandgate.policy.rules.model import STRICTNESS, NetworkRule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from sandgate.commandline import Segments
    from sandgate.policy.rules.entries import RulePlace
    from sandgate.policy.rules.model import NetworkProtocol

KEYS = ("host", "protocol", "decide", "because")
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
ADDRESS_CHARACTERS_MAX = 64  # of an IPv6 address with a zone
BEFORE_A_HOST = "/@=\"'"  # in a word of several words, such as a program's text, only after one of these


class _Blanks(dict[int, str]):
    """A table for `str.translate`: what is not in it becomes a blank."""

    def __missing__(self, _code: int) -> str:
        return " "


MARK = "\x01"  # stands for one of BEFORE_A_HOST
_HOSTS_AND_MARKS = _Blanks({ord(sign): sign for sign in HOST_CHARACTERS} | {ord(sign): MARK for sign in BEFORE_A_HOST})
_ADDRESSES = _Blanks({ord(sign): sign for sign in ADDRESS_CHARACTERS})


def network_rule_of(entry: dict[str, Any], place: RulePlace) -> NetworkRule:
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
        return _one_spelling(inside) if fits else None
    if host.count(":") > 1:
        return _one_spelling(host) if ADDRESS_CHARACTERS.issuperset(host) else None
    name, colon, port = host.partition(":")
    if colon and not _is_port(colon + port):
        return None
    name = name.removesuffix(".")
    if len(name) > HOST_CHARACTERS_MAX or not all(name.split(".")):
        return None
    # A name in other letters than these is the business of whoever wrote it to say in its ASCII form.
    return _one_spelling(name) if HOST_CHARACTERS.issuperset(name) else None


def last_of_each_host(rules: Sequence[NetworkRule]) -> tuple[NetworkRule, ...]:
    """The rules of one file: of those that allow or forbid a host the last one holds, as where they come from."""
    last = {rule.host: at for at, rule in enumerate(rules) if rule.decide != "ask"}
    return tuple([rule for at, rule in enumerate(rules) if rule.decide == "ask" or last[rule.host] == at])


def host_lists(rules: Sequence[NetworkRule]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The hosts that are allowed, and those that are forbidden. Between files the strictest holds."""
    forbidden = dict.fromkeys(rule.host for rule in rules if rule.decide == "forbid")
    allowed = dict.fromkeys(rule.host for rule in rules if rule.decide == "allow")
    return tuple(host for host in allowed if host not in forbidden), tuple(forbidden)


class HostRules:
    """The rules that ask about or forbid a host, found by the hosts that words name."""

    def __init__(self, rules: Sequence[NetworkRule]) -> None:
        self._by_host: dict[str, NetworkRule] = {}
        for rule in rules:
            before = self._by_host.get(rule.host)
            if rule.decide != "allow" and (before is None or STRICTNESS[rule.decide] > STRICTNESS[before.decide]):
                self._by_host[rule.host] = rule

    def about(self, words: Sequence[str]) -> NetworkRule | None:
        """The strictest rule about a host that one of the words names, or that it lies below; None without any."""
        if not self._by_host:
            return None
        found = [rule for word in words for host in hosts_named(word) for rule in self._above(host)]
        return max(found, key=lambda rule: STRICTNESS[rule.decide], default=None)

    def _above(self, host: str) -> list[NetworkRule]:
        labels = host.split(".")
        names = (".".join(labels[at:]) for at in range(len(labels)))
        return [self._by_host[name] for name in names if name in self._by_host]


def all_words(what: Segments) -> tuple[str, ...]:
    """Every word of a command line and of what it starts, variables and files of redirections included."""
    from sandgate.commandline.invocation import everything_run

    found = everything_run(what)
    assigned = [word.text for command in what.script.commands for word in command.assignments] if what.script else []
    targets = [each.target.text for each in found.redirections if each.target is not None]
    return (*(word for argv in found.commands for word in argv), *assigned, *targets, *found.scripts)


def forbidding(host: str, rules: Sequence[NetworkRule]) -> NetworkRule | None:
    """The rule that forbids this host, or one that it lies below; with or without a port. None: there is none."""
    rule = HostRules(rules).about((host,))
    return rule if rule is not None and rule.decide == "forbid" else None


def hosts_named(word: str) -> set[str]:
    """Everything in a word that may be a host: of a URL, of `user@host:path`, of `host:port`, the word itself.

    In a word that has blanks, such as a script or a message, only what stands after a slash, an `@` or a quote.
    """
    lower = word.lower()
    parts = lower.translate(_HOSTS_AND_MARKS)
    if any(blank in lower for blank in " \t\n"):
        hosts = [host for part in parts.split() for host in part.split(MARK)[1:]]
    else:
        hosts = parts.replace(MARK, " ").split()
    found = {_one_spelling(host.strip(".")) for host in hosts if len(host) <= HOST_CHARACTERS_MAX + 1}
    if ":" in lower:
        addresses = [part for part in lower.translate(_ADDRESSES).split() if len(part) <= ADDRESS_CHARACTERS_MAX]
        found |= {_one_spelling(address) for address in addresses if address.count(":") > 1}
    return found - {""}


def _one_spelling(host: str) -> str:
    """Of the many spellings of an address (`127.1`, `0x7f000001`, `::ffff:127.0.0.1`) the usual one. Names stay."""
    if ":" in host:
        from ipaddress import IPv6Address

        try:
            address = IPv6Address(host)
        except ValueError:
            return host
        return str(address.ipv4_mapped or address)
    return _dotted(host) if host[:1].isdigit() else host


def _dotted(host: str) -> str:
    """As inet_aton(3) reads it: one to four numbers, decimal, octal or hexadecimal, the last filling what is left."""
    parts = host.split(".")
    try:
        numbers = [int(part, 16 if part[:2] == "0x" else 8 if part[:1] == "0" else 10) for part in parts]
    except ValueError:
        return host
    last_max = 256 ** (5 - len(numbers)) if len(numbers) <= 4 else 0
    if "_" in host or max(numbers[:-1], default=0) > 255 or numbers[-1] >= last_max:
        return host
    value = numbers[-1] + sum(number << (24 - 8 * at) for at, number in enumerate(numbers[:-1]))
    return ".".join(str(value >> shift & 255) for shift in (24, 16, 8, 0))


def _is_port(text: str) -> bool:
    return text[:1] == ":" and text[1:].isascii() and text[1:].isdigit()
