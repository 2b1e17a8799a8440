"""What happens within a turn: what is said meanwhile, which calls overlap, and that every story is whole.

A real server, gate, kernel and files.
"""

from __future__ import annotations

import json
import sys
import time
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from sandgate.protocol.decisions import Decision
from sandgate.protocol.events import (
    AgentMessage,
    ApprovalResolved,
    ContextCompacted,
    ExecApprovalRequest,
    ExecCommandBegin,
    ExecCommandEnd,
    ExecCommandOutputDelta,
    ExitedReviewMode,
    Failed,
    McpToolCallBegin,
    McpToolCallEnd,
    TaskComplete,
    TaskStarted,
    TurnAborted,
    UserMessage,
    WebSearchBegin,
    WebSearchEnd,
)
from sandgate.protocol.operations import AnswerApproval, Compact, Interrupt, Review, TextInput, UserInput
from support.agent.agent_places import AgentPlace, calls, command, only, said, until
from support.mcp.external_servers import STAGE
from support.model.responses_server import (
    HEAD,
    LIMIT_S,
    ResponsesServer,
    failed,
    function_call,
    message,
    says,
    sends,
    sse,
    turn,
)
from support.process.loops import run
from support.terminal.live_sessions import left_of

if TYPE_CHECKING:
    from pathlib import Path

    from support.model.responses_server import Connection, Json, Manner

pytestmark = pytest.mark.host("namespace", "notify")

WRITES = ("sandbox_mode=workspace-write", "approval_policy=never")
ASKS = ("sandbox_mode=workspace-write", "approval_policy=untrusted")
UNTIL_GO = "until [ -e go ]; do sleep 0.01; done; echo gone on"
INTERRUPTED_S = 15.0  # two seconds for the tools, the rest for a busy machine; by itself the command takes half an hour


def words(body: Json) -> list[str]:
    """What the person said, and what became of calls, in order."""
    found = []
    for item in body["input"]:
        if item.get("role") == "user":
            found += [part["text"] for part in item["content"] if not part["text"].startswith("<")]
        elif item["type"] == "function_call_output":
            found.append(f"output of {item['call_id']}")
    return found


def outputs(body: Json) -> list[str]:
    return [item["output"].partition("Output:\n")[2] for item in body["input"] if "output" in item]


def pauses(signal: Event, before: list[Json], after: list[Json]) -> Manner:
    """Sends these events, and the others when the test says so."""

    def manner(connection: Connection) -> None:
        connection.send(HEAD, *map(sse, before))
        assert signal.wait(LIMIT_S)
        connection.send(*map(sse, after))

    return manner


# What is said meanwhile


