"""An agent from its first word to its end, with a real provider, gate and disk."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from sandgate.agent.agent import AgentOptions, open_agent
from sandgate.errors import ConfigError, RequestError, SessionEnded
from sandgate.protocol.decisions import Decision
from sandgate.protocol.events import (
    AgentMessage,
    ApprovalResolved,
    ExecApprovalRequest,
    ExecCommandBegin,
    ExecCommandEnd,
    SessionConfigured,
    ShutdownComplete,
    TaskComplete,
    TurnAborted,
)
from sandgate.protocol.operations import AnswerApproval, Interrupt, Shutdown, TextInput, UserInput
from sandgate.runtime import Environment
from sandgate.session.transcript_reader import read_transcript
from sandgate.testing import ModelScript
from support.agent.agent_places import AgentPlace, calls, command, only, said, until
from support.model.responses_server import LIMIT_S, ResponsesServer, message, says, stays_silent
from support.process.loops import run

pytestmark = pytest.mark.host("namespace", "notify")

WRITES = ("sandbox_mode=workspace-write", "approval_policy=never")
ASKS = ("sandbox_mode=workspace-write", "approval_policy=untrusted")


def test_a_turn_does_what_the_model_wants_and_tells_it_in_order(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(calls(command("echo one >> log")), says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                told = await said(agent, "work")
                kinds = [type(each).__name__ for each in told]
                assert kinds[0] == "SessionConfigured"
                assert kinds.index("ExecCommandBegin") < kinds.index("ExecCommandEnd") < kinds.index("AgentMessage")
                (end,) = only(told, ExecCommandEnd)
                assert (end.exit_code, end.status, end.turn_id) == (0, "completed", told[-1].turn_id)
                assert only(told, TaskComplete)[0].last_agent_message == "done"
                assert only(told, SessionConfigured)[0].rollout_path == str(place.transcript)
            assert place.lines() == ["one"]

    run(work())


@pytest.mark.parametrize(
    ("answers", "lines", "outcome"),
    [
        (("approve", "deny"), ["one"], ["approved", "denied"]),
        (("deny",), [], ["denied", "denied"]),
        (("approve", "approve"), ["one", "two"], ["approved", "approved"]),
    ],
)
def test_prepared_answers_are_given_in_order_and_then_it_is_no(
    tmp_path: Path, answers: tuple[str, ...], lines: list[str], outcome: list[str]
) -> None:
    async def work() -> None:
        script = (calls(command("echo one >> log", "c1")), calls(command("echo two >> log", "c2")), says("done"))
        with ResponsesServer(*script) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*ASKS, answers=answers) as agent:
                told = await said(agent, "work")
                assert [each.decision for each in only(told, ApprovalResolved)] == outcome
            assert place.lines() == lines

    run(work())


def test_where_nobody_can_be_asked_it_is_no_and_no_question_is_shown(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(calls(command("echo one >> log")), says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*ASKS) as agent:
                told = await said(agent, "work")
                assert only(told, ExecApprovalRequest) == []
                assert [(end.status, end.exit_code) for end in only(told, ExecCommandEnd)] == [("declined", None)]
            assert place.lines() == []

    run(work())


def test_two_questions_of_one_turn_are_answered_in_any_order(tmp_path: Path) -> None:
    """Required: an answer counts for the question it names, and for no other."""

    async def work() -> None:
        both = calls(command("echo one >> log", "c1"), command("echo two >> log", "c2"))
        with ResponsesServer(both, says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*ASKS, interactive=True) as agent:
                questions: list[ExecApprovalRequest] = []

                def seen(event: Any) -> None:
                    if not isinstance(event.msg, ExecApprovalRequest):
                        return
                    questions.append(event.msg)
                    if len(questions) == 2:
                        for each in reversed(questions):
                            wanted = "approved" if each.call_id == "c2" else "denied"
                            decision = Decision(each.request.stage, wanted, "user")  # type: ignore[arg-type]
                            agent.submit(AnswerApproval(each.approval_id, decision))

                await said(agent, "work", seen)
            assert place.lines() == ["two"]

    run(work())


def test_who_approves_a_call_twice_has_not_approved_its_retry_outside_the_sandbox(tmp_path: Path) -> None:
    """Required: an answer by the call's id is about the question that was seen, and a late one about none."""

    async def work() -> None:
        outside = tmp_path / "home" / "outside"
        with ResponsesServer(calls(command(f"echo one > {outside}")), says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*ASKS, 'sandbox.ask="after"', interactive=True) as agent:
                stages: list[str] = []

                def seen(event: Any) -> None:
                    if isinstance(event.msg, ExecApprovalRequest):
                        stages.append(event.msg.request.stage)
                        yes = Decision("initial", "approved", "user", event.msg.request.grants)
                        for name in ("c1", "c1", event.id):
                            agent.submit(AnswerApproval(name, yes))
                        if len(stages) == 2:
                            no = Decision("retry", "denied", "user")
                            agent.submit(AnswerApproval(event.msg.approval_id, no))

                told = await said(agent, "work", seen)
                assert stages == ["initial", "retry"]
                assert [each.decision for each in only(told, ApprovalResolved)] == ["approved", "denied"]
            assert not outside.exists()

    run(work())


