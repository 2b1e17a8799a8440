"""A session for the tools, empty again afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from live_sessions import place
from tool_host import ToolHost

__all__ = ["host", "place"]


@pytest.fixture
def host() -> Iterator[ToolHost]:
    made = ToolHost()
    try:
        yield made
    finally:
        made.stage.close()
