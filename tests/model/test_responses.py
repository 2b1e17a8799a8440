"""A session's model against a real server on the loopback, on good days and bad ones."""

from __future__ import annotations

import asyncio
import socket
import time
from contextlib import aclosing
from functools import partial
from threading import Event

import pytest

from sandgate.errors import (
    ContextWindowExceeded,
    MissingKey,
    ModelFailed,
    RequestTurnedAway,
    RetriesExhausted,
    StreamBroken,
    UsageLimitReached,
)
from sandgate.model import direct_client, exchange, incoming
from sandgate.model.prompt import Asking, ModelSettings, Prompt
from sandgate.model.responses import ResponsesModel, request_body
from sandgate.model.streaming import Completed, Created, ItemDone, LimitsSeen, Retrying, TextDelta
from sandgate.protocol.items import CustomToolCall, FunctionCall, InputText, Message, OutputText, Reasoning
from sandgate.protocol.usage import RateLimit, RateLimits, TokenUsage
from support.model.answering import ASKING, ENVIRON, KEY, PROMPT, SETTINGS, heard, heard_until_error, provider
from support.model.responses_server import (
    HEAD,
    LIMIT_S,
    Manner,
    ResponsesServer,
    custom_tool_call,
    failed,
    function_call,
    hangs_up,
    keeps,
    message,
    never_ends,
    reasoning,
    refuses,
    says,
    sends,
    sends_each_byte,
    sends_raw,
    sse,
    stalls_after,
    stays_silent,
    text_delta,
    turn,
)
from support.process.loops import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.model.streaming import ModelEvent
    from support.model.responses_server import Connection

USAGE = TokenUsage(input_tokens=10, output_tokens=5, total_tokens=15)
HI = ItemDone(Message("assistant", (OutputText("hi"),)))
SAID_HI = [Created("resp_1"), HI, Completed("resp_1", USAGE)]
RATE_HEADERS = {"x-codex-primary-used-percent": "99.5", "x-codex-primary-window-minutes": "300"}
LIMITS = LimitsSeen(RateLimits(RateLimit(99.5, 300)))


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is waited for between attempts is tested in `test_retry.py`."""
    monkeypatch.setattr(exchange, "backoff_ms", lambda _attempt: 1)


@pytest.fixture(autouse=True, params=["direct", "library"])
def _both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: whichever way the request takes, everything is the same."""
    if request.param == "library":
        monkeypatch.setattr(direct_client, "direct_address", lambda _url, _environ: None)


def outcome(*manners: Manner, **settings: int) -> tuple[list[ModelEvent], Exception | None]:
    async def asked(url: str) -> tuple[list[ModelEvent], Exception | None]:
        model = ResponsesModel(provider(url, **settings), SETTINGS, environ=ENVIRON)
        try:
            return await heard_until_error(model)
        finally:
            await model.close()

    with ResponsesServer(*manners) as server:
        return run(asked(server.url))


def test_an_answer_comes_item_by_item() -> None:
    items = (reasoning("I think", encrypted="xyz"), function_call("run", {"cmd": "ls"}, "c1"))
    more = (custom_tool_call("apply_patch", "*** Begin", "c2"), message("hi"))
    assert outcome(sends(text_delta("hi"), *turn(*items, *more))) == (
        [
            TextDelta("hi"),
            Created("resp_1"),
            ItemDone(Reasoning(("I think",), encrypted_content="xyz", id="rs_1")),
            ItemDone(FunctionCall("run", '{"cmd": "ls"}', "c1", id="fc_c1")),
            ItemDone(CustomToolCall("apply_patch", "*** Begin", "c2", id="ctc_c2")),
            HI,
            Completed("resp_1", USAGE),
        ],
        None,
    )


def test_every_byte_may_be_a_packet() -> None:
    stream = sends_each_byte(text_delta("größer — 漢字 🎈"), *turn(message("größer — 漢字 🎈")))
    events, error = outcome(stream)
    assert error is None
    assert events[0] == TextDelta("größer — 漢字 🎈")
    assert [type(event) for event in events] == [TextDelta, Created, ItemDone, Completed]


def test_line_ends_may_be_cut_in_two_and_text_may_be_broken() -> None:
    events = b"".join(map(sse, turn(message("hi")))).replace(b"\n", b"\r\n")
    broken = b'data: {"type":"response.output_text.delta","delta":"a\xff"}\r\n\r\n'
    pieces = [piece for line in (broken + events).split(b"\n") for piece in (line, b"\n")][:-1]
    assert outcome(sends_raw(*pieces)) == ([TextDelta("a\ufffd"), *SAID_HI], None)


