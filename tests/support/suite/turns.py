"""As whom and in which sandbox an attack is tried where these take turns: one choice a run, the others with the next
seeds. Four seeds in a row do all. Every attack is tried in each run, and what can be tried in one way only, always so.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from support.suite import sampling

CHOICES = {
    "account": ("root", "ordinary"),
    "stage": ("root", "ordinary"),
    "backend": ("namespace", "landlock"),
}
"""Names that tests give to what they are tried as or in, and what takes turns there."""

FOLDERS = ("escapes", "journeys", "kernel")
"""Where attacks are; elsewhere a sandbox is what the test is about."""

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
            attack = (item.path, item.originalname, others)
            tried[attack].add(choice)
            asked.append((item, attack, choice))
    return [item for item, attack, choice in asked if choice != _turn(tried[attack], item.path.name)]


def turn(name: str, file: str) -> str:
    """Whose turn it is in a file of that name, whatever other files there are."""
    choices = CHOICES[name]
    seed = sampling.seed() // len(choices) if name == "backend" else sampling.seed()
    return choices[(sum(file.encode()) + seed) % len(choices)]


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
