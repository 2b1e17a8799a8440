"""What takes turns: as whom and in which sandbox an attack is tried, over which transport and in which era of its
protocol a server is spoken to. One choice a run, the others with the next seeds: four seeds in a row do all. Every test
is done in each run, and what can be done in one way only, always so.
"""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

import pytest

from support.suite import sampling

CHOICES = {
    "account": ("root", "ordinary"),
    "stage": ("root", "ordinary"),
    "backend": ("namespace", "landlock"),
    "transport": ("stdio", "http"),
    "era": ("legacy", "modern"),
    "mode": ("legacy", "2026-07-28"),
}
"""Names that tests give to what they are tried as, in or over, and what takes turns there."""

EVERY_SECOND_SEED = ("backend", "era", "mode")
"""These change so often, the others with each seed: tests that have one of either are done in all four ways."""

FOLDERS = ("docs", "escapes", "journeys", "kernel", "peers")
"""Where programs are started for it; elsewhere a sandbox or a transport is what the test is about."""

BORN_IN = "tests/journeys/"
CURRENT = "PYTEST_CURRENT_TEST"

Choice = tuple[tuple[str, str], ...]


def left_out(items: list[pytest.Item], folder: Path) -> list[pytest.Item]:
    """What others do: all tests of a file have the same turn, so that both halves of an attack meet."""
    if not sampling.take_turns():
        return []
    tried: dict[object, set[Choice]] = defaultdict(set)
    asked: list[tuple[pytest.Item, object, Choice]] = []
    for item in items:
        if isinstance(item, pytest.Function) and _below(item.path, folder) and (choice := _choice(item)):
            named = {name for name, _ in choice}
            others = frozenset((name, repr(each)) for name, each in item.callspec.params.items() if name not in named)
            test = (item.path, item.originalname, others)
            tried[test].add(choice)
            asked.append((item, test, choice))
    return [item for item, test, choice in asked if choice != _turn(tried[test], item.path.name)]


def turn(name: str, file: str) -> str:
    """Whose turn it is in a file of that name, whatever other files there are."""
    choices = CHOICES[name]
    seed = sampling.seed() // len(choices) if name in EVERY_SECOND_SEED else sampling.seed()
    return choices[(sum(file.encode()) + seed) % len(choices)]


def is_born() -> bool:
    """Whether the programs of the present test are born from a resident: those of a journey's file are, but for each
    fourth seed. They are started where all is tried."""
    file, _, _ = os.environ.get(CURRENT, "").partition("::")
    if not file.startswith(BORN_IN) or not sampling.take_turns():
        return False
    return (sum(file.encode()) + sampling.seed()) % 4 != 0


def _turn(tried: set[Choice], file: str) -> Choice:
    """The one of these that a run does: as far as there is a choice, the one whose turn it is."""
    left = sorted(tried)
    for name in CHOICES:
        wanted = (name, turn(name, file))
        left = [choice for choice in left if wanted in choice] or left
    return left[0]


def _choice(item: pytest.Function) -> Choice:
    params = item.callspec.params if hasattr(item, "callspec") else {}
    return tuple((name, each) for name, choices in CHOICES.items() for each in choices if params.get(name) == each)


def _below(path: Path, folder: Path) -> bool:
    return path.is_relative_to(folder) and path.relative_to(folder).parts[0] in FOLDERS