def test_the_request_is_the_one_of_the_specification() -> None:
    """Required."""

    async def asked(url: str) -> None:
        settings = ModelSettings("small", effort="high", summary="auto", verbosity="low", max_output_tokens=70)
        model = ResponsesModel(provider(url), settings, environ=ENVIRON)
        tool = {"type": "function", "name": "run", "strict": False, "parameters": {"type": "object"}}
        prompt = PROMPT.but(tools=(tool,), parallel_tool_calls=True, output_schema={"type": "object"})
        await heard(model, prompt, Asking("s-1", "t-1", delegate="review", parent_id="s-0"))
        await model.close()

    with ResponsesServer(says("x")) as server:
        run(asked(server.url))
        (request,) = server.asked
    assert (request.method, request.target) == ("POST", "/v1/responses")
    assert request.body == {
        "model": "small",
        "instructions": "Be brief.",
        "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "What does `ls` do?"}]}
        ],
        "tools": [{"type": "function", "name": "run", "strict": False, "parameters": {"type": "object"}}],
        "tool_choice": "auto",
        "parallel_tool_calls": True,
        "reasoning": {"effort": "high", "summary": "auto"},
        "store": False,
        "stream": True,
        "include": ["reasoning.encrypted_content"],
        "prompt_cache_key": "s-1",
        "max_output_tokens": 70,
        "text": {
            "verbosity": "low",
            "format": {
                "type": "json_schema",
                "strict": True,
                "schema": {"type": "object"},
                "name": "codex_output_schema",
            },
        },
    }
    expected = {
        "authorization": f"Bearer {KEY}",
        "accept": "text/event-stream",
        "content-type": "application/json",
        "session_id": "s-1",
        "conversation_id": "s-1",
        "originator": "sandgate",
        "x-openai-subagent": "review",
        "parent_session_id": "s-0",
    }
    assert {name: request.headers.get(name) for name in expected} == expected


def test_a_model_that_is_not_told_how_to_think_is_not_asked_for_its_thoughts() -> None:
    for settings in (SETTINGS, ModelSettings("small", summary="none")):
        body = request_body(PROMPT, settings, ASKING)
        assert (body["reasoning"], body["include"], "text" in body) == (None, [], False)


def test_a_provider_that_keeps_what_was_said_is_told_its_ids() -> None:
    """Required: for Azure alone; thoughts in clear are sent to nobody."""
    thought = Reasoning(("I think",), ("secret",), "xyz", id="rs_1")

    async def asked(url: str) -> None:
        for stores in (False, True):
            model = ResponsesModel(provider(url), SETTINGS, environ=ENVIRON)
            model._stores = stores
            for _ in range(2):
                await heard(model, PROMPT.but(input=(*PROMPT.input, thought)))
            await model.close()

    with ResponsesServer(says("x")) as server:
        run(asked(server.url))
        bodies = [each.body for each in server.asked]
    written = {
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "I think"}],
        "encrypted_content": "xyz",
    }
    assert [body["store"] for body in bodies] == [False, False, True, True]
    assert [body["input"][1] for body in bodies] == [written] * 2 + [{**written, "id": "rs_1"}] * 2
    assert ["id" in body["input"][0] for body in bodies] == [False] * 4


def test_half_characters_do_not_make_a_request_unreadable() -> None:
    async def asked(url: str) -> None:
        model = ResponsesModel(provider(url), SETTINGS, environ=ENVIRON)
        await heard(model, Prompt("", (Message("user", (InputText("a\udcff漢"),)),)))
        await model.close()

    with ResponsesServer(says("x")) as server:
        run(asked(server.url))
        assert server.asked[0].body["input"][0]["content"][0]["text"] == "a\ufffd漢"


def test_one_connection_carries_one_request_after_the_other() -> None:
    async def asked(url: str) -> None:
        model = ResponsesModel(provider(url), SETTINGS, environ=ENVIRON)
        for _ in range(3):
            assert await heard(model) == SAID_HI
            while model._exchange._drains:
                await asyncio.gather(*model._exchange._drains)
        await model.close()

    with ResponsesServer(keeps(*turn(message("hi")))) as server:
        run(asked(server.url))
        assert [each.number for each in server.connections] == [0, 0, 0]


