"""One client, well behaved and not."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from sandgate.surfaces.app_server.connection import OVERLOAD, QUESTIONS_MAX, REQUESTS_MAX, Connection
from sandgate.surfaces.app_server.handlers import HANDLERS
from sandgate.surfaces.app_server.messages import MESSAGE_BYTES_MAX
from sandgate.surfaces.app_server.wire.methods import METHODS
from support.app_server.app_client import INFO, AppError, app_place, said
from support.model.responses_server import says, waits_for
from support.process.loops import run


def test_every_method_of_the_table_is_answered_and_no_other() -> None:
    """Required: nothing is half there."""
    assert sorted(HANDLERS) == sorted(each.name for each in METHODS)


def test_nothing_is_answered_before_the_handshake_which_is_once(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = place.stranger()
            for method in ("account/read", "unheard/of"):
                with pytest.raises(AppError, match=r"^Not initialized$") as refused:
                    await client.ask(method)
                assert refused.value.code == -32600
            with pytest.raises(AppError, match="lacks `clientInfo`"):
                await client.ask("initialize")
            begun = await client.begin()
            assert (begun["platformFamily"], begun["codexHome"]) == ("unix", str(place.home / ".sandgate"))
            with pytest.raises(AppError, match=r"^Already initialized$"):
                await client.begin()

    run(work())


def test_what_follows_the_handshake_at_once_finds_it_done(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = place.stranger()
            client.request("initialize", **INFO)
            assert (await client.ask("account/read"))["requiresOpenaiAuth"] is False

    run(work())


@pytest.mark.parametrize(
    ("message", "code", "known"),
    [
        (b"{", -32700, None),
        (b'{"id":1,"method":"account/read","params":{"a":NaN}}', -32700, None),
        (b'{"id":1,"method":"\\ud800"}', -32700, None),
        (b"[" * 100_000, -32700, None),
        (b"\xff", -32700, None),
        (b"[]", -32600, None),
        (b'"x"', -32600, None),
        (b"{}", -32600, None),
        (b'{"id":1}', -32600, None),
        (b'{"id":1,"method":7}', -32600, 1),
        (b'{"id":true,"method":"account/read"}', -32600, None),
        (b'{"id":null,"method":"account/read"}', -32600, None),
        (b'{"id":1.5,"method":"account/read"}', -32600, None),
        (b'{"id":9223372036854775808,"method":"account/read"}', -32600, None),
        (b'{"id":"x","method":"nothing/of/the/kind"}', -32601, "x"),
        (b'{"id":902,"method":"account/read","params":[]}', -32602, 902),
        (b'{"id":903,"method":"thread/read","params":{}}', -32602, 903),
    ],
)
def test_what_is_no_message_has_one_answer(tmp_path: Path, message: bytes, code: int, known: Any) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            at = len(client.messages)
            client.connection.receive(message)
            answer = await client.until(lambda each: "error" in each, after=at)
            assert (answer["id"], answer["error"]["code"], len(client.messages)) == (known, code, at + 1)
            await client.ask("account/read")

    run(work())


def test_what_is_too_long_is_said_to_be(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            client.connection.receive(None)
            assert str(MESSAGE_BYTES_MAX) in client.messages[-1]["error"]["message"]

    run(work())


def test_notifications_that_mean_nothing_are_passed_over(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            at = len(client.messages)
            for method in ("initialized", "unheard/of", "turn/start"):
                client.send(method=method, params={"x": 1})
            client.send(id=77, result={"decision": "accept"})
            client.send(id="text", error={})
            await client.ask("account/read")
            assert len(client.messages) == at + 1

    run(work())


def test_a_flood_of_nonsense_is_answered_and_leaves_the_server_well(tmp_path: Path) -> None:
    """Required: 5 000 malformed messages."""

    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            at = len(client.messages)
            for number in range(5_000):
                client.connection.receive(b'{"id":%d,"method":' % number if number % 2 else b'{"id":{}}')
            assert len(client.messages) == at + 5_000
            await client.ask("account/read")
            assert not client.connection.busy

    run(work())


def test_requests_beyond_what_is_taken_at_once_are_told_to_come_later(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            at = len(client.messages)
            for _number in range(REQUESTS_MAX + 10):
                client.request("config/read")
            late = [each["error"] for each in client.messages[at:] if "error" in each]
            assert late == [{"code": -32001, "message": OVERLOAD}] * 10
            await client.connection.settle()
            assert sum("result" in each for each in client.messages[at:]) == REQUESTS_MAX
            await client.ask("account/read")

    run(work())


def test_an_id_counts_again_when_its_request_is_answered(tmp_path: Path) -> None:
    async def work() -> None:
        told = Event()
        async with app_place(tmp_path, waits_for(told, says("done"))) as place:
            client = await place.client()
            thread = await client.thread()
            started = await client.ask("turn/start", threadId=thread, input=said("go"))
            await client.told("turn/started")
            interrupt = {"threadId": thread, "turnId": started["turn"]["id"]}
            client.connection.receive(
                json.dumps({"id": "same", "method": "turn/interrupt", "params": interrupt}).encode()
            )
            client.expect({"same": "turn/interrupt"})
            client.send(id="same", method="account/read")
            refused = await client.until(lambda each: each.get("id") == "same")
            assert refused["error"]["message"] == "a request with this id is in progress"
            await client.until(lambda each: each.get("id") == "same" and "result" in each)
            client.expect({"same": "account/read"})
            at = len(client.messages)
            client.send(id="same", method="account/read")
            await client.until(lambda each: each.get("id") == "same", after=at)

    run(work())


def test_what_a_client_does_not_want_is_not_told(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client(optOutNotificationMethods=["thread/started", "item/started"])
            await client.turn(await client.thread())
            assert {"thread/started", "item/started"}.isdisjoint(client.names())
            with pytest.raises(AppError, match="at most 256"):
                await place.stranger().begin(optOutNotificationMethods=["x"] * 257)

    run(work())


def test_a_bug_ends_its_request_alone() -> None:
    async def fails(_client: Any, _params: Any) -> Any:
        raise ZeroDivisionError("oops")

    async def work() -> None:
        sent: list[Any] = []
        threads: Any = type("None", (), {"forget": lambda _self, _client: None})()
        connection = Connection(threads, {"initialize": fails}, lambda data: sent.append(json.loads(data)))
        connection.receive(json.dumps({"id": 1, "method": "initialize", "params": INFO}).encode())
        await connection.settle()
        assert sent == [{"id": 1, "error": {"code": -32603, "message": "internal error: ZeroDivisionError: oops"}}]
        await connection.close()

    run(work())


def test_a_client_that_answers_nothing_is_asked_only_so_much() -> None:
    async def work() -> None:
        sent: list[bytes] = []
        answers: list[object] = []
        threads: Any = type("None", (), {"forget": lambda _self, _client: None})()
        connection = Connection(threads, {}, sent.append)
        for _number in range(QUESTIONS_MAX + 5):
            connection.ask("item/fileChange/requestApproval", {}, answers.append)
        await asyncio.sleep(0)
        assert (len(sent), answers) == (QUESTIONS_MAX, [None] * 5)
        await connection.close()
        connection.notify("warning", {})
        assert len(sent) == QUESTIONS_MAX

    run(work())
