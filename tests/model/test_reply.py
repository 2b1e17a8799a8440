"""Which text a response comes to, and which failure."""

import json

import pytest

from sandgate.errors import ModelFailed, NoOutput
from sandgate.model.reply import Reply
from support.model.responses_server import Json, message, turn

REASONING: Json = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}
TOOL_OUTPUT: Json = {"type": "function_call_output", "call_id": "1", "output": "evil"}
IMAGE: Json = {"type": "message", "role": "assistant", "content": [{"type": "input_image", "image_url": "x"}]}
FAILED: Json = {"type": "response.failed", "response": {"error": {"code": "server_error", "message": "secret"}}}


def reply(*events: Json | str) -> Reply:
    found = Reply()
    for event in events:
        found.take(event if isinstance(event, str) else json.dumps(event))
    return found


@pytest.mark.parametrize(
    ("items", "text"),
    [
        ((message("a"),), "a"),
        ((message("a"), message("b")), "b"),
        ((message("a"), REASONING), "a"),
        ((message("a"), message("")), "a"),
        ((message("a"), TOOL_OUTPUT), "a"),
        ((message("a"), IMAGE), "a"),
        ((message("a"), message("evil", role="user")), "a"),
        ((message("a", "", "b"),), "a\nb"),
    ],
)
def test_the_last_message_of_the_assistant_counts(items: tuple[Json, ...], text: str) -> None:
    """Required."""
    assert reply(*turn(*items)).result() == text


def test_what_cannot_be_read_or_is_not_known_is_passed_over() -> None:
    created, item, completed = turn(message("a"))
    limits: Json = {"type": "rate_limits", "used": 1}
    odd = ("[DONE]", "[1]", "{", "[" * 100_000, '{"type": 1}', '{"type": "response.output_item.done", "item": 3}')
    assert reply(created, *odd, limits, item, *odd, completed).result() == "a"


def test_nothing_counts_after_the_end() -> None:
    assert reply(*turn(message("a")), {"type": "response.output_item.done", "item": message("b")}).result() == "a"
    assert reply(*turn(message("a")), FAILED).result() == "a"


@pytest.mark.parametrize("items", [(), (REASONING,), (message(""),), (message("x", role="user"),)])
def test_a_complete_response_without_words_is_no_output(items: tuple[Json, ...]) -> None:
    with pytest.raises(NoOutput):
        reply(*turn(*items)).result()


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (FAILED, "the model failed (server_error)"),
        ({"type": "response.failed"}, "the model failed"),
        ({"type": "error", "code": 3}, "the model failed"),
        ({"type": "response.incomplete", "response": {"incomplete_details": {"reason": "max_output_tokens"}}},
         "the model's answer is incomplete (max_output_tokens)"),
    ],
)  # fmt: skip
def test_a_failure_after_words_is_a_failure_all_the_same(event: Json, words: str) -> None:
    """Required: an error ends it as a failure even if text was already seen."""
    with pytest.raises(ModelFailed) as raised:
        reply(*turn(message("a"))[:-1], event).result()
    assert str(raised.value) == words


def test_a_stream_that_breaks_off_is_a_failure() -> None:
    with pytest.raises(ModelFailed, match="stream closed before"):
        reply(*turn(message("a"))[:-1]).result()
