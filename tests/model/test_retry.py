"""When a request is placed again."""

from __future__ import annotations

import pytest

from sandgate.model.retry import DELAY_MS_MAX, backoff_ms, hinted_delay_ms, is_retried, retry_after_ms

NOW = 1_700_000_000.0  # Tue, 14 Nov 2023 22:13:20 GMT


def test_back_off_doubles_from_200_ms_up_to_a_limit() -> None:
    """Required."""
    middle = [backoff_ms(attempt, uniform=lambda _low, _high: 1.0) for attempt in (1, 2, 3, 4, 5)]
    assert middle == [200, 400, 800, 1600, 3200]
    assert backoff_ms(100, uniform=lambda _low, _high: 1.0) == DELAY_MS_MAX
    assert backoff_ms(1, uniform=lambda low, _high: low) == 180
    assert backoff_ms(1, uniform=lambda _low, high: high) == 220
    assert 180 <= backoff_ms(1) <= 220


@pytest.mark.parametrize(
    ("message", "delay_ms"),
    [
        ("Rate limit reached. Please try again in 11.054s. Visit https://x", 11_054),
        ("please TRY AGAIN IN 35ms", 35),
        ("Please try again in 2 seconds.", 2_000),
        ("Please try again in 1 second", 1_000),
        ("Please try again in  1.5 S", 1_500),
        ("Please try again in 99999999s", DELAY_MS_MAX),
        ("Please try again in 3 minutes", None),
        ("Please try again in -3s", None),
        ("Please try again later", None),
        ("", None),
    ],
)
def test_a_message_says_when_to_come_back(message: str, delay_ms: int | None) -> None:
    """Required."""
    assert hinted_delay_ms(message) == delay_ms


@pytest.mark.parametrize(
    ("headers", "delay_ms"),
    [
        ({"retry-after": "7"}, 7_000),
        ({"retry-after": " 0.25 "}, 250),
        ({"retry-after": "86400"}, DELAY_MS_MAX),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:25 GMT"}, 5_000),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:25"}, 5_000),
        ({"retry-after": "Tue, 14 Nov 2023 22:00:00 GMT"}, 0),
        ({"retry-after-ms": "40", "retry-after": "7"}, 40),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e9"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Tue, 14 Nov 99999 22:13:25 GMT"}, None),
        ({}, None),
    ],
)
def test_a_header_says_when_to_come_back(headers: dict[str, str], delay_ms: int | None) -> None:
    assert retry_after_ms(headers, now=NOW) == delay_ms


def test_only_what_may_pass_is_tried_again() -> None:
    """Required."""
    assert [status for status in range(100, 600) if is_retried(status)] == [408, 409, 425, 429, *range(500, 600)]
