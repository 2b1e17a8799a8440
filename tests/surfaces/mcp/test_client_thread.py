"""A client hands a whole task to an agent: it is asked what has to be asked, hears what happens, and gets an answer."""

from __future__ import annotations

import asyncio
import shlex
from typing import TYPE_CHECKING, Any

import pytest

from sandgate.surfaces.mcp.calling import CANNOT_ASK
from sandgate.surfaces.mcp.sessions import TURN_LOST
from support.mcp.delegating import agents_at, events, kinds, runs_command, told
from support.mcp.mcp_wire import ERAS, LEGACY, MODERN, RUNS, Desk, connected, run, soon, text_of
from support.model.responses_server import assesses, function_call, refuses, says, sends, turn
from support.process.waiting import wait_until

if TYPE_CHECKING:
    from support.mcp.mcp_wire import Json

pytestmark = pytest.mark.host("namespace", "notify")

APPEND = f"echo ran >> {RUNS}"
TASK = {"prompt": "go"}
ADVISED = (
    "assessment.when=all",
    "assessment.timeout_ms=15000",
    "assessment.form_wait_ms=15000",
    "features.experimental_sandbox_command_assessment=true",
)
NO_SUCH_MODEL = '{"error": {"message": "no such model"}}'


def checked_order(shown: list[str]) -> None:
    """A turn as it is told: begun, asked about, run, ended."""
    wanted = ["session_configured", "task_started", "exec_approval_request", "exec_command_begin", "task_complete"]
    assert [kind for kind in shown if kind in wanted] == wanted


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize("tool", ["sandgate", "codex"])
def test_a_delegated_command_is_asked_about_and_its_turn_is_told(desk: Desk, version: str, tool: str) -> None:
    """Required: the form has command, directory and reason; a yes runs it once; the events come before the answer."""

    async def work() -> None:
        with agents_at(desk, runs_command(APPEND), says("all done")) as (server, _model):
            async with connected(server, version) as wire:
                call = await wire.call(tool, {**TASK, "cwd": "."})
                form = await call.asked()
                assert shlex.join(form["codex_command"]).endswith(shlex.quote(APPEND))
                assert (form["codex_cwd"], form["codex_elicitation"]) == (str(desk.place.repo), "exec-approval")
                assert (form["codex_mcp_tool_call_id"], form["codex_call_id"]) == (str(call.id), "c1")
                assert form["codex_risk"]["risk_level"] in form["message"].lower()
                assert desk.runs == 0
                await call.choose("approve")
                answer = await call.result()
                thread = answer["structuredContent"]["threadId"]
                said = {"threadId": thread, "conversationId": thread, "content": "all done"}
                assert (text_of(answer), answer["structuredContent"], answer["isError"]) == ("all done", said, False)
                checked_order(kinds(wire))
                assert {event["_meta"]["threadId"] for event in events(wire)} == {thread}
                assert {event["_meta"]["requestId"] for event in events(wire)} <= {call.id - 1, call.id}
                assert [event["seq"] for event in events(wire)] == list(range(len(events(wire))))
                assert wire.received[-1]["result"] == answer

    run(work())
    assert desk.runs == 1


@pytest.mark.parametrize("version", ERAS)
def test_the_form_of_a_task_carries_what_the_agents_model_says_of_the_risk(desk: Desk, version: str) -> None:
    """Required: where no other model is named, the turn's own is asked, and its words come with the form."""
    script = [runs_command(APPEND), says("done")]

    def manner(connection: Any) -> None:
        if connection.asked.headers.get("x-openai-subagent") == "risk_assessment":
            assesses("high", "Writes where nobody looks.", ["system_modification"])(connection)
        else:
            script.pop(0)(connection)

    async def work() -> None:
        with agents_at(desk, manner, overrides=ADVISED) as (server, _model):
            async with connected(server, version) as wire:
                call = await wire.call("sandgate", TASK)
                form = await call.asked()
                assert "Writes where nobody looks." in form["message"]
                assert form["codex_risk"]["risk_level"] == "high"
                await call.choose("approve")
                assert await call.text() == "done"
                assert "sandbox_assessment" in kinds(wire)

    run(work())


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize(
    ("choice", "words", "error"),
    [("deny", "then not", False), ("abort", "the turn was interrupted", True)],
)
def test_a_no_runs_nothing_and_a_stop_ends_the_turn(
    desk: Desk, version: str, choice: str, words: str, *, error: bool
) -> None:
    async def work() -> None:
        with agents_at(desk, runs_command(APPEND), says("then not")) as (server, model):
            async with connected(server, version) as wire:
                call = await wire.call("sandgate", TASK)
                await call.asked()
                await call.choose(choice)
                answer = await call.result()
                assert (text_of(answer).startswith(words), answer["isError"]) == (True, error)
                assert answer["structuredContent"]["threadId"]
                assert len(model.asked) == (1 if error else 2)

    run(work())
    assert desk.runs == 0


