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
        self._long = long_ones(record.read_text(encoding="utf-8").splitlines())

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leaves them out, and says how many."""
        left_out = [item for item in items if item.nodeid in self._long]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item.nodeid not in self._long]


def long_ones(lines: list[str]) -> set[str]:
    """The tests of a record that took too long for a quick look."""
    parts = [line.split(" ", 2) for line in lines]
    return {test for _, processor_s, test in parts if float(processor_s) > LONG_S}
