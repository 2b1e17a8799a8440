"""What blocks, as a gate does, on a thread of its own while the caller's event loop goes on."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from threading import Thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    T = TypeVar("T")


async def on_thread(work: Callable[[], T], *, stop: Callable[[], object] | None = None) -> T:
    """`work` on a thread of its own. Cancelled, it calls `stop`, and waits for the end all the same."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def tell(how: Callable[..., None], what: object) -> None:
        with suppress(RuntimeError):  # the loop was closed meanwhile: no caller waits any more
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
