"""A desk for every test, and the proof that nothing is left when it is over."""

from __future__ import annotations

import threading

import pytest

from support.mcp.mcp_wire import Desk
from support.process.waiting import wait_until
from support.terminal.live_sessions import Workplace, place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["place"]


@pytest.fixture
def desk(place: Workplace) -> Iterator[Desk]:
    before = set(threading.enumerate())
    desk = Desk(place)
    yield desk
    assert desk.ledger.pending() == (), "a question outlived its server"
    desk.ledger.close()
    assert wait_until(lambda: not set(threading.enumerate()) - before), set(threading.enumerate()) - before
