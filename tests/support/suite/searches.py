"""How far a search by hypothesis goes, and where it begins: a quarter of the way, elsewhere with each of ten seeds.

A search that goes all the way, with `SANDGATE_PROOF=full`, begins where it always did. All of these are fixed, so that
a run can be repeated; only the longest one, with `SANDGATE_FUZZ=full`, looks for what nobody has seen.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

import hypothesis

from support.suite import sampling

EXAMPLES = 100
EXAMPLES_OF_A_LONG_SEARCH = 10_000
PART = 4
"""A run goes so much less far."""

LONG = "SANDGATE_FUZZ"

# How long making examples takes is a matter of who else is on the machine.
SLOW = [hypothesis.HealthCheck.too_slow]


def examples(number: int) -> int:
    """How many of so many this run tries."""
    return number if sampling.full() or _long() else max(number // PART, 1)


def settle() -> None:
    """Settles how far a search goes that says nothing about it."""
    most = EXAMPLES_OF_A_LONG_SEARCH if _long() else examples(EXAMPLES)
    hypothesis.settings.register_profile(
        "run", max_examples=most, deadline=None, derandomize=not _long(), database=None, suppress_health_check=SLOW
    )
    hypothesis.settings.load_profile("run")


def begin(tests: Iterable[object]) -> None:
    """Begins each search among these functions where it is its turn to."""
    if sampling.full() or _long():
        return
    start = hypothesis.seed(sampling.seed() % sampling.PARTS)
    for test in tests:
        if callable(test) and hypothesis.is_hypothesis_test(test):
            start(test)


def _long() -> bool:
    return os.environ.get(LONG) == "full"
