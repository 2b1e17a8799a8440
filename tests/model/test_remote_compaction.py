"""A provider that makes room itself: what it is sent, what of its answer counts, and how it may fail."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandgate.errors import ContextWindowExceeded, MissingKey, ModelFailed, RequestTurnedAway, StreamBroken
from sandgate.model import incoming
from sandgate.model.prompt import Asking
from sandgate.model.remote_compaction import CompactedReply, RemoteCompaction
from sandgate.model.responses import ResponsesModel
from sandgate.model.streaming import Completed, ItemDone, Retrying
from sandgate.protocol.items import Compaction
from sandgate.protocol.usage import TokenUsage
from support.model.answering import ASKING, ENVIRON, KEY, PROMPT, SETTINGS, heard, heard_until_error, provider
from support.model.responses_server import Manner, ResponsesServer, message, refuses, says, sends_raw, stays_silent
from support.process.loops import run

SEALED = {"type": "compaction", "id": "cmp_1", "encrypted_content": "sealed"}
USAGE = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}


def replies(*output: Any, **more: Any) -> Manner:
    return refuses(200, json.dumps({"id": "resp_1", "output": output, **more}))


def asking(server: ResponsesServer, **settings: Any) -> RemoteCompaction:
    return RemoteCompaction(provider(server.url, **settings), SETTINGS, environ=ENVIRON)


async def failure(model: RemoteCompaction) -> Exception | None:
    _heard, problem = await heard_until_error(model)
    await model.close()
    return problem


def test_the_conversation_is_sent_whole_and_what_stands_for_it_comes_back() -> None:
    async def work() -> None:
        with ResponsesServer(
            replies(message("as it was", role="user"), {"type": "new"}, SEALED, usage=USAGE)
        ) as server:
            model = asking(server)
            *items, end = await heard(model, PROMPT, Asking("session-1", delegate="compact"))
            await model.close()
            assert [type(each) for each in items] == [ItemDone, ItemDone]
            assert items[1] == ItemDone(Compaction("sealed", "cmp_1"))
            assert end == Completed("resp_1", TokenUsage(input_tokens=10, output_tokens=5, total_tokens=15))
            (asked,) = server.asked
            assert asked.target == "/v1/responses/compact"
            assert asked.body.keys() == {"model", "instructions", "input"}
            assert asked.body["input"][0]["content"] == [{"type": "input_text", "text": "What does `ls` do?"}]
            assert asked.headers["authorization"] == f"Bearer {KEY}"
            assert asked.headers["x-openai-subagent"] == "compact"

    run(work())


def test_only_a_provider_that_says_so_is_asked() -> None:
    for offered in (True, False):
        model = ResponsesModel(provider("http://x/v1", remote_compaction=offered), SETTINGS, environ=ENVIRON)
        assert (model.remote_compaction is not None) is offered


@pytest.mark.parametrize(
    ("manner", "kind"),
    [
        (refuses(404, "no such thing"), RequestTurnedAway),
        (refuses(400, '{"error":{"code":"context_length_exceeded","message":"long"}}'), ContextWindowExceeded),
        (refuses(200, "no JSON"), ModelFailed),
        (refuses(200, "[]"), ModelFailed),
        (refuses(200, '{"output": {}}'), ModelFailed),
        (refuses(200, '{"error": {"code": "server_error", "message": "sorry"}}'), StreamBroken),
        (refuses(200, "x" * 100), ModelFailed),
        (says("a stream of events"), ModelFailed),
        (sends_raw(b'{"output": ['), ModelFailed),
    ],
)
def test_whatever_is_no_conversation_is_an_error(manner: Manner, kind: type) -> None:
    with ResponsesServer(manner) as server:
        problem = run(failure(asking(server)))
    assert type(problem) is kind


def test_an_answer_has_to_be_there_before_the_time_of_a_silence_is_over_and_has_an_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def drips(connection: Any) -> None:
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
        connection.wait_until_gone()

    with ResponsesServer(drips) as server:
        assert isinstance(run(failure(asking(server, stream_idle_timeout_ms=200))), StreamBroken)
        assert server.connection().gone.is_set()
    with ResponsesServer(stays_silent) as server:
        problem = run(failure(asking(server, stream_idle_timeout_ms=200, request_max_retries=0)))
        assert "no answer within 200 ms" in str(problem)
    monkeypatch.setattr(incoming, "WHOLE_BYTES_MAX", 1000)
    with ResponsesServer(replies("x" * 2000)) as server:
        assert "more than 1000 bytes" in str(run(failure(asking(server))))


def test_a_request_that_could_not_be_placed_is_placed_again() -> None:
    async def work() -> None:
        with ResponsesServer(refuses(503), replies(SEALED)) as server:
            model = asking(server)
            assert [type(each) for each in await heard(model, PROMPT, ASKING)] == [Retrying, ItemDone, Completed]
            await model.close()

    run(work())


def test_a_missing_key_is_said_before_anything_is_sent() -> None:
    with ResponsesServer(replies(SEALED)) as server:
        model = RemoteCompaction(provider(server.url), SETTINGS, environ={})
        assert isinstance(run(failure(model)), MissingKey)
        assert server.asked == []


def test_an_error_in_an_answer_does_not_repeat_the_key() -> None:
    from sandgate.model.quoting import Quoting

    with pytest.raises(StreamBroken) as caught:
        CompactedReply(Quoting((KEY,))).take(json.dumps({"error": {"message": f"bad key {KEY}"}}))
    assert KEY not in str(caught.value)
