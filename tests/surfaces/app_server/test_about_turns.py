"""Turns as a client sees them, with a model on the loopback and real commands."""

from __future__ import annotations

import re
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from sandgate.protocol.operations import ContextChange, TextInput
from support.agent.agent_places import calls, command
from support.app_server.app_client import AppClient, AppError, app_place, said
from support.model.responses_server import (
    custom_tool_call,
    function_call,
    message,
    says,
    sends,
    text_delta,
    turn,
    waits_for,
)
from support.process.loops import run

PATCH = "*** Begin Patch\n*** Add File: made.txt\n+by patch\n*** End Patch\n"


def test_a_turn_is_told_from_its_beginning_to_its_end(tmp_path: Path) -> None:
    """Required: the order that clients of the lineage have seen (see tests/surfaces/app_server/recorded)."""

    async def work() -> None:
        async with app_place(tmp_path, calls(command("echo hi")), says("done")) as place:
            client = await place.client()
            thread = await client.thread()
            at = len(client.messages)
            ended = await client.turn(thread, "make it so", clientUserMessageId="mine")
            assert [name for name in client.names(after=at) if not name.startswith("thread/tokenUsage")] == [
                "thread/status/changed",
                "turn/started",
                "item/started",
                "item/completed",
                "item/started",
                "item/commandExecution/outputDelta",
                "item/completed",
                "item/started",
                "item/completed",
                "thread/status/changed",
                "turn/completed",
            ]
            assert (ended["status"], ended["error"], [item["text"] for item in ended["items"]]) == (
                "completed",
                None,
                ["done"],
            )
            (heard,) = client.items("userMessage")
            assert (heard["clientId"], heard["content"][0]["text"]) == ("mine", "make it so")
            (ran,) = client.items("commandExecution")
            assert (ran["status"], ran["exitCode"], ran["aggregatedOutput"]) == ("completed", 0, "hi\n")
            assert (await client.ask("thread/read", threadId=thread))["thread"]["preview"] == "make it so"

    run(work())


def test_the_words_of_a_sub_agent_are_no_item_of_the_thread(tmp_path: Path) -> None:
    """Required: what it says is not taken for what the thread's own model says, and leaves no item open."""
    begun, *rest = turn(message("its words"))
    child = sends(begun, text_delta("its "), text_delta("words"), *rest)

    async def work() -> None:
        hands_over = calls(function_call("delegate", {"prompt": "do it"}, "d1"))
        async with app_place(tmp_path, hands_over, child, says("done")) as place:
            client = await place.client()
            ended = await client.turn(await client.thread())
            assert [item["text"] for item in ended["items"] if item["type"] == "agentMessage"] == ["done"]
            assert "item/agentMessage/delta" not in client.names()
            assert len(client.items("agentMessage", of="item/started")) == 1

    run(work())


def test_what_the_model_says_arrives_in_pieces_of_one_item(tmp_path: Path) -> None:
    pieces = [text_delta("do"), text_delta("ne")]
    created, *rest = turn({"type": "message", "id": "msg_1", "role": "assistant", "content": [
        {"type": "output_text", "text": "done"}]})  # fmt: skip
    begun = {"type": "response.output_item.added", "item": {"type": "message", "id": "msg_1", "role": "assistant"}}

    async def work() -> None:
        async with app_place(tmp_path, sends(created, begun, *pieces, *rest)) as place:
            client = await place.client()
            await client.turn(await client.thread())
            (item,) = client.items("agentMessage")
            deltas = [each["params"] for each in client.messages if each.get("method") == "item/agentMessage/delta"]
            assert ("".join(each["delta"] for each in deltas), {each["itemId"] for each in deltas}) == (
                "done",
                {item["id"]},
            )
            assert len(client.items("agentMessage", of="item/started")) == 1

    run(work())


def test_a_patch_is_an_item_and_a_difference(tmp_path: Path) -> None:
    async def work() -> None:
        wants = custom_tool_call("apply_patch", PATCH, "p1")
        overrides = ("features.apply_patch_freeform=true",)
        async with app_place(tmp_path, calls(wants), says("done"), overrides=overrides) as place:
            client = await place.client()
            await client.turn(await client.thread())
            (patch,) = client.items("fileChange")
            assert (patch["status"], [change["kind"] for change in patch["changes"]]) == (
                "completed",
                [{"type": "add"}],
            )
            assert "+by patch" in (await client.told("turn/diff/updated"))["diff"]
            assert (place.repo / "made.txt").read_text() == "by patch\n"

    run(work())


def test_a_turn_that_fails_says_so_twice_and_ends(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, sends({"type": "response.failed", "response": {"error": {
            "code": "insufficient_quota", "message": "no money"}}})) as place:  # fmt: skip
            client = await place.client()
            ended = await client.turn(await client.thread())
            error = await client.told("error")
            assert (ended["status"], ended["error"], error["willRetry"]) == ("failed", error["error"], False)
            assert error["error"]["message"]

    run(work())


