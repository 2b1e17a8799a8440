"""An agent from outside: a real server for its model, the real gate, real files."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sandgate.agent.agent import Agents, open_agent
from sandgate.agent.options import AgentOptions
from sandgate.errors import MissingKey, ModelFailed
from sandgate.protocol.decisions import Decision
from sandgate.protocol.events import (
    ApprovalResolved,
    ExecApprovalRequest,
    ExecCommandEnd,
    ExecCommandOutputDelta,
    Failed,
    SandboxAssessment,
    SessionConfigured,
    TaskComplete,
    TurnAborted,
    TurnDiff,
)
from sandgate.protocol.operations import AnswerApproval, Interrupt, TextInput, Undo, UserInput
from support.agent.agent_journeys import ENDS, calls, done, outputs, place, said
from support.agent.event_kinds import only
from support.model.responses_server import ResponsesServer, assesses, function_call, message, says, sends, turn
from support.process.loops import run
from support.terminal.live_sessions import left_of

if TYPE_CHECKING:
    from sandgate.agent.agent import Agent
    from sandgate.protocol.events import Event

pytestmark = pytest.mark.host("namespace", "notify")

PATCH = "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    (tmp_path / "work").mkdir()
    return tmp_path / "home"


def test_a_command_runs_in_the_sandbox_and_its_answer_reaches_the_model(home: Path) -> None:
    async def work(url: str) -> None:
        async with open_agent(place(home, url), AgentOptions()) as agent:
            events = await said(agent, "go")
            ended = only(events, ExecCommandEnd)[0]
            assert (ended.call_id, ended.exit_code, ended.aggregated_output) == ("c1", 0, "hi\n")
            assert only(events, TaskComplete)[0].last_agent_message == "done"

    with ResponsesServer(calls("exec_command", cmd="echo hi", login=False), says("done")) as server:
        run(work(server.url))
        assert "Process exited with code 0" in outputs(server, 1)["c1"]
        assert server.asked[1].headers["authorization"] == "Bearer secret"


def test_what_a_turn_changed_is_told_and_can_be_taken_back(home: Path) -> None:
    async def work(url: str) -> None:
        async with open_agent(place(home, url), AgentOptions()) as agent:
            events = await said(agent, "go")
            assert "+hello" in only(events, TurnDiff)[0].unified_diff
            file = home.parent / "work" / "new.txt"
            assert file.read_text() == "hello\n"
            await done(agent, Undo())
            assert not file.exists()

    with ResponsesServer(calls("apply_patch", input=PATCH), says("done")) as server:
        run(work(server.url))


def test_a_stopped_command_is_asked_about_with_its_risk_and_what_a_model_says_of_it(home: Path) -> None:
    """Required: the founding feature, in a turn. The words come while the question is open."""

    async def work(url: str, assessor: str) -> None:
        provider = f'model_providers.judge={{name="judge",base_url="{assessor}"}}'
        feature = "features.experimental_sandbox_command_assessment=true"
        judge = (provider, feature, "assessment.model=j", "assessment.provider=judge", "assessment.timeout_ms=20000")
        narrow = "sandbox_workspace_write.exclude_slash_tmp=true"
        environment = place(home, url, "approval_policy=on-failure", narrow, *judge)
        async with open_agent(environment, AgentOptions(), interactive=True) as agent:
            name = agent.submit(UserInput((TextInput("go"),)))
            request, assessed = None, []
            events = []
            async for event in agent.events():
                events.append(event)
                if isinstance(event.msg, ExecApprovalRequest):
                    request = event.msg
                if isinstance(event.msg, SandboxAssessment):
                    assessed.append((event.msg.status, event.msg.risk))
                    if event.msg.status == "success":
                        agent.submit(AnswerApproval("c1", Decision("held", "denied", "user")))
                if event.id == name and isinstance(event.msg, ENDS):
                    break
            assert request is not None
            assert (request.call_id, request.request.stage, request.request.risk is None) == ("c1", "held", False)
            assert [status for status, _risk in assessed] == ["static", "success"]
            said_of_it = assessed[1][1]
            assert said_of_it is not None
            assert "Reaches out." in said_of_it.description
            assert only(events, ApprovalResolved)[0].decision == "denied"
            assert not (home / "out").exists()

    command = f"echo x > {home}/out"
    with (
        ResponsesServer(calls("exec_command", cmd=command, login=False), says("sorry")) as server,
        ResponsesServer(assesses("high", "Reaches out.", ["network_access"])) as judge,
    ):
        run(work(server.url, judge.url))


def test_a_session_goes_on_with_the_same_words_and_a_copy_leaves_it_as_it_was(home: Path) -> None:
    names: list[str] = []

    async def begin(url: str) -> None:
        async with open_agent(place(home, url), AgentOptions()) as agent:
            await said(agent, "first")
            names.append(agent.session_id)

    async def go_on(url: str) -> None:
        async with open_agent(place(home, url), AgentOptions(resume=names[0])) as agent:
            configured = (await said_events(agent))[0].msg
            assert isinstance(configured, SessionConfigured)
            assert agent.session_id == names[0]
            kept = [each["type"] for each in configured.initial_messages or ()]
            assert kept[0] == "task_started"
            await said(agent, "second")

    async def copy(url: str) -> None:
        async with open_agent(place(home, url), AgentOptions(resume=names[0], fork=True, fork_before=1)) as agent:
            assert agent.session_id != names[0]
            await said(agent, "other second")

    async def said_events(agent: Agent) -> list[Event]:
        async for event in agent.events():
            return [event]
        return []

    with ResponsesServer(says("one"), says("two"), says("three")) as server:
        run(begin(server.url))
        run(go_on(server.url))
        run(copy(server.url))
        first, second, third = (asked.body["input"] for asked in server.asked)
        assert second[: len(first)] == first
        assert [item["content"][0]["text"] for item in second[-2:]] == ["one", "second"]
        assert third[: len(first) + 1] == second[: len(first) + 1]
        assert third[-1]["content"][0]["text"] == "other second"


def test_a_recorded_conversation_is_replayed_byte_for_byte(home: Path) -> None:
    recording = home.parent / "recording"
    plan = {"plan": [{"step": "look", "status": "in_progress"}]}

    async def record(url: str) -> None:
        async with open_agent(place(home, url), AgentOptions(model_record=str(recording))) as agent:
            assert only(await said(agent, "go"), TaskComplete)

    async def replay(text: str) -> list[Event]:
        async with open_agent(place(home), AgentOptions(model_replay=str(recording), ephemeral=True)) as agent:
            return await said(agent, text)

    async def both() -> None:
        assert only(await replay("go"), TaskComplete)[0].last_agent_message == "done"
        assert only(await replay("else"), Failed)[0].code == ModelFailed.code

    first = sends(*turn(function_call("update_plan", plan, "a"), function_call("nosuchtool", {}, "b")))
    with ResponsesServer(first, sends(*turn(message("done")))) as server:
        run(record(server.url))
    run(both())
    assert json.loads(recording.read_text().splitlines()[0])


def test_a_missing_key_is_told_before_anything_begins(home: Path) -> None:
    async def work() -> None:
        environment = place(home)
        environment = environment.but(environ={**environment.environ, "KEY": ""})
        with pytest.raises(MissingKey, match="`KEY`"):
            async with open_agent(environment, AgentOptions()):
                pass
        assert not list(home.rglob("rollout-*.jsonl"))

    run(work())


def test_a_session_that_lives_is_gone_on_with_as_it_is_however_often_it_is_asked_for(home: Path) -> None:
    """Required: never two writers of one transcript, and never two sessions of one name."""

    async def work(url: str) -> None:
        async with Agents(place(home, url)) as agents:
            agent = await agents.open(AgentOptions())
            await said(agent, "first")
            options = AgentOptions(resume=agent.session_id)
            again = await asyncio.gather(*(agents.open(options) for _ in range(20)))
            assert {id(each) for each in again} == {id(agent)}
            assert all(each.configured is agent.configured for each in again)

    async def from_disk(url: str) -> None:
        async with Agents(place(home, url)) as agents:
            opened = await asyncio.gather(*(agents.open(AgentOptions(resume="last")) for _ in range(20)))
            assert len({id(each) for each in opened}) == 1

    with ResponsesServer(says("one")) as server:
        run(work(server.url))
        run(from_disk(server.url))


@pytest.mark.parametrize("script", ["echo begun; sleep {mark}", "trap '' TERM; echo begun; sleep {mark}; sleep {mark}"])
def test_an_interrupted_turn_is_over_when_its_command_is_gone(home: Path, script: str) -> None:
    """Required: asked to go, then killed, then told; and what is gone is not said to be running."""
    mark = f"1000.{os.getpid()}{len(script)}"

    async def work(url: str) -> None:
        async with open_agent(place(home, url), AgentOptions()) as agent:
            name = agent.submit(UserInput((TextInput("go"),)))
            told = []
            async for event in agent.events():
                if isinstance(event.msg, ExecCommandOutputDelta):
                    agent.submit(Interrupt())
                told.append(event.msg)
                if event.id == name and isinstance(event.msg, ENDS):
                    break
            assert left_of(mark) == 0
            assert [type(each) for each in told[-2:]] == [ExecCommandEnd, TurnAborted]
            await said(agent, "again")

    with ResponsesServer(calls("exec_command", cmd=script.format(mark=mark), login=False), says("ok")) as server:
        run(work(server.url))
        assert outputs(server, 1)["c1"].startswith("aborted by user after")
        assert "No background process is running." in json.dumps(server.asked[1].body["input"])
