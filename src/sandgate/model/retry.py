"""Whether and when a request is placed again.

Decided from values: what the provider's status and words say, and how often it was tried. Nothing here waits.
"""

from __future__ import annotations

import random
import re
from datetime import UTC

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Uniform = Callable[[float, float], float]

BACKOFF_MS = 200  # before the first retry; doubled for each further one
SPREAD = 0.1  # how far from that, either way, so that many who failed together do not come back together
DOUBLINGS_MAX = 20  # beyond it the limit below has long taken over
DELAY_MS_MAX = 90_000  # of any single wait, whatever a provider asks for; rates are counted by the minute
RETRIES_MAX = 100  # whatever a provider's settings say
RETRIED_STATUSES = frozenset({408, 409, 425, 429})  # and everything from 500 on
RATE_LIMITED = "rate_limit_exceeded"  # the code with which a message says when to come back

_TRY_AGAIN = re.compile(
    r"try again in\s*(\d{1,12}(?:\.\d{1,12})?)\s*(ms|milliseconds?|s|seconds?|secs?)\b", re.IGNORECASE
)


def backoff_ms(attempt: int, *, uniform: Uniform = random.uniform) -> int:
    """How long to wait after attempt number `attempt` (from 1) has failed, when the provider did not say."""
    doubled = BACKOFF_MS * 2 ** min(max(attempt, 1) - 1, DOUBLINGS_MAX)
    return _bounded(doubled * uniform(1 - SPREAD, 1 + SPREAD))


def is_retried(status: int) -> bool:
    """Whether a request that was answered with this status may be placed again."""
    return status in RETRIED_STATUSES or 500 <= status <= 599


def hinted_delay_ms(message: str) -> int | None:
    """What a message like "Please try again in 11.054s" asks for; None when it says nothing of the kind."""
    found = _TRY_AGAIN.search(message)
    if found is None:
        return None
    factor = 1 if found[2].lower().startswith("m") else 1000
    return _bounded(float(found[1]) * factor)


def retry_after_ms(headers: Mapping[str, str], *, now: float) -> int | None:
    """What `Retry-After` asks for, in seconds or as a date; `now` is seconds since 1970. None: it says nothing."""
    if (precise := _number(headers.get("retry-after-ms", ""))) is not None:  # some providers' own
        return _bounded(precise)
    value = headers.get("retry-after", "").strip()
    if (seconds := _number(value)) is not None:
        return _bounded(seconds * 1000)
    if not value:
        return None
    from email.utils import parsedate_to_datetime  # with all of `email`, for what hardly a provider sends

    try:
        moment = parsedate_to_datetime(value)
        return _bounded((moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() - now) * 1000)
    except (ValueError, OverflowError):
        return None


def _number(text: str) -> float | None:
    """Digits, perhaps with a fraction: no signs, no exponents, no infinities."""
    text = text.strip()
    return float(text) if re.fullmatch(r"\d{1,12}(\.\d{1,12})?", text, re.ASCII) else None


def _bounded(milliseconds: float) -> int:
    return round(min(max(milliseconds, 0), DELAY_MS_MAX))
