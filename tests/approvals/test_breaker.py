"""When a turn that a reviewer keeps refusing is stopped."""

from __future__ import annotations

import pytest

from sandgate.approvals.breaker import CircuitBreaker

D, A, N = "denied", "allowed", "neither"


@pytest.mark.parametrize(
    ("ends", "opens_at"),
    [
        ([D], []),
        ([D, D, D], [3]),
        ([D, D, A, D, D, A, D, D], []),
        ([D, D, N, D, D], []),
        ([N] * 50, []),
        ([D, A] * 9, []),
        ([D, A] * 10, [19]),
    ],
)
def test_it_opens_only_for_refusals(ends: list[str], opens_at: list[int]) -> None:
    breaker = CircuitBreaker()
    assert [at for at, end in enumerate(ends, 1) if breaker.count(end)] == opens_at  # type: ignore[arg-type]


def test_an_agent_that_goes_on_trying_is_stopped_again() -> None:
    breaker = CircuitBreaker()
    assert [at for at in range(1, 10) if breaker.count("denied")] == [3, 6, 9]
    assert [at for at in range(1, 25) if breaker.count("denied") or breaker.count("allowed")] == [10, 20]
