"""Room for sub-agents."""

from __future__ import annotations

import pytest

from sandgate.agent.delegate_limit import DelegateLimit
from sandgate.errors import RequestError


def test_one_more_than_there_is_room_for_is_refused_and_room_comes_back() -> None:
    room = DelegateLimit(2)
    with room.taken():
        with room.taken(), pytest.raises(RequestError, match="2 sub-agents work already"), room.taken():
            pass
        with room.taken():
            pass


def test_a_failure_gives_its_room_back() -> None:
    room = DelegateLimit(1)
    with pytest.raises(ValueError, match="broken"), room.taken():
        raise ValueError("broken")
    with room.taken():
        pass
