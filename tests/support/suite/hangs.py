"""A test that hangs says where.

pytest's own watch starts a thread for each test and waits for the end of another: on a busy machine more time than most
tests take. This one is told of a new test every now and then.
"""

from __future__ import annotations

import faulthandler
import time

import pytest

HANGS_S = 120
"""After so long, and not before `HANGS_S - FRESH_S`, what all threads are doing is told."""

FRESH_S = 20
"""A watch that is not older serves the next test as well."""


class Hangs:
    """The plugin; `stream` is the descriptor on which it is told."""

    def __init__(self, stream: int) -> None:
        self._stream = stream
        self._watching_since = float("-inf")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Begins to watch. What runs for minutes anyway is not watched."""
        now = time.monotonic()
        if now - self._watching_since < FRESH_S or item.get_closest_marker("soak") is not None:
            return
        self._watching_since = now
        faulthandler.dump_traceback_later(HANGS_S, repeat=True, file=self._stream)

    def pytest_sessionfinish(self) -> None:
        """Watches no more."""
        faulthandler.cancel_dump_traceback_later()