def test_words_during_a_command_are_heard_behind_its_answer_within_the_turn(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(calls(command(UNTIL_GO)), says("heard")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                turns = []

                def seen(event: Any) -> None:
                    if isinstance(event.msg, ExecCommandBegin):
                        agent.submit(UserInput((TextInput("and this"),)))
                    if isinstance(event.msg, UserMessage):
                        turns.append(event.id)
                        if event.msg.message == "and this":
                            (place.repo / "go").touch()

                told = await said(agent, "begin", seen)
                assert len(only(told, TaskStarted)) == len(only(told, TaskComplete)) == 1
                assert len(turns) == 2
                assert len(set(turns)) == 1
            assert words(server.asked[1].body) == ["begin", "output of c1", "and this"]
            assert len(server.asked) == 2

    run(work())


def test_words_during_the_last_answer_make_one_more_request_of_the_same_turn(tmp_path: Path) -> None:
    async def work() -> None:
        heard = Event()
        *begun, end = turn(message("done"))
        with ResponsesServer(pauses(heard, begun, [end]), says("that too")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:

                def seen(event: Any) -> None:
                    if isinstance(event.msg, AgentMessage) and event.msg.message == "done":
                        agent.submit(UserInput((TextInput("wait"),)))
                    if isinstance(event.msg, UserMessage) and event.msg.message == "wait":
                        heard.set()

                told = await said(agent, "begin", seen)
                assert len(only(told, TaskStarted)) == 1
                assert told[-1].last_agent_message == "that too"
            assert words(server.asked[1].body) == ["begin", "wait"]

    run(work())


def test_words_during_an_answer_that_fails_are_not_lost(tmp_path: Path) -> None:
    """Required: what a person was shown as said is in the next request, and in the transcript."""

    async def work() -> None:
        heard = Event()
        begun = turn(message("well"))[:-1]
        with ResponsesServer(pauses(heard, begun, [failed("invalid_prompt", "no")]), says("I see")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:

                def seen(event: Any) -> None:
                    if isinstance(event.msg, AgentMessage) and event.msg.message == "well":
                        agent.submit(UserInput((TextInput("important"),)))
                    if isinstance(event.msg, UserMessage) and event.msg.message == "important":
                        heard.set()

                told = await said(agent, "begin", seen)
                assert isinstance(told[-1], Failed)
                await said(agent, "again")
            assert words(server.asked[1].body) == ["begin", "important", "again"]

    run(work())


@pytest.mark.parametrize(
    ("op", "told_by", "label"),
    [(Compact(), ContextCompacted, "compact"), (Review("look"), ExitedReviewMode, "review")],
)
def test_another_task_ends_the_turn_and_its_command_first(tmp_path: Path, op: Any, told_by: type, label: str) -> None:
    mark = f"1001.{id(op) % 100_000}"

    async def work() -> None:
        with ResponsesServer(calls(command(f"echo on; sleep {mark}")), says('{"findings": []}')) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                first = agent.submit(UserInput((TextInput("begin"),)))
                await until(agent, ExecCommandOutputDelta)
                second = agent.submit(op)
                told = await until(agent, TaskComplete, of=second)
                assert only(told, TurnAborted) == [TurnAborted(first, "replaced")]
                assert len(only(told, told_by)) == 1
                ends = [index for index, each in enumerate(told) if isinstance(each, TurnAborted | TaskStarted)]
                assert [type(told[index]) for index in ends] == [TaskStarted, TurnAborted, TaskStarted]
                assert left_of(mark) == 0
            # A gateway can tell who asks.
            assert [asked.headers.get("x-openai-subagent") for asked in server.asked] == [None, label]

    run(work())


# Calls


def test_commands_of_one_answer_run_at_the_same_time_and_are_answered_in_their_order(tmp_path: Path) -> None:
    """Each waits for a file of the other's; one after the other, the first would wait for ever."""

    def meets(own: str, other: str) -> str:
        return (
            f"touch {own}; for _ in $(seq 500); do [ -e {other} ] && echo {own} && exit; sleep 0.01; done; echo alone"
        )

    async def work() -> None:
        both = calls(command(meets("a", "b"), "c1"), command(meets("b", "a"), "c2"))
        with ResponsesServer(both, says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                await said(agent, "begin")
            assert outputs(server.asked[1].body) == ["a\n", "b\n"]
            order = [item["call_id"] for item in server.asked[1].body["input"] if "call_id" in item]
            assert order == ["c1", "c2", "c1", "c2"]

    run(work())


def test_a_patch_waits_for_what_runs_and_is_not_overtaken(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Add File: patched\n+by then\n*** End Patch"
    looks = "sleep 0.4; cat patched 2>/dev/null || echo absent"

    async def work() -> None:
        three = (
            command(looks, "c1"),
            function_call("apply_patch", {"input": patch}, "c2"),
            command("cat patched", "c3"),
        )
        with ResponsesServer(calls(*three), says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                await said(agent, "begin")
            first, _patch, third = outputs(server.asked[1].body)
            assert (first, third) == ("absent\n", "by then\n")

    run(work())


def test_a_command_begins_before_the_answer_it_is_in_is_complete(tmp_path: Path) -> None:
    async def work() -> None:
        began = Event()
        *begun, end = turn(command("echo begun", "c1"))
        with ResponsesServer(pauses(began, begun, [end]), says("done")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:

                def seen(event: Any) -> None:
                    if isinstance(event.msg, ExecCommandEnd):
                        began.set()  # only now the provider goes on

                told = await said(agent, "begin", seen)
                assert told[-1].last_agent_message == "done"

    run(work())


def test_a_search_of_the_provider_is_told_from_its_beginning(tmp_path: Path) -> None:
    async def work() -> None:
        search = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"query": "weather"}}
        created, done, *rest = turn({**search, "action": {"type": "search", "query": "weather"}}, message("rain"))
        added = {"type": "response.output_item.added", "item": {**search, "status": "in_progress"}}
        with ResponsesServer(sends(created, added, done, *rest)) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                told = await said(agent, "begin")
                found = [each for each in told if isinstance(each, WebSearchBegin | WebSearchEnd)]
                assert found == [WebSearchBegin("ws_1"), WebSearchEnd("ws_1", "weather")]

    run(work())


# Ends


def test_a_command_that_does_not_want_to_go_is_gone_two_seconds_after_an_interrupt(tmp_path: Path) -> None:
    mark = "1002.25"
    script = f"trap '' TERM; echo on; sleep {mark}; sleep {mark}"

    async def work() -> None:
        with ResponsesServer(calls(command(script, login=False))) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES) as agent:
                agent.submit(UserInput((TextInput("begin"),)))
                await until(agent, ExecCommandOutputDelta)
                began = time.monotonic()
                agent.submit(Interrupt())
                await until(agent, TurnAborted)
                assert time.monotonic() - began < INTERRUPTED_S
                assert left_of(mark) == 0

    run(work())


def test_a_call_of_a_server_that_is_interrupted_has_its_end_and_the_server_goes_on(tmp_path: Path) -> None:
    server_of_others = f"mcp_servers.stage={{command={json.dumps(sys.executable)}, args={json.dumps([STAGE, 'stdio'])}"
    settings = f'{server_of_others}, default_tools_approval_mode="approve", startup_timeout_sec=60}}'
    waits = calls(function_call("mcp__stage__waits", {}, "c1"))

    async def work() -> None:
        with ResponsesServer(
            waits, calls(function_call("mcp__stage__echo", {"text": "hi"}, "c2")), says("ok")
        ) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(settings, *WRITES) as agent:
                agent.submit(UserInput((TextInput("begin"),)))
                await until(agent, McpToolCallBegin)
                agent.submit(Interrupt())
                told = await until(agent, TurnAborted)
                (end,) = only(told, McpToolCallEnd)
                assert (end.call_id, end.success, end.error, end.tool) == ("c1", False, "aborted", "waits")
                told = await said(agent, "again")
                assert [each.success for each in only(told, McpToolCallEnd)] == [False, True]
            given = [item["output"] for item in server.asked[1].body["input"] if "output" in item]
            assert [each.split(" after ")[0] for each in given] == ["aborted by user"]

    run(work())


def test_every_story_is_whole_however_its_commands_end(tmp_path: Path) -> None:
    """Required: begin, output, end; a question before what it allows; one end each; numbers without a gap."""
    script = [
        calls(command("echo one | tee a", "ok"), command("echo two | tee b", "no"), command("touch c; exit 3", "bad")),
        calls(function_call("shell", {"command": ["sleep", "60"], "timeout_ms": 1000}, "late")),
        calls(command("touch d; echo last; sleep 1003", "cut")),
    ]

    async def work() -> None:
        with ResponsesServer(*script) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*ASKS, interactive=True) as agent:
                events = []

                def seen(event: Any) -> None:
                    events.append(event)
                    asked = event.msg
                    if isinstance(asked, ExecApprovalRequest):
                        decision: Any = "denied" if asked.call_id == "no" else "approved"
                        agent.submit(AnswerApproval(asked.approval_id, Decision(asked.request.stage, decision, "user")))
                    if isinstance(asked, ExecCommandOutputDelta) and asked.chunk == b"last\n":
                        agent.submit(Interrupt())

                await said(agent, "begin", seen)
            assert [event.seq for event in events] == list(range(len(events)))
            stories: dict[str, list[str]] = {}
            for event in events:
                if isinstance(event.msg, _OF_A_CALL):
                    name = type(event.msg).__name__.removeprefix("ExecCommand")
                    told = stories.setdefault(event.msg.call_id, [])
                    if name != "OutputDelta" or told[-1:] != [name]:
                        told.append(name)
            asked = ["ExecApprovalRequest", "ApprovalResolved"]
            assert stories["ok"] == [*asked, "Begin", "OutputDelta", "End"]
            assert stories["bad"] == [*asked, "Begin", "End"]
            assert stories["cut"] == [*asked, "Begin", "OutputDelta", "End"]
            assert [each for each in stories["no"] if each != "Begin"] == [*asked, "End"]
            status = {each.msg.call_id: each.msg.status for each in events if isinstance(each.msg, ExecCommandEnd)}
            assert {name: status[name] for name in ("ok", "no", "bad")} == {
                "ok": "completed",
                "no": "declined",
                "bad": "failed",
            }
            assert isinstance(events[-1].msg, TurnAborted)

    run(work())


_OF_A_CALL = (ExecApprovalRequest, ApprovalResolved, ExecCommandBegin, ExecCommandOutputDelta, ExecCommandEnd)
