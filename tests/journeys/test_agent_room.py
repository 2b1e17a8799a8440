"""Making room in a long conversation: the model's own summaries, with a real server, gate and transcript.

The parts of it stand in tests/session/test_compacting.py.
"""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from sandgate.agent.agent import AgentOptions
from sandgate.protocol.events import BackgroundEvent, ContextCompacted, Failed, TaskComplete, TaskStarted
from sandgate.protocol.operations import Compact
from sandgate.session.compaction import SUMMARY_PROMPT
from sandgate.session.synthetic_messages import SUMMARY_PREFIX
from support.agent.agent_places import AgentPlace, calls, command, only, said, until
from support.model.responses_server import ResponsesServer, message, refuses, says, sends, turn
from support.process.loops import run

if TYPE_CHECKING:
    from pathlib import Path

    from support.model.responses_server import Json, Manner

pytestmark = pytest.mark.host("namespace", "notify")

WRITES = ("sandbox_mode=workspace-write", "approval_policy=never")
FULL = refuses(400, '{"error":{"code":"context_length_exceeded","message":"too long"}}')


def costs(tokens: int, *items: Json) -> Manner:
    """An answer after which the conversation has so many tokens."""
    *before, last = turn(*items)
    usage = {"input_tokens": tokens, "output_tokens": 0, "total_tokens": tokens}
    return sends(*before, {**last, "response": {**last["response"], "usage": usage}})


def texts(body: Json) -> list[str]:
    """What stands in the conversation, the surroundings as their mark alone."""
    found = []
    for item in body["input"]:
        for part in item.get("content", ()):
            found.append(part["text"].partition(">")[0] if part["text"].startswith("<") else part["text"])
        if "content" not in item:
            found.append(item["type"])
    return found


async def compacted(agent: Any) -> list[Any]:
    return await until(agent, TaskComplete, Failed, of=agent.submit(Compact()))


def test_a_conversation_at_its_limit_is_summarised_and_the_turn_goes_on(tmp_path: Path) -> None:
    script = (costs(5000, command("echo one >> log", "c1")), says("the summary"), says("done"))

    async def work() -> None:
        with ResponsesServer(*script) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened("model_auto_compact_token_limit=4000", *WRITES) as agent:
                told = await said(agent, "work")
                assert len(only(told, TaskStarted)) == len(only(told, ContextCompacted)) == 1
                assert told[-1].last_agent_message == "done"
            assert place.lines() == ["one"]
            first, summary, last = server.asked
            assert (summary.body["tools"], summary.headers["x-openai-subagent"]) == ([], "compact")
            assert texts(summary.body) == [*texts(first.body), "function_call", "function_call_output", SUMMARY_PROMPT]
            assert texts(last.body) == ["<environment_context", "work", f"{SUMMARY_PREFIX}\nthe summary"]
            assert last.body["tools"] == first.body["tools"]

    run(work())


def test_a_summary_that_makes_no_room_ends_the_turn_with_its_size_and_the_limit(tmp_path: Path) -> None:
    big = costs(5000, command("echo one >> log", "c1"))

    async def work() -> None:
        with ResponsesServer(big, says("s1"), big, says("back")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened("model_auto_compact_token_limit=4000", *WRITES) as agent:
                told = await said(agent, "work")
                assert isinstance(told[-1], Failed)
                assert "4000" in told[-1].message
                assert len(server.asked) == 3

    run(work())


def test_a_window_too_small_for_the_summary_loses_its_oldest_and_says_how_many(tmp_path: Path) -> None:
    script = (calls(command("echo one", "c1")), says("hello"), FULL, FULL, FULL, says("short"))

    async def work() -> None:
        with ResponsesServer(*script) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                await said(agent, "work")
                told = await compacted(agent)
                (trimmed,) = [each.message for each in only(told, BackgroundEvent) if "Trimmed" in each.message]
                assert trimmed.startswith("Trimmed 3 older conversation item(s)")
            shown = [len(asked.body["input"]) for asked in server.asked[2:]]
            # The surroundings, what was said, and a call together with its answer.
            assert shown == [6, 5, 4, 2]

    run(work())


def test_two_summaries_keep_what_the_person_said_and_only_the_newer_one(tmp_path: Path) -> None:
    script = (says("a"), says("first"), says("b"), says("second"), says("c"))

    async def work() -> None:
        with ResponsesServer(*script) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                for words in ("one", "two"):
                    await said(agent, words)
                    await compacted(agent)
                await said(agent, "three")
            kept = ["one", "two", f"{SUMMARY_PREFIX}\nsecond", "<environment_context", "three"]
            assert texts(server.asked[-1].body) == kept

    run(work())


def test_what_goes_on_after_a_summary_asks_what_the_living_session_asks_byte_for_byte(tmp_path: Path) -> None:
    """Required: one session lives on; a copy of its files goes on somewhere else; both are asked the same thing."""
    script = (calls(command("echo one", "c1")), sends(*turn(message("grün — 漢字"))), says("the summary"), says("on"))

    async def work() -> None:
        with ResponsesServer(*script) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                await said(agent, "work")
                await compacted(agent)
                await said(agent, "and now?")
                shutil.copytree(place.home, tmp_path / "elsewhere")
                await said(agent, "more")
            place.env["HOME"] = str(tmp_path / "elsewhere")
            async with place.opened(*WRITES, options=AgentOptions(resume="last")) as agent:
                await said(agent, "more")
            living, resumed = (json.dumps(asked.body["input"]) for asked in server.asked[-2:])
            assert living == resumed
            assert "the summary" in living

    run(work())
