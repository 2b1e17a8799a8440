"""Chat Completions against a real server: the same patience and the same errors as the other wire."""

from __future__ import annotations

import asyncio

from sandgate.errors import RequestTurnedAway, StreamBroken
from sandgate.model.chat import ChatModel, chat_body
from sandgate.model.prompt import ModelSettings
from sandgate.model.streaming import Completed, Created, ItemDone, Retrying
from sandgate.protocol.items import FunctionCall
from support.model.answering import ASKING, ENVIRON, KEY, PROMPT, SETTINGS, heard_until_error, provider
from support.model.responses_server import LIMIT_S, Manner, ResponsesServer, refuses, sends_raw, sse, stalls_after
from support.process.loops import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.model.streaming import ModelEvent

CALL = {"index": 0, "id": "a", "function": {"name": "run", "arguments": '{"cmd": "größer"}'}}
STREAM = (
    sse({"id": "c", "choices": [{"delta": {"tool_calls": [CALL]}}]})
    + sse({"id": "c", "choices": [{"delta": {}, "finish_reason": "tool_calls"}]})
    + b"data: [DONE]\n\n"
)
FOUND = [Created("c"), ItemDone(FunctionCall("run", '{"cmd": "größer"}', "a")), Completed("c", None)]


def outcome(*manners: Manner, **settings: Any) -> tuple[list[ModelEvent], Exception | None, list[Any]]:
    async def asked(url: str) -> tuple[list[ModelEvent], Exception | None]:
        model = ChatModel(provider(url, wire_api="chat", **settings), SETTINGS, environ=ENVIRON)
        try:
            return await heard_until_error(model)
        finally:
            await model.close()

    with ResponsesServer(*manners) as server:
        return (*run(asked(server.url)), server.asked)


def test_a_call_is_put_together_wherever_the_network_cuts() -> None:
    events, error, (asked,) = outcome(sends_raw(*(STREAM[at : at + 1] for at in range(len(STREAM)))))
    assert (events, error) == (FOUND, None)
    assert (asked.target, asked.headers["authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert asked.body == {
        "model": "small",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "What does `ls` do?"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_retries_and_refusals_are_those_of_the_other_wire() -> None:
    events, error, _ = outcome(refuses(500, "", {"Retry-After": "0"}), sends_raw(STREAM))
    assert (events[1:], error) == (FOUND, None)
    assert isinstance(events[0], Retrying)
    events, error, asked = outcome(refuses(400, f'{{"error":{{"message":"{KEY}"}}}}'))
    assert (events, type(error), len(asked)) == ([], RequestTurnedAway, 1)


def test_silence_is_a_broken_stream() -> None:
    _, error, _ = outcome(stalls_after({"id": "c", "choices": []}), stream_idle_timeout_ms=200)
    assert (type(error), str(error)) == (StreamBroken, "idle timeout waiting for SSE")


def test_what_was_asked_for_is_said_and_nothing_else() -> None:
    tool = {"type": "function", "name": "run", "parameters": {}}
    settings = ModelSettings("m", effort="low", verbosity="high", max_output_tokens=70)
    body = chat_body(PROMPT.but(tools=(tool,), output_schema={"type": "object"}), settings)
    assert (body["reasoning_effort"], body["verbosity"], body["tool_choice"]) == ("low", "high", "auto")
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert (body["parallel_tool_calls"], body["max_tokens"]) == (False, 70)
    assert chat_body(PROMPT, ModelSettings("m")).keys() == {"model", "messages", "stream", "stream_options"}


def test_who_stops_reading_closes_the_connection() -> None:
    async def asked(server: ResponsesServer) -> None:
        model = ChatModel(provider(server.url, wire_api="chat"), SETTINGS, environ=ENVIRON)
        events = model.stream(PROMPT, ASKING)
        assert await anext(events) == Created("c")
        await events.aclose()
        assert await asyncio.to_thread(server.connection().gone.wait, LIMIT_S)
        await model.close()

    with ResponsesServer(stalls_after({"id": "c", "choices": []})) as server:
        run(asked(server))
