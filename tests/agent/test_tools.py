"""The tools of an agent, called as a model calls them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandgate.protocol.decisions import Decision
from sandgate.protocol.events import (
    BackgroundEvent,
    ExecApprovalRequest,
    ExecCommandBegin,
    ExecCommandContinues,
    ExecCommandEnd,
    ExecCommandOutputDelta,
    ExitedReviewMode,
    PatchApplyEnd,
    PlanUpdate,
    TaskComplete,
    TerminalInteraction,
    TurnAborted,
    TurnDiff,
    UndoCompleted,
    ViewImageToolCall,
    Warned,
)
from sandgate.protocol.operations import AnswerApproval, ContextChange, Interrupt, Review, TextInput, Undo, UserInput
from sandgate.protocol.permissions import WorkspaceWrite
from support.agent.agent_places import AgentPlace, calls, command, only, said, until
from support.model.responses_server import ResponsesServer, custom_tool_call, function_call, says
from support.process.loops import run
from support.tool.pictures import png

pytestmark = pytest.mark.host("namespace", "notify")

WRITES = ("sandbox_mode=workspace-write", "approval_policy=never")
PATCH = "*** Begin Patch\n*** Add File: made\n+hello\n*** End Patch\n"


def answers(body: Any) -> list[Any]:
    return [item["output"] for item in body["input"] if "output" in item]


@pytest.mark.parametrize(
    ("item", "said_back"),
    [
        (function_call("no_such_tool", {}), "unsupported call: no_such_tool"),
        (function_call("exec_command", {"cmd": 3}), "integer `3`, expected a string"),
        (function_call("exec_command", "no json"), "expected"),
        (function_call("update_plan", {"plan": "no"}), "expected a sequence"),
        (function_call("view_image", {"path": "nowhere.png"}), "nowhere.png"),
        (function_call("delegate", {}), "prompt"),
        (function_call("write_stdin", {"session_id": 123456, "chars": "x"}), "123456"),
        (custom_tool_call("shell", "rm"), "expected value"),
        (function_call("apply_patch", {"input": "no patch"}), "atch"),
    ],
)
def test_whatever_is_wrong_with_a_call_is_said_to_the_model_and_to_who_watches_and_the_turn_goes_on(
    tmp_path: Path, item: Any, said_back: str
) -> None:
    async def work() -> None:
        with ResponsesServer(calls(item), says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                told = await said(agent, "work")
                assert isinstance(told[-1], TaskComplete)
                (warned,) = only(told, Warned)
                assert said_back in warned.message
                assert (item.get("name") or "call") in warned.message.splitlines()[0]
            (answer,) = answers(server.asked[-1].body)
            assert said_back in str(answer)
            assert "Traceback" not in str(answer)

    run(work())


MISFIT = "*** Begin Patch\n*** Update File: log\n@@\n-not in it\n+new\n*** End Patch\n"


@pytest.mark.parametrize(
    "item",
    [
        function_call("apply_patch", {"input": MISFIT}),
        function_call("exec_command", {"cmd": f"apply_patch <<'EOF'\n{MISFIT}EOF"}),
        function_call("shell", {"command": ["apply_patch", MISFIT]}),
    ],
    ids=["apply_patch", "exec_command", "shell"],
)
def test_a_patch_that_does_not_fit_is_told_to_who_watches(tmp_path: Path, item: Any) -> None:
    """Required: a turn that has changed nothing must not look like one that did."""

    async def work() -> None:
        with ResponsesServer(calls(item), says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                told = await said(agent, "work")
            failed = [each.message for each in only(told, Warned) if "verification failed" in each.message]
            assert len(failed) == 1
            assert "not in it" in failed[0]

    run(work())


def test_a_call_whose_end_is_told_is_not_told_once_more(tmp_path: Path) -> None:
    refused = [command("touch made", "c1"), shell("touch made", "c2"), function_call("apply_patch", PATCH, "c3")]

    async def work() -> None:
        with ResponsesServer(calls(*refused), says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened("sandbox_mode=read-only", "approval_policy=untrusted") as agent:
                told = await said(agent, "work")
            ends = [each.call_id for each in told if isinstance(each, ExecCommandEnd | PatchApplyEnd)]
            assert sorted(ends) == ["c1", "c2", "c3"]
            assert only(told, Warned) == []

    run(work())


def test_every_tool_that_is_offered_is_one_that_answers(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(says("hi"), says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                await said(agent, "work")
            offered = [tool["name"] for tool in server.asked[0].body["tools"]]
            assert offered == [
                "exec_command",
                "write_stdin",
                "apply_patch",
                "update_plan",
                "view_image",
                "delegate",
            ]

    run(work())


def test_scripts_of_an_agent_get_a_login_shell_and_its_model_is_told(tmp_path: Path) -> None:
    """What models were trained on; whoever else calls the tools asks for one."""

    async def work() -> None:
        call = function_call("exec_command", {"cmd": "shopt -q login_shell && echo it is"})
        with ResponsesServer(calls(call), says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                await said(agent, "work")
            (tool,) = [tool for tool in server.asked[0].body["tools"] if tool.get("name") == "exec_command"]
            assert "Default true." in tool["parameters"]["properties"]["login"]["description"]
            (answer,) = answers(server.asked[-1].body)
            assert "it is" in answer

    run(work())


def test_commands_of_both_other_forms_run_in_the_same_sandbox(tmp_path: Path) -> None:
    async def work() -> None:
        shell = function_call("shell", {"command": ["bash", "-c", "echo one >> log; echo x > ../outside"]}, "c1")
        local = {
            "type": "local_shell_call",
            "id": "ls1",
            "call_id": "c2",
            "status": "completed",
            "action": {"type": "exec", "command": ["bash", "-c", "echo two >> log; echo x > ../outside"]},
        }
        with ResponsesServer(calls(shell), calls(local), says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                told = await said(agent, "work")
                refused = [
                    each.message for each in only(told, BackgroundEvent) if "the sandbox refused" in each.message
                ]
                assert ["outside" in each for each in refused] == [True, True]
            assert place.lines() == ["one", "two"]
            assert not (tmp_path / "outside").exists()
            first, second = answers(server.asked[-1].body)
            assert "the sandbox refused" in first
            assert "outside" in second

    run(work())


def shell(script: str, call_id: str, **more: Any) -> Any:
    return function_call("shell", {"command": ["bash", "-c", script], **more}, call_id)


def local_shell(script: str, call_id: str, own_id: str = "ls") -> Any:
    action = {"type": "exec", "command": ["bash", "-c", script]}
    return {"type": "local_shell_call", "id": own_id, "call_id": call_id, "status": "completed", "action": action}


def stories(told: list[Any]) -> dict[str, list[str]]:
    """What is told of each call, without the pieces of its output after the first."""
    found: dict[str, list[str]] = {}
    for each in told:
        if isinstance(each, ExecApprovalRequest | ExecCommandBegin | ExecCommandOutputDelta | ExecCommandEnd):
            names = found.setdefault(each.call_id, [])
            if type(each).__name__ not in names[-1:]:
                names.append(type(each).__name__)
    return found


def test_commands_of_the_other_forms_are_asked_about_and_told_under_their_own_ids(tmp_path: Path) -> None:
    """Required: whoever watches sees every command, in whichever form the model wants it run."""
    script = [
        calls(shell("tee a <<< one", "c1"), local_shell("touch b; exit 3", "c2")),
        calls(shell("touch no", "c3"), local_shell("touch d; echo e", "", "own")),
        calls(shell("touch f; sleep 60", "c4", timeout_ms=500)),
        says("done"),
    ]

    async def work() -> None:
        with ResponsesServer(*script) as server:
            place = AgentPlace(tmp_path, server.url)
            overrides = ("sandbox_mode=workspace-write", "approval_policy=untrusted")
            async with place.opened(*overrides, interactive=True) as agent:

                def seen(event: Any) -> None:
                    if isinstance(event.msg, ExecApprovalRequest):
                        wanted: Any = "denied" if event.msg.call_id == "c3" else "approved"
                        decision = Decision(event.msg.request.stage, wanted, "user")
                        agent.submit(AnswerApproval(event.msg.approval_id, decision))

                told = await said(agent, "work", seen)
            whole = ["ExecApprovalRequest", "ExecCommandBegin", "ExecCommandOutputDelta", "ExecCommandEnd"]
            quiet = [*whole[:2], whole[3]]
            assert stories(told) == {"c1": whole, "c2": quiet, "c3": quiet, "own": whole, "c4": quiet}
            ends = {each.call_id: (each.status, each.exit_code) for each in only(told, ExecCommandEnd)}
            assert ends == {
                "c1": ("completed", 0),
                "c2": ("failed", 3),
                "c3": ("declined", None),
                "own": ("completed", 0),
                "c4": ("failed", 124),
            }
            turn = told[-1].turn_id
            assert {each.turn_id for each in told if isinstance(each, ExecCommandBegin | ExecCommandEnd)} == {turn}
            (end,) = [each for each in only(told, ExecCommandEnd) if each.call_id == "c1"]  # the others ran beside it
            assert (end.aggregated_output, end.command) == ("one\n", ("bash", "-c", "tee a <<< one"))
            assert not (place.repo / "no").exists()

    run(work())


@pytest.mark.parametrize(("feature", "begins"), [("false", '{"output": "hi'), ("true", "Exit code: 0\nWall time: ")])
def test_where_patches_are_written_as_they_are_so_are_answers_of_a_shell(
    tmp_path: Path, feature: str, begins: str
) -> None:
    """Required."""
    shells = (shell("echo hi", "c1"), local_shell("echo hi", "c2"))
    item = custom_tool_call("apply_patch", PATCH, "c3")

    async def work() -> None:
        with ResponsesServer(calls(*shells, item), says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(f"features.apply_patch_freeform={feature}", *WRITES) as agent:
                told = await said(agent, "work")
                assert [each.success for each in only(told, PatchApplyEnd)] == [True]
            first, second = server.asked
            (offered,) = [tool for tool in first.body["tools"] if tool["name"] == "apply_patch"]
            assert offered["type"] == ("custom" if feature == "true" else "function")
            one, two, patched = [item for item in second.body["input"] if "output" in item]
            assert one["output"].startswith(begins)
            assert two["output"].startswith(begins)
            assert (patched["type"], patched["call_id"]) == ("custom_tool_call_output", "c3")
            assert "Success. Updated the following files:\nA made" in patched["output"]

    run(work())


@pytest.mark.parametrize(
    ("features", "offered"),
    [
        (("unified_exec=false",), ["shell", "apply_patch", "update_plan", "view_image", "delegate"]),
        (("view_image_tool=false",), ["exec_command", "write_stdin", "apply_patch", "update_plan", "delegate"]),
    ],
)
def test_features_choose_the_tools(tmp_path: Path, features: tuple[str, ...], offered: list[str]) -> None:
    async def work() -> None:
        with ResponsesServer(says("hi")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*(f"features.{each}" for each in features), *WRITES) as agent:
                await said(agent, "work")
            assert [tool["name"] for tool in server.asked[0].body["tools"]] == offered

    run(work())


def test_a_command_of_another_form_that_is_interrupted_has_its_end(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(calls(shell("echo on; sleep 60", "c1"))) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                agent.submit(UserInput((TextInput("work"),)))
                await until(agent, ExecCommandOutputDelta)
                agent.submit(Interrupt())
                told = await until(agent, TurnAborted)
                assert stories(told)["c1"] == ["ExecCommandBegin", "ExecCommandOutputDelta", "ExecCommandEnd"]
                assert isinstance(told[-2], ExecCommandEnd)

    run(work())


HEREDOC = f"apply_patch <<'EOF'\n{PATCH}EOF"


@pytest.mark.parametrize("item", [command(HEREDOC, "c1"), shell(HEREDOC, "c1")], ids=["exec_command", "shell"])
def test_a_patch_that_was_handed_to_a_shell_is_a_patch_of_the_turn(tmp_path: Path, item: Any) -> None:
    """Required: what the turn changed is told, and can be taken back, whichever way the model took."""

    async def work() -> None:
        with ResponsesServer(calls(item), says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                told = await said(agent, "work")
                assert [(each.call_id, each.success) for each in only(told, PatchApplyEnd)] == [("c1", True)]
                assert "+hello" in only(told, TurnDiff)[0].unified_diff
                await until(agent, UndoCompleted, of=agent.submit(Undo()))
                assert not (place.repo / "made").exists()

    run(work())


def test_a_plan_and_a_picture_are_shown(tmp_path: Path) -> None:
    async def work() -> None:
        plan = function_call("update_plan", {"plan": [{"step": "look", "status": "in_progress"}]}, "c1")
        look = function_call("view_image", {"path": "p.png"}, "c2")
        with ResponsesServer(calls(plan, look), says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            (place.repo / "p.png").write_bytes(png(2, 2))
            async with place.opened(*WRITES) as agent:
                told = await said(agent, "work")
            assert [each.plan[0].step for each in only(told, PlanUpdate)] == ["look"]
            assert only(told, ViewImageToolCall) == [ViewImageToolCall("c2", str(place.repo / "p.png"))]
            planned, seen = answers(server.asked[-1].body)
            assert planned == "Plan updated"
            assert seen[0]["image_url"].startswith("data:image/png;base64,")

    run(work())


def test_a_patch_is_applied_told_and_taken_back(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(calls(function_call("apply_patch", {"input": PATCH})), says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                told = await said(agent, "work")
                assert [each.success for each in only(told, PatchApplyEnd)] == [True]
                assert (place.repo / "made").read_text() == "hello\n"
                told = await until(agent, UndoCompleted, of=agent.submit(Undo()))
                assert told[-1].success
                assert not (place.repo / "made").exists()

    run(work())


def test_a_command_that_lives_on_is_talked_to_and_ends_with_the_session(tmp_path: Path) -> None:
    async def work() -> None:
        reads = command("read line; echo got $line >> log; exec sleep 985", "c1", tty=True, yield_time_ms=300)

        def types(connection: Any) -> None:
            text = answers(connection.asked.body)[-1]
            number = int(text.split("session ID ")[1].split()[0])
            calls(function_call("write_stdin", {"session_id": number, "chars": "words\r", "yield_time_ms": 300}, "c2"))(
                connection
            )

        with ResponsesServer(calls(reads), types, says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                await said(agent, "work")
                assert place.lines() == ["got", "words"]
                assert _sleeping()
            assert not _sleeping()
            assert json.dumps(server.asked[-1].body)

    run(work())


def test_what_the_model_reads_of_a_command_is_what_its_events_say(tmp_path: Path) -> None:
    async def work() -> None:
        script = "import os; os.write(2, b'oops'); os.write(1, b'fine')"
        asked = [
            command("echo hi; exit 3", "c1"),
            command("echo hi", "c2", workdir="nowhere"),
            function_call("shell", {"command": ["missing-program-of-ours"]}, "c3"),
            shell(f'python3 -c "{script}"', "c4"),
        ]
        with ResponsesServer(calls(*asked), says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                told = await said(agent, "work")
            ends = {each.call_id: each for each in only(told, ExecCommandEnd)}
            assert [ends[name].formatted_output for name in ("c1", "c2", "c3", "c4")] == answers(server.asked[-1].body)
            assert ends["c1"].error is None
            assert "nowhere" in str(ends["c2"].error)
            assert (ends["c4"].stdout, ends["c4"].stderr) == ("fine", "oops")
            assert (ends["c1"].stdout, ends["c1"].process_id is None) == (None, False)

    run(work())


def test_a_command_that_lives_on_is_told_as_such_and_so_is_what_is_typed_into_it(tmp_path: Path) -> None:
    async def work() -> None:
        reads = command("read line; echo got $line; exit 4", "c1", tty=True, yield_time_ms=300)

        def types(connection: Any) -> None:
            number = int(answers(connection.asked.body)[-1].split("session ID ")[1].split()[0])
            calls(function_call("write_stdin", {"session_id": number, "chars": "words\r"}, "c2"))(connection)

        with ResponsesServer(calls(reads), types, says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                told = await said(agent, "work")
            first, last = answers(server.asked[-1].body)
            kinds = (ExecCommandBegin, ExecCommandContinues, TerminalInteraction, ExecCommandEnd)
            of_the_command: list[Any] = [each for each in told if isinstance(each, kinds)]
            begun, lives_on, typed, ended = of_the_command
            assert {each.call_id for each in (begun, lives_on, typed, ended)} == {"c1"}
            assert len({each.process_id for each in (begun, lives_on, typed, ended)}) == 1
            assert (lives_on.formatted_output, lives_on.status) == (first, "in_progress")
            assert typed.stdin == "words\r"
            assert (ended.formatted_output, ended.exit_code) == (last, 4)

    run(work())


SEARCHES = "features.web_search_request=true"


def searches(body: Any) -> list[Any]:
    return [tool for tool in body["tools"] if tool["type"] == "web_search"]


@pytest.mark.parametrize(
    ("settings", "offered"),
    [
        ((), []),
        ((SEARCHES,), [{"type": "web_search", "external_web_access": False}]),
        ((SEARCHES, "sandbox.network=on"), [{"type": "web_search", "external_web_access": True}]),
        (("web_search=true",), [{"type": "web_search", "external_web_access": False}]),
    ],
)
def test_the_providers_search_is_offered_where_the_person_wants_it(
    tmp_path: Path, settings: tuple[str, ...], offered: list[Any]
) -> None:
    """Required: off by default, and without live pages where commands have no network."""

    async def work() -> None:
        with ResponsesServer(says("done")) as server:
            async with AgentPlace(tmp_path, server.url).opened(*WRITES, *settings) as agent:
                await said(agent, "go")
            assert [searches(asked.body) for asked in server.asked] == [offered]

    run(work())


def test_the_search_follows_the_network_of_each_turn_and_a_review_has_none(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES, SEARCHES, "sandbox.network=on") as agent:
                await said(agent, "go")
                assert isinstance(await agent.turn("go", ContextChange(sandbox_policy=WorkspaceWrite())), TaskComplete)
                await until(agent, ExitedReviewMode, of=agent.submit(Review("check it")))
            live = [[tool["external_web_access"] for tool in searches(asked.body)] for asked in server.asked]
            assert live == [[True], [False], []]

    run(work())


def _sleeping() -> bool:
    found = False
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found = found or each.read_bytes() == b"sleep\x00985\x00"
        except OSError:
            continue
    return found
