"""A session for the tools, empty again afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.terminal.live_sessions import place
from support.tool.tool_host import ToolHost

__all__ = ["host", "place"]


@pytest.fixture
def host() -> Iterator[ToolHost]:
    made = ToolHost()
    try:
        yield made
    finally:
        made.stage.close()
