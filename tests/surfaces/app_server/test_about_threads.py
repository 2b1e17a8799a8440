"""Sessions as threads: begun, gone on with, copied, listed, read, named, put away, watched by several."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import Any

import pytest

from support.agent.agent_places import calls, command
from support.app_server.app_client import AppError, app_place, said
from support.model.responses_server import says, waits_for
from support.process.loops import run


def test_a_thread_begins_and_is_announced_after_its_answer(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client, other = await place.client(), await place.client()
            opened = await client.ask("thread/start", sandbox="read-only", approvalPolicy="untrusted")
            thread = opened["thread"]
            assert (opened["sandbox"]["type"], opened["approvalPolicy"]) == ("readOnly", "untrusted")
            assert (opened["model"], opened["modelProvider"]) == ("double", "test")
            assert (thread["cwd"], thread["status"], thread["turns"]) == (str(place.repo), {"type": "idle"}, [])
            for each in (client, other):
                assert (await each.told("thread/started"))["thread"]["id"] == thread["id"]
            kinds = [message.get("method", "answer") for message in client.messages]
            assert kinds == ["answer", "answer", "thread/started"]
            assert await client.ask("thread/loaded/list") == {"data": [thread["id"]], "nextCursor": None}

    run(work())


def test_a_thread_goes_on_after_it_was_closed_with_what_was_said(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, calls(command("true")), says("first answer"), says("second")) as place:
            client = await place.client()
            thread = await client.thread()
            await client.turn(thread, "remember me")
            assert await client.ask("thread/unsubscribe", threadId=thread) == {"status": "unsubscribed"}
            await place.threads.settled()
            assert await client.ask("thread/loaded/list") == {"data": [], "nextCursor": None}
            read = await client.ask("thread/read", threadId=thread, includeTurns=True)
            assert (read["thread"]["status"], read["thread"]["preview"]) == ({"type": "notLoaded"}, "remember me")
            assert [item["type"] for item in read["thread"]["turns"][0]["items"]] == ["userMessage", "agentMessage"]
            opened = await client.ask("thread/resume", threadId=thread)
            assert opened["thread"]["turns"] == read["thread"]["turns"]
            await client.turn(thread, "again")
            assert "first answer" in str(place.model.asked[-1].body["input"])

    run(work())


def test_who_joins_a_live_thread_is_shown_everything_and_told_the_rest(tmp_path: Path) -> None:
    """Required: nothing is missed and nothing is told twice, wherever in a turn a client comes."""

    async def work() -> None:
        told = Event()
        answers = (calls(command("echo one", "c1")), waits_for(told, calls(command("echo two", "c2"))), says("done"))
        async with app_place(tmp_path, *answers) as place:
            first, second = await place.client(), await place.client()
            thread = await first.thread()
            first.request("turn/start", threadId=thread, input=said("go"))
            await first.until(lambda _message: len(first.items("commandExecution")) == 1)
            shown = (await second.ask("thread/resume", threadId=thread))["thread"]["turns"][-1]["items"]
            told.set()
            await second.told("turn/completed")
            seen = [item["id"] for item in shown] + [item["id"] for item in second.items("commandExecution")]
            assert [name for name in seen if name in ("c1", "c2")] == ["c1", "c2"]
            assert len(place.threads.ids) == 1

    run(work())


def test_a_turn_goes_on_when_its_client_has_gone_and_ends_the_thread(tmp_path: Path) -> None:
    async def work() -> None:
        told = Event()
        async with app_place(tmp_path, waits_for(told, says("done alone"))) as place:
            client = await place.client()
            thread = await client.thread()
            await client.ask("turn/start", threadId=thread, input=said("go"))
            await client.told("turn/started")
            await client.connection.close()
            assert place.threads.ids == [thread]
            told.set()
            live = place.threads.named(thread)
            await live.ended()
            assert place.threads.ids == []
            late = await place.client()
            turns = (await late.ask("thread/turns/list", threadId=thread))["data"]
            assert [item.get("text") for item in turns[0]["items"]][-1] == "done alone"

    run(work())


def test_a_copy_is_another_thread(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("one"), says("two")) as place:
            client = await place.client()
            thread = await client.thread()
            await client.turn(thread, "first")
            copy = (await client.ask("thread/fork", threadId=thread))["thread"]
            assert (copy["forkedFromId"], copy["id"] != thread) == (thread, True)
            assert copy["preview"] == "first"
            await client.turn(copy["id"], "second")
            assert len((await client.ask("thread/turns/list", threadId=thread))["data"]) == 1

    run(work())


def test_threads_are_listed_in_pages_and_filtered(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            threads = [await client.thread() for _number in range(3)]
            for number, thread in enumerate(threads):
                await client.turn(thread, f"number {number}")

            async def listed(**wanted: Any) -> list[str]:
                return [each["preview"] for each in (await client.ask("thread/list", **wanted))["data"]]

            first = await client.ask("thread/list", limit=2)
            assert [each["preview"] for each in first["data"]] == ["number 2", "number 1"]
            assert await listed(limit=2, cursor=first["nextCursor"]) == ["number 0"]
            assert await listed(searchTerm="NUMBER 1") == ["number 1"]
            assert await listed(excludedThreadIds=threads[:2]) == ["number 2"]
            assert await listed(cwd="/elsewhere") == await listed(sectionId="s") == []
            assert await listed(modelProviders=["test"], sourceKinds=["vscode"], limit=1) == ["number 2"]
            assert await listed(modelProviders=["other"]) == await listed(sourceKinds=["exec"]) == []
            assert await listed(searchTerm="number 0", limit=1) == ["number 0"]  # the newest are other ones
            with pytest.raises(AppError, match="no place in a list"):
                await client.ask("thread/list", cursor="nonsense")

    run(work())


def test_turns_and_items_are_listed_from_either_end(tmp_path: Path) -> None:
    """Required: this is how the terminal program of the lineage shows a thread that goes on."""

    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            thread = await client.thread()
            turns = [(await client.turn(thread, f"number {number}"))["id"] for number in range(3)]

            async def page(method: str, **wanted: Any) -> Any:
                return await client.ask(method, threadId=thread, **wanted)

            newest = await page("thread/turns/list", limit=2, itemsView="notLoaded")
            assert [(each["id"], each["items"]) for each in newest["data"]] == [(turns[2], []), (turns[1], [])]
            await client.turn(thread, "number 3")  # what is told meanwhile moves no place
            rest = await page("thread/turns/list", limit=2, cursor=newest["nextCursor"])
            assert ([each["id"] for each in rest["data"]], rest["nextCursor"]) == (turns[:1], None)
            turned = await page("thread/turns/list", sortDirection="asc", cursor=newest["backwardsCursor"], limit=1)
            assert turned["data"][0]["id"] == turns[2]
            items = (await page("thread/items/list", limit=3))["data"]
            assert [each["item"]["type"] for each in items] == ["userMessage", "agentMessage", "userMessage"]
            last = (await page("thread/items/list", turnId=turns[1], sortDirection="desc"))["data"]
            assert [(each["turnId"], each["item"]["type"]) for each in last] == [
                (turns[1], "agentMessage"),
                (turns[1], "userMessage"),
            ]
            with pytest.raises(AppError, match="no place in this list"):
                await page("thread/items/list", cursor="x")

    run(work())


def test_a_thread_is_put_away_and_brought_back(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            thread = await client.thread()
            await client.turn(thread)
            assert await client.ask("thread/archive", threadId=thread) == {}
            assert (await client.told("thread/archived"))["threadId"] == thread
            assert (await client.told("thread/closed"))["threadId"] == thread
            assert (await client.ask("thread/list"))["data"] == []
            assert [each["id"] for each in (await client.ask("thread/list", archived=True))["data"]] == [thread]
            await client.ask("thread/unarchive", threadId=thread)
            assert [each["id"] for each in (await client.ask("thread/list"))["data"]] == [thread]

    run(work())


def test_a_name_is_told_to_all(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client, other = await place.client(), await place.client()
            thread = await client.thread()
            assert await client.ask("thread/name/set", threadId=thread, name=" Make it so ") == {}
            assert await other.told("thread/name/updated") == {"threadId": thread, "threadName": "Make it so"}
            assert (await client.ask("thread/read", threadId=thread))["thread"]["name"] == "Make it so"
            with pytest.raises(AppError, match="a name has"):
                await client.ask("thread/name/set", threadId=thread, name=" ")

    run(work())


@pytest.mark.parametrize(
    "method", ["thread/resume", "thread/fork", "thread/read", "thread/turns/list", "thread/archive", "thread/name/set"]
)
def test_a_thread_that_does_not_exist_is_not_found(tmp_path: Path, method: str) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            with pytest.raises(AppError) as refused:
                await client.ask(method, threadId="01a20525-1c9c-7d60-a7bf-58d200253071", name="n")
            assert refused.value.code == -32600
            assert await client.ask("thread/unsubscribe", threadId="none") == {"status": "notLoaded"}

    run(work())


def test_two_who_resume_at_once_get_the_same(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            thread = await client.thread()
            await client.turn(thread)
            await client.ask("thread/unsubscribe", threadId=thread)
            await place.threads.settled()
            others = [await place.client() for _number in range(3)]
            numbers = [each.request("thread/resume", threadId=thread) for each in others]
            for each, number in zip(others, numbers, strict=True):
                assert (await each.result_of(number))["thread"]["id"] == thread
            assert place.threads.ids == [thread]

    run(work())
