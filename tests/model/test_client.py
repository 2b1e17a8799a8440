"""One question to a real server on the loopback, on good days and bad ones."""

import json
import socket
import time
from collections.abc import Mapping
from threading import Event, Thread

import pytest

from sandgate.errors import Late, MissingKey, ModelError, ModelFailed, NoOutput, Withdrawn
from sandgate.model.cancellation import Cancellation
from sandgate.model.client import ModelClient
from sandgate.model.provider import Provider
from sandgate.model.question import ModelQuestion
from support.model.responses_server import (
    LIMIT_S,
    Manner,
    ResponsesServer,
    hangs_up,
    message,
    refuses,
    says,
    sends,
    sends_raw,
    sse,
    stalls_after,
    stays_silent,
    turn,
    waits_for,
)

KEY = "sk-very-secret-1234567890"
QUESTION = ModelQuestion("Be brief.", "What does `ls` do?", {"type": "object"}, "risk_assessment", parent="p-1")
PLENTY_MS = LIMIT_S * 1000
ENVIRON = {"TEST_KEY": KEY}


def client(url: str, environ: Mapping[str, str] = ENVIRON, effort: str = "low") -> ModelClient:
    provider = Provider("test", url, env_key="TEST_KEY", query_params=(("api-version", "1"),))
    return ModelClient(provider, model="small", environ=environ, effort=effort)


def asked(manner: Manner, *, deadline_ms: int = PLENTY_MS) -> str:
    with ResponsesServer(manner) as server:
        return client(server.url).answer(QUESTION, deadline_ms=deadline_ms)


def failure(manner: Manner, *, deadline_ms: int = PLENTY_MS) -> ModelError:
    with pytest.raises(ModelError) as raised:
        asked(manner, deadline_ms=deadline_ms)
    assert KEY not in repr(raised.getrepr(showlocals=False, chain=True)) + repr(raised.value.__dict__)
    return raised.value


def test_the_text_of_the_message_comes_back() -> None:
    assert asked(says("it lists a directory")) == "it lists a directory"


def test_the_request_has_no_history_no_tools_and_an_id_of_its_own() -> None:
    """Required."""
    with ResponsesServer(says("x")) as server:
        asking = client(server.url)
        asking.answer(QUESTION, deadline_ms=PLENTY_MS)
        asking.answer(QUESTION, deadline_ms=PLENTY_MS)
        first, second = server.asked
    assert (first.method, first.target) == ("POST", "/v1/responses?api-version=1")
    assert first.body == {
        "model": "small",
        "instructions": "Be brief.",
        "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "What does `ls` do?"}]}
        ],
        "tools": [],
        "tool_choice": "auto",
        "parallel_tool_calls": False,
        "reasoning": {"effort": "low"},
        "store": False,
        "stream": True,
        "include": [],
        "text": {
            "format": {
                "type": "json_schema",
                "strict": True,
                "schema": {"type": "object"},
                "name": "codex_output_schema",
            }
        },
    }
    assert first.headers["authorization"] == f"Bearer {KEY}"
    assert first.headers["accept"] == "text/event-stream"
    assert first.headers["x-openai-subagent"] == "risk_assessment"
    assert first.headers["parent_session_id"] == "p-1"
    assert first.headers["session_id"] == first.headers["conversation_id"] != second.headers["session_id"]


def test_a_model_that_does_not_reason_is_not_told_how_hard() -> None:
    with ResponsesServer(says("x")) as server:
        client(server.url, effort="none").answer(QUESTION, deadline_ms=PLENTY_MS)
        assert server.asked[0].body["reasoning"] is None


def test_it_does_not_matter_where_the_network_cuts_the_stream() -> None:
    """Cut everywhere at once here; `test_events.py` tries all other ways."""
    stream = b"".join(map(sse, turn(message("größer — 漢字"))))
    assert asked(sends_raw(*(bytes([each]) for each in stream))) == "größer — 漢字"


