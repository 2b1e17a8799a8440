"""Bounded waits for events, for tests of processes and descriptors."""

import os
import select
import time
from collections.abc import Callable
from pathlib import Path

LIMIT_S = 30

CLOCK_REALTIME_COARSE = 5  # <linux/time.h>: the time at the last tick
PAUSE_S = 0.001
"""Between two looks at what tells nobody: the processor belongs to those who are waited for."""


def leaves_as_it_was(state: Callable[[], object], act: Callable[[], object]) -> bool:
    """Whether `act` changes nothing that `state` tells. Others mount and end things on this machine meanwhile; what
    `act` leaves behind, it leaves behind each time."""
    for _ in range(3):
        before = state()
        act()
        if state() == before:
            return True
    return False


def readable(fd: int) -> None:
    """Returns when `fd` has something to read, or its other side is gone."""
    ready, _, _ = select.select([fd], [], [], LIMIT_S)
    assert ready, f"nothing came from descriptor {fd} within {LIMIT_S} s"


def read_all(fd: int) -> bytes:
    """Everything up to end of file."""
    parts: list[bytes] = []
    while True:
        readable(fd)
        try:
            part = os.read(fd, 65_536)
        except OSError:
            return b"".join(parts)  # a terminal whose other side is closed
        if not part:
            return b"".join(parts)
        parts.append(part)


def read_until(fd: int, sign: bytes) -> bytes:
    """What arrives up to and including `sign`, and perhaps a little more."""
    seen = b""
    while sign not in seen:
        readable(fd)
        part = os.read(fd, 4096)
        assert part, f"end of file before {sign!r}; there was {seen!r}"
        seen += part
    return seen


def ended(pid: int) -> bool:
    """True once the process is over, reaped or not; False when it is still alive after the limit."""
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([pidfd], [], [], LIMIT_S)[0])
    finally:
        os.close(pidfd)


def open_descriptors() -> dict[str, str]:
    """Our open descriptors and what they are."""
    found = {}
    for entry in os.listdir("/proc/self/fd"):
        try:
            found[entry] = os.readlink(f"/proc/self/fd/{entry}")
        except FileNotFoundError:
            continue  # the listing's own
    return found


def opened_since(before: dict[str, str]) -> set[tuple[str, str]]:
    """What is open and was not so `before`. What was may be gone: earlier tests left it to the collector."""
    return open_descriptors().items() - before.items()


def none_left_open(before: dict[str, str], most: int = 0) -> bool:
    """Whether nothing more stays open than `before`, or at `most` so many; a thread may take a moment to let go."""
    return wait_until(lambda: len(opened_since(before)) <= most)


def fill(write: Callable[[bytes], int]) -> int:
    """Writes until nothing more fits; returns how much did."""
    total = 0
    try:
        while True:
            total += write(b"." * 4096)
    except BlockingIOError:
        return total


def wait_until(condition: Callable[[], bool], limit_s: float = LIMIT_S) -> bool:
    """Polls for something that no descriptor tells about: the kernel's own bookkeeping after a death."""
    end = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(PAUSE_S)
    return True


def is_dead(pid: str) -> bool:
    """Gone, or waiting for whoever inherited it to take notice."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def until_the_clock_of_files_moves(directory: Path) -> None:
    """Returns when a change from now on shows a later change time than every change before.

    The kernel's last tick has to be later as well: what begins now begins with that, and a file system that gives finer
    times (Linux 6.13) may have given later ones.
    """
    probe = directory / "clock probe"
    probe.touch()
    before, limit = max(probe.stat().st_ctime_ns, time.time_ns()), time.monotonic() + LIMIT_S
    probe.unlink()
    while time.clock_gettime_ns(CLOCK_REALTIME_COARSE) <= before:
        assert time.monotonic() < limit, "the clock of files stands still"
        time.sleep(PAUSE_S)
