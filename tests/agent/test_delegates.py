"""Sub-agents of a real session: who is asked for them, what is told of them, and that nothing of them is left."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandgate.protocol.decisions import Decision
from sandgate.protocol.events import (
    AgentMessage,
    AgentMessageDelta,
    ApprovalResolved,
    DelegateBegin,
    DelegateEnd,
    ExecApprovalRequest,
    ExecCommandBegin,
    ExecCommandEnd,
    ExecCommandOutputDelta,
    ExitedReviewMode,
    PlanUpdate,
    SessionConfigured,
    TaskComplete,
    TurnAborted,
)
from sandgate.protocol.operations import AnswerApproval, Interrupt, Review, TextInput, UserInput
from sandgate.session.transcript_reader import read_transcript
from sandgate.surfaces.cli.thread_events import ThreadEvents
from support.agent.agent_places import AgentPlace, by_prompt, calls, command, only, said, until
from support.model.responses_server import (
    ResponsesServer,
    function_call,
    message,
    says,
    sends,
    stays_silent,
    text_delta,
    turn,
)
from support.process.loops import run

pytestmark = pytest.mark.host("namespace", "notify")

ASK = ("approval_policy=untrusted", "sandbox_mode=workspace-write")
REVIEW = '{"findings": [], "overall_correctness": "patch is correct", "overall_explanation": "fine"}'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def delegate(prompt: str, call_id: str = "d1") -> Any:
    return function_call("delegate", {"prompt": prompt}, call_id)


def outputs(body: Any) -> list[str]:
    return [item["output"] for item in body["input"] if item["type"] == "function_call_output"]


def answering(agent: Any, decision: Any, found: list[ExecApprovalRequest]) -> Any:
    """Answers each question as it is told."""

    def seen(event: Any) -> None:
        if isinstance(event.msg, ExecApprovalRequest):
            found.append(event.msg)
            agent.submit(AnswerApproval(event.msg.approval_id, Decision(event.msg.request.stage, decision, "user")))

    return seen


@pytest.mark.parametrize(("decision", "done"), [("approved", ["child"]), ("denied", [])])
def test_a_question_of_a_sub_agent_is_asked_once_with_its_name(folder: Path, decision: str, done: list[str]) -> None:
    """Required: the person sees who wants it, and what they say is what happens."""

    async def work() -> None:
        script = by_prompt(
            work=[calls(delegate("task one")), says("all done")],
            task=[calls(command("echo child >> log", "k1")), says("it is done")],
        )
        with ResponsesServer(script) as server:
            place = AgentPlace(folder, server.url)
            asked: list[ExecApprovalRequest] = []
            async with place.opened(*ASK, interactive=True) as agent:
                told = await said(agent, "work please", answering(agent, decision, asked))
                (begun,) = only(told, DelegateBegin)
                (question,) = asked
                assert question.delegate == {"id": begun.delegate_id, "kind": "collab_spawn"}
                assert (question.call_id, question.turn_id) == ("k1", only(told, TaskComplete)[0].turn_id)
                assert question.request.command.argv[-1] == "echo child >> log"
                assert [each.decision for each in only(told, ApprovalResolved)] == [decision]
                assert place.lines() == done
                assert [(end.status, end.last_agent_message) for end in only(told, DelegateEnd)] == [
                    ("completed", "it is done")
                ]
                # Its last words are the call's answer; its session is nobody else's business.
                assert [each.message for each in only(told, AgentMessage)] == ["all done"]
                assert len(only(told, SessionConfigured)) == 1
                assert outputs(server.asked[-1].body) == ["it is done"]
            child = server.asked[1]
            assert child.headers["x-openai-subagent"] == "collab_spawn"
            assert "work please" not in str(child.body["input"])
            assert not any(tool.get("name") == "delegate" for tool in child.body["tools"])

    run(work())


def test_two_sub_agents_ask_side_by_side_under_the_same_call_ids(folder: Path) -> None:
    async def work() -> None:
        script = by_prompt(
            work=[calls(delegate("first x", "d1"), delegate("second x", "d2")), says("all done")],
            first=[calls(command("echo first >> log", "k1")), says("one")],
            second=[calls(command("echo second >> log", "k1")), says("two")],
        )
        with ResponsesServer(script) as server:
            place = AgentPlace(folder, server.url)
            open_questions: list[ExecApprovalRequest] = []
            async with place.opened(*ASK, interactive=True) as agent:

                def seen(event: Any) -> None:
                    if isinstance(event.msg, ExecApprovalRequest):
                        open_questions.append(event.msg)
                        if len(open_questions) == 2:  # both wait: neither stands in the other's way
                            for each in reversed(open_questions):
                                yes = Decision(each.request.stage, "approved", "user")
                                agent.submit(AnswerApproval(each.approval_id, yes))

                await said(agent, "work please", seen)
                assert sorted(place.lines()) == ["first", "second"]
                assert outputs(server.asked[-1].body) == ["one", "two"]
                assert len({str(each.delegate) for each in open_questions}) == 2

    run(work())


def test_an_interrupt_while_a_sub_agent_waits_takes_its_question_down_and_ends_it(folder: Path) -> None:
    async def work() -> None:
        script = by_prompt(
            work=[calls(delegate("task one")), says("never")],
            task=[calls(command("echo child >> log", "k1")), says("never")],
            again=[says("back")],
        )
        with ResponsesServer(script) as server:
            place = AgentPlace(folder, server.url)
            async with place.opened(*ASK, interactive=True) as agent:
                agent.submit(UserInput((TextInput("work please"),)))
                await until(agent, ExecApprovalRequest)
                agent.submit(Interrupt())
                told = await until(agent, TurnAborted)
                (resolved,) = only(told, ApprovalResolved)
                assert resolved.decision in ("abort", "denied")
                assert [end.status for end in only(told, DelegateEnd)] == ["interrupted"]
                assert only(told, ExecCommandBegin) == []
                told = await said(agent, "again please")
                assert only(told, TaskComplete)[-1].last_agent_message == "back"
            assert place.lines() == []
            assert len(server.asked) == 3

    run(work())


def test_an_interrupt_ends_the_command_of_a_sub_agent(folder: Path) -> None:
    """Required: no process of a sub-agent survives the turn it works for."""

    async def work() -> None:
        script = by_prompt(
            work=[calls(delegate("task one"))],
            task=[calls(command("echo $$ > /proc/self/fd/1; echo begun >> log; exec sleep 986", "k1"))],
        )
        with ResponsesServer(script) as server:
            place = AgentPlace(folder, server.url)
            async with place.opened("approval_policy=never", "sandbox_mode=workspace-write") as agent:
                agent.submit(UserInput((TextInput("work please"),)))
                await until(agent, ExecCommandBegin)
                while not place.lines():
                    await asyncio.sleep(0.01)  # the command is another process, and nothing tells us
                agent.submit(Interrupt())
                told = await until(agent, TurnAborted)
                assert isinstance(told[-1], TurnAborted)
                assert b"sleep\x00986" not in b"".join(_command_lines())

    run(work())


def _command_lines() -> Iterator[bytes]:
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield each.read_bytes()
        except OSError:
            continue


def test_more_sub_agents_than_there_is_room_for_are_refused_and_said_so(folder: Path) -> None:
    async def work() -> None:
        script = by_prompt(
            work=[calls(delegate("task a", "d1"), delegate("task b", "d2")), says("all done")],
            task=[says("one"), says("two")],
        )
        with ResponsesServer(script) as server:
            place = AgentPlace(folder, server.url)
            async with place.opened("agents.max_threads=1", "approval_policy=never") as agent:
                told = await said(agent, "work please")
                assert len(only(told, DelegateBegin)) == 1
                first, second = outputs(server.asked[-1].body)
                assert first == "one"
                assert "1 sub-agents work already" in second

    run(work())


@pytest.mark.parametrize(("depth", "has_it"), [(0, [False]), (1, [True, False]), (2, [True, True])])
def test_sub_agents_go_no_deeper_than_they_may(folder: Path, depth: int, has_it: list[bool]) -> None:
    async def work() -> None:
        script = by_prompt(work=[calls(delegate("task one")), says("done")], task=[says("it")])
        with ResponsesServer(script) as server:
            place = AgentPlace(folder, server.url)
            async with place.opened(f"agents.max_depth={depth}", "approval_policy=never") as agent:
                await said(agent, "work please")
            offered = [any(tool.get("name") == "delegate" for tool in asked.body["tools"]) for asked in server.asked]
            assert offered[: len(has_it)] == has_it
            if depth == 0:
                assert outputs(server.asked[-1].body) == ["unsupported call: delegate"]

    run(work())


def test_a_sub_agent_is_kept_apart_with_its_own_name(folder: Path) -> None:
    async def work() -> None:
        script = by_prompt(work=[calls(delegate("task one")), says("done")], task=[says("it")])
        with ResponsesServer(script) as server:
            place = AgentPlace(folder, server.url)
            async with place.opened("approval_policy=never") as agent:
                await said(agent, "work please")
                own = agent.session_id
            kept = {read_transcript(str(path)).meta.id: read_transcript(str(path)) for path in place.transcripts()}
            assert len(kept) == 2
            (child,) = [each for name, each in kept.items() if name != own]
            assert child.meta.source == {"subagent": "collab_spawn", "parent_thread_id": own}

    run(work())


def test_a_review_sees_nothing_of_the_conversation_and_the_conversation_hears_of_it(folder: Path) -> None:
    async def work() -> None:
        script = by_prompt(
            hello=[says("hi")],
            check=[calls(command("echo seen >> log", "k1")), says(REVIEW)],
            and_now=[says("ok")],
        )
        with ResponsesServer(script) as server:
            place = AgentPlace(folder, server.url)
            (place.repo / "AGENTS.md").write_text("Be polite.")
            async with place.opened("approval_policy=never", "sandbox_mode=workspace-write") as agent:
                await said(agent, "hello there")
                name = agent.submit(Review("check it"))
                told = await until(agent, TaskComplete, of=name)
                (left,) = only(told, ExitedReviewMode)
                assert left.review_output.overall_correctness == "patch is correct"
                assert not any("overall_correctness" in each.message for each in only(told, AgentMessage))
                await said(agent, "and_now")
            reviewer = server.asked[1]
            assert reviewer.headers["x-openai-subagent"] == "review"
            assert "hello there" not in str(reviewer.body)
            assert "Be polite." not in str(reviewer.body)
            assert "<user_action>" in str(server.asked[-1].body["input"])
            assert "patch is correct" in str(server.asked[-1].body["input"])

    run(work())


def test_what_a_reviewer_says_is_told_as_it_comes_but_for_its_report(folder: Path) -> None:
    """Required: the report is one event; nobody is shown half of its JSON."""

    async def work() -> None:
        created, *looking = turn(message("I look."), command("echo seen", "k1"))
        first = sends(created, text_delta("\n"), text_delta("I "), text_delta("look."), *looking)
        created, *reporting = turn(message(REVIEW))
        report = sends(created, text_delta(" "), text_delta(REVIEW[:9]), text_delta(REVIEW[9:]), *reporting)
        with ResponsesServer(first, report) as server:
            async with AgentPlace(folder, server.url).opened("approval_policy=never") as agent:
                name = agent.submit(Review("check it"))
                told = await until(agent, TaskComplete, of=name)
            assert [each.delta for each in only(told, AgentMessageDelta)] == ["I ", "look."]
            assert [each.message for each in only(told, AgentMessage)] == ["I look."]
            assert only(told, ExitedReviewMode)[0].review_output.overall_correctness == "patch is correct"

    run(work())


def test_an_interrupted_review_says_so_and_has_no_result(folder: Path) -> None:
    async def work() -> None:
        script = by_prompt(check=[stays_silent], on=[says("ok")])
        with ResponsesServer(script) as server:
            place = AgentPlace(folder, server.url)
            async with place.opened("approval_policy=never") as agent:
                name = agent.submit(Review("check it"))
                connection = await asyncio.to_thread(server.connection)
                agent.submit(Interrupt())
                told = await until(agent, TurnAborted, of=name)
                assert only(told, ExitedReviewMode) == [ExitedReviewMode(None)]
                assert await asyncio.to_thread(connection.gone.wait, 10)
                await said(agent, "on")
                assert "The review was ended before it had a result." in str(server.asked[-1].body["input"])

    run(work())


def test_what_a_sub_agent_runs_is_told_as_part_of_the_turn(folder: Path) -> None:
    async def work() -> None:
        script = by_prompt(
            work=[calls(delegate("task one")), says("done")],
            task=[calls(message("first words"), command("echo child >> log", "k1")), says("it")],
        )
        with ResponsesServer(script) as server:
            place = AgentPlace(folder, server.url)
            async with place.opened("approval_policy=never", "sandbox_mode=workspace-write") as agent:
                told = await said(agent, "work please")
                assert [(end.call_id, end.exit_code) for end in only(told, ExecCommandEnd)] == [("k1", 0)]
                assert [each.message for each in only(told, AgentMessage)] == ["first words", "done"]

    run(work())


def test_what_happens_to_a_sub_agent_has_its_name_and_leaves_nothing_out(folder: Path) -> None:
    """Required: output, plans and text as they come, and never as if the session itself had said or done it."""

    async def work() -> None:
        plan = function_call("update_plan", {"plan": [{"step": "look", "status": "pending"}]}, "k2")
        words = sends(text_delta("it is "), *turn(message("it is done")))
        script = by_prompt(
            work=[calls(command("echo own", "k1"), delegate("task one")), says("all done")],
            task=[calls(command("echo child", "k1"), plan), words],
        )
        with ResponsesServer(script) as server:
            place = AgentPlace(folder, server.url)
            seen: list[Any] = []
            async with place.opened("approval_policy=never", "sandbox_mode=workspace-write") as agent:
                told = await said(agent, "work please", seen.append)
            (begun,) = only(told, DelegateBegin)
            own = {"id": begun.delegate_id, "kind": "collab_spawn"}
            kinds = (ExecCommandBegin, ExecCommandOutputDelta, ExecCommandEnd, PlanUpdate, AgentMessageDelta)
            of_child = [type(each.msg) for each in seen if each.delegate == own]
            assert set(kinds) <= set(of_child)
            printed = {bool(each.delegate): each.msg.chunk for each in seen if isinstance(each.msg, kinds[1])}
            assert printed == {False: b"own\n", True: b"child\n"}
            assert all(each.delegate in (None, own) for each in seen)
            assert [each.msg.message for each in seen if isinstance(each.msg, AgentMessage)] == ["all done"]
            items = [line["item"] for event in seen for line in ThreadEvents("s")(event) if "item" in line]
            assert {item.get("delegate", {}).get("kind") for item in items} == {None, "collab_spawn"}

    run(work())


def test_a_reviewer_reads_and_has_no_tool_for_patches(folder: Path) -> None:
    """Required: also where the session itself may write; the session keeps what it may."""

    async def work() -> None:
        patch = function_call("apply_patch", {"input": "*** Begin Patch\n*** Add File: f\n+x\n*** End Patch\n"}, "k2")
        script = by_prompt(
            check=[calls(command("echo seen; echo bad >> log", "k1"), patch), says(REVIEW)],
            work=[calls(command("echo good >> log", "c1")), says("done")],
        )
        with ResponsesServer(script) as server:
            place = AgentPlace(folder, server.url)
            async with place.opened("approval_policy=never", "sandbox_mode=workspace-write") as agent:
                name = agent.submit(Review("check it"))
                await until(agent, TaskComplete, of=name)
                assert not (place.repo / "f").exists()
                assert place.lines() == []
                await said(agent, "work")
                assert place.lines() == ["good"]
            first, second = (body.body for body in server.asked[:2])
            assert "apply_patch" not in [tool["name"] for tool in first["tools"]]
            ran, patched = outputs(second)
            assert "seen" in ran
            assert patched == "unsupported call: apply_patch"

    run(work())


def test_a_question_from_two_levels_down_says_who_really_asks(folder: Path) -> None:
    """Required: not the sub-agent that stands between, whose own calls may be called the same."""

    async def work() -> None:
        script = by_prompt(
            work=[calls(delegate("task one", "k1")), says("all done")],
            task=[calls(delegate("deep one", "k1")), says("child")],
            deep=[calls(command("echo deep >> log", "k1")), says("grandchild")],
        )
        with ResponsesServer(script) as server:
            place = AgentPlace(folder, server.url)
            asked: list[ExecApprovalRequest] = []
            async with place.opened(*ASK, "agents.max_depth=2", interactive=True) as agent:
                told = await said(agent, "work please", answering(agent, "approved", asked))
                begun, deeper = only(told, DelegateBegin)
                (question,) = asked
                assert question.delegate == {"id": deeper.delegate_id, "kind": "collab_spawn"}
                assert place.lines() == ["deep"]
            ids = {read_transcript(str(path)).meta.id for path in place.transcripts()}
            assert ids == {agent.session_id, begun.delegate_id, deeper.delegate_id}

    run(work())


def test_an_answer_by_the_call_of_the_session_is_no_answer_to_its_sub_agent(folder: Path) -> None:
    async def work() -> None:
        script = by_prompt(
            work=[calls(delegate("task one", "k1"), command("echo parent >> log", "k1")), says("all done")],
            task=[calls(command("echo child >> log", "k1")), says("child")],
        )
        with ResponsesServer(script) as server:
            place = AgentPlace(folder, server.url)
            async with place.opened(*ASK, interactive=True) as agent:

                def seen(event: Any) -> None:
                    if isinstance(event.msg, ExecApprovalRequest):
                        decision = Decision("initial", "approved" if event.msg.delegate is None else "denied", "user")
                        for name in (event.msg.request.command.argv[-1], "k1"):
                            agent.submit(AnswerApproval(name, decision.but(decision="approved")))
                        agent.submit(AnswerApproval(event.msg.approval_id, decision))

                await said(agent, "work please", seen)
                assert place.lines() == ["parent"]

    run(work())