@pytest.mark.parametrize(
    ("manner", "words"),
    [
        (refuses(401, f"the key {KEY} is wrong"), "answered with status 401"),
        (refuses(429), "answered with status 429"),
        (refuses(500), "answered with status 500"),
        (refuses(302), "answered with status 302"),
        (hangs_up, "failed (RemoteProtocolError)"),
        (sends(*turn(message("half"))[:-1]), "stream closed before response.completed"),
        (sends_raw(b"what is this\n\n"), "stream closed before response.completed"),
        (sends({"type": "response.failed", "response": {"error": {"code": "rate_limit_exceeded"}}}),
         "the model failed (rate_limit_exceeded)"),
        (sends({"type": "response.failed", "response": {"error": {"code": f"key {KEY}!"}}}), "the model failed"),
        (sends(*turn(message("half"))[:-1], {"type": "error", "code": "server_error"}),
         "the model failed (server_error)"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_a_failure_in_our_own_words(manner: Manner, words: str) -> None:
    """Required: no key and nothing a server says in an error, however it fails."""
    found = failure(manner)
    assert isinstance(found, ModelFailed)
    assert str(found).endswith(words)


def test_a_complete_answer_without_a_message_is_no_output() -> None:
    assert isinstance(failure(sends(*turn({"type": "reasoning", "summary": []}))), NoOutput)


@pytest.mark.parametrize("manner", [stays_silent, stalls_after(*turn(message("half"))[:-1])])
def test_at_the_deadline_the_connection_is_closed(manner: Manner) -> None:
    """Required: nothing keeps running in the background."""
    with ResponsesServer(manner) as server:
        before = time.monotonic()
        with pytest.raises(Late):
            client(server.url).answer(QUESTION, deadline_ms=300)
        assert time.monotonic() - before < LIMIT_S  # the server would keep silent for ever
        assert server.connection().gone.wait(LIMIT_S)


def test_a_server_that_does_not_take_connections_is_late_too() -> None:
    with ResponsesServer(accepts=False) as server, pytest.raises(Late):
        client(server.url).answer(QUESTION, deadline_ms=200)


def test_a_change_of_mind_closes_the_connection() -> None:
    cancelled = Cancellation()
    outcome: list[BaseException] = []

    def ask(url: str) -> None:
        try:
            client(url).answer(QUESTION, deadline_ms=PLENTY_MS, cancelled=cancelled)
        except ModelError as error:
            outcome.append(error)

    with ResponsesServer(stays_silent) as server:
        asking = Thread(target=ask, args=(server.url,))
        asking.start()
        connection = server.connection()
        cancelled.cancel()
        asking.join(LIMIT_S)
        assert [type(each) for each in outcome] == [Withdrawn]
        assert connection.gone.wait(LIMIT_S)


def test_who_changed_their_mind_before_asking_does_not_ask() -> None:
    cancelled = Cancellation()
    cancelled.cancel()
    with ResponsesServer(says("x")) as server:
        with pytest.raises(Withdrawn):
            client(server.url).answer(QUESTION, deadline_ms=PLENTY_MS, cancelled=cancelled)
        assert server.asked == []


def test_two_questions_at_once_get_their_own_answers() -> None:
    first_may_answer = Event()
    answers: list[str] = []
    with ResponsesServer(waits_for(first_may_answer, says("first")), says("second")) as server:
        asking = Thread(target=lambda: answers.append(client(server.url).answer(QUESTION, deadline_ms=PLENTY_MS)))
        asking.start()
        server.connection()
        answers.append(client(server.url).answer(QUESTION, deadline_ms=PLENTY_MS))
        first_may_answer.set()
        asking.join(LIMIT_S)
    assert answers == ["second", "first"]


def test_a_missing_key_is_said_before_anything_is_sent() -> None:
    with ResponsesServer(says("x")) as server:
        with pytest.raises(MissingKey, match="Missing environment variable: `TEST_KEY`"):
            client(server.url, environ={"TEST_KEY": " "}).answer(QUESTION, deadline_ms=PLENTY_MS)
        assert server.asked == []


def test_nobody_listening_is_a_failure_that_names_no_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(ModelFailed) as raised:
        client(f"http://127.0.0.1:{port}/v1").answer(QUESTION, deadline_ms=PLENTY_MS)
    assert str(raised.value) == "the request to the provider `test` failed (ConnectError)"


def test_an_answer_that_never_ends_is_cut() -> None:
    def manner(connection: object) -> None:
        endless = b": " + b"x" * 65_536 + b"\n"
        sends_raw(*[endless] * 200)(connection)  # type: ignore[arg-type]

    assert "more than" in str(failure(manner))


def test_what_is_asked_is_sent_as_it_is() -> None:
    odd = 'a "quoted" \\ line\nwith \u202e and 漢字'
    with ResponsesServer(says("x")) as server:
        client(server.url).answer(QUESTION.but(text=odd), deadline_ms=PLENTY_MS)
        assert server.asked[0].body["input"][0]["content"][0]["text"] == odd
        assert json.dumps(server.asked[0].body)
