"""The signals that ask a server to end."""

from __future__ import annotations

import asyncio
import signal
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@contextmanager
def ending_signals(heard: Callable[[int], None]) -> Iterator[None]:
    """Call `heard` with the number, in the running loop, each time one arrives; they do nothing else meanwhile.

    A signal that was ignored stays so: `nohup` means it. Only for the main thread.
    """
    loop = asyncio.get_running_loop()
    numbers = [number for number in ENDING if signal.getsignal(number) != signal.SIG_IGN]
    for number in numbers:
        loop.add_signal_handler(number, heard, int(number))
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
