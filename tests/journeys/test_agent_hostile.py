"""What a model, a repository and a resumed transcript cannot bring an agent to do: real server, gate and files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sandgate.agent import tools as agent_tools
from sandgate.agent.agent import open_agent
from sandgate.agent.options import AgentOptions
from sandgate.errors import RequestError
from sandgate.protocol.decisions import Decision
from sandgate.protocol.events import (
    DelegateBegin,
    ExecApprovalRequest,
    ExecCommandEnd,
    Failed,
    PatchApplyBegin,
    SessionConfigured,
    TaskComplete,
    TurnAborted,
    ViewImageToolCall,
)
from sandgate.protocol.operations import AnswerApproval, TextInput, Undo, UserInput
from support.agent.agent_journeys import calls, done, outputs, place
from support.agent.agent_journeys import said as said_to
from support.agent.event_kinds import only
from support.model.responses_server import ResponsesServer, function_call, message, refuses, says, sends, turn
from support.process.loops import run
from support.tool.pictures import png

if TYPE_CHECKING:
    from pathlib import Path

    from sandgate.protocol.decisions import ApprovalRequest
    from support.model.responses_server import Connection

pytestmark = pytest.mark.host("namespace", "notify")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    (tmp_path / "work").mkdir()
    return tmp_path / "home"


def configure(home: Path, *lines: str) -> None:
    (home / ".sandgate").mkdir(exist_ok=True, mode=0o700)
    (home / ".sandgate" / "config.toml").write_text("".join(f"{line}\n" for line in lines))


@pytest.mark.parametrize("free", [False, True], ids=["as it began", "free from the start"])
def test_a_sub_agent_has_no_more_freedom_than_the_session_it_works_for(home: Path, free: bool) -> None:
    """Required: what is written into the configuration meanwhile is for the next session."""
    made = home / "made"
    configure(home, 'sandbox_mode="danger-full-access"' if free else 'sandbox_mode="read-only"')

    def spawns(connection: Connection) -> None:
        configure(home, 'sandbox_mode="danger-full-access"')
        calls("delegate", "d", prompt="write it")(connection)

    async def work(url: str) -> None:
        async with open_agent(place(home, url), AgentOptions()) as agent:
            events = await said_to(agent, "go")
            assert only(events, TaskComplete)
            assert (only(events, ExecCommandEnd)[0].exit_code == 0) is free

    write = calls("exec_command", cmd=f"echo x > {made}", login=False)
    with ResponsesServer(spawns, write, says("tried"), says("done")) as server:
        run(work(server.url))
        assert outputs(server, 3)["d"] == "tried"
    assert made.exists() is free


def test_a_question_of_a_sub_agent_has_its_name_on_it_also_for_whoever_sees_only_the_question(home: Path) -> None:
    """Required: the person at the terminal is shown the request and nothing else."""
    seen: list[ApprovalRequest] = []

    async def work(url: str) -> None:
        environment = place(home, url, "approval_policy=untrusted")
        async with open_agent(environment, AgentOptions(), interactive=True) as agent:
            name = agent.submit(UserInput((TextInput("go"),)))
            async for event in agent.events():
                if isinstance(event.msg, ExecApprovalRequest):
                    seen.append(event.msg.request)
                    assert (event.msg.delegate is not None) == (event.msg.request.call_id == "of-child")
                    agent.submit(AnswerApproval(event.msg.approval_id, Decision("initial", "denied", "user")))
                if event.id == name and isinstance(event.msg, TaskComplete):
                    break

    def touches(call_id: str) -> Any:
        return calls("exec_command", call_id, cmd="touch x", login=False)

    script = (touches("own"), calls("delegate", "d", prompt="it"), touches("of-child"), says("no"), says("done"))
    with ResponsesServer(*script) as server:
        run(work(server.url))
    assert [(each.call_id, each.asked_by) for each in seen] == [("own", ""), ("of-child", "a sub-agent of the agent")]


@pytest.mark.parametrize("target", [".env", "id_rsa", "notes"])
def test_a_link_in_a_repository_sends_no_hidden_file_along(home: Path, target: str) -> None:
    """Required: a file that commands cannot read is not read to the provider before the first command."""
    work_place = home.parent / "work"
    (work_place / ".git").mkdir()
    (work_place / target).write_text("TOKEN=abc123\n")
    (work_place / "AGENTS.md").symlink_to(target)

    async def work(url: str) -> None:
        environment = place(home, url, f'secrets.hidden=["{work_place}/.env"]')
        async with open_agent(environment, AgentOptions()) as agent:
            await said_to(agent, "go")

    with ResponsesServer(says("done")) as server:
        run(work(server.url))
        assert ("abc123" in str(server.asked[0].body)) is (target == "notes")


GRANULAR = "{ granular = { sandbox_approval = %s, rules = true, mcp_elicitations = false } }"
WORKSPACE = 'sandbox_mode="workspace-write"'
FULL, READ_ONLY = 'sandbox_mode="danger-full-access"', 'sandbox_mode="read-only"'
ROOTS = 'additional_writable_roots=["/srv", "/opt"]'
ONE_ROOT = 'additional_writable_roots=["/srv"]'


@pytest.mark.parametrize(
    ("before", "after", "said", "approval", "sandbox"),
    [
        ((READ_ONLY,), (FULL,), (), "on-failure", {"mode": "read-only"}),
        ((READ_ONLY,), (FULL,), (FULL,), "on-failure", {"mode": "danger-full-access"}),
        ((READ_ONLY,), (FULL,), ('"sandbox_mode"="danger-full-access"',), "on-failure", {"mode": "read-only"}),
        ((WORKSPACE,), (WORKSPACE, 'sandbox.network="on"'), (), "on-failure", {"network_access": False}),
        ((WORKSPACE,), ('sandbox.network="on"',), (WORKSPACE,), "on-failure", {"network_access": False}),
        ((WORKSPACE,), ('sandbox.network="on"',), ('sandbox.network="on"',), "on-failure", {"network_access": True}),
        ((WORKSPACE, ONE_ROOT), (WORKSPACE, ROOTS), (), "on-failure", {"writable_roots": ["/srv"]}),
        ((WORKSPACE, ONE_ROOT), (WORKSPACE, ROOTS), (ROOTS,), "on-failure", {"writable_roots": ["/srv", "/opt"]}),
        ((WORKSPACE, ROOTS), (WORKSPACE, ONE_ROOT), (), "on-failure", {"writable_roots": ["/srv"]}),
        (('approval_policy="on-request"',), ('approval_policy="never"',), (), "on-request", {}),
        (('approval_policy="never"',), (f"approval_policy={GRANULAR % 'true'}",), (), "granular", {}),
        ((f"approval_policy={GRANULAR % 'false'}",), ('approval_policy="never"',), (), "granular", {}),
        ((f"approval_policy={GRANULAR % 'false'}",), ('approval_policy="on-request"',), (), "granular", {}),
        ((f"approval_policy={GRANULAR % 'false'}",), (), ('approval_policy="on-request"',), "on-request", {}),
        ((f"approval_policy={GRANULAR % 'false'}",), (f"approval_policy={GRANULAR % 'true'}",), (), "granular", {}),
    ],
)
def test_a_session_goes_on_with_the_stricter_of_two_policies(
    home: Path, before: tuple[str, ...], after: tuple[str, ...], said: tuple[str, ...], approval: str, sandbox: Any
) -> None:
    """Required: what it could not do yesterday, it cannot do because it was continued under another configuration."""
    names: list[str] = []

    async def begin(url: str) -> None:
        async with open_agent(place(home, url), AgentOptions(), interactive=True) as agent:
            await said_to(agent, "first")
            names.append(agent.session_id)

    async def go_on(url: str, *, fork: bool) -> None:
        options = AgentOptions(resume=names[0], fork=fork)
        async with open_agent(place(home, url, *said), options, interactive=True) as agent:
            configured = (await anext(agent.events())).msg
            assert isinstance(configured, SessionConfigured)
            assert configured.approval_policy == approval
            assert {name: configured.sandbox_policy[name] for name in sandbox} == sandbox
            await said_to(agent, "second")

    with ResponsesServer(says("one")) as server:
        configure(home, *before)
        run(begin(server.url))
        configure(home, *after)
        run(go_on(server.url, fork=True))
        run(go_on(server.url, fork=False))


def test_a_granular_session_that_goes_on_still_refuses_what_it_refused(home: Path) -> None:
    names: list[str] = []

    async def turn_of(url: str, **options: Any) -> Any:
        async with open_agent(place(home, url), AgentOptions(**options), interactive=True) as agent:
            names.append(agent.session_id)
            return await said_to(agent, "go")

    async def work(url: str) -> None:
        configure(home, f"approval_policy={GRANULAR % 'false'}")
        await turn_of(url)
        configure(home, 'approval_policy="on-request"')
        events = await turn_of(url, resume=names[0])
        assert not only(events, ExecApprovalRequest)
        assert only(events, TaskComplete)

    wish = {"sandbox_permissions": "require_escalated", "justification": "please"}
    with ResponsesServer(says("one"), calls("exec_command", cmd="touch x", login=False, **wish), says("no")) as server:
        run(work(server.url))


def test_a_session_is_not_continued_where_neither_policy_is_stricter(home: Path) -> None:
    async def work(url: str) -> None:
        configure(home, 'approval_policy="untrusted"')
        async with open_agent(place(home, url), AgentOptions(), interactive=True) as agent:
            await said_to(agent, "go")
        configure(home, f"approval_policy={GRANULAR % 'true'}")
        with pytest.raises(RequestError, match="neither that nor stricter"):
            async with open_agent(place(home, url), AgentOptions(resume=agent.session_id), interactive=True):
                pass

    with ResponsesServer(says("one")) as server:
        run(work(server.url))


def test_calls_with_the_same_id_are_told_apart_and_both_taken_back(home: Path) -> None:
    """Required: what is asked, told and undone goes by the id of a call, and a model chooses that."""

    def patch(name: str) -> Any:
        return function_call("apply_patch", {"input": f"*** Begin Patch\n*** Add File: {name}\n+x\n*** End Patch"}, "c")

    async def work(url: str) -> None:
        async with open_agent(place(home, url), AgentOptions()) as agent:
            events = await said_to(agent, "go")
            begun = [each.call_id for each in (*only(events, PatchApplyBegin), *only(events, DelegateBegin))]
            assert len(set(begun)) == len(begun) == 4
            assert sorted(each.name for each in (home.parent / "work").iterdir()) == ["a", "b"]
            await done(agent, Undo())
            assert not list((home.parent / "work").iterdir())

    delegates = [function_call("delegate", {"prompt": "it"}, "c"), function_call("delegate", {"prompt": "it"}, "c")]
    first = sends(*turn(patch("a"), patch("b"), *delegates))
    with ResponsesServer(first, says("done")) as server:
        run(work(server.url))


def test_a_turn_cannot_fill_the_memory_with_pictures(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: 500 calls in one response, of the largest picture each, would be gigabytes, and be sent every time."""
    (home.parent / "work" / "p.png").write_bytes(png(2, 2))
    monkeypatch.setattr(agent_tools, "PICTURES_CHARS_MAX", 1)
    monkeypatch.setattr(agent_tools, "PICTURES_AT_ONCE", 1)

    async def work(url: str) -> None:
        async with open_agent(place(home, url), AgentOptions()) as agent:
            assert len(only(await said_to(agent, "go"), ViewImageToolCall)) == 1
            assert len(only(await said_to(agent, "again"), ViewImageToolCall)) == 1  # another turn

    looks = sends(*turn(*(function_call("view_image", {"path": "p.png"}, f"c{number}") for number in range(3))))
    with ResponsesServer(looks, says("done"), looks, says("done")) as server:
        run(work(server.url))
        assert [agent_tools.TOO_MANY_PICTURES in str(each) for each in outputs(server, 1).values()].count(True) == 2


