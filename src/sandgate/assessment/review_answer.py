"""What an automatic reviewer answered, and whether policy lets that answer count.

The model only gives an opinion: how risky, how clearly the user wanted it, and why. Whether that is a yes is decided
here, from a table that no answer can talk around. An answer that cannot be read is no opinion at all, and is told
apart from one that says no.
"""

from __future__ import annotations

import json

from sandgate.display import visible
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from sandgate.protocol.risk import RiskLevel

    Outcome = Literal["allow", "deny"]
    ReviewRisk = Literal["low", "medium", "high", "critical"]
    Authorization = Literal["unknown", "low", "medium", "high"]

RISKS: dict[str, int] = {"low": 0, "medium": 1, "high": 2, "critical": 3}
AUTHORIZATIONS: dict[str, int] = {"unknown": 0, "low": 1, "medium": 2, "high": 3}
ENOUGH_AUTHORIZATION = AUTHORIZATIONS["medium"]  # for what is of high risk
RATIONALE_CHARS_MAX = 1_000
ANSWER_CHARS_MAX = 100_000  # longer is no answer
SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["outcome", "risk_level", "user_authorization", "suspected_injection", "rationale"],
    "properties": {
        "outcome": {"type": "string", "enum": ["allow", "deny"]},
        "risk_level": {"type": "string", "enum": list(RISKS)},
        "user_authorization": {"type": "string", "enum": list(AUTHORIZATIONS)},
        "suspected_injection": {"type": "boolean"},
        "rationale": {"type": "string"},
    },
}
MISSING_RISK: dict[str, ReviewRisk] = {"allow": "low", "deny": "high"}


class UnreadableReview(Exception):
    """The answer is not of the form it must have. The text says what is wrong with it."""


class ModelReview(Record):
    """An opinion, in the reviewer's own levels."""

    outcome: Outcome
    risk_level: ReviewRisk
    user_authorization: Authorization = "unknown"
    rationale: str = ""  # one line, made visible
    suspected_injection: bool = False


def review_from(text: str) -> ModelReview:
    """The opinion an answer holds; JSON may stand in prose. Raises UnreadableReview."""
    fields = _object_in(text)
    outcome = fields.get("outcome")
    if outcome not in MISSING_RISK:
        raise UnreadableReview("it has no `outcome`, or one that is neither `allow` nor `deny`")
    risk = _named(fields, "risk_level", RISKS, MISSING_RISK[outcome])
    authorization = _named(fields, "user_authorization", AUTHORIZATIONS, "unknown")
    injected = fields.get("suspected_injection", False)
    if not isinstance(injected, bool):
        raise UnreadableReview("its `suspected_injection` is neither true nor false")
    rationale = fields.get("rationale", "")
    if not isinstance(rationale, str):
        raise UnreadableReview("its `rationale` is no text")
    said = visible(" ".join(rationale.split()), limit=RATIONALE_CHARS_MAX)
    return ModelReview(outcome, risk, authorization, said, injected)


def why_not(review: ModelReview, floor: RiskLevel | None, *, user_heard: bool) -> str:
    """Why policy does not let this opinion be a yes; empty when it does.

    `floor` is the offline assessment: what that calls high is high, whatever the model thinks of it. `user_heard`:
    there were words of the user among the evidence; without them nobody can know what the user wants.
    """
    if review.outcome != "allow":
        return review.rationale or "the reviewer gave no reason"
    if review.suspected_injection:
        return "the reviewer suspects that its input was written to mislead it"
    level = max(RISKS[review.risk_level], RISKS[floor or "low"])
    if level >= RISKS["critical"]:
        return "its risk is critical, which no automatic reviewer may allow"
    wanted = user_heard and AUTHORIZATIONS[review.user_authorization] >= ENOUGH_AUTHORIZATION
    if level == RISKS["high"] and not wanted:
        whose = "the offline assessment rates it" if RISKS[review.risk_level] < level else "its risk is"
        return f"{whose} high, and nothing shows that the user asked for it"
    return ""


def _named(fields: dict[str, Any], name: str, known: dict[str, int], missing: str) -> Any:
    value = fields.get(name, missing)
    if not isinstance(value, str) or value not in known:
        raise UnreadableReview(f"its `{name}` is none of {', '.join(known)}")
    return value


def _object_in(text: str) -> dict[str, Any]:
    """The object between the outermost braces. Two objects side by side are none: nobody can say which one counts."""
    if len(text) > ANSWER_CHARS_MAX:
        raise UnreadableReview(f"it has more than {ANSWER_CHARS_MAX} characters")
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise UnreadableReview("it holds no JSON object")
    try:
        found = json.loads(text[start : end + 1], object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as wrong:
        raise UnreadableReview("it holds no single JSON object") from wrong
    if not isinstance(found, dict):
        raise UnreadableReview("it holds no JSON object")
    return found


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError("a name stands twice")
    return dict(pairs)
