"""Which part of a proof by number a run does: a tenth, another one in each run, and everything when that is asked for.

A proof by number judges hundreds or thousands of cases of one kind, made from a table or from numbers. With
`SANDGATE_PROOF=full` it does them all; `SANDGATE_PROOF_SEED=N` repeats the part of a run, which names it when it fails.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterable
from typing import TypeVar

Case = TypeVar("Case")

PARTS = 10
"""So many runs with seeds in a row do every case once."""

SEED = "SANDGATE_PROOF_SEED"
EXTENT = "SANDGATE_PROOF"
EXTENTS = ("part", "full")
STAGES = "SANDGATE_PROOF_STAGES"
STAGES_CHOICES = ("all", "turns")


def full() -> bool:
    """Whether this run does every case."""
    extent = os.environ.get(EXTENT, "part")
    if extent not in EXTENTS:
        raise ValueError(f"{EXTENT} is {extent!r}; there are {' and '.join(EXTENTS)}")
    return extent == "full"


def seed() -> int:
    """This run's; chosen by the clock when nobody named one, and from then on the same, in child processes as well."""
    return int(os.environ.setdefault(SEED, str(int(time.time()))))


def share(cases: Iterable[Case]) -> list[Case]:
    """A tenth of the cases and at least one, in their order, spread by chance but the same for the same seed."""
    every = list(cases)
    if full():
        return every
    mixed = list(range(len(every)))
    random.Random(len(every)).shuffle(mixed)  # neighbours in a table of combinations are alike
    chosen = mixed[seed() % PARTS :: PARTS] or mixed[:1]
    return [every[number] for number in sorted(chosen)]


def take_turns() -> bool:
    """Whether what can be tried as two users, in two sandboxes, over two transports or in two eras is tried in one of
    these ways in a run, and in the others with the next seeds."""
    chosen = os.environ.get(STAGES, "all")
    if chosen not in STAGES_CHOICES:
        raise ValueError(f"{STAGES} is {chosen!r}; there are {' and '.join(STAGES_CHOICES)}")
    return chosen == "turns" and not full()


def told() -> str:
    """What a person needs to run the same again."""
    if full():
        return f"proofs by number: all ({EXTENT}=full)"
    return f"proofs by number: a tenth; {SEED}={seed()} repeats this one, {EXTENT}=full does all"
