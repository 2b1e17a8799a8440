"""Rules as text: the line of a `.rules` file, and the TOML table. What is written is read back as the same rule."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.policy.rules.model import NetworkRule, PlaceRule, Rule

LINEAGE_WORDS = {"allow": "allow", "ask": "prompt", "forbid": "forbidden"}
NAMED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def rule_line(rule: Rule) -> str:
    """The rule in the lineage's form; what the lineage does not know only where it is set."""
    parts = [f"pattern=[{_places(rule)}]", f'decision="{LINEAGE_WORDS[rule.decide]}"']
    if rule.because:
        parts.append(f"justification={_quoted(rule.because)}")
    if rule.sandbox != "keep":
        parts.append(f"sandbox={_quoted(rule.sandbox)}")
    if rule.until:
        parts.append(f"until={_quoted(rule.until)}")
    if rule.uses is not None:
        parts.append(f"uses={rule.uses}")
    parts += [f"{word}=True" for word, on in (("canonical_matching", rule.any_case), ("exact", rule.exact)) if on]
    if rule.same_content:
        parts.append(f"same_content=[{', '.join(map(_quoted, rule.same_content))}]")
    return f"prefix_rule({', '.join(parts)})"


def rule_table(rule: Rule, comment: str = "") -> str:
    """The rule as a table of a TOML file, with what people should know of it in front."""
    exact = ["exact = true"] if rule.exact else []
    if rule.same_content:
        exact.append(f"same_content = [{', '.join(map(_quoted, rule.same_content))}]")
    return _table(comment, ["[[rule]]", f"prefix = [{_places(rule)}]", *_decision(rule), *exact])


def place_line(rule: PlaceRule) -> str:
    """A rule about places as its line; `decision` in the words of a prefix rule."""
    parts = [f"path={_listed(rule.paths)}", *([f"grant={_quoted(rule.grant)}"] if rule.grant else [])]
    parts.append(f'decision="{LINEAGE_WORDS[rule.decide]}"')
    if rule.because:
        parts.append(f"justification={_quoted(rule.because)}")
    if rule.prefix:
        parts.append(f"pattern=[{_places(rule)}]")
    if rule.until:
        parts.append(f"until={_quoted(rule.until)}")
    return f"place_rule({', '.join(parts)})"


def _listed(paths: tuple[str, ...]) -> str:
    return _quoted(paths[0]) if len(paths) == 1 else f"[{', '.join(map(_quoted, paths))}]"


def network_table(rule: NetworkRule, comment: str = "") -> str:
    """The same for a rule about a host."""
    about = ["[[network_rule]]", f"host = {_quoted(rule.host)}", f'protocol = "{rule.protocol}"']
    return _table(comment, [*about, *_decision(rule)])


def _table(comment: str, lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in (*(f"# {each}" for each in comment.splitlines()), *lines))


def _decision(rule: Rule | NetworkRule) -> list[str]:
    return [f'decide = "{rule.decide}"', *([f"because = {_quoted(rule.because)}"] if rule.because else [])]


def _places(rule: Rule | PlaceRule) -> str:
    return ", ".join(
        [_quoted(place[0]) if len(place) == 1 else f"[{', '.join(map(_quoted, place))}]" for place in rule.prefix]
    )


def _quoted(text: str) -> str:
    """A string as both languages read it."""
    return '"' + "".join([NAMED.get(each) or (each if each.isprintable() else _numbered(each)) for each in text]) + '"'


def _numbered(character: str) -> str:
    return f"\\u{ord(character):04x}" if ord(character) <= 0xFFFF else f"\\U{ord(character):08x}"
