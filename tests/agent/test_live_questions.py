"""What a model has started waits at a refused call, and whoever watches the turn is asked."""

from __future__ import annotations

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
