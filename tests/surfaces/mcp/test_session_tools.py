"""What a client may say to the tools that take a whole task."""

from __future__ import annotations

from typing import Any

import jsonschema  # type: ignore[import-untyped] # it comes without types
import pytest

from sandgate.errors import RequestError
from sandgate.surfaces.mcp import session_tools
from sandgate.surfaces.mcp.server import DELEGATING
from sandgate.surfaces.mcp.session_tools import PARAMETERS, ClientPrompt, said_by_client
from sandgate.surfaces.mcp.tools import described_tools

TASK = {"prompt": "go"}


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("sandgate", TASK, ClientPrompt("go", None, {})),
        ("codex", {**TASK, "sandbox": "read-only", "model": None}, ClientPrompt("go", None, {"sandbox": "read-only"})),
        ("sandgate-reply", {**TASK, "threadId": "a"}, ClientPrompt("go", "a", {})),
        ("codex-reply", {**TASK, "conversationId": "a", "threadId": "a"}, ClientPrompt("go", "a", {})),
    ],
)
def test_what_is_said_is_read(tool: str, arguments: Any, said: ClientPrompt) -> None:
    assert said_by_client(tool, arguments) == said


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("sandgate", {}, "`prompt` is missing"),
        ("sandgate", {"prompt": " \n"}, "`prompt` is missing"),
        ("sandgate", {"prompt": 1}, "`prompt` has to be text"),
        ("sandgate", {**TASK, "sandbox": "none"}, "`sandbox` cannot be `none`"),
        ("sandgate", {**TASK, "config": []}, "`config` has to be an object"),
        ("sandgate", {**TASK, "threadId": "a"}, "there is no parameter `threadId`"),
        ("sandgate", {**TASK, "\x1b[2J": 1}, "there is no parameter `\\x1b[2J`"),
        ("sandgate-reply", TASK, "no session is named"),
        ("codex-reply", {**TASK, "conversationId": "a", "threadId": "b"}, "two different sessions are named"),
        ("codex-reply", {**TASK, "conversationId": "a", "sandbox": "read-only"}, "there is no parameter `sandbox`"),
    ],
)
def test_what_means_nothing_is_said(tool: str, arguments: Any, words: str) -> None:
    with pytest.raises(RequestError) as raised:
        said_by_client(tool, arguments)
    assert words in raised.value.sentence


def test_a_prompt_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_tools, "PROMPT_CHARS_MAX", 3)
    assert said_by_client("sandgate", {"prompt": "abc"}).prompt == "abc"
    with pytest.raises(RequestError, match="longer than 3 characters"):
        said_by_client("sandgate", {"prompt": "abcd"})


def test_both_tools_are_listed_once_and_their_schemas_say_what_is_taken() -> None:
    tools = described_tools(login_allowed=True, sessions=True)[-2:]
    assert [tool.name for tool in tools] == list(PARAMETERS)
    for tool in tools:
        wire = tool.model_dump(by_alias=True, exclude_none=True)
        assert f"`{tool.name}`" in DELEGATING
        assert (wire["annotations"]["readOnlyHint"], wire["annotations"]["destructiveHint"]) == (False, True)
        for side in ("inputSchema", "outputSchema"):
            jsonschema.Draft202012Validator.check_schema(wire[side])
            assert (wire[side]["type"], wire[side]["additionalProperties"]) == ("object", False)
        assert wire["inputSchema"]["properties"] == PARAMETERS[tool.name]
