"""Adds up findings: the worst one decides, the first ones of its level are told.

A finding counts once however often it was made, and words are made only for what is told or kept.
"""

from __future__ import annotations

from sandgate.assessment.findings import LOW, MEDIUM, NETWORK, RANK, Finding
from sandgate.assessment.wording import description, reason
from sandgate.protocol.risk import Fact, RiskAssessment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.risk import Confidence, RiskCategory, RiskLevel

MAX_REASONS = 8  # shown to a person
MAX_FACTS = 64  # kept for the record
# Among findings of one level, what a reader should hear first.
WEIGHT: dict[str, int] = {"deletes": 0, "runs": 1, "contacts": 1, "writes": 2, "privilege": 3, "unknown": 4, "reads": 5}
PREPOSITIONS = ("to", "from", "in", "into", "on", "through", "with")


def conclusion(findings: list[Finding], doubts: list[str], stopped: str) -> RiskAssessment:
    """The assessment these findings add up to. `stopped`: a sentence on what a sandbox has denied, or ""."""
    ranked = sorted(findings, key=lambda each: (-RANK[each.level], WEIGHT[each.kind]))  # stable: first found first
    level: RiskLevel = ranked[0].level if ranked else LOW
    categories: dict[RiskCategory, None] = {}
    for each in ranked:
        if each.categories and RANK[each.level] >= RANK[MEDIUM]:
            categories.update(dict.fromkeys(each.categories))
    facts: dict[Fact, None] = {}
    for kind, target, why in dict.fromkeys([(each.kind, each.target, each.why) for each in ranked]):
        if len(facts) >= MAX_FACTS:
            break
        facts[Fact(kind, reason(target), reason(why))] = None
    if NETWORK in categories and not any(fact.kind == "contacts" for fact in facts):
        facts[Fact("contacts", "?", "works over the network")] = None
    notable = [each.why for each in ranked if each.level == level or RANK[each.level] >= RANK[MEDIUM]]
    reasons = dict.fromkeys([reason(each) for each in dict.fromkeys([*notable, *doubts])])
    return RiskAssessment(
        description=description(_sentences(ranked, level, stopped)),
        risk_level=level,
        risk_categories=tuple(categories),
        source="static",
        reasons=tuple(reasons)[:MAX_REASONS],
        confidence=_confidence(findings, doubts),
        facts=tuple(facts),
    )


def _sentences(ranked: list[Finding], level: RiskLevel, stopped: str) -> list[str]:
    spoken = [each for each in ranked if each.sentence and each.level == level] or [
        each for each in ranked if each.sentence
    ]
    if not spoken:
        return [stopped or ("Only looks at things" if level == LOW else "Its effect could not be determined")]
    said = list(dict.fromkeys(each.sentence for each in spoken))
    said = [each for each in said if not any(other.startswith(f"{each} ") for other in said)]  # it says less
    second = stopped or spoken[0].consequence or next((each for each in said[1:] if not _repeats(each, said[0])), "")
    if stopped:
        return [_first_two(said), second]
    whole = _in_one(said[0], second)
    return [whole, ""] if whole else [said[0], second]


def _first_two(said: list[str]) -> str:
    """One sentence, where what was stopped is the other: `Writes /a and /b`, `Writes /a and deletes /b`."""
    others = [each for each in said[1:] if not _repeats(each, said[0])]
    if not others:
        return said[0]
    more = len(others) - 1
    if whole := _in_one(said[0], others[0]):
        return f"{whole} and {more} more" if more else whole
    verb, _, rest = others[0].partition(" ")
    same = bool(rest) and said[0].startswith(f"{verb} ")
    second = rest if same else others[0][:1].lower() + others[0][1:]
    return f"{said[0]}, {second} and {more} more" if more else f"{said[0]} and {second}"


def _in_one(first: str, other: str) -> str:
    """`Copies to /a` and `Copies a repository from /b`, of which one says only where, as a sentence; "" for others."""
    verb, _, rest = other.partition(" ")
    if not rest or not first.startswith(f"{verb} "):
        return ""
    where = first.removeprefix(f"{verb} ")
    if _adds_a_place(rest, first):
        return f"{first} {rest}"
    return f"{other} {where}" if _adds_a_place(where, other) else ""


def _adds_a_place(words: str, sentence: str) -> bool:
    """Not where the sentence has one of that kind: nobody logs in `to one to two`."""
    preposition = words.partition(" ")[0]
    return preposition in PREPOSITIONS and f" {preposition} " not in sentence


def _repeats(sentence: str, first: str) -> bool:
    """`Edits /project/a` after `Edits a`: the same with the whole path."""
    verb, _, path = sentence.partition(" ")
    same = verb == "Reads" or first.startswith(f"{verb} ")
    return same and path.endswith(f"/{first.rpartition(' ')[2].removeprefix('./')}")


def _confidence(findings: list[Finding], doubts: list[str]) -> Confidence:
    if any(each.confidence == "low" for each in findings):
        return "low"
    return "medium" if doubts else "high"
