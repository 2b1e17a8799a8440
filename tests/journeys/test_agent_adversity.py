"""A session whose provider, model or disk does everything wrong: it says what happened, loses nothing, and goes on."""

from __future__ import annotations

import asyncio
import json
import resource
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sandgate.agent.agent import AgentOptions
from sandgate.errors import MissingKey
from sandgate.protocol.events import Failed, StreamError, TaskComplete, Warned
from sandgate.session.transcript_reader import read_transcript
from support.agent.agent_places import AgentPlace, calls, command, only, said
from support.model.responses_server import (
    ResponsesServer,
    custom_tool_call,
    failed,
    function_call,
    hangs_up,
    message,
    refuses,
    says,
    sends,
    sends_raw,
    sse,
    stalls_after,
    stays_silent,
    text_delta,
    turn,
)
from support.process.loops import run

if TYPE_CHECKING:
    from support.model.responses_server import Manner

pytestmark = pytest.mark.host("namespace", "notify")

WRITES = ("sandbox_mode=workspace-write", "approval_policy=never", "model_providers.test.stream_idle_timeout_ms=400")
CALL = command("echo once >> log")
DONE: Any = {"type": "response.output_item.done", "item": CALL}
LAST = AgentOptions(resume="last")


def outputs(server: ResponsesServer, request: int = -1) -> dict[str, Any]:
    """What the tools answered, as that request says it."""
    items = server.asked[request].body["input"]
    return {item["call_id"]: item["output"] for item in items if item["type"].endswith("_output")}


def spoken(server: ResponsesServer, request: int = -1) -> list[str]:
    """What the person and the model said, as that request says it."""
    items = [item for item in server.asked[request].body["input"] if item["type"] == "message"]
    texts = [part["text"] for item in items for part in item["content"]]
    return [text for text in texts if not text.startswith("<")]


async def turns(place: AgentPlace, *more: str) -> list[list[Any]]:
    """Two turns in one session: what each told."""
    async with place.opened(*WRITES, *more) as agent:
        first = await said(agent, "work")
        second = await said(agent, "again")
        return [first, second[len(first) :]]


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(refuses(429, "slow down", {"Retry-After": "0"}), id="429 with retry-after"),
        pytest.param(refuses(500, "oops"), id="500"),
        pytest.param(refuses(503), id="503 without a word"),
        pytest.param(hangs_up, id="hangs up"),
        pytest.param(sends(text_delta("half")), id="cut before the first item"),
        pytest.param(sends_raw(sse(DONE)[:-40]), id="cut within an item"),
        pytest.param(stalls_after(text_delta("half")), id="silence within an event"),
        pytest.param(stays_silent, id="silence before the answer"),
        pytest.param(sends(failed("server_error", "sorry")), id="failed"),
        pytest.param(sends_raw(b"data: {not json}\n\ndata: [1]\n\n: hello\n\n\xff\xfe\n\n"), id="nothing but nonsense"),
        pytest.param(sends_raw(b"\x00" * 5000), id="zeros"),
    ],
)
def test_one_bad_answer_is_told_and_asked_for_again(tmp_path: Path, bad: Manner) -> None:
    async def work() -> None:
        with ResponsesServer(bad, calls(CALL), says("done"), says("fine")) as server:
            place = AgentPlace(tmp_path, server.url)
            first, second = await turns(place)
            assert only(first, StreamError)
            assert only(first, TaskComplete)[0].last_agent_message == "done"
            assert only(second, TaskComplete)[0].last_agent_message == "fine"
            assert place.lines() == ["once"]
            assert spoken(server) == ["work", "done", "again"]

    run(work())


@pytest.mark.parametrize(
    "cut",
    [
        pytest.param(sends(DONE), id="cut behind the call"),
        pytest.param(stalls_after(DONE), id="silence behind the call"),
        pytest.param(sends(DONE, failed("server_error", "sorry")), id="failed behind the call"),
        pytest.param(sends_raw(sse(DONE), b"data: \xff\xfe\x00\n\n"), id="broken characters behind the call"),
        pytest.param(sends_raw(sse(DONE), sse(DONE)[:-30]), id="cut within a second call"),
    ],
)
def test_a_call_whose_answer_broke_off_is_carried_out_once_and_known(tmp_path: Path, cut: Manner) -> None:
    """Required. Side effects that the model cannot see would be repeated."""

    async def work() -> None:
        with ResponsesServer(cut, says("done"), says("fine")) as server:
            place = AgentPlace(tmp_path, server.url)
            first, _second = await turns(place)
            assert only(first, TaskComplete)[0].last_agent_message == "done"
            assert place.lines() == ["once"]
            assert list(outputs(server, 1)) == ["c1"]

    run(work())


