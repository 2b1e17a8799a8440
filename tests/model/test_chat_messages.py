"""A conversation in the older form: nothing that a model has to know is lost, and the form's own rules hold."""

from __future__ import annotations

from sandgate.model.chat_messages import chat_messages, chat_tools, free_text_tools
from sandgate.protocol.items import (
    CustomToolCall,
    CustomToolCallOutput,
    FunctionCall,
    FunctionCallOutput,
    InputImage,
    InputText,
    LocalShellCall,
    Message,
    OutputText,
    Reasoning,
    WebSearchCall,
    user_message,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PICTURE = "data:image/png;base64,AA=="


def called(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_a_conversation_keeps_its_order_and_calls_of_one_answer_stay_together() -> None:
    items = (
        Message("developer", (InputText("rules"),)),
        user_message("go"),
        Reasoning(("hm",)),
        Message("assistant", (OutputText("I will"),)),
        FunctionCall("run", "{}", "a"),
        Reasoning(("hm",)),
        CustomToolCall("apply_patch", "*** ü", "b"),
        FunctionCallOutput("a", "done a"),
        CustomToolCallOutput("b", "done b"),
        WebSearchCall(),
        FunctionCall("run", "{}", "c"),
        FunctionCallOutput("c", "done c"),
        Message("assistant", (OutputText("bye"),)),
    )
    assert chat_messages("Be brief.", items) == [
        {"role": "system", "content": "Be brief."},
        {"role": "system", "content": "rules"},
        {"role": "user", "content": "go"},
        {
            "role": "assistant",
            "content": "I will",
            "tool_calls": [called("a", "run", "{}"), called("b", "apply_patch", '{"input": "*** ü"}')],
        },
        {"role": "tool", "tool_call_id": "a", "content": "done a"},
        {"role": "tool", "tool_call_id": "b", "content": "done b"},
        {"role": "assistant", "content": None, "tool_calls": [called("c", "run", "{}")]},
        {"role": "tool", "tool_call_id": "c", "content": "done c"},
        {"role": "assistant", "content": "bye"},
    ]


def test_answers_stand_behind_their_calls_and_every_call_has_one() -> None:
    """Required: providers turn anything else away."""
    items = (
        FunctionCall("run", "{}", "a"),
        LocalShellCall("", "completed", {"type": "exec"}, id="b"),
        user_message("wait"),
        FunctionCallOutput("a", "late"),
        FunctionCallOutput("nobody", "x"),
    )
    assert chat_messages("", items)[1:] == [
        {"role": "tool", "tool_call_id": "a", "content": "late"},
        {"role": "tool", "tool_call_id": "b", "content": ""},
        {"role": "user", "content": "wait"},
    ]


def test_pictures_of_people_and_of_tools_arrive() -> None:
    items = (
        Message("user", (InputText("see"), InputImage(PICTURE))),
        FunctionCall("view_image", "{}", "a"),
        FunctionCallOutput("a", (InputText("here"), InputImage(PICTURE))),
    )
    picture = {"type": "image_url", "image_url": {"url": PICTURE}}
    first, _, third, fourth = chat_messages("", items)
    assert first == {"role": "user", "content": [{"type": "text", "text": "see"}, picture]}
    assert third == {"role": "tool", "tool_call_id": "a", "content": "here"}
    assert fourth == {"role": "user", "content": [picture]}


def test_tools_become_functions_and_the_provider_s_own_are_left_out() -> None:
    parameters = {"type": "object"}
    tools = (
        {"type": "function", "name": "run", "description": "runs", "strict": False, "parameters": parameters},
        {"type": "custom", "name": "apply_patch", "description": "edits", "format": {"definition": "start: x"}},
        {"type": "web_search"},
        {"type": "local_shell"},
    )
    run, patch = chat_tools(tools)
    assert run == {"type": "function", "function": {"name": "run", "description": "runs", "parameters": parameters}}
    assert patch["function"]["parameters"]["required"] == ["input"]
    assert "start: x" in patch["function"]["parameters"]["properties"]["input"]["description"]
    assert free_text_tools(tools) == {"apply_patch"}
