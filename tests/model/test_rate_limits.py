"""Limits in the headers of a response."""

from __future__ import annotations

import pytest

from sandgate.model.rate_limits import rate_limits
from sandgate.protocol.usage import RateLimit, RateLimits


def test_both_limits_are_read_with_what_is_there() -> None:
    headers = {
        "x-codex-primary-used-percent": "12.5",
        "x-codex-primary-window-minutes": "300",
        "x-codex-primary-reset-at": "1700000000",
        "x-codex-secondary-used-percent": "0",
        "x-codex-secondary-window-minutes": "soon",
    }
    assert rate_limits(headers) == RateLimits(RateLimit(12.5, 300, 1_700_000_000), RateLimit(0.0))


@pytest.mark.parametrize("used", ["", "nan", "inf", "-1", "1e300", "much"])
def test_what_is_no_number_says_nothing(used: str) -> None:
    assert rate_limits({"x-codex-primary-used-percent": used, "x-codex-primary-window-minutes": "1"}) is None
    assert rate_limits({}) is None
