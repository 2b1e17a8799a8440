"""When a turn that a reviewer keeps refusing is stopped."""

from __future__ import annotations

import pytest

from sandgate.approvals.breaker import DENIALS_MAX, IN_A_ROW_MAX, CircuitBreaker

D, A, N = "denied", "allowed", "neither"


@pytest.mark.parametrize(
    ("ends", "opens_at"),
    [
        ([D], None),
        ([D, D, D], 3),
        ([D, D, A, D, D, A, D, D], None),
        ([D, D, N, D, D], None),
        ([N] * 50, None),
        ([D, A] * 9, None),
        ([D, A] * 10, 19),
        ([D] * 30, 3),
    ],
)
def test_it_opens_once_and_only_for_refusals(ends: list[str], opens_at: int | None) -> None:
    breaker = CircuitBreaker()
    opened = [at for at, end in enumerate(ends, 1) if breaker.count(end)]  # type: ignore[arg-type]
    assert opened == ([] if opens_at is None else [opens_at])


def test_a_new_turn_counts_from_nothing() -> None:
    breaker = CircuitBreaker()
    assert [breaker.count("denied") for _ in range(IN_A_ROW_MAX)][-1]
    breaker.begin_turn()
    assert [breaker.count("denied") for _ in range(IN_A_ROW_MAX)] == [False, False, True]
    assert DENIALS_MAX > IN_A_ROW_MAX
