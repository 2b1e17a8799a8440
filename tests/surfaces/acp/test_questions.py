"""What an editor is asked, and what its answers do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.acp.acp_client import acp_place
from support.agent.agent_places import calls, command
from support.model.responses_server import custom_tool_call, function_call, says
from support.process.loops import run

pytestmark = pytest.mark.host("namespace", "notify")

ASKS = ("-a", "on-request")


def outside(folder: Path, call: str = "c1", name: str = "made") -> Any:
    """A command that wants to write where it may not."""
    more = {"sandbox_permissions": "require_escalated", "justification": "May I write it?", "login": False}
    return function_call("exec_command", {"cmd": f"echo run >> {folder / name}", **more}, call)


@pytest.mark.parametrize(
    ("answer", "stopped", "ran", "told"),
    [
        ("approve", "end_turn", True, ""),
        ("deny", "end_turn", False, "user"),
        ("abort", "cancelled", False, ""),
        ("yes please", "end_turn", False, "none of the options; nobody answered"),
        ("", "end_turn", False, "nobody answered it"),  # taken back
    ],
)
def test_an_answer_decides_about_the_command_that_was_shown(
    tmp_path: Path, answer: str, stopped: str, ran: bool, told: str
) -> None:
    """Required: what is no answer of a person is a refusal, and is not told as a person's."""

    async def work() -> None:
        async with (
            acp_place(tmp_path, calls(outside(tmp_path)), says("done")) as place,
            place.editor(*ASKS) as editor,
        ):
            turn = editor.prompt(await editor.session(place))
            question = await editor.question()
            if answer:
                question.answer(answer)
            else:
                question.take_back()
            assert (await turn).stop_reason == stopped
            assert (tmp_path / "made").exists() == ran
            (call,) = editor.calls()
            assert call["status"] == ("completed" if ran else "failed")
            heard = str(place.model.asked[-1].body["input"][-1])
            assert told in heard
            assert ("user" in heard) == (told == "user") or stopped == "cancelled" or ran

    run(work())


def test_the_options_are_those_of_a_terminal_with_the_reason_and_the_risk(tmp_path: Path) -> None:
    async def work() -> None:
        async with (
            acp_place(tmp_path, calls(outside(tmp_path)), says("done")) as place,
            place.editor(*ASKS) as editor,
        ):
            turn = editor.prompt(await editor.session(place))
            question = await editor.question()
            kinds = {each.option_id: each.kind for each in question.options}
            assert kinds["approve"] == "allow_once"
            assert kinds["approve-session"] == "allow_always"
            assert (kinds["deny"], kinds["abort"]) == ("reject_once", "reject_always")
            assert [each.option_id for each in question.options][-2:] == ["deny", "abort"]
            assert question.options[0].name.startswith("yes, once:")
            assert "May I write it?" in question.text
            assert "Risk:" in question.text
            assert "(risk: " in str(question.call.title)
            assert question.call.status == "pending"
            question.answer("deny")
            await turn
            assert "(risk: " not in editor.calls()[0]["title"]

    run(work())


def test_a_yes_for_the_session_is_asked_once(tmp_path: Path) -> None:
    async def work() -> None:
        again = (calls(outside(tmp_path)), says("one"), calls(outside(tmp_path)), says("two"))
        async with acp_place(tmp_path, *again) as place, place.editor(*ASKS) as editor:
            session = await editor.session(place)
            turn = editor.prompt(session)
            (await editor.question()).answer("approve-session")
            await turn
            assert await editor.turn(session) == "end_turn"
            assert len(editor.questions) == 1
            assert (tmp_path / "made").read_text() == "run\nrun\n"
            assert len({call["tool_call_id"] for call in editor.calls()}) == 2  # though the model called both alike

    run(work())


def test_a_call_that_waits_in_the_kernel_is_asked_about_with_the_smallest_grant(tmp_path: Path) -> None:
    """Required: the command is shown as running, the question is about one path, and it goes on from there."""
    place_outside = tmp_path / "outside"
    place_outside.mkdir()
    script = f"echo before; echo run > {place_outside}/made; echo after $?"

    async def work() -> None:
        async with (
            acp_place(tmp_path, calls(command(script, login=False)), says("done")) as place,
            place.editor("-a", "on-failure") as editor,
        ):
            turn = editor.prompt(await editor.session(place))
            question = await editor.question()
            assert f"{place_outside}/made" in question.options[0].name
            assert "it has stopped at this very call" in question.text
            question.answer("approve")
            assert (await turn).stop_reason == "end_turn"
            (call,) = editor.calls()
            assert call["status"] == "completed"
            assert "after 0" in call["content"][0]["content"]["text"]
            assert (place_outside / "made").read_text() == "run\n"

    run(work())


def test_a_rule_is_saved_where_one_is_offered(tmp_path: Path) -> None:
    asks = function_call(
        "exec_command",
        {"cmd": "touch made", "sandbox_permissions": "require_escalated", "justification": "x", "login": False},
        "c1",
    )

    async def work() -> None:
        async with acp_place(tmp_path, calls(asks), says("one")) as place, place.editor(*ASKS) as editor:
            turn = editor.prompt(await editor.session(place))
            question = await editor.question()
            rules = [each for each in question.options if each.option_id == "approve-always"]
            assert [each.kind for each in rules] == ["allow_always"]
            assert "always" in rules[0].name
            question.answer("approve-always")
            await turn
            saved = [path.read_text() for path in place.home.rglob("*.rules")]
            assert any("touch" in text for text in saved)

    run(work())


@pytest.mark.parametrize(("answer", "made"), [("approve", True), ("deny", False)])
def test_a_patch_that_leaves_the_workspace_is_asked_about_with_its_difference(
    tmp_path: Path, answer: str, made: bool
) -> None:
    patch = f"*** Begin Patch\n*** Add File: {tmp_path}/made\n+x\n*** End Patch\n"
    wants = custom_tool_call("apply_patch", patch, "p1")

    async def work() -> None:
        async with (
            acp_place(tmp_path, calls(wants), says("done")) as place,
            place.editor(*ASKS, "-c", "features.apply_patch_freeform=true") as editor,
        ):
            turn = editor.prompt(await editor.session(place))
            question = await editor.question()
            assert question.call.kind == "edit"
            (difference,) = [each for each in question.call.content or () if each.type == "diff"]
            assert (difference.path, difference.old_text, difference.new_text) == (f"{tmp_path}/made", None, "x\n")
            question.answer(answer)
            await turn
            (call,) = editor.calls()
            assert (call["status"], (tmp_path / "made").exists()) == ("completed" if made else "failed", made)
            assert [each.path for each in question.call.locations or ()] == [f"{tmp_path}/made"]

    run(work())


def test_a_turn_that_is_cancelled_takes_its_question_back_and_nobody_is_said_to_have_refused(tmp_path: Path) -> None:
    """Required: what the model reads in the next turn does not name a person."""

    async def work() -> None:
        async with (
            acp_place(tmp_path, calls(outside(tmp_path)), says("again")) as place,
            place.editor(*ASKS) as editor,
        ):
            session = await editor.session(place)
            turn = editor.prompt(session)
            question = await editor.question()
            await editor.server.cancel(session_id=session)
            question.take_back()
            assert (await turn).stop_reason == "cancelled"
            assert not (tmp_path / "made").exists()
            (call,) = editor.calls()
            assert call["status"] == "failed"
            assert await editor.turn(session, "and now?") == "end_turn"
            answer = [each for each in place.model.asked[-1].body["input"] if each["type"] == "function_call_output"]
            assert "rejected by user" not in str(answer)

    run(work())
