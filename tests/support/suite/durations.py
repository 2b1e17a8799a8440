"""How long tests take: a limit for each of them that a busy machine does not move, and the record of the slowest.

What counts against a test is the processor time of its own and of what it started and waited for; and, where that is
more, the time by the clock less all moments in which somebody on the machine had to wait for a processor or a disk.
Beside others a good test can therefore only look faster than it is; alone it shows what it is, sleeping included.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from support.process import resident

LIMIT_S = 10.0
"""For one test; `@pytest.mark.proof` is for those that prove something which takes longer."""

RECORD = "SANDGATE_DURATIONS"
"""Names a file to which a line for each test is added: seconds by the clock, processor seconds, the test."""

PRESSURE = Path("/proc/pressure")
PRESSURE_BYTES_MAX = 4096


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


def used() -> float:
    """Processor seconds of this process, what it has waited for and what residents have run for it."""
    return sum(os.times()[:4]) + resident.processor_s()


class Stalls:
    """Seconds since the machine's start in which something waited for a processor or a disk."""

    def __init__(self, pressure: Path) -> None:
        self._files: list[int] = []
        with suppress(OSError):
            for name in ("cpu", "io"):
                self._files.append(os.open(pressure / name, os.O_RDONLY | os.O_CLOEXEC))

    def read(self) -> float | None:
        """None where the kernel does not say, or keeps it to itself."""
        try:
            return sum(_total(file) for file in self._files) if len(self._files) == 2 else None
        except (OSError, ValueError, IndexError):
            return None

    def close(self) -> None:
        """Reads no more."""
        for file in self._files:
            os.close(file)
        self._files = []


def _total(file: int) -> float:
    return int(os.pread(file, PRESSURE_BYTES_MAX, 0).split(b"\n", 1)[0].rpartition(b"total=")[2]) / 1_000_000


class Durations:
    """The plugin."""

    def __init__(self, record: str | None, pressure: Path = PRESSURE) -> None:
        self._record = record
        self._stalls = Stalls(pressure)
        self._lines: list[str] = []
        self._last = time.monotonic(), used()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Notes one test with all that was set up for it, which begins where the last one ended."""
        clock, processor = time.monotonic(), used()
        self._lines.append(f"{clock - self._last[0]:.2f} {processor - self._last[1]:.2f} {nodeid}\n")
        self._last = clock, processor

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Fails a test that took too long by itself; what was set up for several is nobody's."""
        begin = self._now()
        told = yield
        counted = begin.counted(self._now())
        if counted > LIMIT_S and item.get_closest_marker("proof") is None:
            pytest.fail(f"took {counted:.1f} s of its own; shorten it, or mark it `proof` (limit: {LIMIT_S:g} s)")
        return told

    def pytest_collection_finish(self) -> None:
        """Finding the tests is none of the first one's time."""
        self._last = time.monotonic(), used()

    def _now(self) -> Moment:
        return Moment(time.monotonic(), used(), self._stalls.read())

    def pytest_sessionfinish(self) -> None:
        """Adds to the record, in one piece: others write there too."""
        self._stalls.close()
        if self._record:
            with open(self._record, "a", encoding="utf-8", buffering=1 << 24) as record:
                record.write("".join(self._lines))