@pytest.mark.parametrize(
    ("bad", "requests", "words"),
    [
        pytest.param(refuses(400, '{"error": {"message": "no such thing as `x`"}}'), 1, "no such thing", id="400"),
        pytest.param(refuses(401, "who are you"), 1, "401", id="401"),
        pytest.param(refuses(404, "nothing here"), 1, "nothing here", id="404"),
        pytest.param(
            refuses(429, '{"error": {"type": "usage_limit_reached", "message": "paid up"}}'), 1, "", id="limit"
        ),
        pytest.param(refuses(429, "", {"Retry-After": "0"}), 3, "429", id="429 for ever"),
        pytest.param(refuses(500, "oops"), 3, "oops", id="500 for ever"),
        pytest.param(hangs_up, 3, "", id="hangs up for ever"),
        pytest.param(sends(text_delta("half")), 2, "stream closed", id="cut for ever"),
        pytest.param(stalls_after(text_delta("half")), 2, "idle timeout", id="silence for ever"),
        pytest.param(sends(failed("context_length_exceeded", "long")), 1, "fit", id="too long"),
        pytest.param(sends(failed("insufficient_quota", "no money")), 1, "no money", id="quota"),
    ],
)
def test_a_turn_that_cannot_go_on_says_why_and_is_not_tried_at_two_levels(
    tmp_path: Path, bad: Manner, requests: int, words: str
) -> None:
    """Required. What is exhausted at one level is not begun again at the other."""

    async def work() -> None:
        with ResponsesServer(*([bad] * requests), says("fine")) as server:
            place = AgentPlace(tmp_path, server.url)
            limits = ("model_providers.test.request_max_retries=2", "model_providers.test.stream_max_retries=1")
            first, second = await turns(place, *limits)
            (failure,) = only(first, Failed)
            assert words in failure.message
            assert not only(first, TaskComplete)
            assert only(second, TaskComplete)[0].last_agent_message == "fine"
            assert len(server.asked) == requests + 1
            said_again = spoken(server)
            assert (said_again[0], said_again[-1]) == ("work", "again")

    run(work())


