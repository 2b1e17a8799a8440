"""Coroutines in tests: each on an event loop of its own, and for a bounded time."""

from __future__ import annotations

import asyncio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Any, TypeVar

    T = TypeVar("T")

LIMIT_S = 100


def run(work: Coroutine[Any, Any, T]) -> T:
    """What it comes to, within `LIMIT_S`."""

    async def bounded() -> T:
        async with asyncio.timeout(LIMIT_S):
            return await work

    return asyncio.run(bounded())
