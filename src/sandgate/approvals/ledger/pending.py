"""A question that waits for its answer, and the answer: what they hold, and how they lie in a file.

A question may be answered by another process than the one that asked, and after that one was started again. So
everything a person was shown goes into the record, and an answer names the digest of it: an approval is of
these words, about this call, and nothing that was put in their place. Reading believes nothing: a record with
a field too many, too few or of another kind, or with a digest that is not its own, is refused as a whole.
"""

from __future__ import annotations

import os

from sandgate.errors import ApprovalsUnusable, RequestError
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    AnsweredBy = Literal["client", "terminal", "timeout", "withdrawn"]

ID_BYTES = 8  # shown as twice as many hexadecimal digits
ID_CHARS = frozenset("0123456789abcdef")
CHOICES_MAX = 16
ADVICE_LINES_MAX, ADVICE_CHARS_MAX = 8, 2000
REFUSALS = ("deny", "abort")  # decisions that allow nothing
PEOPLE: tuple[AnsweredBy, ...] = ("client", "terminal")
UNANSWERED: tuple[AnsweredBy, ...] = ("timeout", "withdrawn")  # the server's own words: only ever a refusal
# Decisions that may hold so many times, or until some moment.
LIMITABLE = ("approve-session", "approve-session-changing", "approve-always")
USES_MAX = 1_000_000
FORMAT = 1


class PendingApproval(Record):
    """One question. Times are seconds since the epoch."""

    approval_id: str  # see `new_approval_id`
    principal: str  # the client, or user, that asks to run something
    tool: str
    call_digest: str  # of the call that would run
    stage: str  # where in the passage the question came up
    message: str  # the question, as it is shown
    choices: tuple[tuple[str, str], ...]  # name of the decision, and its label
    details: Mapping[str, Any]  # what else is shown; JSON values
    asked_at: float
    expires_at: float

    @property
    def digest(self) -> str:
        """SHA-256, in hexadecimal, of everything that is shown and what it is about."""
        from hashlib import sha256

        return sha256(canonical_json(shown(self))).hexdigest()

    def offers(self, decision: str) -> bool:
        """Whether the question has this answer."""
        return any(decision == name for name, _label in self.choices)


class Resolution(Record):
    """The answer. `digest` is the one of the question that was answered."""

    decision: str
    by: AnsweredBy
    digest: str
    at: float  # seconds since the epoch
    reason: str = ""
    until: str = ""  # of an approval with an end: RFC 3339 with a zone
    uses: int = 0  # of one that holds so many times; 0: without end

    @property
    def allows(self) -> bool:
        """Whether it is an approval at all."""
        return self.decision not in REFUSALS and self.by in PEOPLE


def new_approval_id() -> str:
    """Sixteen hexadecimal digits that cannot be guessed."""
    return os.urandom(ID_BYTES).hex()


def is_approval_id(text: str) -> bool:
    """Whether it has the form of an id."""
    return len(text) == 2 * ID_BYTES and ID_CHARS.issuperset(text)


def shown(approval: PendingApproval) -> dict[str, Any]:
    """Everything about a question that a client or a terminal may see, as JSON values."""
    values = approval.fields()
    values["choices"] = [list(choice) for choice in approval.choices]
    return {**values, "asked_at": float(approval.asked_at), "expires_at": float(approval.expires_at)}


def canonical_json(value: object) -> bytes:
    """The one way to write a JSON value down. Raises ValueError and TypeError for anything else."""
    import json

    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def encoded(approval: PendingApproval) -> bytes:
    """A question as the bytes of a file. Raises RequestError for one that could not be read again."""
    try:
        mark = {"format": FORMAT, "digest": approval.digest}
        data = canonical_json({**shown(approval), **mark})
        decoded(data)
    except (TypeError, ValueError, RecursionError, ApprovalsUnusable) as problem:
        raise RequestError("cannot ask for this approval", why=f"it cannot be written down: {problem}") from problem
    return data


def decoded(data: bytes) -> PendingApproval:
    """The question in a file. Raises ApprovalsUnusable for anything but what `encoded` makes."""
    found = _object(data, "question")
    _require(
        _matches(found, {**_QUESTION, "format": int, "digest": str}), "question", "its fields are not those it has"
    )
    _require(found.pop("format") == FORMAT, "question", "it has another format")
    digest = found.pop("digest")
    choices = found["choices"]
    _require(all(map(_is_choice, choices)), "question", "its choices cannot be read")
    names = {name for name, _label in choices}
    _require(0 < len(choices) == len(names) <= CHOICES_MAX, "question", "its choices are none, too many or the same")
    approval = PendingApproval(**{**found, "choices": tuple(map(tuple, choices))})
    _require(is_approval_id(approval.approval_id), "question", "its id has another form")
    _require(approval.asked_at <= approval.expires_at, "question", "it ends before it begins")
    try:
        same = approval.digest == digest
    except (ValueError, RecursionError):  # a number no JSON value can be
        same = False
    _require(same, "question", "its digest is not its own")
    return approval


