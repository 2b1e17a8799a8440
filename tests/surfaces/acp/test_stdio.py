"""An editor's session over real pipes, from its beginning to its end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.acp.acp_client import acp_place, text_of
from support.agent.agent_places import calls, command
from support.model.responses_server import function_call, says
from support.process.loops import run

pytestmark = pytest.mark.host("namespace", "notify")

ASKS = ("-a", "on-request")


def outside(folder: Path, call: str = "c1", name: str = "made") -> Any:
    """A command that wants to write where it may not."""
    more = {"sandbox_permissions": "require_escalated", "justification": "May I write it?", "login": False}
    return function_call("exec_command", {"cmd": f"echo run >> {folder / name}", **more}, call)


def test_a_turn_with_a_command_is_told_from_its_beginning_to_its_end(tmp_path: Path) -> None:
    async def work() -> None:
        async with acp_place(tmp_path, calls(command("echo hi")), says("done")) as place, place.editor() as editor:
            session = await editor.session(place)
            assert await editor.turn(session) == "end_turn"
            assert editor.said() == "done"
            (call,) = editor.calls()
            assert (call["title"], call["kind"], call["status"]) == ("`echo hi`", "execute", "completed")
            assert "hi" in text_of(call)
            assert call["raw_output"]["exit_code"] == 0
            assert {each for each, _update in editor.updates} == {session}

    run(work())


def test_a_command_that_leaves_the_workspace_is_asked_about_and_runs_after_a_yes(tmp_path: Path) -> None:
    async def work() -> None:
        async with (
            acp_place(tmp_path, calls(outside(tmp_path)), says("done")) as place,
            place.editor(*ASKS) as editor,
        ):
            session = await editor.session(place)
            turn = editor.prompt(session)
            question = await editor.question()
            assert not (tmp_path / "made").exists()
            assert "May I write it?" in question.text
            question.answer("approve")
            assert (await turn).stop_reason == "end_turn"
            (call,) = editor.calls()
            assert (call["tool_call_id"], call["status"]) == (question.call.tool_call_id, "completed")
            assert (tmp_path / "made").read_text() == "run\n"

    run(work())
