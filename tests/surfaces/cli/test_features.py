"""`sandgate features list`."""

from __future__ import annotations

import json

from sandgate.config.features import ASSESSMENT, FEATURES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def test_each_flag_has_its_stage_and_state(program: Any) -> None:
    assert program("features", "list") == 0
    assert program.out.splitlines() == [
        f"{name}  {stage}  {'on' if on else 'off'}" for name, stage, on, _ in sorted(FEATURES)
    ]


def test_a_flag_that_was_switched_on_is_shown_as_on(program: Any) -> None:
    assert program("features", "list", "--json", "--enable", ASSESSMENT) == 0
    assert json.loads(program.out)[ASSESSMENT] == {"stage": "experimental", "enabled": True}