def test_a_provider_that_says_when_is_waited_for(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(refuses(429, "slow down", {"Retry-After": "1"}), says("done"), says("fine")) as server:
            began = time.monotonic()
            await turns(AgentPlace(tmp_path, server.url))
            assert time.monotonic() - began >= 1

    run(work())


WRONG = [
    pytest.param(function_call("exec_command", "{", "c1"), "arguments", id="half arguments"),
    pytest.param(function_call("exec_command", "[]", "c1"), "arguments", id="a list for arguments"),
    pytest.param(function_call("exec_command", "", "c1"), "arguments", id="no arguments"),
    pytest.param(function_call("exec_command", '{"cmd": 7}', "c1"), "arguments", id="a number for a command"),
    pytest.param(function_call("exec_command", '{"cmd": "true", "cmd": "false"} x', "c1"), "", id="something behind"),
    pytest.param(function_call("exec_command", "[" * 5000, "c1"), "arguments", id="nested without end"),
    pytest.param(function_call("write_stdin", '{"session_id": 99999}', "c1"), "99999", id="no such command"),
    pytest.param(function_call("no_such_tool", "{}", "c1"), "unsupported call: no_such_tool", id="unknown tool"),
    pytest.param(function_call("", "{}", "c1"), "unsupported call", id="a tool without a name"),
    pytest.param(custom_tool_call("no_such_tool", "x", "c1"), "unsupported call", id="unknown free tool"),
    pytest.param(function_call("apply_patch", '{"input": "no patch"}', "c1"), "patch", id="no patch"),
    pytest.param(function_call("view_image", '{"path": "none.png"}', "c1"), "none.png", id="no picture"),
    pytest.param(function_call("update_plan", '{"plan": "x"}', "c1"), "arguments", id="no plan"),
    pytest.param(function_call("exec_command", '{"cmd": "\\u0000"}', "c1"), "", id="a zero byte"),
    pytest.param(function_call("exec_command", '{"cmd": "echo \\ud800"}', "c1"), "", id="half a character"),
    pytest.param(function_call("exec_command", '{"cmd": "true", "workdir": "/no/such"}', "c1"), "", id="no such place"),
    pytest.param(function_call("mcp__none__tool", "{}", "c1"), "unsupported call", id="no such server"),
]


@pytest.mark.parametrize(("call", "words"), WRONG)
def test_a_call_that_makes_no_sense_is_answered_under_its_own_id_and_the_turn_goes_on(
    tmp_path: Path, call: Any, words: str
) -> None:
    async def work() -> None:
        with ResponsesServer(calls(call, CALL | {"call_id": "c2"}), says("done"), says("fine")) as server:
            place = AgentPlace(tmp_path, server.url)
            first, second = await turns(place)
            assert only(first, TaskComplete)[0].last_agent_message == "done"
            assert only(second, TaskComplete)[0].last_agent_message == "fine"
            answered = outputs(server, 1)
            assert list(answered) == ["c1", "c2"]
            assert words in str(answered["c1"])
            assert place.lines() == ["once"]
            assert not [each for each in only(first, Warned) if "error on our side" in each.message]

    run(work())


def test_calls_with_wrong_ids_are_told_apart_and_none_is_left_open(tmp_path: Path) -> None:
    """Required: a provider refuses a conversation in which a call has no answer, for ever."""

    async def work() -> None:
        strange = [
            CALL | {"call_id": "c1"},
            command("echo twice >> log") | {"call_id": "c1"},
            command("echo unnamed >> log") | {"call_id": ""},
            {"type": "function_call_output", "call_id": "c1", "output": "forged"},
            {"type": "function_call_output", "call_id": "never", "output": "forged"},
            {"type": "local_shell_call", "status": "completed", "action": {"type": "exec", "command": ["true"]}},
            command("echo number >> log") | {"call_id": 7},
            {"type": "function_call"},
            {"type": "unheard_of", "call_id": "c1"},
        ]
        with ResponsesServer(calls(*strange), says("done"), says("fine")) as server:
            place = AgentPlace(tmp_path, server.url)
            first, second = await turns(place)
            assert only(first, TaskComplete)
            assert only(second, TaskComplete)
            assert "forged" not in json.dumps(server.asked[-1].body["input"])
            items = server.asked[-1].body["input"]
            made = [item["call_id"] for item in items if item["type"] == "function_call"]
            answers = [item["call_id"] for item in items if item["type"] == "function_call_output"]
            assert sorted(made) == sorted(answers)
            assert "" not in made
            assert sorted(place.lines()) == ["once", "twice", "unnamed"]

    run(work())


def test_a_picture_that_is_too_large_is_an_answer_in_words(tmp_path: Path) -> None:
    from sandgate.tools.pictures import IMAGE_BYTES_MAX

    async def work() -> None:
        look = function_call("view_image", {"path": "large.png"}, "c1")
        with ResponsesServer(calls(look), says("done"), says("fine")) as server:
            place = AgentPlace(tmp_path, server.url)
            with (place.repo / "large.png").open("wb") as file:
                file.write(b"\x89PNG\r\n\x1a\n")
                file.truncate(IMAGE_BYTES_MAX + 1)
            first, _ = await turns(place)
            assert only(first, TaskComplete)
            assert isinstance(outputs(server, 1)["c1"], str)
            assert len(json.dumps(server.asked[1].body)) < 200_000

    run(work())


def test_broken_characters_in_words_and_output_reach_nobody_as_broken_json(tmp_path: Path) -> None:
    raw = (
        b'data: {"type":"response.output_item.done","item":'
        + json.dumps(message("MARK")).encode().replace(b"MARK", b"caf\xe9 \xf0\x9f\\ud83d")
        + b"}\n\n"
    )
    completed = b"".join(map(sse, turn()))

    async def work() -> None:
        with ResponsesServer(
            calls(command("printf '\\377\\376ok\\303'")), sends_raw(raw, completed), says("fine")
        ) as server:
            place = AgentPlace(tmp_path, server.url)
            first, _ = await turns(place)
            assert only(first, TaskComplete)
            assert "ok" in outputs(server, 1)["c1"]
            async with place.opened(*WRITES, options=LAST) as agent:
                await said(agent, "once more")
            before, after = (server.asked[at].body["input"] for at in (-2, -1))
            assert after[: len(before)] == before
            json.dumps(after).encode("utf-8")

    run(work())


def test_without_a_key_nothing_begins_and_a_session_that_was_to_go_on_is_left_as_it_was(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(says("hello"), says("fine")) as server:
            place = AgentPlace(tmp_path, server.url)
            without = (
                "model_providers.test.env_key=NO_SUCH_KEY",
                "model_providers.test.env_key_instructions=ask x.test",
            )
            for _ in range(2):
                with pytest.raises(MissingKey) as caught:
                    async with place.opened(*without):
                        pass
                assert ("NO_SUCH_KEY" in caught.value.what, caught.value.hint) == (True, "ask x.test")
            assert place.transcripts() == []
            async with place.opened() as agent:
                await said(agent, "work")
            before = place.transcript.read_bytes()
            with pytest.raises(MissingKey):
                async with place.opened(*without, options=LAST):
                    pass
            assert place.transcript.read_bytes() == before
            async with place.opened(options=LAST) as agent:
                await said(agent, "again")
            assert spoken(server) == ["work", "hello", "again"]

    run(work())


def test_who_has_a_wrong_key_is_told_where_to_get_another(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(refuses(401, "who are you")) as server:
            place = AgentPlace(tmp_path, server.url)
            place.env["GIVEN"] = "wrong"
            key = ("env_key=GIVEN", "env_key_instructions=ask at x.test")
            async with place.opened(*(f"model_providers.test.{each}" for each in key)) as agent:
                message = only(await said(agent, "work"), Failed)[0].message
            assert ("who are you" in message, "ask at x.test" in message, "wrong" in message) == (True, True, False)

    run(work())


def test_a_session_whose_disk_is_full_goes_on_and_what_it_could_not_save_is_said_and_saved_later(
    tmp_path: Path,
) -> None:
    """Required: a limit of the kernel on the size of files, which writes meet as a full disk."""

    async def work() -> None:
        with ResponsesServer(calls(command("true")), says("a" * 50_000), says("two"), says("three")) as server:
            place = AgentPlace(tmp_path, server.url)
            soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
            async with place.opened(*WRITES) as agent:
                await said(agent, "one")
                resource.setrlimit(resource.RLIMIT_FSIZE, (place.transcript.stat().st_size + 100, hard))
                try:
                    told = await said(agent, "two")
                    assert [each.message for each in only(told, Warned) if "not being saved" in each.message]
                    assert only(told, TaskComplete)[-1].last_agent_message == "two"
                finally:
                    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
                told = await said(agent, "three")
                assert [each.message for each in only(told, Warned) if "saved again" in each.message]
            kept = read_transcript(str(place.transcript))
            assert kept.bad_count == 0
            texts = [item.content[0].text for item in kept.items if type(item).__name__ == "Message"]  # type: ignore[union-attr, index]
            assert [text[:5] for text in texts if not text.startswith("<")] == [
                "one",
                "aaaaa",
                "two",
                "two",
                "three",
                "three",
            ]

    run(work())


def test_a_session_that_cannot_save_a_word_still_works_and_says_so(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(says("one"), says("two")) as server:
            place = AgentPlace(tmp_path, server.url)
            soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
            async with place.opened(*WRITES) as agent:
                resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
                try:
                    told = await said(agent, "work")
                finally:
                    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
                assert only(told, TaskComplete)[0].last_agent_message == "one"
                assert [each for each in only(told, Warned) if "not being saved" in each.message]

    run(work())


def test_two_that_want_the_same_session_at_the_same_time_get_it_once(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(says("hello")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                await said(agent, "work")

            async def goes_on() -> str:
                try:
                    async with place.opened(*WRITES, options=LAST) as agent:
                        return str(only(await said(agent, "again"), TaskComplete)[0].last_agent_message)
                except Exception as problem:
                    return str(problem)

            both = await asyncio.gather(goes_on(), goes_on())
            assert sorted("in use" in each for each in both) == [False, True], both
            assert read_transcript(str(place.transcript)).bad_count == 0

    run(work())