def test_what_is_said_meanwhile_is_heard_in_the_same_turn(tmp_path: Path) -> None:
    async def work() -> None:
        told = Event()
        answers = (waits_for(told, calls(command("true"))), says("done"))
        async with app_place(tmp_path, *answers) as place:
            client = await place.client()
            thread = await client.thread()
            turn_id = (await client.ask("turn/start", threadId=thread, input=said("go")))["turn"]["id"]
            await client.told("turn/started")
            with pytest.raises(AppError, match="another turn"):
                await client.ask("turn/steer", threadId=thread, input=said("no"), expectedTurnId="other")
            with pytest.raises(AppError, match="a turn runs"):
                await client.ask("turn/start", threadId=thread, input=said("no"))
            heard = await client.ask("turn/steer", threadId=thread, input=said("faster"), expectedTurnId=turn_id)
            assert heard == {"turnId": turn_id}
            await client.until(lambda _message: len(client.items("userMessage")) == 2)
            told.set()
            await client.told("turn/completed")
            assert "faster" in str(place.model.asked[-1].body["input"])

    run(work())


def test_an_interrupt_ends_a_command_and_completes_its_item(tmp_path: Path) -> None:
    """Required: unlike in the lineage, every item that began is completed before its turn."""

    async def work() -> None:
        async with app_place(tmp_path, calls(command("echo started; sleep 100"))) as place:
            client = await place.client()
            thread = await client.thread()
            turn_id = (await client.ask("turn/start", threadId=thread, input=said("go")))["turn"]["id"]
            await client.told("item/commandExecution/outputDelta")
            assert await client.ask("turn/interrupt", threadId=thread, turnId=turn_id) == {}
            assert (await client.told("turn/completed"))["turn"]["status"] == "interrupted"
            (item,) = client.items("commandExecution")
            assert item["status"] == "failed"
            with pytest.raises(AppError, match="no active turn to interrupt"):
                await client.ask("turn/interrupt", threadId=thread, turnId=turn_id)

    run(work())


def test_a_schema_is_of_one_turn(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}

    async def work() -> None:
        async with app_place(tmp_path, says("{}"), says("done")) as place:
            client = await place.client()
            thread = await client.thread()
            await client.turn(thread, outputSchema=schema)
            await client.turn(thread)
            first, second = [asked.body.get("text", {}).get("format") for asked in place.model.asked]
            assert (first["schema"], second) == (schema, None)

    run(work())


@pytest.mark.parametrize(
    ("more", "said_of_it", "code"),
    [
        ({"approvalPolicy": "never"}, "as strict as it began", -32600),
        ({"model": ""}, "no name of a model", -32600),
        ({"effort": "immense"}, "effort", -32600),
        ({"summary": "long"}, "summary", -32600),
        ({"cwd": "/"}, "as strict as it began", -32600),
        ({"cwd": "nowhere"}, "no such directory", -32600),
        ({"sandboxPolicy": {"type": "dangerFullAccess"}}, "as strict as it began", -32600),
        ({"sandboxPolicy": {"type": "workspaceWrite", "networkAccess": True}}, "as strict as it began", -32600),
        ({"approvalsReviewer": "auto_review"}, "approvalsReviewer", -32602),
        ({"collaborationMode": {"mode": "plan", "settings": {}}}, "mode", -32602),
        ({"permissions": ":danger-full-access"}, "permissions", -32602),
        ({"input": []}, "input", -32602),
    ],
)
def test_what_a_turn_may_not_bring_is_said_and_nothing_begins(
    tmp_path: Path, more: Any, said_of_it: str, code: int
) -> None:
    """Required: an answer that says so, never a wish that is ignored."""

    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            thread = await client.thread()
            for method, extra in (("turn/start", {"input": said("go")}), ("thread/settings/update", {})):
                if "input" in more and not extra:
                    continue
                with pytest.raises(AppError, match=said_of_it) as refused:
                    await client.ask(method, **{"threadId": thread, **extra, **more})
                assert refused.value.code == code
            assert place.model.asked == []
            assert "thread/settings/updated" not in client.names()
            assert (await client.turn(thread))["status"] == "completed"

    run(work())


async def refused(client: AppClient, thread: str, **more: Any) -> None:
    """A turn whose question is answered with no."""
    at = len(client.messages)
    await client.ask("turn/start", threadId=thread, input=said("go"), **more)
    client.answer(await client.question(after=at), "decline")
    await client.told("turn/completed", after=at)


