"""Waits for live commands on the caller's event loop, without a thread."""

from __future__ import annotations

import asyncio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from sandgate.terminals.waiting import Steps, Wait

    T = TypeVar("T")


async def drive_on_loop(steps: Steps[T]) -> T:
    """Carries the waits out on the running loop, and returns what they were for."""
    try:
        wait = next(steps)
        while True:
            await _until(wait)
            wait = steps.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    finally:
        steps.close()


async def _until(wait: Wait) -> None:
    loop = asyncio.get_running_loop()
    happened = loop.create_future()

    def wake() -> None:
        loop.call_soon_threadsafe(_resolve, happened)

    if not wait.changes.wake_on(wait.seen, wake):
        return
    timer = loop.call_later(wait.timeout_s, _resolve, happened)
    try:
        await happened
    finally:
        timer.cancel()
        wait.changes.forget(wake)


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
