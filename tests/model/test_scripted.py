"""A file says what the model says, and a bad file is said to be one."""

from __future__ import annotations

import json

import pytest

from sandgate.errors import ModelFailed, RequestError
from sandgate.model.scripted import ScriptedModel
from sandgate.model.streaming import Completed, Created, ItemAdded, ItemDone, ReasoningDelta, TextDelta
from sandgate.protocol.items import CustomToolCall, FunctionCall, Message, OutputText, Reasoning
from sandgate.protocol.usage import TokenUsage
from support.model.answering import SETTINGS, heard, heard_until_error
from support.model.responses_server import custom_tool_call, function_call, message, reasoning
from support.process.loops import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


def script(folder: Path, *lines: str) -> str:
    path = folder / "script.jsonl"
    path.write_text("\n".join(lines))
    return str(path)


def test_responses_come_in_order_one_a_request(tmp_path: Path) -> None:
    path = script(
        tmp_path,
        "# a demonstration",
        json.dumps([reasoning("hm"), function_call("run", {"cmd": "ls"}, "a"), custom_tool_call("p", "x", "b")]),
        "",
        json.dumps({"items": [message("done")], "usage": {"input_tokens": 7, "total_tokens": 9}}),
    )
    model = ScriptedModel(path, SETTINGS)
    assert run(heard(model)) == [
        Created("scripted_1"),
        ItemAdded("reasoning", "rs_1"),
        ReasoningDelta("hm"),
        ItemDone(Reasoning(("hm",), id="rs_1")),
        ItemDone(FunctionCall("run", '{"cmd": "ls"}', "a", id="fc_a")),
        ItemDone(CustomToolCall("p", "x", "b", id="ctc_b")),
        Completed("scripted_1", None),
    ]
    assert run(heard(model)) == [
        Created("scripted_2"),
        ItemAdded("message", ""),
        TextDelta("done"),
        ItemDone(Message("assistant", (OutputText("done"),))),
        Completed("scripted_2", TokenUsage(input_tokens=7, total_tokens=9)),
    ]
    events, error = run(heard_until_error(model))
    assert (events, type(error)) == ([], ModelFailed)
    assert str(error) == f"the script `{path}` has 2 responses and no more"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("nonsense", "line 2 is not JSON"),
        ("3", "line 2 is not a response"),
        ('{"item": []}', "line 2 is not a response"),
        ('{"items": [], "usage": 3}', "line 2 has a usage that is no object"),
        ('[{"type": "from_the_future"}]', "line 2, item 1 is not an item"),
        ('[{"type": "function_call", "name": "run"}]', "line 2, item 1 is not an item"),
        ('[{"type": "function_call_output", "call_id": "a", "output": ""}]', "item 1 is nothing that a model says"),
        ('[{"type": "message", "role": "user", "content": []}]', "item 1 is nothing that a model says"),
        ('[{"type": "local_shell_call", "action": {}}]', "item 1 has no call_id"),
        ("[" * 100_000, "line 2 is not JSON"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, words: str) -> None:
    path = script(tmp_path, "[]", line)
    with pytest.raises(RequestError) as raised:
        ScriptedModel(path, SETTINGS)
    assert words in str(raised.value)
    assert f"the script `{path}`" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_script_that_cannot_be_read_is_said_to_be_so(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="cannot be read: No such file"):
        ScriptedModel(str(tmp_path / "none"), SETTINGS)
    (tmp_path / "bytes").write_bytes(b"\xff")
    with pytest.raises(RequestError, match="cannot be read: it is not UTF-8 text"):
        ScriptedModel(str(tmp_path / "bytes"), SETTINGS)
