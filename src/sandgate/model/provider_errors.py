"""What a provider says went wrong, as the error that tells a caller what to do about it.

It says so in two places, in the body of a refused request and in an event of an answer; the words are the same.
"""

from __future__ import annotations

import json

from sandgate.errors import (
    ContextWindowExceeded,
    ModelError,
    ModelFailed,
    RequestTurnedAway,
    StreamBroken,
    UsageLimitReached,
)
from sandgate.model.retry import RATE_LIMITED, hinted_delay_ms
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.model.quoting import Quoting

NO_ROOM = frozenset({"usage_limit_reached", "usage_not_included", "insufficient_quota"})
NEVER = frozenset({"invalid_prompt", "cyber_policy"})
OVERLOADED = frozenset({"server_is_overloaded", "slow_down"})
TOO_LONG = "context_length_exceeded"


class Complaint(Record):
    """A provider's error: `code` and `kind` are its words for programs, `message` those for people. "": not said."""

    code: str = ""
    kind: str = ""
    message: str = ""

    def names(self, codes: frozenset[str]) -> bool:
        """Providers put the same word now into the one field, now into the other."""
        return self.code in codes or self.kind in codes


def complaint_of(error: object) -> Complaint:
    """From `{"code", "type", "message"}`; a plain text is its message."""
    if isinstance(error, str):
        return Complaint(message=error)
    if not isinstance(error, dict):
        return Complaint()
    code, kind, message = (
        value if isinstance(value := error.get(name), str) else "" for name in ("code", "type", "message")
    )
    return Complaint(code, kind, message)


def complaint_in(body: bytes) -> Complaint:
    """From the body of a refused request: `{"error": {...}}`, the error itself, or any text."""
    text = body.decode("utf-8", "replace")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return Complaint(message=text.strip())
    if isinstance(found, dict):
        inner = next((found[name] for name in ("error", "detail") if found.get(name)), found)
        return complaint_of(inner)
    return complaint_of(found)


def final_error(complaint: Complaint, quoting: Quoting) -> ModelError | None:
    """The error for what asking again cannot change; None when it may."""
    why = quoting.words(complaint.message)
    if complaint.names(frozenset({TOO_LONG})):
        return ContextWindowExceeded("the conversation does not fit into the model's context window", why=why)
    if complaint.names(NO_ROOM):
        return UsageLimitReached("the provider's account has no more room for this", why=why)
    if complaint.names(NEVER):
        return RequestTurnedAway("the provider refuses this request", why=why)
    if complaint.names(OVERLOADED):
        return ModelFailed("the provider is overloaded", why=why, hint="ask again later")
    return None


def broken_by(complaint: Complaint, quoting: Quoting) -> ModelError:
    """The error for an answer that ended with this complaint."""
    final = final_error(complaint, quoting)
    if final is not None:
        return final
    delay = hinted_delay_ms(complaint.message) if complaint.code == RATE_LIMITED else None
    why = quoting.words(complaint.message) or quoting.words(complaint.code)
    return StreamBroken("the model failed", why=why, retry_after_ms=delay)


def answer_too_long() -> ModelFailed:
    """The answer reached the limit that the request named; the next one would, too."""
    return ModelFailed(
        "the model's answer is incomplete",
        why="it is longer than `model_max_output_tokens` allows",
        hint="raise `model_max_output_tokens`, or leave it out",
    )