def test_an_interrupt_while_a_question_is_open_takes_it_down_and_runs_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(calls(command("echo one >> log")), says("back")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*ASKS, interactive=True) as agent:
                agent.submit(UserInput((TextInput("work"),)))
                await until(agent, ExecApprovalRequest)
                agent.submit(Interrupt())
                told = await until(agent, TurnAborted)
                assert len(only(told, ApprovalResolved)) == 1
                told = await said(agent, "again")
                assert told[-1].last_agent_message == "back"
            assert place.lines() == []

    run(work())


def test_leaving_the_block_ends_a_turn_that_runs(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(stays_silent) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                agent.submit(UserInput((TextInput("work"),)))
                connection = await asyncio.to_thread(server.connection)
            assert await asyncio.to_thread(connection.gone.wait, LIMIT_S)
            with pytest.raises(SessionEnded):
                agent.submit(Shutdown())
            kept = read_transcript(str(place.transcript))
            assert not kept.ended_in_turn

    run(work())


def test_a_session_that_is_left_at_once_lets_go_of_everything(tmp_path: Path) -> None:
    """Required: it can be opened again, here or elsewhere, however short it was looked at."""

    async def work() -> None:
        with ResponsesServer(says("hello")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                await said(agent, "hi")
            for _ in range(2):
                async with place.opened(*WRITES, options=AgentOptions(resume="last")) as agent:
                    pass
                assert isinstance([event.msg async for event in agent.events()][-1], ShutdownComplete)

    run(work())


def test_an_ephemeral_session_leaves_no_transcript(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(says("hello")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(options=AgentOptions(ephemeral=True)) as agent:
                told = await said(agent, "hi")
                assert only(told, SessionConfigured)[0].rollout_path is None
            assert place.transcripts() == []

    run(work())


def test_a_session_in_which_nothing_was_said_leaves_no_transcript(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(says("hello")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened():
                pass
            assert place.transcripts() == []

    run(work())


@pytest.mark.parametrize(
    ("overrides", "options", "error"),
    [
        (("model_provider=nobody",), AgentOptions(), ConfigError),
        (("model_provider=openai", 'model=""'), AgentOptions(), ConfigError),
        ((), AgentOptions(model_script="/nowhere"), RequestError),
    ],
)
def test_what_cannot_be_opened_leaves_nothing(
    tmp_path: Path, overrides: tuple[str, ...], options: AgentOptions, error: type[Exception]
) -> None:
    async def work() -> None:
        place = AgentPlace(tmp_path, "http://127.0.0.1:9/v1")
        with pytest.raises(error):
            async with place.opened(*overrides, options=options):
                pass
        assert place.transcripts() == []

    run(work())


def test_the_answers_of_a_script_are_recorded_like_any_others(tmp_path: Path) -> None:
    async def work() -> None:
        place = AgentPlace(tmp_path, "http://127.0.0.1:9/v1")
        recording = tmp_path / "recording"
        script = ModelScript().says("as written").write(str(tmp_path / "script"))
        told: list[str] = []
        recorded = AgentOptions(model_script=script, model_record=str(recording))
        for options in (recorded, AgentOptions(model_replay=str(recording))):
            async with place.opened("model=scripted", options=options) as agent:
                told += [each.message for each in only(await said(agent, "work"), AgentMessage)]
        assert told == ["as written"] * 2
        assert len(recording.read_text().splitlines()) == 1

    run(work())


def test_a_directory_that_is_not_absolute_begins_no_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: where we happen to stand must not decide where a model may write."""

    async def work() -> None:
        place = AgentPlace(tmp_path, "http://127.0.0.1:9/v1")
        monkeypatch.chdir(tmp_path)
        with pytest.raises(RequestError, match="`repo` is not an absolute path"):
            async with open_agent(Environment("repo", place.env), AgentOptions()):
                pass
        assert place.transcripts() == []

    run(work())


def test_calls_with_the_same_id_are_kept_apart(tmp_path: Path) -> None:
    async def work() -> None:
        script = (calls(command("echo one >> log", "c")), calls(command("echo two >> log", "c")), says("done"))
        with ResponsesServer(*script) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                told = await said(agent, "work")
                begun = [each.call_id for each in only(told, ExecCommandBegin)]
                assert len(set(begun)) == 2
            assert place.lines() == ["one", "two"]
            given = server.asked[-1].body["input"]
            assert [item["call_id"] for item in given if "output" in item] == ["c", "c"]

    run(work())


def test_an_answer_without_a_word_ends_the_turn(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(calls(message(""))) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                told = await said(agent, "work")
                assert isinstance(told[-1], TaskComplete)

    run(work())
