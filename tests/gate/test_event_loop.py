"""What blocks happens on a thread. More of it, with live commands, is in test_aio.py."""

from __future__ import annotations

import asyncio
import threading

from sandgate.gate.event_loop import on_thread
from support.process.loops import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass

LIMIT_S = 60


def test_what_a_thread_brings_after_the_loop_has_closed_is_dropped() -> None:
    """Required: a server that goes must not print a traceback for a record that was still being written."""
    begun, release, over = threading.Event(), threading.Event(), threading.Event()
    leaving: list[asyncio.Task[None]] = []

    def work() -> None:
        begun.set()
        assert release.wait(LIMIT_S)
        over.set()

    async def leave() -> None:
        leaving.append(asyncio.create_task(on_thread(work)))
        assert await asyncio.to_thread(begun.wait, LIMIT_S)

    before = threading.enumerate()  # those of other tests may take a moment to go
    run(leave())
    (left,) = [thread for thread in threading.enumerate() if thread.name == "sandgate" and thread not in before]
    release.set()
    left.join(LIMIT_S)
    assert over.is_set()
