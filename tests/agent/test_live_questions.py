"""What a model has started waits at a refused call, and whoever watches the turn is asked."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from sandgate.protocol.decisions import Decision
from sandgate.protocol.events import ExecApprovalRequest
from sandgate.protocol.operations import AnswerApproval
from support.agent.agent_places import AgentPlace, calls, only, said
from support.model.responses_server import ResponsesServer, function_call, says
from support.process.loops import run

pytestmark = pytest.mark.host("namespace", "notify")

AT_CALL = ("sandbox_mode=workspace-write", "approval_policy=on-failure", 'sandbox.ask="at-call"')
ALONE = "sandbox_workspace_write.exclude_slash_tmp=true"


@pytest.mark.parametrize("decision", ["approved", "denied"])
def test_a_turn_asks_about_the_call_that_waits_and_runs_nothing_twice(tmp_path: Path, decision: Any) -> None:
    made = tmp_path / "made"
    script = f"echo run >> log; mkdir {made} && echo ma''de; true"

    async def work() -> None:
        wants = function_call("exec_command", {"cmd": script, "yield_time_ms": 30_000, "login": False})
        with ResponsesServer(calls(wants), says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*AT_CALL, ALONE, interactive=True) as agent:

                def seen(event: Any) -> None:
                    if isinstance(event.msg, ExecApprovalRequest):
                        request = event.msg.request
                        grants = request.grants if decision == "approved" else ()
                        agent.submit(
                            AnswerApproval(event.msg.approval_id, Decision(request.stage, decision, "user", grants))
                        )

                told = await said(agent, "work", seen)
            assert [each.request.stage for each in only(told, ExecApprovalRequest)] == ["held"]
            (answer,) = [item["output"] for item in server.asked[-1].body["input"] if "output" in item]
            assert "Process exited with code 0" in answer
            assert ("\nmade" in answer, made.exists()) == (decision == "approved", decision == "approved")
            assert place.lines() == ["run"]

    run(work())


def test_what_a_command_is_refused_between_two_turns_is_asked_in_the_next(tmp_path: Path) -> None:
    """Required: nobody could be asked meanwhile, which is no no."""
    made, goes, told = tmp_path / "made", tmp_path / "repo/goes", tmp_path / "repo/told"
    script = f"read _ < goes; mkdir {made} || echo refused > told; read _; mkdir {made}; echo $? >> log"

    def types(connection: Any) -> None:
        text = next(item["output"] for item in connection.asked.body["input"] if "output" in item)
        number = int(text.split("session ID ")[1].split()[0])
        typed = {"session_id": number, "chars": "\r", "yield_time_ms": 30_000}
        calls(function_call("write_stdin", typed, "c2"))(connection)

    async def work() -> None:
        wants = function_call("exec_command", {"cmd": script, "yield_time_ms": 300, "login": False, "tty": True})
        with ResponsesServer(calls(wants), says("done"), types, says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            os.mkfifo(goes)
            os.mkfifo(told)
            async with place.opened(*AT_CALL, ALONE, interactive=True) as agent:

                def approves(event: Any) -> None:
                    if isinstance(event.msg, ExecApprovalRequest):
                        request = event.msg.request
                        answer = Decision(request.stage, "approved", "user", request.grants)
                        agent.submit(AnswerApproval(event.msg.approval_id, answer))

                assert not only(await said(agent, "begin", approves), ExecApprovalRequest)
                await asyncio.to_thread(goes.write_text, "go\n")
                assert await asyncio.to_thread(told.read_text) == "refused\n"
                assert not made.exists()
                assert len(only(await said(agent, "go on", approves), ExecApprovalRequest)) == 1
            assert (place.lines(), made.is_dir()) == (["0"], True)

    run(work())


def test_a_yes_for_the_session_after_a_failure_is_for_another_command_too(tmp_path: Path) -> None:
    made = tmp_path / "made"
    first, second = (
        function_call("exec_command", {"cmd": f"{word} >> {made}", "yield_time_ms": 30_000, "login": False}, word[:6])
        for word in ("echo a", "printf 'b\\n'")
    )
    after = (*AT_CALL[:2], 'sandbox.ask="after"', ALONE)

    async def work() -> None:
        with ResponsesServer(calls(first), calls(second), says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*after, interactive=True) as agent:

                def seen(event: Any) -> None:
                    if isinstance(event.msg, ExecApprovalRequest):
                        request = event.msg.request
                        yes = Decision(request.stage, "approved_for_session", "user", request.grants)
                        agent.submit(AnswerApproval(event.msg.approval_id, yes))

                told = await said(agent, "work", seen)
            assert len(only(told, ExecApprovalRequest)) == 1
            assert made.read_text() == "a\nb\n"

    run(work())
