"""What one process used: processor time, memory, descriptors, and the processes that hang on it.

Everything is read from /proc, so that a server is measured from outside in the same way as we are from inside.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
ZOMBIE = "Z"


class Meter:
    """Of this process, or of the process `pid`."""

    def __init__(self, pid: int | None = None) -> None:
        self._own = pid is None
        self._pid = os.getpid() if pid is None else pid
        self._cpu_s = 0.0
        self._before_mb = 0.0

    def start(self) -> None:
        """Count from here on, the peak of memory too (proc(5), clear_refs)."""
        Path(f"/proc/{self._pid}/clear_refs").write_text("5")
        self._before_mb = self._memory_mb("VmRSS")
        self._cpu_s = self._cpu()

    def used(self) -> dict[str, float]:
        """Processor time, growth of memory and its peak since `start`; descendants are not counted."""
        peak_mb = self._memory_mb("VmHWM")
        return {"cpu_s": self._cpu() - self._cpu_s, "growth_mb": peak_mb - self._before_mb, "peak_mb": peak_mb}

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self._pid}/fd"))

    def running(self, command: str) -> list[int]:
        """Processes anywhere on this machine that run the workload's command."""
        program = command.removeprefix("exec ").split()[0]
        return [pid for pid in _pids() if program == _command_line(pid)[0]]

    def helpers(self, command: str) -> list[int]:
        """Descendants that are not the workload itself: what the contestant needs besides the measured process."""
        parents = {pid: parent for pid in _pids() if (parent := _parent(pid)) is not None}
        found: list[int] = []
        level = {self._pid}
        while level:
            level = {pid for pid, parent in parents.items() if parent in level}
            found += level
        return sorted(set(found) - set(self.running(command)))

    def proportional_mb(self, pids: list[int]) -> float:
        """Memory of several processes, shared pages divided among those that share them."""
        return sum(_field_kb(f"/proc/{pid}/smaps_rollup", "Pss") for pid in pids) / 1024

    def _cpu(self) -> float:
        if self._own:
            return time.process_time()
        fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS_PER_S

    def _memory_mb(self, name: str) -> float:
        return _field_kb(f"/proc/{self._pid}/status", name) / 1024


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _command_line(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").split("\0")
    except OSError:
        return [""]


def _parent(pid: int) -> int | None:
    """None for a process that is gone, or only waits to be reaped by somebody else."""
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return None
    return None if state == ZOMBIE else int(parent)


def _field_kb(path: str, name: str) -> float:
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return 0
    return next((float(line.split()[1]) for line in lines if line.startswith(f"{name}:")), 0)
