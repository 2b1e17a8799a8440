"""Moments as people type and read them.

Until when is `2h`, `30m`, `7d`, a date (the end of that day here), or a moment with its zone.
"""

from __future__ import annotations

from sandgate.display import visible
from sandgate.errors import RequestError

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
LENGTH_MAX_S = 10 * 365 * 86_400  # longer is as good as for ever, and a slip
DATE = "2030-01-31"


def moment(text: str, now: float, *, option: str) -> str:
    """The moment as RFC 3339, in UTC. `now` is in seconds since 1970. Raises RequestError for anything else."""
    from datetime import UTC, datetime

    from sandgate.policy.rules.model import instant

    number, unit = text[:-1], text[-1:]
    if number.isascii() and number.isdecimal() and unit in SECONDS:
        length_s = int(number[:12]) * SECONDS[unit]
        at = now + length_s if length_s <= LENGTH_MAX_S else 0.0
    else:
        try:
            at = _end_of_day(text) if len(text) == len(DATE) else instant(text)
        except (ValueError, OverflowError):
            at = 0.0
    if at <= now:
        raise RequestError(
            f"`{option} {visible(text, limit=40)}` is no moment to come",
            hint=f"a length such as 30m, 2h or 7d, a date such as {DATE}, or a moment with its zone: {DATE}T18:00:00Z",
        )
    return datetime.fromtimestamp(int(at), UTC).isoformat().replace("+00:00", "Z")


def here(moment: str, *, seconds: bool = False) -> str:
    """A moment as RFC 3339 in the words and the zone of this place: `2030-01-31 18:00`; what is none, as it is."""
    from datetime import datetime

    try:
        at = datetime.fromisoformat(moment).astimezone()
    except (ValueError, OverflowError):
        return moment
    return at.strftime("%Y-%m-%d %H:%M:%S" if seconds else "%Y-%m-%d %H:%M")


def _end_of_day(text: str) -> float:
    from datetime import date, datetime, timedelta

    day = date.fromisoformat(text) + timedelta(days=1)
    return datetime(day.year, day.month, day.day).astimezone().timestamp()