@pytest.mark.parametrize("version", ERAS)
def test_a_reply_goes_on_with_the_same_conversation(desk: Desk, version: str) -> None:
    async def work() -> None:
        with agents_at(desk, says("one"), says("two")) as (server, model):
            async with connected(server, version) as wire:
                thread = (await wire.result("sandgate", TASK))["structuredContent"]["threadId"]
                first = len(events(wire))
                for tool, name in (("sandgate-reply", "threadId"), ("codex-reply", "conversationId")):
                    answer = await wire.result(tool, {"prompt": "and then?", name: thread})
                    assert (text_of(answer), answer["structuredContent"]["threadId"]) == ("two", thread)
                assert kinds(wire)[first:].count("task_complete") == 2
                assert "session_configured" not in kinds(wire)[first:]
                texts = [part["text"] for item in model.asked[-1].body["input"] for part in item.get("content", ())]
                assert [text for text in texts if text in ("go", "one", "two", "and then?")] == [
                    "go", "one", "and then?", "two", "and then?"
                ]  # fmt: skip

    run(work())


def test_two_questions_of_one_answer_are_put_one_after_the_other(desk: Desk) -> None:
    """Required: each answer is about the command that its form showed."""
    both = [
        function_call("exec_command", {"cmd": f"echo {name} >> {name}", "login": False}, name) for name in ("a", "b")
    ]

    async def work() -> None:
        with agents_at(desk, sends(*turn(*both)), says("done")) as (server, _model):
            async with connected(server, LEGACY) as wire:
                call = await wire.call("sandgate", TASK)
                answered = []
                for _ in range(2):
                    form = await call.asked()
                    answered.append(form["codex_call_id"])
                    await call.choose("approve" if form["codex_call_id"] == "a" else "deny")
                await call.result()
                assert sorted(answered) == ["a", "b"]

    run(work())
    assert [(desk.place.repo / name).exists() for name in ("a", "b")] == [True, False]


def test_a_cancelled_request_interrupts_its_turn(desk: Desk) -> None:
    """Required: what it asks is taken back, its command never runs, and the session can go on."""

    async def work() -> None:
        with agents_at(desk, runs_command(APPEND), says("still here")) as (server, _model):
            async with connected(server, LEGACY) as wire:
                call = await wire.call("sandgate", TASK)
                thread = (await told(wire, "session_configured"))["_meta"]["threadId"]
                await call.asked()
                await call.cancel()
                while (reply := await wire.result("sandgate-reply", {**TASK, "threadId": thread}))["isError"]:
                    assert "a turn runs" in text_of(reply)
                assert text_of(reply) == "still here"
                assert kinds(wire).count("turn_aborted") == 1
                assert desk.ledger.pending() == ()

    run(work())
    assert desk.runs == 0


@pytest.mark.parametrize("version", ERAS)
def test_two_replies_at_once_are_one_turn_and_one_error(desk: Desk, version: str) -> None:
    async def work() -> None:
        with agents_at(desk, says("one"), runs_command(APPEND), says("two")) as (server, _model):
            async with connected(server, version) as wire:
                thread = (await wire.result("sandgate", TASK))["structuredContent"]["threadId"]
                again: Json = {**TASK, "threadId": thread}
                first = await wire.call("sandgate-reply", again)
                await first.asked()
                second = await wire.result("sandgate-reply", again)
                assert (second["isError"], "a turn runs in this session already" in text_of(second)) == (True, True)
                await first.choose("approve")
                assert await first.text() == "two"

    run(work())
    assert desk.runs == 1


