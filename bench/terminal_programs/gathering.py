"""Reads many terminals at once until each has printed its lines, for contestants that are file descriptors."""

from __future__ import annotations

import select

from terminal_programs.protocol import WAIT_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def gather_lines(readers: Mapping[int, Callable[[], bytes]], lines: int) -> int:
    """`readers`: what reads once, by descriptor, b"" at the end. Returns how many lines came in all."""
    missing = dict.fromkeys(readers, lines)
    total = 0
    with select.epoll() as poller:
        for descriptor in readers:
            poller.register(descriptor, select.EPOLLIN)
        while missing and (ready := poller.poll(WAIT_MS / 1000)):
            for descriptor, _ in ready:
                chunk = readers[descriptor]()
                printed = chunk.count(b"\n")
                total += printed
                if descriptor in missing:
                    missing[descriptor] -= printed
                    if missing[descriptor] <= 0 or not chunk:
                        del missing[descriptor]
    return total