def test_the_end_is_told_at_once_and_a_response_that_goes_on_is_closed_soon() -> None:
    """Required."""

    async def asked(url: str, server: ResponsesServer) -> None:
        model = ResponsesModel(provider(url), SETTINGS, environ=ENVIRON)
        await asyncio.to_thread(model.prepare)
        assert await heard(model) == SAID_HI
        assert not server.connection().gone.is_set()
        assert await asyncio.to_thread(server.connection().gone.wait, LIMIT_S)
        await model.close()

    with ResponsesServer(never_ends(*turn(message("hi")))) as server:
        run(asked(server.url, server))


def test_what_cannot_be_read_is_passed_over() -> None:
    odd = (
        b"data: nonsense\n\n",
        b"data: [1]\n\n",
        b'data: {"type":"response.output_item.done","item":{"type":"x"}}\n\n',
    )
    deep = b"data: " + b"[" * 100_000 + b"\n\n"
    assert outcome(sends_raw(b": comment\n\n", *odd, deep, *map(sse, turn(message("hi"))))) == (SAID_HI, None)


@pytest.mark.parametrize("bad", [refuses(500), refuses(429), refuses(408), refuses(503, "<html>"), hangs_up])
def test_a_request_that_could_not_be_placed_is_placed_again(bad: Manner) -> None:
    events, error = outcome(bad, bad, says("hi"))
    assert error is None
    assert events[2:] == SAID_HI
    assert [(event.attempt, event.attempts_max) for event in events[:2] if isinstance(event, Retrying)] == [
        (1, 5),
        (2, 5),
    ]


def test_retries_have_an_end_that_says_what_happened() -> None:
    """Required: an exhausted budget is final at both levels."""
    body = f'{{"error":{{"message":"busy {KEY}"}}}}'
    events, error = outcome(refuses(503, body), request_max_retries=2)
    assert KEY not in repr(events)
    assert [type(event) for event in events] == [Retrying, Retrying]
    assert isinstance(error, RetriesExhausted)
    assert str(error) == (
        "the provider `test` gave no answer to 3 attempts: the provider `test` answered with status 503: busy [removed]"
    )


def test_a_provider_says_when_to_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "backoff_ms", lambda _attempt: 60_000)
    words = '{"error":{"code":"rate_limit_exceeded","message":"Please try again in 20ms."}}'
    retry = refuses(429, "", {"Retry-After": "0"})
    events, error = outcome(retry, refuses(429, words), says("hi"))
    assert (events[2:], error) == (SAID_HI, None)


@pytest.mark.parametrize(
    ("status", "body", "kind", "words"),
    [
        (400, '{"error":{"message":"no such tool\\u001b[2J"}}', RequestTurnedAway, "no such tool\\x1b[2J"),
        (400, '{"detail":"bad"}', RequestTurnedAway, "status 400: bad"),
        (401, f'{{"error":{{"message":"Incorrect API key: {KEY}."}}}}', RequestTurnedAway, "key: [removed]."),
        (403, f"{KEY[:12]}*** is not yours", RequestTurnedAway, "[removed]*** is not yours"),
        (404, "x" * 100_000, RequestTurnedAway, "\u2026"),
        (302, "", RequestTurnedAway, "status 302"),
        (400, '{"error":{"code":"context_length_exceeded"}}', ContextWindowExceeded, "context window"),
        (429, '{"error":{"type":"usage_limit_reached","message":"Plus"}}', UsageLimitReached, "Plus"),
        (429, '{"error":{"type":"usage_not_included"}}', UsageLimitReached, "no more room"),
        (429, '{"error":{"type":"insufficient_quota"}}', UsageLimitReached, "no more room"),
    ],
)
def test_what_asking_again_cannot_change_is_asked_once(status: int, body: str, kind: type, words: str) -> None:
    """Required: the words of the provider are part of the error, short, safe to print and without the key."""
    with ResponsesServer(refuses(status, body)) as server:

        async def asked() -> tuple[list[ModelEvent], Exception | None]:
            model = ResponsesModel(provider(server.url), SETTINGS, environ=ENVIRON)
            found = await heard_until_error(model)
            await model.close()
            return found

        events, error = run(asked())
        assert len(server.asked) == 1
    assert (events, type(error)) == ([], kind)
    assert words in str(error)
    assert len(str(error)) < 500


