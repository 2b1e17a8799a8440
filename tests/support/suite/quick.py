"""What `./check fast` leaves out beside the tests marked `slow`: those that took long in the last whole check here."""

from __future__ import annotations

from pathlib import Path

import pytest

LONG_S = 0.02
"""Of a processor, with what was set up; one test in five takes longer, these together nine tenths of the time."""

LAST = "SANDGATE_LAST_DURATIONS"
"""Names the record of the last whole check, as `durations.py` writes it."""


class Quick:
    """The plugin."""

    def __init__(self, record: Path) -> None:
        self._lines = record.read_text(encoding="utf-8").splitlines()

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leaves them out, and says how many."""
        long = long_ones(self._lines, [item.nodeid for item in items])
        left_out = [item for item in items if item.nodeid in long]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item.nodeid not in long]


def long_ones(lines: list[str], tests: list[str]) -> set[str]:
    """Those of the tests that are too long for a quick look by this record. One that was not there, as its turn comes
    with another seed, is what it is with any other parameters."""
    parts = [line.split(" ", 2) for line in lines]
    took = {test: float(processor_s) for _, processor_s, test in parts}
    functions = {_function(test) for test, processor_s in took.items() if processor_s > LONG_S}
    return {test for test in tests if took.get(test, LONG_S + (_function(test) in functions)) > LONG_S}


def _function(test: str) -> str:
    return test.partition("[")[0]
