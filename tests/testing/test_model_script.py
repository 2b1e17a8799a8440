from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from sandgate.model.prompt import Asking, ModelSettings, Prompt
from sandgate.model.scripted import ScriptedModel
from sandgate.model.streaming import ItemDone
from sandgate.protocol.items import CustomToolCall, FunctionCall, Message, OutputText
from sandgate.testing import ModelScript

if TYPE_CHECKING:
    from sandgate.protocol.items import Item

SCRIPT = ModelScript().calls("exec_command", cmd="make test").patches("*** Begin Patch\n").says("Done.\n")
ITEMS: list[list[Item]] = [
    [FunctionCall("exec_command", '{"cmd": "make test"}', "call_1")],
    [CustomToolCall("apply_patch", "*** Begin Patch\n", "call_2")],
    [Message("assistant", (OutputText("Done.\n"),))],
]


async def answers(path: str, count: int) -> list[list[Item]]:
    """What a session is answered that asks so often."""
    model = ScriptedModel(path, ModelSettings("scripted"))
    found = []
    for _ in range(count):
        events = [event async for event in model.stream(Prompt("", ()), Asking("session"))]
        found.append([event.item for event in events if isinstance(event, ItemDone)])
    return found


def test_the_offline_model_says_what_was_written(tmp_path: Path) -> None:
    path = SCRIPT.write(str(tmp_path / "answers.jsonl"))
    assert asyncio.run(answers(path, 3)) == ITEMS


def test_a_script_that_goes_on_leaves_the_shorter_one_as_it_is() -> None:
    beginning = ModelScript().says("one")
    assert len(beginning.says("two").responses) == len(beginning.responses) + 1 == 2
