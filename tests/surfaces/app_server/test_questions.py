"""What a client is asked, and what its answers do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sandgate.serving.question_words import BULLET
from support.agent.agent_places import calls, command
from support.app_server.app_client import AppClient, app_place, said
from support.model.responses_server import custom_tool_call, function_call, says
from support.process.loops import run

pytestmark = pytest.mark.host("namespace", "notify")

ASKS = ("approval_policy=on-request",)
ITEM, QUESTION = "commandExecution", "item/commandExecution/requestApproval"


def outside(folder: Path, call: str = "c1", name: str = "made") -> Any:
    """A command that wants to write where it may not."""
    more = {"sandbox_permissions": "require_escalated", "justification": "May I write it?", "login": False}
    return function_call("exec_command", {"cmd": f"echo run >> {folder / name}", **more}, call)


async def begun(client: AppClient, **settings: Any) -> tuple[str, str]:
    thread = await client.thread(**settings)
    started = await client.ask("turn/start", threadId=thread, input=said("go"))
    return thread, started["turn"]["id"]


@pytest.mark.parametrize(
    ("decision", "status", "turn", "ran"),
    [
        ("accept", "completed", "completed", True),
        ("decline", "declined", "completed", False),
        ("cancel", "declined", "interrupted", False),
        ("yes please", "declined", "completed", False),
        ({"acceptWithExecpolicyAmendment": {"execpolicy_amendment": ["rm"]}}, "declined", "completed", False),
    ],
)
def test_an_answer_decides_about_the_command_that_was_shown(
    tmp_path: Path, decision: Any, status: str, turn: str, ran: bool
) -> None:
    """Required: what is none of the choices is a no."""

    async def work() -> None:
        async with app_place(tmp_path, calls(outside(tmp_path)), says("done"), overrides=ASKS) as place:
            client = await place.client()
            thread, turn_id = await begun(client)
            question = await client.question()
            asked = question["params"]
            (item,) = client.items(ITEM, of="item/started")
            assert (question["method"], asked["itemId"], asked["turnId"]) == (QUESTION, item["id"], turn_id)
            assert (asked["command"], asked["cwd"]) == (item["command"], str(place.repo))
            status_then = (await client.ask("thread/read", threadId=thread))["thread"]["status"]
            assert status_then == {"type": "active", "activeFlags": ["waitingOnApproval"]}
            client.answer(question, decision)
            assert (await client.told("serverRequest/resolved"))["requestId"] == question["id"]
            assert (await client.told("turn/completed"))["turn"]["status"] == turn
            (ended,) = client.items(ITEM)
            assert (ended["status"], (tmp_path / "made").exists()) == (status, ran)
            read = str(place.model.asked[-1].body["input"][-1])
            assert ("rejected by user" in read) == (decision == "decline")  # nobody decided what is none of the choices
            names = client.names()
            assert names.index("item/started", names.index(QUESTION) - 2) < names.index(QUESTION)
            assert names.index("serverRequest/resolved") < len(names) - names[::-1].index("item/completed") - 1

    run(work())


def test_the_words_have_the_reason_the_risk_and_what_a_yes_gives(tmp_path: Path) -> None:
    """Required: a client that shows one text shows what a person has to know."""

    async def work() -> None:
        async with app_place(tmp_path, calls(outside(tmp_path)), says("done"), overrides=ASKS) as place:
            client = await place.client()
            await begun(client)
            asked = (await client.question())["params"]
            first, *rest = asked["reason"].split(f" {BULLET} ")
            assert first == "May I write it?"
            assert rest[0].startswith(f"Risk: {asked['risk']['riskLevel'].upper()}")
            assert asked["risk"]["description"] in rest
            assert rest[-1].startswith("A yes means: yes, once:")
            assert asked["availableDecisions"][0] == "accept"
            assert asked["availableDecisions"][-2:] == ["decline", "cancel"]

    run(work())


def test_a_yes_for_the_session_is_asked_once(tmp_path: Path) -> None:
    async def work() -> None:
        again = (calls(outside(tmp_path)), says("one"), calls(outside(tmp_path, "c2")), says("two"))
        async with app_place(tmp_path, *again, overrides=ASKS) as place:
            client = await place.client()
            thread, _turn = await begun(client)
            client.answer(await client.question(), "acceptForSession")
            await client.told("turn/completed")
            await client.turn(thread)
            assert client.names().count(QUESTION) == 1
            assert (tmp_path / "made").read_text() == "run\nrun\n"

    run(work())


def test_two_questions_are_open_together_and_answered_in_any_order(tmp_path: Path) -> None:
    async def work() -> None:
        both = calls(outside(tmp_path, "c1", "one"), outside(tmp_path, "c2", "two"))
        async with app_place(tmp_path, both, says("done"), overrides=ASKS) as place:
            client = await place.client()
            await begun(client)
            await client.until(lambda _message: client.names().count(QUESTION) == 2)
            first, second = [each for each in client.messages if each.get("method") == QUESTION]
            client.answer(second, "accept")
            client.answer(first, "decline")
            await client.told("turn/completed")
            ran = {first["params"]["itemId"]: False, second["params"]["itemId"]: True}
            assert ran == {"c1": (tmp_path / "one").exists(), "c2": (tmp_path / "two").exists()}

    run(work())


def test_with_two_clients_the_first_answer_counts_and_both_take_the_question_down(tmp_path: Path) -> None:
    """Required, and a third that comes later is asked what is open, in its own words."""

    async def work() -> None:
        async with app_place(tmp_path, calls(outside(tmp_path)), says("done"), overrides=ASKS) as place:
            first, second = await place.client(), await place.client()
            thread, _turn = await begun(first)
            asked = await first.question()
            joined = await second.ask("thread/resume", threadId=thread)
            assert joined["thread"]["turns"][-1]["status"] == "inProgress"
            also = await second.question()
            assert also["params"]["itemId"] == asked["params"]["itemId"]
            second.answer(also, "decline")
            first.answer(asked, "accept")
            for client, question in ((first, asked), (second, also)):
                assert (await client.told("serverRequest/resolved"))["requestId"] == question["id"]
                await client.told("turn/completed")
            assert not (tmp_path / "made").exists()

    run(work())


@pytest.mark.parametrize("way", ["leaves", "unsubscribes", "answers with an error"])
def test_a_client_that_goes_with_an_open_question_has_said_no(tmp_path: Path, way: str) -> None:
    """Required: nobody there to ask means no."""

    async def work() -> None:
        async with app_place(tmp_path, calls(outside(tmp_path)), says("done"), overrides=ASKS) as place:
            client, other = await place.client(), await place.client()
            thread, _turn = await begun(client)
            question = await client.question()
            if way == "leaves":
                await client.connection.close()
            elif way == "unsubscribes":
                assert await client.ask("thread/unsubscribe", threadId=thread) == {"status": "unsubscribed"}
            else:
                client.send(id=question["id"], error={"code": 1, "message": "cannot"})
                await client.told("turn/completed")
            while thread in (await other.ask("thread/loaded/list"))["data"] and way != "answers with an error":
                live = place.threads.find(thread)
                if live is not None:
                    await live.ended()
            turns = (await other.ask("thread/turns/list", threadId=thread))["data"]
            assert turns[0]["status"] == "completed"
            assert not (tmp_path / "made").exists()

    run(work())


def test_a_client_that_has_left_answers_nothing_for_those_who_stay(tmp_path: Path) -> None:
    """Required: the question is its no longer; nor is anything kept of it."""

    async def work() -> None:
        async with app_place(tmp_path, calls(outside(tmp_path)), says("done"), overrides=ASKS) as place:
            left, stays = await place.client(), await place.client()
            thread, _turn = await begun(left)
            await stays.ask("thread/resume", threadId=thread)
            first, second = await left.question(), await stays.question()
            assert (await left.ask("thread/unsubscribe", threadId=thread))["status"] == "unsubscribed"
            left.answer(first, "accept")
            await left.ask("thread/loaded/list")  # by now the answer was read
            stays.answer(second, "decline")
            await stays.told("turn/completed")
            (ended,) = stays.items(ITEM)
            assert (ended["status"], (tmp_path / "made").exists()) == ("declined", False)

    run(work())


def test_an_interrupt_takes_the_question_down(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, calls(outside(tmp_path)), says("done"), overrides=ASKS) as place:
            client = await place.client()
            thread, turn_id = await begun(client)
            question = await client.question()
            await client.ask("turn/interrupt", threadId=thread, turnId=turn_id)
            assert (await client.told("serverRequest/resolved"))["requestId"] == question["id"]
            (item,) = client.items(ITEM)
            assert item["status"] == "declined"
            client.answer(question, "accept")  # too late
            assert (await client.ask("thread/read", threadId=thread))["thread"]["status"] == {"type": "idle"}
            assert not (tmp_path / "made").exists()

    run(work())


@pytest.mark.parametrize(("decision", "made"), [("accept", True), ("decline", False)])
def test_a_patch_that_leaves_the_workspace_is_asked_about(tmp_path: Path, decision: str, made: bool) -> None:
    async def work() -> None:
        patch = f"*** Begin Patch\n*** Add File: {tmp_path}/made\n+x\n*** End Patch\n"
        wants = custom_tool_call("apply_patch", patch, "p1")
        overrides = (*ASKS, "features.apply_patch_freeform=true")
        async with app_place(tmp_path, calls(wants), says("done"), overrides=overrides) as place:
            client = await place.client()
            await begun(client)
            question = await client.question()
            assert question["method"] == "item/fileChange/requestApproval"
            (item,) = client.items("fileChange", of="item/started")
            assert question["params"]["itemId"] == item["id"]
            client.answer(question, decision)
            await client.told("turn/completed")
            (ended,) = client.items("fileChange")
            assert (ended["status"], (tmp_path / "made").exists()) == (
                "completed" if made else "declined",
                made,
            )

    run(work())


def test_what_nothing_speaks_against_is_not_asked(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, calls(command("true")), says("done"), overrides=ASKS) as place:
            client = await place.client()
            await client.turn(await client.thread())
            assert QUESTION not in client.names()

    run(work())