@pytest.mark.parametrize("version", ERAS)
def test_a_failed_turn_is_an_error_that_names_its_session(desk: Desk, version: str) -> None:
    async def work() -> None:
        with agents_at(desk, refuses(400, NO_SUCH_MODEL), says("better")) as (
            server,
            _model,
        ):
            async with connected(server, version) as wire:
                failed = await wire.result("sandgate", TASK)
                assert (failed["isError"], "no such model" in text_of(failed)) == (True, True)
                thread = failed["structuredContent"]["threadId"]
                assert await (await wire.call("sandgate-reply", {**TASK, "threadId": thread})).text() == "better"

    run(work())


def test_a_client_without_forms_gets_a_refusal_that_the_agent_reads(desk: Desk) -> None:
    async def work() -> None:
        with agents_at(desk, runs_command(APPEND), says("so be it")) as (server, model):
            async with connected(server, LEGACY, capabilities={}) as wire:
                assert await (await wire.call("sandgate", TASK)).text() == "so be it"
                (output,) = [item["output"] for item in model.asked[-1].body["input"] if "output" in item]
                assert CANNOT_ASK.format(client="`mcp`").split(",")[0] in output

    run(work())
    assert desk.runs == 0


def test_a_question_of_a_task_can_be_answered_at_another_terminal(desk: Desk) -> None:
    async def work() -> None:
        with agents_at(desk, runs_command(APPEND), says("done"), forms=False, waits_elsewhere=True) as (server, _model):
            async with connected(server, LEGACY) as wire:
                call = await wire.call("sandgate", TASK)
                await told(wire, "exec_approval_request")
                assert await asyncio.to_thread(wait_until, lambda: bool(desk.ledger.pending()))
                (approval,) = desk.ledger.pending()
                assert approval.details["sandgate_confinement"]["writable"][0] == str(desk.place.repo)
                desk.ledger.resolve(approval.approval_id, "approve", by="terminal", digest=approval.digest)
                assert await call.text() == "done"

    run(work())
    assert desk.runs == 1


def test_an_answer_for_a_turn_that_is_gone_is_void(desk: Desk) -> None:
    """Required: the later era's answer begins no second turn, whatever it approves."""

    async def work() -> None:
        with agents_at(desk, runs_command(APPEND), says("done")) as (server, model):
            async with connected(server, MODERN) as wire:
                call = await wire.call("sandgate", TASK)
                await call.asked()
                state = call.state
                await call.choose("approve")
                await call.result()
                call.state = state
                await call.choose("approve")
                assert await call.text() == TURN_LOST
                assert len(model.asked) == 2

    run(work())
    assert desk.runs == 1


@pytest.mark.parametrize(("version", "ends"), [(LEGACY, False), (MODERN, True)])
def test_a_turn_whose_client_does_not_come_back_with_an_answer_ends(desk: Desk, version: str, *, ends: bool) -> None:
    """Required: an agent does not go on for nobody. Where the request is still there, it hears of the refusal."""

    async def work() -> None:
        with agents_at(desk, runs_command(APPEND), says("so be it")) as (server, model):
            async with connected(server, version) as wire:
                call = await wire.call("sandgate", TASK)
                await call.asked()
                thread = events(wire)[0]["_meta"]["threadId"]
                (approval,) = desk.ledger.pending()
                desk.ledger.resolve(approval.approval_id, "deny", by="timeout", digest=approval.digest)
                if not ends:
                    assert await call.text() == "so be it"
                    return
                again = {**TASK, "threadId": thread}
                while (reply := await wire.result("sandgate-reply", again))["isError"]:
                    assert "a turn runs" in text_of(reply)
                assert kinds(wire).count("turn_aborted") == 1
                assert len(model.asked) == 2

    run(work())
    assert desk.runs == 0


def test_a_connection_that_ends_takes_its_sessions_along(desk: Desk) -> None:
    """Required: the turn is interrupted, its question is taken back, and nothing runs."""

    async def work() -> None:
        with agents_at(desk, runs_command(APPEND), says("done")) as (server, model):
            async with connected(server, LEGACY) as wire:
                call = await wire.call("sandgate", TASK)
                await call.asked()
                await soon(wire.drop())
            assert len(model.asked) == 1

    run(work())
    assert desk.runs == 0
