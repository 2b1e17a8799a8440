"""Rules about places: what commands are given outside the workspace without a question, and what nobody is given.

One that allows gives what an answer at a refused call gives, to commands that begin with its words, or to all. One that
asks or forbids takes a place out of what rules give, with all that lies in it or around it; what is forbidden is not
offered by a question either. The strictest that touches a place decides, whatever file it stands in.
"""

from __future__ import annotations

from posixpath import dirname

from sandgate.commandline.words import joined
from sandgate.policy.common_places import is_common
from sandgate.policy.rules.entries import because_of, decision_of, only_keys, prefix_of, until_of
from sandgate.policy.rules.model import PlaceRule
from sandgate.protocol.implied_grants import implies
from sandgate.protocol.names_beside import extends_name, looks_like
from sandgate.protocol.permissions import NAMED_KINDS, Grant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from sandgate.policy.rules.entries import RulePlace
    from sandgate.protocol.permissions import GrantKind
    from sandgate.protocol.verdicts import RuleDecision

KEYS = ("path", "grant", "decide", "because", "prefix", "until")
KINDS: tuple[GrantKind, ...] = (*NAMED_KINDS, "write_root")
PATHS_MAX = 64  # that one rule names
PATH_BYTES_MAX = 4095  # PATH_MAX of the kernel, without the zero byte
_AT_HOME = "~/"
_ANYWHERE = "/x"  # a path that stands for any


def place_rule_of(entry: dict[str, Any], place: RulePlace) -> PlaceRule:
    """The rule an entry says. Raises RuleError naming the place."""
    only_keys(entry, KEYS, place)
    decide = decision_of(entry.get("decide", next(iter(place.decisions))), place)
    kind = entry.get("grant")
    if kind not in (KINDS if decide == "allow" else (*KINDS, None)):
        place.refuse(f"`grant` is {kind!r}", f"it must be one of {', '.join(KINDS)}")
    if decide != "allow" and "prefix" in entry:
        words = place.name("prefix")
        place.refuse(f"`{words}` on a rule that does not allow", "remove it: such a rule is about every command")
    prefix = prefix_of(entry["prefix"], place) if "prefix" in entry else ()
    because, until = because_of(entry, place), until_of(entry.get("until"), place)
    paths = _paths(entry.get("path"), decide, place)
    return PlaceRule(paths, kind, decide, prefix, because, until, place.where, place.line)


def _paths(value: object, decide: RuleDecision, place: RulePlace) -> tuple[str, ...]:
    paths = [value] if isinstance(value, str) else value
    if not isinstance(paths, list) or not 1 <= len(paths) <= PATHS_MAX:
        place.refuse(f"`path` is {value!r}", 'for example path = "~/.config/tool/state", or a list of paths')
    for path in paths:
        if not isinstance(path, str) or not is_plain(path):
            place.refuse(f"`path` holds {path!r}", "a path begins with `/` or `~/`, and has no `.`, `..` or `*` in it")
        if decide == "allow" and (path == "~" or is_common(path)):
            place.refuse(f"no rule gives all of `{path}`", "name what is needed in it")
    return tuple(dict.fromkeys(paths))


def is_plain(path: str) -> bool:
    """Whether a rule may name it: it means one place, and nothing has to be read into it."""
    at_home = path == "~" or path.startswith(_AT_HOME)
    if not (at_home or path[:1] == "/") or len(path.encode(errors="surrogateescape")) > PATH_BYTES_MAX:
        return False
    parts = path.split("/")[1:]
    return path == "/" or not ({"", ".", ".."}.intersection(parts) or set("*?[\0") & set(path))


def at_home(rule: PlaceRule, home: str) -> PlaceRule:
    """The same with `~` as what it means."""
    return rule.but(paths=tuple([home + path[1:] if path[:1] == "~" else path for path in rule.paths]))


def needs_home(rule: PlaceRule) -> bool:
    """Whether it says nothing where nobody knows the home."""
    return any(path[:1] == "~" for path in rule.paths)


def closing(grant: Grant, rules: Iterable[PlaceRule], decisions: tuple[RuleDecision, ...]) -> PlaceRule | None:
    """A rule of these decisions about what is granted, about what lies in it, or about what it lies in."""
    return next((rule for rule in rules if rule.decide in decisions and _closes(rule, grant)), None)


def _closes(rule: PlaceRule, grant: Grant) -> bool:
    if _is_about(rule, grant.kind) and any(_touch(grant.value, path) for path in rule.paths):
        return True
    return _is_about(rule, "new_entry") and any(_comes_beside(path, grant) for path in rule.paths)


def _is_about(rule: PlaceRule, kind: GrantKind) -> bool:
    if rule.grant in (None, kind) or kind == "write_root":
        return True
    return implies(Grant(kind, _ANYWHERE), Grant(rule.grant, _ANYWHERE))


def _comes_beside(path: str, grant: Grant) -> bool:
    """Whether `path` is, or lies below, a name that commands may make next to what is granted."""
    above = dirname(grant.value).rstrip("/") + "/"
    if grant.kind not in ("new_entry", "write_path") or not path.startswith(above):
        return False
    beside = above + path[len(above) :].partition("/")[0]
    return (extends_name if grant.kind == "new_entry" else looks_like)(beside, grant.value)


def _touch(one: str, other: str) -> bool:
    one, other = one.rstrip("/") + "/", other.rstrip("/") + "/"
    return one.startswith(other) or other.startswith(one)


def shown_places(rule: PlaceRule) -> str:
    """What it is about, for people: `write_path ~/note, for sed`."""
    about = f"{rule.grant or 'any change of'} {', '.join(rule.paths)}"
    words = " ".join([joined(place[:1]) if len(place) == 1 else "|".join(place) for place in rule.prefix])
    return f"{about}, for `{words}`" if words else about