@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "application/json"])
def test_a_page_instead_of_a_stream_is_named_and_not_asked_for_again(kind: str) -> None:
    def page(connection: Connection) -> None:
        connection.send(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n<p>Log in".encode())

    events, error = outcome(page)
    assert (events, type(error)) == ([], ModelFailed)
    assert f"answered with no stream of events: what it sent is `{kind.partition(';')[0]}`" in str(error)


def test_limits_are_told_with_an_answer_and_with_a_refusal() -> None:
    """Required: a usage limit comes with the provider's account of it."""
    assert outcome(keeps(*turn(message("hi")), headers=RATE_HEADERS)) == ([LIMITS, *SAID_HI], None)
    refused = refuses(429, '{"error":{"type":"usage_limit_reached"}}', RATE_HEADERS)
    events, error = outcome(refused)
    assert (events, type(error)) == ([LIMITS], UsageLimitReached)


@pytest.mark.parametrize(
    ("manner", "words"),
    [
        (sends(*turn(message("hi"))[:-1]), "stream closed before response.completed"),
        (stalls_after(*turn(message("hi"))[:-1]), "idle timeout waiting for SSE"),
        (sends(*turn(message("hi"))[:-1], failed("server_error", f"the key {KEY}")),
         "the model failed: the key [removed]"),
        (sends(*turn(message("hi"))[:-1], {"type": "response.incomplete",
                                           "response": {"incomplete_details": {"reason": "max_output_tokens"}}}),
         "the model's answer is incomplete: max_output_tokens"),
    ],
)  # fmt: skip
def test_an_answer_that_breaks_off_gives_what_it_had_and_may_be_asked_for_again(manner: Manner, words: str) -> None:
    events, error = outcome(manner, stream_idle_timeout_ms=300)
    assert events == SAID_HI[:2]
    assert (type(error), str(error)) == (StreamBroken, words)


def test_a_connection_that_is_cut_inside_the_stream_is_a_broken_stream() -> None:
    def cut(connection: Connection) -> None:
        keeps_head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\ndata:"
        connection.send(keeps_head)

    events, error = outcome(cut)
    assert (events, str(error)) == ([], "the connection to the provider `test` broke: RemoteProtocolError")


def test_silence_before_the_answer_counts_as_an_attempt() -> None:
    events, error = outcome(stays_silent, says("hi"), stream_idle_timeout_ms=300)
    assert error is None
    assert events == [Retrying(1, 5, "no answer within 300 ms"), *SAID_HI]


def test_comments_and_half_events_do_not_count_as_an_answer() -> None:
    """Our choice: only whole events show that the model is at work."""

    def chatters(connection: Connection) -> None:
        sends_raw(b"data: half")(connection)
        while not connection.gone.wait(0.05):
            connection.send(b": still here\n")

    events, error = outcome(chatters, stream_idle_timeout_ms=300)
    assert (events, str(error)) == ([], "idle timeout waiting for SSE")


def test_a_reader_that_takes_its_time_is_not_the_model_s_silence() -> None:
    took_time = Event()

    def slowly(connection: Connection) -> None:
        connection.send(HEAD, sse(text_delta("a")))
        assert took_time.wait(LIMIT_S)
        connection.send(*map(sse, turn(message("hi"))))

    async def asked(url: str) -> None:
        model = ResponsesModel(provider(url, stream_idle_timeout_ms=500), SETTINGS, environ=ENVIRON)
        async with aclosing(model.stream(PROMPT, ASKING)) as events:
            assert await anext(events) == TextDelta("a")
            await asyncio.to_thread(time.sleep, 0.6)  # as work would take
            took_time.set()
            assert [event async for event in events] == SAID_HI
        await model.close()

    with ResponsesServer(slowly) as server:
        run(asked(server.url))


def test_a_response_that_failed_is_closed_at_once_and_not_when_its_error_is_forgotten() -> None:
    async def asked(server: ResponsesServer) -> None:
        model = ResponsesModel(provider(server.url), SETTINGS, environ=ENVIRON)
        _, error = await heard_until_error(model)
        assert await asyncio.to_thread(server.connection().gone.wait, LIMIT_S)
        assert isinstance(error, StreamBroken)  # held until here, and with it everything that led to it
        await model.close()

    with ResponsesServer(never_ends(failed("server_error"))) as server:
        run(asked(server))


def test_the_last_event_may_lack_its_blank_line() -> None:
    stream = b"".join(map(sse, turn(message("hi"))))
    assert outcome(sends_raw(stream.removesuffix(b"\n"))) == (SAID_HI, None)
    assert outcome(sends_raw(stream.removesuffix(b"\n\n"))) == (SAID_HI, None)


def test_an_answer_and_a_refusal_that_never_end_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(incoming, "STREAM_BYTES_MAX", 1_000_000)
    monkeypatch.setattr(incoming, "BODY_MS", 10 * LIMIT_S * 1000)

    def endless(connection: Connection, head: bytes) -> None:
        connection.send(head)
        while not connection.gone.is_set():
            connection.send(b": " + b"x" * 65_536 + b"\n")

    _, error = outcome(partial(endless, head=HEAD))
    assert str(error) == "the answer has more than 1000000 bytes"
    _, error = outcome(partial(endless, head=b"HTTP/1.1 400 No\r\nConnection: close\r\n\r\n"))
    assert isinstance(error, RequestTurnedAway)


@pytest.mark.parametrize("how", ["cancelled", "closed"])
@pytest.mark.parametrize("manner", [stays_silent, stalls_after(text_delta("a"))])
def test_who_stops_reading_closes_the_connection_at_once(how: str, manner: Manner) -> None:
    if how == "closed" and manner is stays_silent:
        return  # nothing has been given yet that could be closed

    async def asked(server: ResponsesServer) -> None:
        model = ResponsesModel(provider(server.url), SETTINGS, environ=ENVIRON)
        events = model.stream(PROMPT, ASKING)
        if how == "closed":
            assert await anext(events) == TextDelta("a")
            await events.aclose()
        else:
            reading = asyncio.create_task(heard(model))
            await asyncio.to_thread(server.connection)
            reading.cancel()
            with pytest.raises(asyncio.CancelledError):
                await reading
        assert await asyncio.to_thread(server.connection().gone.wait, LIMIT_S)
        await model.close()

    with ResponsesServer(manner) as server:
        run(asked(server))


def test_several_answers_may_be_under_way() -> None:
    async def asked(url: str) -> list[list[ModelEvent]]:
        model = ResponsesModel(provider(url), SETTINGS, environ=ENVIRON)
        found = await asyncio.gather(*(heard(model) for _ in range(4)))
        await model.close()
        return list(found)

    with ResponsesServer(keeps(*turn(message("hi")))) as server:
        assert run(asked(server.url)) == [SAID_HI] * 4


def test_a_large_event_is_read_and_a_larger_one_ends_the_answer() -> None:
    events, error = outcome(says("x" * 2_000_000))
    assert (len(events), error) == (3, None)
    events, error = outcome(sends_raw(b"data: ", *[b"x" * 1_048_576] * 17))
    assert (events, type(error)) == ([], ModelFailed)
    assert "too long" in str(error)


def test_a_missing_key_is_said_before_anything_is_sent() -> None:
    async def asked(url: str) -> tuple[list[ModelEvent], Exception | None]:
        return await heard_until_error(ResponsesModel(provider(url), SETTINGS, environ={}))

    with ResponsesServer(says("x")) as server:
        events, error = run(asked(server.url))
        assert server.asked == []
    assert (events, type(error), str(error)) == ([], MissingKey, "Missing environment variable: `TEST_KEY`.")


@pytest.mark.parametrize(
    ("url", "headers", "words"),
    [
        ("ftp://x/v1", (), "failed: UnsupportedProtocol"),
        ("", (("X-Team", f"{KEY}\r\nX-Evil: 1"),), "LocalProtocolError"),
        ("", (("X-Team", "ü漢"),), "no request can be made to the provider `test`"),
    ],
)
def test_what_can_never_be_sent_is_tried_once(url: str, headers: tuple[tuple[str, str], ...], words: str) -> None:
    async def asked(address: str) -> tuple[list[ModelEvent], Exception | None]:
        model = ResponsesModel(provider(address, http_headers=headers), SETTINGS, environ=ENVIRON)
        found = await heard_until_error(model)
        await model.close()
        return found

    with ResponsesServer(says("x")) as server:
        events, error = run(asked(url or server.url))
        assert server.asked == []
    assert (events, type(error)) == ([], ModelFailed)
    assert words in str(error)


def test_nobody_listening_is_said_after_all_attempts() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    async def asked() -> tuple[list[ModelEvent], Exception | None]:
        url = f"http://127.0.0.1:{port}/v1"
        model = ResponsesModel(provider(url, request_max_retries=1), SETTINGS, environ=ENVIRON)
        found = await heard_until_error(model)
        await model.close()
        return found

    events, error = run(asked())
    assert events == [Retrying(1, 2, "the request to the provider `test` failed: Connection refused")]
    assert isinstance(error, RetriesExhausted)


def test_an_address_that_is_none_is_not_quoted() -> None:
    async def asked() -> Exception | None:
        model = ResponsesModel(provider(f"http://x:{KEY}/v1"), SETTINGS, environ=ENVIRON)
        _, error = await heard_until_error(model)
        await model.close()
        return error

    assert isinstance(run(asked()), ModelFailed)
