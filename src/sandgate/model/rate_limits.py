"""What the headers of a response say of the provider's limits."""

from __future__ import annotations

from math import isfinite

from sandgate.protocol.usage import RateLimit, RateLimits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX = "x-codex"
NUMBER_MAX = 2**53  # beyond it a number is no time and no percentage


def rate_limits(headers: Mapping[str, str]) -> RateLimits | None:
    """None when they say nothing. `headers` are looked up by their names in small letters."""
    primary, secondary = _limit(headers, "primary"), _limit(headers, "secondary")
    return None if primary is None and secondary is None else RateLimits(primary, secondary)


def _limit(headers: Mapping[str, str], which: str) -> RateLimit | None:
    used = _number(headers.get(f"{PREFIX}-{which}-used-percent"))
    if used is None:
        return None
    window = _number(headers.get(f"{PREFIX}-{which}-window-minutes"))
    resets = _number(headers.get(f"{PREFIX}-{which}-reset-at"))
    return RateLimit(used, None if window is None else int(window), None if resets is None else int(resets))


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if isfinite(number) and 0 <= number <= NUMBER_MAX else None
