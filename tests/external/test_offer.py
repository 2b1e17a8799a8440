from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sandgate.external.offer import (
    DESCRIPTION_CHARS_MAX,
    SCHEMA_BYTES_MAX,
    TOOLS_MAX,
    Offered,
    external_tools,
    readable,
    usable_offers,
)
from sandgate.external.server import ExternalServer, ServerProgram

SERVER = ExternalServer("docs", ServerProgram("p"))


def deep(levels: int) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "object"}
    for _ in range(levels):
        found = {"type": "object", "properties": {"x": found}}
    return found


def test_a_tool_is_described_as_a_function_with_its_own_arguments() -> None:
    schema = {"type": "object", "properties": {"q": {"type": "string"}}}
    (tool,) = external_tools([(SERVER, [Offered("find", "Finds.", schema)])])
    assert tool.definition() == {
        "type": "function",
        "name": "mcp__docs__find",
        "description": "Finds.",
        "strict": False,
        "parameters": schema,
    }


def test_only_what_the_user_wants_a_model_to_have_is_offered() -> None:
    kept, notices = usable_offers(SERVER.but(disabled_tools=("b",)), [Offered("a"), Offered("b")])
    assert ([each.tool for each in kept], notices) == (["a"], ())


def test_what_no_honest_tool_needs_is_left_out_and_said() -> None:
    """Required: a server cannot fill the memory or the model's context with descriptions."""
    odd = [
        Offered("big", parameters={"type": "object", "description": "x" * SCHEMA_BYTES_MAX}),
        Offered("text", parameters={"type": "string"}),
        Offered("deep", parameters=deep(5_000)),
        Offered(""),
        Offered("n\x1b[2J" * 100),
    ]
    kept, notices = usable_offers(SERVER, [*odd, Offered("good")])
    assert [each.tool for each in kept] == ["good"]
    assert len(notices) == len(odd)
    assert "\x1b" not in "".join(notices)


def test_more_tools_than_anybody_needs_are_left_out() -> None:
    kept, (notice,) = usable_offers(SERVER, [Offered(f"t{number}") for number in range(TOOLS_MAX + 5)])
    assert len(kept) == TOOLS_MAX
    assert f"more than {TOOLS_MAX} tools" in notice


def test_a_tool_that_is_listed_twice_is_the_first_one() -> None:
    (tool,) = external_tools([(SERVER, [Offered("a", "one"), Offered("a", "two")])])
    assert tool.description == "one"


def test_a_description_keeps_its_lines_and_nothing_unseen() -> None:
    assert readable("  one\ntwo\x1b]0;x\x07\u202e \n") == "one\ntwo\\x1b]0;x\\x07\\u202e"


@given(st.text(max_size=50), st.integers(1, 300))
def test_no_description_is_longer_than_it_may_be_or_shows_what_is_not_there(text: str, times: int) -> None:
    shown = readable(text * times)
    assert len(shown) <= DESCRIPTION_CHARS_MAX
    assert all(each == "\n" or each.isprintable() for each in shown)
