"""What the how-to page of the app server says to type is what it understands."""

from __future__ import annotations

from pathlib import Path

from support.app_server.app_client import app_place
from support.docs.how_to_pages import blocks
from support.model.responses_server import says
from support.process.loops import run


def test_the_messages_of_the_page_begin_a_session_and_a_turn(tmp_path: Path) -> None:
    begin, turn = blocks("app-server.md", "json")

    async def work() -> None:
        async with app_place(tmp_path, says("hello")) as place:
            client = place.stranger()
            client.expect({1: "initialize", 2: "thread/start", 3: "turn/start"})
            for line in begin.splitlines():
                client.connection.receive(line.encode())
            opened = await client.result_of(2)
            client.connection.receive(turn.replace("THREAD", opened["thread"]["id"]).encode())
            ended = await client.told("turn/completed")
            assert ended["turn"]["items"][0]["text"] == "hello"
            assert "say hello" in str(place.model.asked[0].body["input"])

    run(work())