def encoded_resolution(resolution: Resolution) -> bytes:
    """An answer as the bytes of a file."""
    values = {**resolution.fields(), "at": float(resolution.at), "format": FORMAT}
    for name in _LIMITS:  # not in the answers of earlier versions, nor in most
        if not values[name]:
            del values[name]
    return canonical_json(values)


def decoded_resolution(data: bytes, approval: PendingApproval) -> Resolution:
    """The answer in a file, to this question. Raises ApprovalsUnusable for what cannot be its answer."""
    found = {**_LIMITS, **_object(data, "answer")}
    _require(_matches(found, {**_ANSWER, "format": int}), "answer", "its fields are not those it has")
    _require(found.pop("format") == FORMAT, "answer", "it has another format")
    resolution = Resolution(**found)
    _require(resolution.digest == approval.digest, "answer", "it belongs to another question")
    why = misfit(approval, resolution)
    _require(not why, "answer", why)
    return resolution


def encoded_advice(lines: tuple[str, ...]) -> bytes:
    """Words beside a question as the bytes of a file; what is too long is cut."""
    return canonical_json({"format": FORMAT, "lines": [line[:ADVICE_CHARS_MAX] for line in lines[:ADVICE_LINES_MAX]]})


def decoded_advice(data: bytes) -> tuple[str, ...]:
    """The words in a file. Raises ApprovalsUnusable for anything but what `encoded_advice` makes."""
    found = _object(data, "advice")
    _require(_matches(found, {"format": int, "lines": list}), "advice", "its fields are not those it has")
    lines = found["lines"]
    fits = len(lines) <= ADVICE_LINES_MAX and all(isinstance(line, str) for line in lines)
    _require(fits and found["format"] == FORMAT, "advice", "its lines cannot be read")
    return tuple(line[:ADVICE_CHARS_MAX] for line in lines)


def misfit(approval: PendingApproval, resolution: Resolution) -> str:
    """Why this decision cannot be the answer, whenever it is given; empty when it can."""
    if resolution.by in UNANSWERED:
        return "" if resolution.decision in REFUSALS else f"`{resolution.by}` only ever refuses"
    if resolution.by not in PEOPLE:
        return "nobody of that name answers questions"
    if wrong := _wrong_limits(resolution):
        return wrong
    if not approval.offers(resolution.decision):
        return "it was not offered"
    return "" if resolution.at <= approval.expires_at else "it came too late"


def _wrong_limits(resolution: Resolution) -> str:
    if not resolution.until and not resolution.uses:
        return ""
    if resolution.decision not in LIMITABLE:
        return f"only {' and '.join(LIMITABLE)} can have an end"
    if not 0 <= resolution.uses <= USES_MAX:
        return f"it holds from 1 to {USES_MAX} times"
    from sandgate.policy.rules.model import instant

    try:
        instant(resolution.until) if resolution.until else 0.0
    except (ValueError, OverflowError):
        return "its end is no moment"
    return ""


_QUESTION: dict[str, type] = {
    "approval_id": str,
    "principal": str,
    "tool": str,
    "call_digest": str,
    "stage": str,
    "message": str,
    "choices": list,
    "details": dict,
    "asked_at": float,
    "expires_at": float,
}
_ANSWER: dict[str, type] = {
    "decision": str,
    "by": str,
    "digest": str,
    "at": float,
    "reason": str,
    "until": str,
    "uses": int,
}
_LIMITS: dict[str, Any] = {"until": "", "uses": 0}


def _matches(found: dict[str, Any], kinds: dict[str, type]) -> bool:
    return found.keys() == kinds.keys() and all(_is(found[name], kind) for name, kind in kinds.items())


def _is(value: object, kind: type) -> bool:
    from math import isfinite

    if isinstance(value, bool):  # which Python takes for a number
        return False
    return isinstance(value, kind) and (not isinstance(value, float) or isfinite(value))


def _is_choice(value: object) -> bool:
    return (
        isinstance(value, list) and len(value) == 2 and all(isinstance(word, str) for word in value) and value[0] != ""
    )


def _object(data: bytes, noun: str) -> dict[str, Any]:
    import json

    try:
        found = json.loads(data.decode("ascii"), object_pairs_hook=_without_repeats, parse_constant=_no_number)
    except (ValueError, RecursionError) as problem:
        raise _damaged(noun, str(problem)) from problem
    _require(isinstance(found, dict), noun, "it is no JSON object")
    return dict(found)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name appears twice")
    return found


def _no_number(name: str) -> None:
    raise ValueError(f"`{name}` is no JSON value")


def _require(holds: bool, noun: str, why: str) -> None:
    if not holds:
        raise _damaged(noun, why)


def _damaged(noun: str, why: str) -> ApprovalsUnusable:
    return ApprovalsUnusable(f"the {noun} is damaged and does not count", why=why, hint="have it asked again")
