"""A model's words about the risk of what an agent wants: whose model says them, what they cost, and what is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandgate.protocol.decisions import Decision
from sandgate.protocol.events import ExecApprovalRequest, SandboxAssessment, SessionConfigured, TokenCount
from sandgate.protocol.operations import AnswerApproval
from support.agent.agent_places import AgentPlace, by_prompt, calls, command, only, said
from support.model.responses_server import ResponsesServer, assesses, says
from support.process.loops import run

pytestmark = pytest.mark.host("namespace", "notify")

ASSESSED = (
    "approval_policy=untrusted",
    "sandbox_mode=workspace-write",
    "assessment.when=all",
    "features.experimental_sandbox_command_assessment=true",
    "model_reasoning_effort=high",
)


def with_assessor(script: Any, seen: list[Any]) -> Any:
    """Questions about risk are told by their header; the rest follows the script."""

    def manner(connection: Any) -> None:
        if connection.asked.headers.get("x-openai-subagent") != "risk_assessment":
            script(connection)
            return
        seen.append(connection.asked)
        assesses("high", "Sends it away.", ["data_exfiltration"])(connection)

    return manner


class Client:
    """Answers once the model has spoken."""

    def __init__(self, agent: Any) -> None:
        self._agent = agent
        self._asked: dict[str, Any] = {}

    def __call__(self, event: Any) -> None:
        match event.msg:
            case ExecApprovalRequest():
                self._asked[event.msg.approval_id] = event.msg.request
            case SandboxAssessment() if event.msg.status == "success":
                request = self._asked[event.msg.approval_id]
                self._agent.submit(AnswerApproval(request.request_id, Decision(request.stage, "denied", "user")))


def test_the_turns_own_model_is_asked_for_the_session_and_counted_apart(tmp_path: Path) -> None:
    """Required: where no other is named; and what was known is kept with the decision."""

    async def work() -> None:
        seen: list[Any] = []
        script = by_prompt(work=[calls(command("echo out >> log", "c1")), says("done")])
        with ResponsesServer(with_assessor(script, seen)) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*ASSESSED, interactive=True) as agent:
                told = await said(agent, "work", Client(agent))
            (asked,) = seen
            own = [each.body for each in server.asked if "x-openai-subagent" not in each.headers]
            assert (asked.body["model"], asked.body["reasoning"]) == ("double", {"effort": "high"})
            assert asked.headers["parent_session_id"] == only(told, SessionConfigured)[0].session_id
            assert asked.headers["parent_session_source"] == "cli"
            offline, words = only(told, SandboxAssessment)
            assert (offline.status, words.status, words.approval_id) == ("static", "success", offline.approval_id)
            assert words.duration_ms is not None
            assert words.token_usage is not None
            assert words.total_token_usage == words.token_usage
            total = only(told, TokenCount)[-1].info.total
            assert total.total_tokens == len(own) * words.token_usage.total_tokens
            kept = {"risk_level": "high", "risk_source": "both", "assessment_status": "success", "prompt_version": "1"}
            lines = [json.loads(line)["payload"] for line in place.transcript.read_text().splitlines()]
            (decided,) = [line for line in lines if line.get("kind") == "approval_decided"]
            (journal,) = place.home.rglob("decisions.jsonl")
            (written,) = map(json.loads, journal.read_text().splitlines())
            for each in (decided, written):
                assert {name: each[name] for name in kept} == kept

    run(work())


def test_prepared_answers_of_an_agent_are_given_without_asking_a_model(tmp_path: Path) -> None:
    """Required: no call is paid for that nobody reads."""

    async def work() -> None:
        seen: list[Any] = []
        script = by_prompt(work=[calls(command("echo out >> log", "c1")), says("done")])
        with ResponsesServer(with_assessor(script, seen)) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*ASSESSED, answers=("approve",)) as agent:
                await said(agent, "work")
                assert place.lines() == ["out"]
            assert seen == []

    run(work())
