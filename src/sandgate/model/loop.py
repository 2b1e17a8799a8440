"""An event loop for one exchange, which nothing can hold up beyond its end.

A name is looked up by the C library, which cannot be interrupted and may take half a minute. asyncio's own threads for
that are waited for, by the loop and by the interpreter on its way out; ours are not.
"""

from __future__ import annotations

import asyncio
import socket
from threading import Thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ExchangeLoop(asyncio.SelectorEventLoop):
    """Looks names up on threads that are left behind when no request waits for them any more."""

    async def getaddrinfo(
        self, host: Any, port: Any, *, family: int = 0, type: int = 0, proto: int = 0, flags: int = 0
    ) -> Any:
        answer: asyncio.Future[Any] = self.create_future()

        def settle(found: Any, error: Exception | None) -> None:
            if answer.cancelled():
                return
            if error is None:
                answer.set_result(found)
            else:
                answer.set_exception(error)

        def look_up() -> None:
            found: Any = None
            failed: Exception | None = None
            try:
                found = socket.getaddrinfo(host, port, family, type, proto, flags)
            except Exception as error:  # beside OSError, what a name that is none makes of encoding it
                failed = error
            try:
                self.call_soon_threadsafe(settle, found, failed)
            except RuntimeError:
                return  # the loop is closed: the answer came too late

        Thread(target=look_up, name="sandgate-name", daemon=True).start()
        return await answer
