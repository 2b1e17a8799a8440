"""Waits of ours on the caller's event loop: for a live command without a thread, for what blocks with one."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from threading import Thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from sandgate.terminals.waiting import Steps, Wait

    T = TypeVar("T")


async def drive(steps: Steps[T]) -> T:
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


async def on_thread(work: Callable[[], T], *, stop: Callable[[], object] | None = None) -> T:
    """`work` on a thread of its own. Cancelled, it calls `stop`, and waits for the end all the same."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def tell(how: Callable[..., None], what: object) -> None:
        with suppress(RuntimeError):  # the loop was closed meanwhile; nobody waits any more
            loop.call_soon_threadsafe(how, done, what)

    def run() -> None:
        try:
            result = work()
        except BaseException as error:
            tell(_fail, error)
        else:
            tell(_succeed, result)

    Thread(target=run, name="sandgate", daemon=True).start()
    try:
        return await asyncio.shield(done)
    except asyncio.CancelledError:
        if stop is not None:
            stop()
            while not done.done():  # a second cancellation must not take away what the thread still uses
                with suppress(asyncio.CancelledError):
                    await asyncio.wait([done])
            done.exception()  # seen; the caller hears of the cancellation
        raise


def _succeed(future: asyncio.Future[T], result: T) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: asyncio.Future[Any], error: BaseException) -> None:
    if not future.done():
        future.set_exception(error)
