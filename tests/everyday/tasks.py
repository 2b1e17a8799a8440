"""The everyday tasks of `tasks.toml`, as values."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TASKS = Path(__file__).with_name("tasks.toml")
LIVE = "& "
"""Before a line that is left running while the next ones run."""


@dataclass(frozen=True)
class Task:
    """One thing that people do; the fields are explained where the tasks are written."""

    group: str
    name: str
    needs: tuple[str, ...]
    setup: str
    lines: tuple[str, ...]
    check: str
    exit: int
    by_hand: bool

    @property
    def key(self) -> tuple[str, str]:
        return self.group, self.name


def tasks() -> tuple[Task, ...]:
    """All of them, in the order of the file. Raises KeyError for a task that says too little."""
    written = tomllib.loads(TASKS.read_text())
    return tuple(_task(each, written["setups"]) for each in written["task"])


def _task(written: dict[str, Any], setups: dict[str, str]) -> Task:
    given = {"needs": (), "uses": (), "setup": "", "exit": 0, "by_hand": False, **written}
    parts = [setups[name] for name in given.pop("uses")] + [given["setup"]]
    given.update(setup="\n".join(parts), needs=tuple(given["needs"]), lines=tuple(given["lines"]))
    return Task(**given)
