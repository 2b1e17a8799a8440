"""How long tests take: a limit for each of them that a busy machine does not move, and the record of the slowest.

What counts against a test is the processor time of its own and of what it started and waited for; and, where that is
more, the time by the clock less all moments in which somebody on the machine had to wait for a processor or a disk.
Beside others a good test can therefore only look faster than it is; alone it shows what it is, sleeping included.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import resident

LIMIT_S = 10.0
"""For one test; `@pytest.mark.proof` is for those that prove something which takes longer."""

RECORD = "SANDGATE_DURATIONS"
"""Names a file to which a line for each test is added: seconds by the clock, processor seconds, the test."""

PRESSURE = Path("/proc/pressure")


class Moment(NamedTuple):
    """Readings of four clocks, in seconds."""

    clock: float
    processor: float
    stalled: float | None  # somebody waited for a processor or a disk; None where the kernel does not say

    def counted(self, end: Moment) -> float:
        """What a test that ran until `end` has to answer for."""
        processor = end.processor - self.processor
        if self.stalled is None or end.stalled is None:
            return processor
        return max(processor, end.clock - self.clock - (end.stalled - self.stalled))


def now() -> Moment:
    """The readings of this moment."""
    spent = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    used = sum(each.ru_utime + each.ru_stime for each in spent) + resident.processor_s()
    return Moment(time.monotonic(), used, stalled(PRESSURE))


def stalled(pressure: Path) -> float | None:
    """Seconds since the machine's start in which something waited for a processor or a disk."""
    try:
        return sum(_total(pressure / name) for name in ("cpu", "io"))
    except (OSError, ValueError, IndexError):
        return None  # a kernel without this, or one that keeps it to itself


def _total(file: Path) -> float:
    return int(file.read_text().splitlines()[0].rpartition("total=")[2]) / 1_000_000


class Durations:
    """The plugin."""

    def __init__(self, record: str | None) -> None:
        self._record = record
        self._lines: list[str] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Notes one test with all that was set up for it."""
        begin = now()
        told = yield
        end = now()
        self._lines.append(f"{end.clock - begin.clock:.2f} {end.processor - begin.processor:.2f} {item.nodeid}\n")
        return told

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Fails a test that took too long by itself; what was set up for several is nobody's."""
        begin = now()
        told = yield
        counted = begin.counted(now())
        if counted > LIMIT_S and item.get_closest_marker("proof") is None:
            pytest.fail(f"took {counted:.1f} s of its own; shorten it, or mark it `proof` (limit: {LIMIT_S:g} s)")
        return told

    def pytest_sessionfinish(self) -> None:
        """Adds to the record, in one piece: others write there too."""
        if self._record:
            with open(self._record, "a", encoding="utf-8", buffering=1 << 24) as record:
                record.write("".join(self._lines))
