"""The first call of a tool finds its modules loaded."""

from __future__ import annotations

import subprocess
import sys

IN_TIME = """
import asyncio, sys, threading
sys.path[:0] = sys.argv[1:]
from sandgate.runtime.first_call import NEEDED, load_soon

async def main():
    before = set(NEEDED) & set(sys.modules)
    load_soon(asyncio.get_running_loop())
    async with asyncio.timeout(20):
        while not set(NEEDED) <= set(sys.modules):
            await asyncio.sleep(0.01)
    print(sorted(before))

asyncio.run(main())
for thread in threading.enumerate():
    if thread is not threading.current_thread():
        thread.join(20)
"""
OF_AN_AGENT = (
    "import sys; sys.path[:0] = sys.argv[1:]; import sandgate.runtime.agent; from sandgate.runtime.first_call import *;"
    "print([name for name in (*NEEDED, 'sqlite3', 'email', 'httpx2') if name in sys.modules])"
)


def said(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code, *sys.path], capture_output=True, text=True, check=True, timeout=60
    ).stdout


def test_it_is_loaded_soon_and_not_at_once() -> None:
    assert said(IN_TIME) == "[]\n"


def test_nothing_of_it_is_waited_for_before_the_first_request() -> None:
    """Required: what the door to an agent imports is what every start pays for."""
    assert said(OF_AN_AGENT) == "[]\n"
