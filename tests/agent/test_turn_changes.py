"""Settings of a turn: they hold from the turn that brings them, for the kernel, the model and the record alike."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from sandgate.agent.agent import AgentOptions, open_agent
from sandgate.agent.turn_changes import UNTAKEN
from sandgate.errors import RequestError
from sandgate.protocol.decisions import Decision
from sandgate.protocol.events import ExecApprovalRequest, Failed, ShutdownComplete, TaskComplete, TurnAborted, Warned
from sandgate.protocol.operations import (
    AnswerApproval,
    ContextChange,
    OverrideTurnContext,
    Shutdown,
    TextInput,
    UserTurn,
)
from sandgate.protocol.permissions import DangerFullAccess, Granular, ReadOnly, WorkspaceWrite
from sandgate.runtime import Environment
from sandgate.session.transcript_reader import read_transcript
from support.agent.agent_places import AgentPlace, by_prompt, calls, command, only, provider, said, until
from support.model.responses_server import ResponsesServer, function_call, says
from support.process.loops import run
from support.terminal.live_sessions import NOT_ALL_OF_TMP

pytestmark = pytest.mark.host("namespace", "notify")

FREE = ("approval_policy=never", "sandbox_mode=workspace-write")
ASK = ("approval_policy=untrusted", "sandbox_mode=workspace-write")
LAST = AgentOptions(resume="last")
READ_ONLY = ContextChange(sandbox_policy=ReadOnly())
USUAL = WorkspaceWrite(exclude_slash_tmp=True)  # of `AgentPlace`
WRITES = ContextChange(sandbox_policy=USUAL)


async def turned(
    agent: Any, text: str, change: ContextChange = READ_ONLY, seen: Any = lambda _: None, **more: Any
) -> Any:
    """One turn with other settings, to its end; what it told."""
    name = agent.submit(UserTurn((TextInput(text),), change, **more))
    return await until(agent, TaskComplete, TurnAborted, Failed, of=name, seen=seen)


def unnamed(place: AgentPlace, options: AgentOptions) -> Any:
    """The session, with a model that is only in the configuration."""
    folder = place.home / ".sandgate"
    folder.mkdir(exist_ok=True)
    (folder / "config.toml").write_text("\n".join(each.replace("=", '="') + '"' for each in provider(place.url)))
    return open_agent(Environment(str(place.repo), place.env, (NOT_ALL_OF_TMP,), person_present=True), options)


def outputs(body: Any) -> list[str]:
    return [item["output"] for item in body["input"] if item["type"] == "function_call_output"]


def writing(word: str, call_id: str) -> Any:
    return calls(command(f"echo {word} >> log", call_id))


def test_a_turn_that_may_only_read_cannot_write_and_the_next_can_again(tmp_path: Path) -> None:
    """Required: the same command writes in the turns around it; the kernel stops it in this one."""

    async def work() -> None:
        script = by_prompt(
            first=[writing("one", "a"), says("ok")],
            reading=[writing("two", "b"), says("ok")],
            still=[writing("three", "c"), says("ok")],
            writing=[writing("four", "d"), says("ok")],
        )
        with ResponsesServer(script) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*FREE) as agent:
                await said(agent, "first")
                assert place.lines() == ["one"]
                await turned(agent, "reading")
                assert "Read-only file system" in outputs(server.asked[-1].body)[-1]
                assert "<sandbox_mode>read-only</sandbox_mode>" in str(server.asked[-1].body["input"])
                await said(agent, "still reading")  # it holds on
                assert place.lines() == ["one"]
                await turned(agent, "writing", WRITES)
                assert place.lines() == ["one", "four"]

    run(work())


def test_what_is_overridden_holds_from_the_next_turn_and_for_whoever_goes_on(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(
            by_prompt(first=[writing("one", "a"), says("ok")], again=[writing("two", "b"), says("ok")])
        ) as server:
            place = AgentPlace(tmp_path, server.url)

            def asked() -> tuple[str, str]:
                return server.asked[-1].body["model"], server.asked[-1].body["reasoning"]["effort"]

            async with unnamed(place, AgentOptions()) as agent:
                agent.submit(OverrideTurnContext(READ_ONLY.but(model="other", effort="low", approval_policy="never")))
                await said(agent, "first")
                assert (place.lines(), asked()) == ([], ("other", "low"))
            for options in (LAST, LAST.but(fork=True)):
                async with unnamed(place, options) as agent:
                    await said(agent, "again")
                    assert (place.lines(), asked()) == ([], ("other", "low"))
            async with unnamed(place, LAST.but(model="typed")) as agent:
                await said(agent, "again")
                assert server.asked[-1].body["model"] == "typed"

    run(work())


def test_an_override_before_any_turn_is_in_the_record(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(says("ok")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened() as agent:
                await said(agent, "first")
                agent.submit(OverrideTurnContext(READ_ONLY))
                agent.submit(Shutdown())
                await until(agent, ShutdownComplete)
            context = read_transcript(str(place.transcript)).context
            assert context is not None
            assert (context["sandbox_policy"]["mode"], context["changed"]) == ("read-only", ["sandbox_policy"])

    run(work())


def test_a_turn_with_another_approval_policy_asks_as_that_one_does(tmp_path: Path) -> None:
    """Required, as the lineage has it: `untrusted` asks, a turn under `never` does not, and the sandbox stands."""

    async def work() -> None:
        script = by_prompt(
            first=[writing("one", "a"), says("ok")],
            second=[writing("two", "b"), says("ok")],
            third=[writing("three", "c"), says("ok")],
        )
        with ResponsesServer(script) as server:
            place = AgentPlace(tmp_path, server.url)
            asked: list[str] = []
            async with place.opened(*ASK, interactive=True) as agent:

                def seen(event: Any) -> None:
                    if isinstance(event.msg, ExecApprovalRequest):
                        asked.append(event.msg.request.command.argv[-1])
                        yes = Decision(event.msg.request.stage, "approved", "user")
                        agent.submit(AnswerApproval(event.msg.approval_id, yes))

                await said(agent, "first", seen)
                assert asked == ["echo one >> log"]
                asked.clear()
                await turned(agent, "second", ContextChange(approval_policy="never"), seen)
                assert asked[1:] == []  # the first turn's question is told again, and no other is asked
                asked.clear()
                await turned(agent, "third", ContextChange(approval_policy="untrusted"), seen)
                assert asked[1:] == ["echo three >> log"]
                assert place.lines() == ["one", "two", "three"]

    run(work())


def test_an_approval_for_the_session_holds_under_the_policy_it_was_given_under(tmp_path: Path) -> None:
    """Required: what was allowed to leave a looser sandbox is asked about again under a stricter one."""

    async def work() -> None:
        same = [calls(command("echo same >> log", "a")), says("ok")]
        script = by_prompt(first=[*same], second=[*same], third=[*same])
        with ResponsesServer(script) as server:
            place = AgentPlace(tmp_path, server.url)
            asked: list[str] = []
            async with place.opened(*ASK, interactive=True) as agent:

                def seen(event: Any) -> None:
                    if isinstance(event.msg, ExecApprovalRequest) and event.msg.approval_id not in asked:
                        asked.append(event.msg.approval_id)
                        yes = Decision(event.msg.request.stage, "approved_for_session", "user")
                        agent.submit(AnswerApproval(event.msg.approval_id, yes))

                await said(agent, "first", seen)
                assert len(asked) == 1
                await turned(
                    agent, "second", ContextChange(sandbox_policy=USUAL.but(exclude_tmpdir_env_var=True)), seen
                )
                assert len(asked) == 2
                await turned(agent, "third", WRITES, seen)  # the first policy again, and its approval
                assert len(asked) == 2
                assert place.lines() == ["same"] * 3

    run(work())


def test_nothing_is_typed_into_what_an_earlier_turn_let_write(tmp_path: Path) -> None:
    """Required: a shell of a turn that could write is no way to write in one that may only read."""

    async def work() -> None:
        shell = command("bash", "a", tty=True, yield_time_ms=250)

        def typing(text: str) -> Any:
            def manner(connection: Any) -> None:
                (number,) = {*re.findall(r"session ID (\d+)", str(outputs(connection.asked.body)))}
                typed = {"session_id": int(number), "chars": text, "yield_time_ms": 1000}
                calls(function_call("write_stdin", typed, f"t{text}"))(connection)

            return manner

        script = by_prompt(
            first=[calls(shell), typing("echo typed >> log\n"), says("ok")],
            reading=[typing("echo more >> log\n"), typing(""), says("ok")],
            writing=[typing("echo last >> log\n"), says("ok")],
        )
        with ResponsesServer(script) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*FREE) as agent:
                await said(agent, "first")
                assert place.lines() == ["typed"]
                await turned(agent, "reading")
                refused, looked = outputs(server.asked[-1].body)[-2:]
                assert "nothing was typed" in refused
                assert "nothing was typed" not in looked
                assert place.lines() == ["typed"]
                await turned(agent, "writing", WRITES)
                assert place.lines() == ["typed", "last"]

    run(work())


def test_a_sub_agent_may_no_more_than_the_turn_it_works_for(tmp_path: Path) -> None:
    async def work() -> None:
        script = by_prompt(
            reading=[calls(function_call("delegate", {"prompt": "task x"}, "d")), says("ok")],
            task=[writing("child", "k"), says("done")],
        )
        with ResponsesServer(script) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*FREE) as agent:
                await turned(agent, "reading", READ_ONLY.but(model="other"))
            assert place.lines() == []
            child = next(each for each in server.asked if "x-openai-subagent" in each.headers)
            assert "<sandbox_mode>read-only</sandbox_mode>" in str(child.body["input"])
            assert child.body["model"] == "other"

    run(work())


def test_a_turn_elsewhere_writes_there_and_not_where_it_was(tmp_path: Path) -> None:
    async def work() -> None:
        back = "echo no >> ../repo/log; echo yes > made"
        with ResponsesServer(by_prompt(there=[calls(command(back, "a")), says("ok")])) as server:
            place = AgentPlace(tmp_path, server.url)
            other = tmp_path / "other"
            other.mkdir()
            async with place.opened(*FREE) as agent:
                await turned(agent, "there", ContextChange(cwd=str(other)))
            assert (other / "made").read_text() == "yes\n"
            assert place.lines() == []
            assert f"<cwd>{other}</cwd>" in str(server.asked[-1].body["input"])

    run(work())


def test_the_form_of_an_answer_is_of_one_turn(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(says("{}")) as server:
            async with AgentPlace(tmp_path, server.url).opened(*FREE) as agent:
                await turned(agent, "one", ContextChange(), output_schema={"type": "object"})
                await said(agent, "two")
            forms = ["format" in (each.body.get("text") or {}) for each in server.asked]
            assert forms == [True, False]

    run(work())


BAD: tuple[Any, ...] = (
    ContextChange(cwd="relative"),
    ContextChange(cwd="/no/such/place"),
    ContextChange(cwd="/etc/passwd"),
    ContextChange(cwd="/a\0b"),
    ContextChange(approval_policy="sometimes"),  # type: ignore[arg-type]
    ContextChange(approval_policy=Granular(True, True, True, skill_approval=True)),
    ContextChange(sandbox_policy="read-only"),  # type: ignore[arg-type]
    ContextChange(sandbox_policy=ReadOnly("no")),  # type: ignore[arg-type]
    ContextChange(sandbox_policy=WorkspaceWrite(("relative",))),
    ContextChange(sandbox_policy=WorkspaceWrite(tuple(f"/r{n}" for n in range(65)))),
    ContextChange(model=" "),
    ContextChange(model="m" * 300),
    ContextChange(effort="hard"),
    ContextChange(effort=""" """),
    ContextChange(summary="long"),
)


def test_what_cannot_be_is_one_error_and_changes_nothing(tmp_path: Path) -> None:
    """Required: also what else the same wish asks for."""

    async def work() -> None:
        with ResponsesServer(by_prompt(first=[writing("one", "a"), says("ok")])) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*FREE) as agent:
                for change in BAD:
                    both = change if change.sandbox_policy is not None else change.but(sandbox_policy=ReadOnly())
                    told = await turned(agent, "first", both)
                    assert told[-1].message.startswith(UNTAKEN.partition("{")[0])
                assert len(only(told, Failed)) == len(BAD)
                assert server.asked == []
                await said(agent, "first")
                assert place.lines() == ["one"]
                assert server.asked[0].body["model"] == "double"

    run(work())


def test_a_link_that_a_command_could_have_made_is_no_directory_of_a_turn(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(says("ok")) as server:
            place = AgentPlace(tmp_path, server.url)
            (place.repo / "planted").symlink_to(place.home)
            async with place.opened(*FREE) as agent:
                told = await turned(agent, "go", ContextChange(cwd=str(place.repo / "planted")))
                assert "leads out of it" in told[-1].message
            assert server.asked == []

    run(work())


@pytest.mark.parametrize(
    "change",
    [
        ContextChange(approval_policy="never"),
        ContextChange(sandbox_policy=DangerFullAccess()),
        ContextChange(sandbox_policy=USUAL.but(network_access=True)),
        ContextChange(sandbox_policy=USUAL.but(writable_roots=("/opt",))),
        ContextChange(cwd="/"),
    ],
)
def test_a_session_that_only_tightens_takes_nothing_looser(tmp_path: Path, change: ContextChange) -> None:
    async def work() -> None:
        with ResponsesServer(says("ok")) as server:
            place = AgentPlace(tmp_path, server.url)
            tight = AgentOptions(only_tighten=True)
            async with place.opened(*ASK, options=tight, interactive=True) as agent:
                assert isinstance((await turned(agent, "go", change))[-1], Failed)
                assert server.asked == []
                assert isinstance((await turned(agent, "go", READ_ONLY))[-1], TaskComplete)
                assert isinstance((await turned(agent, "go", WRITES))[-1], TaskComplete)  # as it began

    run(work())


def test_a_turn_that_widened_its_session_does_not_widen_the_one_that_goes_on(tmp_path: Path) -> None:
    """Our choice: what a file says can tighten a session, and never loosen it."""

    async def work() -> None:
        with ResponsesServer(
            by_prompt(go=[says("ok")], again=[calls(command("echo out > ../outside", "a")), says("ok")])
        ) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*FREE) as agent:
                await turned(agent, "go", ContextChange(sandbox_policy=DangerFullAccess(), cwd=str(tmp_path)))
            async with place.opened(*FREE, options=AgentOptions(resume=place.session_id)) as agent:
                told = await said(agent, "again")
                assert any("last worked in" in each.message for each in only(told, Warned))
            assert not (tmp_path / "outside").exists()

    run(work())


def test_a_turn_can_be_asked_for_as_clients_write_it(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(writing("one", "a"), says("ok")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*FREE) as agent:
                asked = {"type": "user_turn", "items": [{"type": "text", "text": "go"}], "model": "other"}
                name = agent.submit_json({**asked, "sandbox_policy": {"type": "read-only"}})
                await until(agent, TaskComplete, of=name)
                assert (place.lines(), server.asked[0].body["model"]) == ([], "other")
                with pytest.raises(RequestError, match="sandbox_policy"):
                    agent.submit_json({**asked, "sandbox_policy": "open"})

    run(work())


@pytest.mark.parametrize(
    "backend",
    [
        pytest.param("namespace", marks=pytest.mark.host("namespace", "notify")),
        pytest.param("landlock", marks=pytest.mark.host("landlock", "notify")),
    ],
)
def test_no_way_of_writing_is_left_in_a_turn_that_may_only_read(tmp_path: Path, backend: str) -> None:
    """Required, on both backends: commands, their children, patches and what began before are all of the turn."""

    async def work() -> None:
        patch = "*** Begin Patch\n*** Add File: made\n+x\n*** End Patch\n"
        tries = [
            command("echo a >> log; (echo b >> log) & wait; mv log gone; mkdir deep; rm log", "c"),
            function_call("apply_patch", {"input": patch}, "p"),
        ]
        script = by_prompt(reading=[calls(*tries), says("ok")], writing=[calls(*tries[1:]), says("ok")])
        with ResponsesServer(script) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*FREE, f"sandbox.backend={backend}") as agent:
                await turned(agent, "reading")
                assert sorted(each.name for each in place.repo.iterdir()) == [".git", "log"]
                assert place.lines() == []
                await turned(agent, "writing", WRITES)
                assert (place.repo / "made").read_text() == "x\n"

    run(work())


def test_a_session_does_not_leave_a_project_in_which_its_commands_live(tmp_path: Path) -> None:
    """Our choice: what they have as /tmp and caches is the project's; the turn fails, and all stays as it was."""

    async def work() -> None:
        lives = command("echo up >> log; exec sleep 983", "a", yield_time_ms=300)
        script = by_prompt(first=[calls(lives), says("ok")], there=[says("no")], back=[writing("two", "b"), says("ok")])
        with ResponsesServer(script) as server:
            place = AgentPlace(tmp_path, server.url)
            other = tmp_path / "other"
            other.mkdir()
            async with place.opened(*FREE) as agent:
                await said(agent, "first")
                told = await turned(agent, "there", ContextChange(cwd=str(other)))
                assert "while commands of this one live" in told[-1].message
                await turned(agent, "back", ContextChange(cwd=str(place.repo)))
                assert place.lines() == ["up", "two"]

    run(work())


def test_a_granular_policy_of_a_turn_goes_on_with_the_session(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(says("ok")) as server:
            place = AgentPlace(tmp_path, server.url)
            granular = Granular(sandbox_approval=False, rules=True, mcp_elicitations=True)
            async with place.opened("sandbox_mode=workspace-write") as agent:
                await turned(agent, "go", ContextChange(approval_policy=granular))
            context = read_transcript(str(place.transcript)).context
            assert context is not None
            assert (context["approval_policy"], context["granular"]["sandbox_approval"]) == ("granular", False)
            async with place.opened("sandbox_mode=workspace-write", options=LAST) as agent:
                assert agent.configured.approval_policy == "granular"

    run(work())
