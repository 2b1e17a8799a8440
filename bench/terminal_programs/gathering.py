"""Reads many terminals at once until each has printed its lines, for contestants that are file descriptors."""

from __future__ import annotations

import select

from terminal_programs.protocol import WAIT_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def gather_lines(readers: Mapping[int, Callable[[], bytes]], printed: dict[int, int], lines: int) -> int:
    """`readers`: what reads once, by descriptor, b"" at the end. `printed`: each one's lines so far, counted on here.

    Returns how many lines there are in all.
    """
    missing = {descriptor for descriptor in readers if printed.get(descriptor, 0) < lines}
    with select.epoll() as poller:
        for descriptor in readers:
            poller.register(descriptor, select.EPOLLIN)
        while missing and (ready := poller.poll(WAIT_MS / 1000)):
            for descriptor, _ in ready:
                chunk = readers[descriptor]()
                printed[descriptor] = printed.get(descriptor, 0) + chunk.count(b"\n")
                if printed[descriptor] >= lines or not chunk:
                    missing.discard(descriptor)
    return sum(printed.values())
