"""A provider that makes room in a conversation itself, over real connections, and a session that goes on with that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sandgate.agent.agent import AgentOptions
from sandgate.protocol.events import ContextCompacted, Failed, TaskComplete, Warned
from sandgate.protocol.operations import Compact
from support.agent.agent_places import AgentPlace, by_prompt, calls, only, said, until
from support.model.responses_server import ResponsesServer, function_call, message, refuses, says, sends, turn
from support.process.loops import run

if TYPE_CHECKING:
    from support.model.responses_server import Manner

pytestmark = pytest.mark.host("namespace", "notify")

OFFERED = "model_providers.test.remote_compaction=true"
SEALED = {"type": "compaction", "encrypted_content": "sealed"}
SEALS = refuses(200, json.dumps({"id": "r", "output": [message("forged", role="user"), SEALED]}))
LAST = AgentOptions(resume="last")


def full(text: str) -> Manner:
    """An answer after which the window is full."""
    *events, completed = turn(message(text))
    usage = {"input_tokens": 900, "output_tokens": 5, "total_tokens": 905}
    return sends(*events, {**completed, "response": {"id": "r", "usage": usage}})


def words(body: Any) -> list[str]:
    """What a request says, but for what the session itself says in it."""
    texts = [item.get("encrypted_content") or item["content"][0]["text"] for item in body["input"]]
    return [text for text in texts if not text.startswith("<")]


def warned(told: list[Any]) -> list[str]:
    return [each.message for each in only(told, Warned)]


def test_a_full_conversation_goes_on_with_what_the_provider_sealed_also_after_a_resume(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(full("hello"), SEALS, says("two"), says("three")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(OFFERED, "model_auto_compact_token_limit=900") as agent:
                await said(agent, "one")
                told = await said(agent, "go on")
                assert len(only(told, ContextCompacted)) == 1
            async with place.opened(OFFERED, options=LAST) as agent:
                told = await said(agent, "again")
                assert not [each for each in warned(told) if "may not know" in each]
            targets = [asked.target.removeprefix("/v1") for asked in server.asked]
            assert targets == ["/responses", "/responses/compact", "/responses", "/responses"]
            assert words(server.asked[1].body) == ["one", "hello", "go on"]
            before, after = server.asked[2].body["input"], server.asked[3].body["input"]
            assert words(server.asked[2].body) == ["one", "go on", "sealed"]
            assert after[: len(before)] == before, "a resumed session sends what it sent before"
            assert "forged" not in json.dumps(after)

    run(work())


@pytest.mark.parametrize(
    "refusal", [refuses(404, "unknown"), refuses(500), refuses(200, "{}"), refuses(200, '{"output": []}')]
)
def test_where_the_provider_fails_the_model_writes_a_summary_and_the_person_is_told(
    tmp_path: Path, refusal: Manner
) -> None:
    async def work() -> None:
        with ResponsesServer(says("hello"), refusal, says("the summary"), says("two")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(OFFERED, "model_providers.test.request_max_retries=0") as agent:
                await said(agent, "one")
                told = await until(agent, TaskComplete, Failed, of=agent.submit(Compact()))
                assert isinstance(told[-1], TaskComplete)
                assert [each for each in warned(told) if "could not make room" in each]
                await said(agent, "go on")
            assert [asked.target[-8:] for asked in server.asked] == ["esponses", "/compact", "esponses", "esponses"]
            assert "the summary" in json.dumps(server.asked[3].body["input"])

    run(work())


@pytest.mark.parametrize("settings", [(), (OFFERED, "compact_prompt=sum it up")])
def test_a_provider_that_offers_nothing_and_a_person_with_words_of_their_own_get_a_summary_of_the_model(
    tmp_path: Path, settings: tuple[str, ...]
) -> None:
    async def work() -> None:
        with ResponsesServer(says("hello"), says("the summary")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*settings) as agent:
                await said(agent, "one")
                await until(agent, TaskComplete, Failed, of=agent.submit(Compact()))
            assert {asked.target for asked in server.asked} == {"/v1/responses"}

    run(work())


def test_the_provider_makes_room_for_a_sub_agent_too(tmp_path: Path) -> None:
    async def work() -> None:
        *events, completed = turn(function_call("update_plan", {"plan": []}, "p1"))
        usage = {"input_tokens": 900, "output_tokens": 5, "total_tokens": 905}
        fills = sends(*events, {**completed, "response": {"id": "r", "usage": usage}})
        script = by_prompt(
            work=[calls(function_call("delegate", {"prompt": "task one"}, "d1")), says("all done")],
            task=[fills, SEALS, says("did it")],
        )
        with ResponsesServer(script) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(OFFERED, "model_auto_compact_token_limit=900") as agent:
                assert only(await said(agent, "work"), TaskComplete)[0].last_agent_message == "all done"
            targets = [asked.target.removeprefix("/v1") for asked in server.asked]
            assert targets == ["/responses", "/responses", "/responses/compact", "/responses", "/responses"]

    run(work())


def test_another_provider_is_not_trusted_to_know_what_was_sealed(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(says("hello"), SEALS, says("two")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(OFFERED) as agent:
                await said(agent, "one")
                await until(agent, TaskComplete, Failed, of=agent.submit(Compact()))
            other = (f"model_providers.other.base_url={server.url}", "model_provider=other")
            async with place.opened(*other, options=LAST) as agent:
                told = await said(agent, "again")
                assert [each for each in warned(told) if "`test`" in each and "`other` may not know it" in each]

    run(work())
