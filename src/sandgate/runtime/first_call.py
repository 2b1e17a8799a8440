"""Loads what an agent's first tool call needs while the model thinks about it.

Nothing needs it before, and it is a third of all our modules: in front of the first request they would be waited for.
"""

from __future__ import annotations

from contextlib import suppress
from threading import Thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, TimerHandle

NEEDED = (
    "sandgate.runtime.toolbox",
    "sandgate.commandline.bash",
    "sandgate.kernel.helper",
    "sandgate.kernel.foreground",
    "sandgate.sandbox.namespace",
)
SOON_S = (
    0.05  # after the session is open: by then the first request is on the way, and two threads would share one core
)


def load_soon(loop: AbstractEventLoop) -> TimerHandle:
    """On a thread that nobody waits for; a call that comes earlier loads the same itself."""
    return loop.call_later(SOON_S, Thread(target=_load, name="sandgate-early", daemon=True).start)


def _load() -> None:
    for name in NEEDED:
        with suppress(Exception):  # the call meets the same, and says so
            __import__(name)