@pytest.mark.parametrize(("budget", "ended"), [(150, TurnAborted), (100_000, TaskComplete)])
def test_the_budget_of_a_session_is_not_stretched_by_sub_agents(home: Path, budget: int, ended: type) -> None:
    """Required: a model could otherwise spend any number of tokens, one sub-agent after the other."""

    async def work(url: str) -> None:
        async with open_agent(place(home, url, f"agents.token_budget={budget}"), AgentOptions()) as agent:
            assert only(await said_to(agent, "go"), ended)

    usage = {"input_tokens": 60, "output_tokens": 0, "total_tokens": 60}

    def costs(*items: Any) -> Any:
        *before, last = turn(*items)
        return sends(*before, {**last, "response": {**last["response"], "usage": usage}})

    spawns = costs(function_call("delegate", {"prompt": "it"}, "d"))
    with ResponsesServer(spawns, costs(message("a")), spawns, costs(message("b")), costs(message("c"))) as server:
        run(work(server.url))
        # A call begins before its own response is counted.
        assert len(server.asked) in ((3, 4) if ended is TurnAborted else (5,))


def test_a_key_is_in_no_command_event_transcript_or_recording(home: Path) -> None:
    """Required: also when the provider repeats it in its complaint."""
    key, recording, told = "k3y-of-the-person", home.parent / "recording", []

    async def work(url: str) -> None:
        environment = place(home, url)
        environment = environment.but(environ={**environment.environ, "KEY": key})
        async with open_agent(environment, AgentOptions(model_record=str(recording))) as agent:
            told.append(await said_to(agent, "go"))
            assert "PATH=" in only(told[0], ExecCommandEnd)[0].aggregated_output
            told.append(await said_to(agent, "more"))
            assert only(told[1], Failed)

    complaint = f'{{"error": {{"message": "bad key {key}"}}}}'
    shows = calls("exec_command", cmd="env; cat /proc/*/environ 2>/dev/null", login=False)
    with ResponsesServer(shows, says("done"), refuses(400, complaint)) as server:
        run(work(server.url))
        assert server.asked[0].headers["authorization"] == f"Bearer {key}"
    kept = [path.read_text() for path in home.rglob("*.jsonl")]
    assert kept
    assert not [text for text in (*kept, recording.read_text(), repr(told)) if key in text]
