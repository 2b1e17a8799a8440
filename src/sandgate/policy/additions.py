"""The rule that somebody adds by naming words, or is told that he could add.

Both go through here, so that no advice names a rule that would then be refused. Pure.
"""

from __future__ import annotations

from sandgate.commandline.words import joined
from sandgate.errors import RequestError
from sandgate.policy.amendment_bans import why_banned
from sandgate.policy.rules.calls import rules_from_calls
from sandgate.policy.rules.literal import RuleCall
from sandgate.policy.rules.written import LINEAGE_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.policy.rules.model import PlaceRule, Rule


def added_rule(
    prefix: tuple[str, ...],
    decide: str,
    *,
    because: str | None = None,
    until: str | None = None,
    uses: int | None = None,
    same_content: tuple[str, ...] = (),
) -> Rule:
    """The rule as its own line would be read. Raises RequestError where none may be, RuleError for a bad one."""
    _check_text(joined(prefix))
    banned = why_banned(prefix) if decide == "allow" else ""
    if banned:
        raise RequestError(f"no rule may allow what begins with `{joined(prefix)}`", why=banned)
    given = {
        "pattern": list(prefix),
        "decision": LINEAGE_WORDS[decide],
        "justification": because,
        "until": until,
        "uses": uses,
        **({"same_content": list(same_content)} if same_content else {}),
    }
    (rule,) = rules_from_calls([RuleCall("prefix_rule", (), given, 0)], "the command line").rules
    return rule


def added_place_rule(
    granted: tuple[str, ...],
    prefix: tuple[str, ...],
    decide: str,
    *,
    because: str | None = None,
    until: str | None = None,
) -> PlaceRule:
    """The same of a rule about places, each `KIND=PATH`."""
    _check_text(joined((*granted, *prefix)))
    parts = [each.partition("=") for each in granted]
    kinds = {kind for kind, _, _ in parts}
    if len(kinds) > 1:
        raise RequestError("one rule gives one kind of freedom", hint="add one rule for each")
    given = {
        "path": [path for _, _, path in parts],
        "grant": kinds.pop(),
        "decision": LINEAGE_WORDS[decide],
        "justification": because,
        "pattern": list(prefix) or None,
        "until": until,
    }
    (rule,) = rules_from_calls([RuleCall("place_rule", (), given, 0)], "the command line").places
    return rule


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as wrong:
        raise RequestError("a rule is text, and these words are not UTF-8") from wrong
