"""What a model's answer is worth: nothing unless it has the agreed form, and never less than what is known without it.

The text comes from a model that may have read hostile words, and ends up before a person: it is held to its form,
freed of everything a terminal might obey, and put beside the offline assessment. It may raise the level, add words
and at most two categories; it takes nothing away.
"""

from __future__ import annotations

import json
import re

from sandgate.assessment.findings import RANK, worse
from sandgate.assessment.model_prompt import CATEGORY_NAMES, DESCRIPTION_CHARS_MAX, LEVELS
from sandgate.display import visible
from sandgate.protocol.risk import RiskAssessment
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.risk import RiskCategory, RiskLevel

ANSWER_CHARS_MAX = 64 * 1024  # looked at; an answer has a few hundred
CATEGORIES_ADDED_MAX = 2
OWN_WORDS_CHARS_MAX = 250  # of the offline description beside a model's
SAYS = "A model says: "
FIELDS = frozenset(("description", "risk_level", "risk_categories"))
FENCED = re.compile(r"\A```[a-zA-Z]*[ \t]*\r?\n(.*?)\r?\n```\Z", re.DOTALL)


class ModelAnswer(Record):
    """An answer that has its form."""

    description: str  # one line, plainly visible, 1 to DESCRIPTION_CHARS_MAX characters
    level: RiskLevel
    categories: tuple[RiskCategory, ...] = ()  # each once, in the model's order


def parsed_answer(text: str) -> ModelAnswer | None:
    """The answer in a message: alone, in one code fence, or the outermost braces. None when there is none."""
    text = text.strip()
    if len(text) > ANSWER_CHARS_MAX:
        return None
    fenced = FENCED.match(text)
    for candidate in (text, fenced[1] if fenced else "", text[text.find("{") : text.rfind("}") + 1]):
        found = _object(candidate)
        if found is not None:
            return _answer(found)
    return None


def with_offline(answer: ModelAnswer, offline: RiskAssessment | None, *, prompt_version: str) -> RiskAssessment:
    """Both together. Without an offline assessment nothing is known for certain, so the level is medium at least."""
    if offline is None:
        return RiskAssessment(
            description=answer.description,
            risk_level=worse("medium", answer.level),
            risk_categories=answer.categories,
            source="model",
            confidence="low",
            prompt_version=prompt_version,
        )
    added = [each for each in answer.categories if each not in offline.risk_categories][:CATEGORIES_ADDED_MAX]
    raised = RANK[answer.level] > RANK[offline.risk_level]
    return offline.but(
        description=_together(offline.description, answer.description),
        risk_level=worse(offline.risk_level, answer.level),
        risk_categories=(*offline.risk_categories, *added),
        source="both",
        reasons=(*offline.reasons, "rated higher by the model") if raised else offline.reasons,
        prompt_version=prompt_version,
    )


def _object(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name appears twice")
    return found


def _answer(found: dict[str, Any]) -> ModelAnswer | None:
    """Held to the schema; only a category that nobody knows is forgiven, and dropped."""
    description, level, categories = (found.get(name) for name in ("description", "risk_level", "risk_categories"))
    if not FIELDS.issuperset(found) or not isinstance(description, str) or level not in LEVELS:
        return None
    if categories is not None and not isinstance(categories, list):
        return None
    words = _cut(_one_line(description), DESCRIPTION_CHARS_MAX)
    known: dict[RiskCategory, None] = dict.fromkeys(each for each in categories or () if each in CATEGORY_NAMES)
    return ModelAnswer(words, level, tuple(known)) if words else None


_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b.?|\x9b[0-?]*[ -/]*[@-~]")


def _one_line(text: str) -> str:
    """Blanks and line breaks as one blank; controls and escapes gone; what shows nothing as a visible escape."""
    text = _ESCAPES.sub("", text)
    kept = (" " if each.isspace() else each for each in text)
    return visible(" ".join("".join(each for each in kept if each >= " " and not "\x7f" <= each < "\xa0").split()))


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _together(own: str, words: str) -> str:
    own = _cut(own, OWN_WORDS_CHARS_MAX)
    return _cut(f"{own} {SAYS}{words}" if own else f"{SAYS}{words}", DESCRIPTION_CHARS_MAX)
