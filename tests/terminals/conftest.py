"""A stage for live commands, empty again afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.terminal.live_sessions import place
from support.terminal.terminal_stage import Stage

__all__ = ["place", "stage"]


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    try:
        yield made
    finally:
        made.close()