def test_a_turn_that_only_reads_cannot_write_and_its_settings_hold_on(tmp_path: Path) -> None:
    """Required: what a turn brings holds for its commands and for later turns, and every client is told."""
    writes = calls(command("echo run >> log; cat log"))

    async def work() -> None:
        async with app_place(tmp_path, writes, says("one"), writes, says("two"), writes, says("three")) as place:
            client, other = await place.client(), await place.client()
            (place.repo / "log").touch()
            (place.repo / "below").mkdir()
            thread = await client.thread()
            await other.ask("thread/resume", threadId=thread)
            await client.turn(thread)
            assert "thread/settings/updated" not in client.names()
            more = {"model": "another", "effort": "low", "cwd": "below"}
            await refused(client, thread, sandboxPolicy={"type": "readOnly"}, **more)
            assert (place.repo / "log").read_text() == "run\n"
            for told in (client, other):
                holds = (await told.told("thread/settings/updated"))["threadSettings"]
                assert holds["sandboxPolicy"] == {"type": "readOnly", "networkAccess": False}
                assert (holds["model"], holds["effort"], holds["cwd"]) == ("another", "low", str(place.repo / "below"))
            names = client.names()
            assert names.index("thread/settings/updated") < len(names) - 1 - names[::-1].index("turn/started")
            await refused(client, thread)
            assert (place.repo / "log").read_text() == "run\n"
            assert [each.body["model"] for each in place.model.asked[1:4:2]] == ["double", "another"]
            assert names.count("thread/settings/updated") == 1
            opened = await other.ask("thread/resume", threadId=thread)
            assert (opened["model"], opened["sandbox"]["type"]) == ("another", "readOnly")

    run(work())


def test_settings_are_changed_between_turns(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            thread = await client.thread()
            mode = {"mode": "default", "settings": {"model": "another", "reasoning_effort": "high"}}
            assert (
                await client.ask(
                    "thread/settings/update", threadId=thread, collaborationMode=mode, approvalPolicy="untrusted"
                )
                == {}
            )
            holds = (await client.told("thread/settings/updated"))["threadSettings"]
            assert (holds["model"], holds["collaborationMode"]["settings"]["reasoning_effort"]) == ("another", "high")
            assert holds["approvalPolicy"] == "untrusted"
            await client.turn(thread)
            assert place.model.asked[0].body["model"] == "another"
            assert client.names().count("thread/settings/updated") == 1

    run(work())


def test_a_server_that_may_loosen_lets_a_turn_do_so(tmp_path: Path) -> None:
    """The other half: what is refused elsewhere does write."""
    outside = tmp_path / "elsewhere"
    writes = calls(command(f"echo run >> {outside}"))

    async def work() -> None:
        async with app_place(tmp_path, writes, says("one"), loosening=True) as place:
            client = await place.client()
            thread = await client.thread()
            await client.turn(thread, sandboxPolicy={"type": "dangerFullAccess"}, approvalPolicy="never")
            assert outside.read_text() == "run\n"

    run(work())


def test_a_turn_that_can_no_longer_be_had_fails_and_the_next_one_runs(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            thread = await client.thread()
            below = place.repo / "below"
            below.mkdir()
            live = place.threads.named(thread)
            turn_id = live.say((TextInput("go"),), None, None, ContextChange(cwd=str(below)))["id"]
            below.rmdir()  # before the session looks at what it was asked
            ended = (await client.told("turn/completed"))["turn"]
            assert (ended["id"], ended["status"]) == (turn_id, "failed")
            assert "no such directory" in ended["error"]["message"]
            assert (await client.turn(thread))["status"] == "completed"

    run(work())


def test_what_clients_repeat_with_each_turn_is_taken(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            opened = await client.ask("thread/start", sandbox="workspace-write")
            repeated = {name: opened[name] for name in ("model", "cwd", "approvalPolicy")}
            policy = {"type": "workspaceWrite", "networkAccess": False, "writableRoots": []}
            ended = await client.turn(opened["thread"]["id"], **repeated, sandboxPolicy=policy, effort=None)
            assert ended["status"] == "completed"

    run(work())


def test_a_command_that_lives_on_is_over_with_its_turn_and_only_once(tmp_path: Path) -> None:
    wants = function_call("exec_command", {"cmd": "read _; echo bye", "yield_time_ms": 250, "tty": True}, "c1")

    def types(connection: Any) -> None:
        number = re.findall(r"session ID (\d+)", str(connection.asked.body["input"]))[-1]
        calls(function_call("write_stdin", {"session_id": int(number), "chars": "\n"}, "c2"))(connection)

    async def work() -> None:
        async with app_place(tmp_path, calls(wants), says("one"), types, says("two")) as place:
            client = await place.client()
            thread = await client.thread()
            await client.turn(thread)
            (item,) = client.items("commandExecution")
            assert (item["status"], item["exitCode"], bool(item["processId"])) == ("completed", None, True)
            await client.turn(thread)
            typed = await client.told("item/commandExecution/terminalInteraction")
            assert (typed["itemId"], typed["processId"], typed["stdin"]) == ("c1", item["processId"], "\n")
            assert len(client.items("commandExecution")) == 1

    run(work())
