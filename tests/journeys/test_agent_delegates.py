"""Sub-agents beside a person: what they ask, what is told of them, and what is left when nobody wants them any more.

A real server, gate and files. More of it stands in tests/agent/test_delegates.py.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from sandgate.protocol.decisions import Decision
from sandgate.protocol.events import (
    AgentMessageDelta,
    AgentReasoningDelta,
    ApplyPatchApprovalRequest,
    ApprovalResolved,
    DelegateBegin,
    DelegateEnd,
    ExecApprovalRequest,
    ExecCommandBegin,
    ExecCommandEnd,
    ExecCommandOutputDelta,
    ItemCompleted,
    ItemStarted,
    PatchApplyBegin,
    PatchApplyEnd,
    SessionConfigured,
    TaskComplete,
    TaskStarted,
    TokenCount,
    TurnAborted,
)
from sandgate.protocol.operations import AnswerApproval, Interrupt, TextInput, UserInput
from support.agent.agent_places import AgentPlace, by_prompt, calls, command, only, said, until
from support.model.responses_server import ResponsesServer, function_call, message, says, sends, text_delta, turn
from support.process.loops import run
from support.process.waiting import wait_until
from support.terminal.live_sessions import left_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.host("namespace", "notify")

ASKS = ("approval_policy=untrusted", "sandbox_mode=workspace-write")
WRITES = ("approval_policy=never", "sandbox_mode=workspace-write")
PATCH = "*** Begin Patch\n*** Add File: made\n+by the child\n*** End Patch"


def delegate(prompt: str, call_id: str = "d1") -> Any:
    return function_call("delegate", {"prompt": prompt}, call_id)


def test_a_question_of_a_sub_agent_has_its_own_call_and_its_risk(tmp_path: Path) -> None:
    """Required: the hand-over changes nothing of what is shown."""

    async def work() -> None:
        script = by_prompt(
            work=[calls(delegate("task one")), says("all done")],
            task=[calls(command("rm -rf ../outside", "k1")), says("tried")],
        )
        with ResponsesServer(script) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*ASKS, interactive=True) as agent:

                def seen(event: Any) -> None:
                    if isinstance(event.msg, ExecApprovalRequest):
                        no = Decision(event.msg.request.stage, "denied", "user")
                        agent.submit(AnswerApproval(event.msg.approval_id, no))

                told = await said(agent, "work please", seen)
                (question,) = only(told, ExecApprovalRequest)
                assert (question.call_id, question.request.command.cwd) == ("k1", str(place.repo))
                assert question.request.risk is not None
                assert "data_deletion" in question.request.risk.risk_categories

    run(work())


@pytest.mark.parametrize("decision", ["approved", "denied"])
def test_a_patch_of_a_sub_agent_is_asked_about_as_a_patch_and_done_as_answered(tmp_path: Path, decision: Any) -> None:
    async def work() -> None:
        script = by_prompt(
            work=[calls(delegate("task one")), says("all done")],
            task=[calls(function_call("apply_patch", {"input": PATCH}, "k1")), says("it is done")],
        )
        with ResponsesServer(script) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*ASKS, interactive=True) as agent:

                def seen(event: Any) -> None:
                    if isinstance(event.msg, ApplyPatchApprovalRequest):
                        answer = Decision(event.msg.request.stage, decision, "user")
                        agent.submit(AnswerApproval(event.msg.approval_id, answer))

                told = await said(agent, "work please", seen)
                (question,) = only(told, ApplyPatchApprovalRequest)
                (begun,) = only(told, DelegateBegin)
                assert question.delegate == {"id": begun.delegate_id, "kind": "collab_spawn"}
                assert [(each.kind, each.path) for each in question.request.changes] == [("add", f"{place.repo}/made")]
                assert [each.decision for each in only(told, ApprovalResolved)] == [decision]
                ends = [(each.call_id, each.success) for each in only(told, PatchApplyEnd)]
                assert ends == [("k1", decision == "approved")]
                assert len(only(told, PatchApplyBegin)) == 1
            assert (place.repo / "made").exists() is (decision == "approved")

    run(work())


def test_of_a_sub_agent_its_deeds_and_pieces_are_told_and_not_its_account(tmp_path: Path) -> None:
    async def work() -> None:
        first = turn(message("first words"), command("echo child", "k1"))
        thinks = {"type": "response.reasoning_summary_text.delta", "delta": "hm"}
        script = by_prompt(
            work=[calls(delegate("task one")), says("all done")],
            task=[
                sends(first[0], thinks, text_delta("first "), *first[1:]),
                sends(text_delta("it"), *turn(message("it"))),
            ],
        )
        with ResponsesServer(script) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                told = await said(agent, "work please")
                begin, end = (
                    next(at for at, each in enumerate(told) if isinstance(each, kind))
                    for kind in (DelegateBegin, DelegateEnd)
                )
                between = {type(each) for each in told[begin + 1 : end]}
                assert ExecCommandBegin in between
                pieces = {AgentMessageDelta, AgentReasoningDelta, ExecCommandOutputDelta}
                assert pieces <= between
                account = {SessionConfigured, TaskStarted, TokenCount, ItemStarted, ItemCompleted, TaskComplete}
                assert between.isdisjoint(account)
                # What it used is counted, as its superior's.
                assert only(told, TokenCount)[-1].info.total.input_tokens == 20

    run(work())


def test_a_sub_agent_that_nobody_wants_any_more_before_it_has_begun_leaves_nothing(tmp_path: Path) -> None:
    """Required: no session, no process, and its place is free again."""

    async def work() -> None:
        script = by_prompt(
            work=[calls(delegate("task one"), command("touch begun; sleep 1004", "c2")), says("never")],
            again=[calls(delegate("other one", "d2")), says("done")],
            task=[says("never")] * 9,
            other=[says("it")],
        )
        with ResponsesServer(script) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened("agents.max_threads=1", *WRITES) as agent:
                agent.submit(UserInput((TextInput("work please"),)))
                await asyncio.to_thread(server.connection)
                agent.submit(Interrupt())  # while the answer with the call comes in, or just after it
                told = await until(agent, TurnAborted)
                assert len(only(told, DelegateBegin)) == len(only(told, DelegateEnd))
                told = await said(agent, "again please")
                assert [each.last_agent_message for each in only(told, DelegateEnd)][-1] == "it"
                assert left_of("1004") == 0

    run(work())


def test_what_a_sub_agent_leaves_running_ends_with_it_and_is_told_to(tmp_path: Path) -> None:
    """Required: every begin has one end, before the sub-agent's own."""
    mark = "1006.5"

    async def work() -> None:
        script = by_prompt(
            work=[calls(delegate("task one")), says("all done")],
            task=[calls(command(f"echo up; exec sleep {mark}", "k1", yield_time_ms=300)), says("it runs")],
        )
        with ResponsesServer(script) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                told = await said(agent, "work please")
                assert left_of(mark) == 0
                of_it: list[Any] = [
                    each for each in told if isinstance(each, ExecCommandBegin | ExecCommandEnd | DelegateEnd)
                ]
                assert [type(each) for each in of_it] == [ExecCommandBegin, ExecCommandEnd, DelegateEnd]
                assert (of_it[1].call_id, of_it[1].aggregated_output) == ("k1", "up\n")
                assert of_it[2].last_agent_message == "it runs"

    run(work())


def test_the_processes_of_a_sub_agent_that_clings_end_with_its_superiors_turn(tmp_path: Path) -> None:
    mark = "1005.5"
    clings = f"trap '' TERM; echo on; sleep {mark}; sleep {mark}; sleep {mark}"

    async def work() -> None:
        script = by_prompt(
            work=[calls(delegate("task one"))],
            task=[calls(command(clings, "k1", login=False), command(clings, "k2", login=False, tty=True))],
        )
        with ResponsesServer(script) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                agent.submit(UserInput((TextInput("work please"),)))
                await until(agent, ExecCommandBegin)
                await asyncio.to_thread(wait_until, lambda: left_of(mark) == 2)
                agent.submit(Interrupt())
                told = await until(agent, TurnAborted)
                assert [end.status for end in only(told, DelegateEnd)] == ["interrupted"]
                assert left_of(mark) == 0
                begun = sorted(each.call_id for each in only(told, ExecCommandBegin))
                assert sorted(each.call_id for each in only(told, ExecCommandEnd)) == begun == ["k1", "k2"]

    run(work())
