"""Each principal has a session of its own; what it started goes with it, and what was asked outlives a server once."""

from __future__ import annotations

import asyncio
import json
import os
from asyncio.subprocess import PIPE
from typing import TYPE_CHECKING, Any

import pytest

from sandgate.errors import RequestError
from sandgate.serving.inbox import takes_care
from sandgate.serving.ledger_access import Advised, follow
from sandgate.surfaces.mcp import sessions as module
from sandgate.surfaces.mcp.sessions import BEGUN, USED_UP, ClientSession, Principal, Sessions
from support.mcp.mcp_wire import (
    ASKABLE,
    ERAS,
    INITIAL,
    MODERN,
    Desk,
    ToolCall,
    connected,
    envelope,
    lines_in,
    run,
    soon,
    text_of,
)
from support.model.responses_server import ResponsesServer, assesses
from support.process.program import PROGRAM
from support.terminal.live_sessions import NOT_ALL_OF_TMP, Workplace, left_of

if TYPE_CHECKING:
    from pathlib import Path

    from support.mcp.mcp_wire import Json, Wire

pytestmark = pytest.mark.host("namespace", "notify")

ALICE, BOB = Principal("http:alice", "1"), Principal("http:bob", "1")


def sessions_of(desk: Desk, **typed: Any) -> Sessions:
    chosen: Json = {"sandbox_mode": "workspace-write", "approval_policy": "untrusted", **typed}
    environment = desk.place.environment(**chosen).but(person_present=True)
    return Sessions(environment, desk.ledger, timeout_s=30.0)


async def ended(session: ClientSession, tool: str, arguments: Json) -> Json:
    """The structured answer of a call that nobody is asked about."""
    call = session.begin(tool, arguments)
    happened = await soon(call.happened())
    session.over(call)
    return dict(happened.structured or {})  # type: ignore[union-attr]


# Isolation


def test_principal_has_one_session_and_another_one_has_another(desk: Desk) -> None:
    async def work() -> None:
        sessions = sessions_of(desk)
        alice, again, bob = await asyncio.gather(*map(sessions.of, (ALICE, ALICE, BOB)))
        assert alice is again
        assert alice is not bob
        assert await sessions.of(ALICE.but(connection="2")) not in (alice, bob)
        await sessions.close()

    run(work())


def test_nobody_sees_or_reaches_anothers_commands(desk: Desk) -> None:
    mark = f"1000.{id(desk)}"

    async def work() -> None:
        sessions = sessions_of(desk, approval_policy="never")
        alice, bob = await sessions.of(ALICE), await sessions.of(BOB)
        begun = await ended(alice, "exec_command", {"cmd": f"sleep {mark}", "login": False, "yield_time_ms": 250})
        number = {"session_id": begun["session_id"]}
        assert await ended(bob, "exec_list", {}) == {"commands": []}
        assert await ended(bob, "exec_kill", number) == {"terminated": False}
        assert await ended(bob, "write_stdin", number) == {}
        assert [each["session_id"] for each in (await ended(alice, "exec_list", {}))["commands"]] == [*number.values()]
        assert left_of(mark) == 1
        await sessions.end(BOB)
        assert left_of(mark) == 1
        await sessions.end(ALICE)
        assert left_of(mark) == 0
        await sessions.close()

    run(work())


def test_approval_of_one_is_neither_known_to_nor_counted_for_another(desk: Desk) -> None:
    async def work() -> None:
        sessions = sessions_of(desk)
        alice, bob = await sessions.of(ALICE), await sessions.of(BOB)
        call = alice.begin("exec_command", INITIAL)
        question = await soon(call.happened())
        approval_id = question.approval.approval_id  # type: ignore[union-attr]
        alice.await_client(approval_id, call)
        assert bob.resume(approval_id, "exec_command", INITIAL) is None
        assert bob.inbox.find(approval_id) is None
        with pytest.raises(RequestError, match=USED_UP[:20]):
            bob.earlier(approval_id, "exec_command", INITIAL)
        await alice.inbox.answer(question, "approve-session", by="client")  # type: ignore[arg-type]
        await soon(call.happened())
        alice.over(call)
        theirs = bob.begin("exec_command", INITIAL)
        asked = await soon(theirs.happened())
        assert asked.approval.approval_id != approval_id  # type: ignore[union-attr] # what Alice allowed, Bob is asked
        await sessions.close()

    run(work())
    assert desk.runs == 1


@pytest.mark.parametrize("version", ERAS)
def test_two_servers_do_not_see_each_other(desk: Desk, version: str) -> None:
    async def work() -> None:
        async with connected(desk.server(), version) as one, connected(desk.server(), version) as other:
            arguments = {"cmd": "cat", "tty": True, "login": False, "yield_time_ms": 250}
            begun = (await one.result("exec_command", arguments))["structuredContent"]
            assert (await other.result("exec_list", {}))["structuredContent"] == {"commands": []}
            unknown = await other.result("write_stdin", {"session_id": begun["session_id"]})
            assert text_of(unknown) == f"write_stdin failed: Unknown process id {begun['session_id']}"

    run(work())


def test_answer_to_a_server_in_another_directory_is_void(desk: Desk, tmp_path: Path) -> None:
    """The same user's key seals both; the question is about another place all the same."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    other = Desk(Workplace(elsewhere))
    other.place.home.rmdir()
    other.place.home.symlink_to(desk.place.home)

    async def work() -> None:
        async with connected(desk.untrusting(), MODERN) as here, connected(other.untrusting(), MODERN) as there:
            mine = await here.call("exec_command", INITIAL)
            await mine.asked()
            stolen = ToolCall(there, "exec_command", INITIAL, {})
            stolen.state = mine.state
            await stolen.choose("approve")
            assert text_of(await stolen.result()) == USED_UP

    run(work())
    assert (desk.runs, other.runs) == (0, 0)


# Limits and ends


def test_too_many_sessions_and_calls_are_refused_with_the_limit(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SESSIONS_MAX", 2)
    monkeypatch.setattr(module, "CALLS_MAX", 3)

    async def work() -> None:
        sessions = sessions_of(desk)
        alice = await sessions.of(ALICE)
        await sessions.of(BOB)
        with pytest.raises(RequestError, match="too many sessions"):
            await sessions.of(Principal("http:carol"))
        await sessions.end(BOB)
        await sessions.of(Principal("http:carol"))
        calls = [alice.begin("exec_command", INITIAL) for _ in range(3)]
        with pytest.raises(RequestError, match="too many calls at once"):
            alice.begin("exec_command", INITIAL)
        await alice.give_up(calls.pop())
        calls.append(alice.begin("exec_command", INITIAL))
        await sessions.close()

    run(work())
    assert desk.runs == 0


def test_nobody_keeps_others_out(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SESSIONS_OF_ONE_MAX", 3)
    monkeypatch.setattr(module, "SETTINGS_OF_ONE_MAX", 2)

    async def work() -> None:
        sessions = sessions_of(desk)
        settings = [(("tool_output_token_limit", str(number)),) for number in (100, 200, 300)]
        for tighter in settings[:2]:
            await sessions.of(ALICE.but(tighter=tighter))
        with pytest.raises(RequestError, match="too many different settings"):
            await sessions.of(ALICE.but(tighter=settings[2]))
        await sessions.of(ALICE.but(connection="2"))
        with pytest.raises(RequestError, match="one client may hold at most 3"):
            await sessions.of(ALICE.but(connection="3"))
        await sessions.of(BOB)
        await sessions.close()

    run(work())


def test_calls_that_their_client_left_are_forgotten_in_the_end(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: a client that asks and never comes back must not use up its room for good."""
    monkeypatch.setattr(module, "KEPT_S", -100)
    monkeypatch.setattr(module, "CALLS_MAX", 2)

    async def work() -> None:
        sessions = sessions_of(desk)
        alice = await sessions.of(ALICE)
        for _ in range(4):
            call = alice.begin("exec_command", INITIAL)
            question = await soon(call.happened())
            alice.await_client(question.approval.approval_id, call)  # type: ignore[union-attr]
            await alice.inbox.answer(question, "deny", by="client")  # type: ignore[arg-type]
            await soon(call.happened())
        await sessions.close()

    run(work())


def test_session_that_cannot_be_opened_is_tried_again_next_time(desk: Desk) -> None:
    config = desk.place.home / ".sandgate" / "config.toml"
    config.parent.mkdir()
    config.write_text("approval_policy = 7\n")

    async def work() -> None:
        sessions = sessions_of(desk)
        with pytest.raises(RequestError):
            await sessions.of(ALICE)
        config.unlink()
        assert await sessions.of(ALICE) is not None
        await sessions.close()

    run(work())


# Settings that a client asks for


def strict(**wanted: object) -> Json:
    return {**ASKABLE, "experimental": {"sandgate": wanted}}


@pytest.mark.parametrize("version", ERAS)
def test_client_may_ask_for_more_care(desk: Desk, version: str) -> None:
    async def work() -> None:
        async with connected(desk.server(), version, capabilities=strict(approval_policy="untrusted")) as wire:
            call = await wire.call("exec_command", INITIAL)
            await call.asked()
            await call.choose("deny")
            await call.result()
        async with connected(desk.server(), version, capabilities=strict(sandbox_mode="read-only")) as wire:
            checked = await wire.result("check_command", {"cmd": "ls"})
            assert checked["structuredContent"]["sandbox"]["writable"] == []

    run(work())
    assert desk.runs == 0


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize(
    "wanted",
    [
        {"approval_policy": "never"},
        {"sandbox_mode": "danger-full-access"},
        {"sandbox.network": "on"},
        {"approval_policy": "untrusted", "sandbox_mode": "danger-full-access"},
        {"projects": "{}"},
        {"no_such_key": "1"},
        {"approval_policy": ["never"]},
    ],
    ids=str,
)
def test_client_that_asks_for_less_care_is_refused_in_words(desk: Desk, version: str, wanted: Json) -> None:
    """Required: nothing runs for a client that believes it has settings that it does not have."""

    async def work() -> None:
        async with connected(desk.server(), version, capabilities=strict(**wanted)) as wire:
            result = await wire.result("exec_command", INITIAL)
            assert result["isError"] is True
            assert any(words in text_of(result) for words in ("a client cannot set this", "the client's settings"))

    run(work())
    assert desk.runs == 0


def test_answer_with_other_settings_is_void(desk: Desk) -> None:
    """Required: what was approved under one policy is not run under another."""

    async def work() -> None:
        async with connected(desk.untrusting(), MODERN, capabilities=strict(sandbox_mode="read-only")) as wire:
            call = await wire.call("exec_command", INITIAL)
            await call.asked()
            wire.capabilities = ASKABLE
            await call.choose("approve")
            assert (await call.outcome())["error"]["message"] == "Invalid or expired requestState"

    run(work())
    assert desk.runs == 0


# A server that was started again


def coming_back(wire: Wire, arguments: Json, state: str) -> ToolCall:
    """The client comes to this server with the question of an earlier one."""
    call = ToolCall(wire, "exec_command", arguments, {})
    call.state = state
    return call


async def again(wire: Wire, state: str, choice: str, arguments: Json = INITIAL) -> Json:
    """... and with its answer."""
    call = coming_back(wire, arguments, state)
    await call.choose(choice)
    return await call.result()


async def crashed(desk: Desk, policy: str, arguments: Json) -> str:
    """A real server asks about this call, and is killed before anybody has answered. The state that the client has."""
    options = ["mcp", "-s", "workspace-write", "-a", policy, "-c", NOT_ALL_OF_TMP, "--approval-timeout", "30"]
    program = await asyncio.create_subprocess_exec(
        *PROGRAM, *options, cwd=desk.place.repo, env=desk.environ, stdin=PIPE, stdout=PIPE
    )
    assert program.stdin is not None
    assert program.stdout is not None
    call = {"name": "exec_command", "arguments": arguments, "_meta": envelope(ASKABLE)}
    program.stdin.write(
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode() + b"\n"
    )
    answer = json.loads(await soon(program.stdout.readline()))
    program.kill()
    await soon(program.communicate())
    return str(answer["result"]["requestState"])


@pytest.mark.parametrize(("choice", "runs"), [("approve", 1), ("approve-session", 1), ("deny", 0)])
def test_question_from_before_a_crash_is_honoured_once(desk: Desk, choice: str, runs: int) -> None:
    """Required (0021): by the next server, and not by the one after it."""

    async def work() -> None:
        state = await crashed(desk, "untrusted", INITIAL)
        assert len(desk.ledger.pending()) == 1
        async with connected(desk.untrusting(), MODERN) as second:
            assert (await again(second, state, choice))["isError"] is (runs == 0)
            assert desk.runs == runs
            for _ in range(2):
                assert text_of(await again(second, state, choice)) == USED_UP
        async with connected(desk.untrusting(), MODERN) as third:
            assert (await again(third, state, choice))["isError"] is True

    run(work())
    assert desk.runs == runs


def test_question_from_before_a_crash_is_asked_anew_when_it_would_read_otherwise(desk: Desk) -> None:
    async def work() -> None:
        removing = {"cmd": f"rm -rf {desk.place.repo}/sub", "login": False}
        state = await crashed(desk, "untrusted", removing)
        (old,) = desk.ledger.pending()
        (desk.place.repo / "sub" / ".git").mkdir(parents=True)  # now there is something to lose
        async with connected(desk.untrusting(), MODERN) as second:
            call = coming_back(second, removing, state)
            await call.choose("approve")
            assert (await call.asked())["message"] != old.message
            await call.choose("deny")
            await call.result()

    run(work())
    assert (desk.place.repo / "sub").exists()


def test_question_from_before_a_crash_is_asked_anew_under_another_policy(desk: Desk) -> None:
    """Required: a yes to running something in the sandbox is no yes to running it without one."""

    async def work() -> None:
        state = await crashed(desk, "untrusted", INITIAL)
        async with connected(desk.untrusting(sandbox_mode="danger-full-access"), MODERN) as second:
            call = coming_back(second, INITIAL, state)
            await call.choose("approve")
            assert "NO sandbox" in json.dumps(await call.asked())
            await call.choose("deny")
            await call.result()

    run(work())
    assert desk.runs == 0


def test_question_that_a_server_took_back_at_its_end_is_asked_anew(desk: Desk) -> None:
    """Our choice: nobody has refused it, and the person is there; only the words of the old question are void."""

    async def work() -> None:
        async with connected(desk.untrusting(), MODERN) as first:
            call = await first.call("exec_command", INITIAL)
            await call.asked()
        async with connected(desk.untrusting(), MODERN) as second:
            repeated = coming_back(second, INITIAL, call.state)
            await repeated.choose("approve")
            await repeated.asked()
            assert desk.runs == 0
            await repeated.choose("approve")
            assert (await repeated.result())["isError"] is False

    run(work())
    assert desk.runs == 1


def test_answer_from_another_terminal_survives_a_crash_as_well(desk: Desk) -> None:
    """What stood on the disk before the client came counts, whatever the client says now."""

    async def work() -> None:
        state = await crashed(desk, "untrusted", INITIAL)
        (question,) = desk.ledger.pending()
        desk.ledger.resolve(question.approval_id, "deny", by="terminal", digest=question.digest, reason="no!")
        async with connected(desk.untrusting(), MODERN) as second:
            result = await again(second, state, "approve")
            assert (result["isError"], "no!" in text_of(result)) == (True, True)

    run(work())
    assert desk.runs == 0


def test_question_after_a_denial_is_void_under_another_server(desk: Desk) -> None:
    """Required (0021): the command had begun, and nobody can say how far it got."""

    async def work() -> None:
        state = await crashed(desk, "on-failure", desk.stray())
        async with connected(desk.server(), MODERN) as second:
            result = await again(second, state, "approve", desk.stray())
            assert (result["isError"], text_of(result)) == (True, BEGUN)
        (question,) = desk.ledger.pending()  # it goes when its time is over
        desk.ledger.resolve(question.approval_id, "deny", by="terminal", digest=question.digest)

    run(work())
    assert lines_in(desk.outside) == 0


# Words of a model


def test_words_of_a_model_lie_beside_the_open_question(desk: Desk) -> None:
    """Whoever answers from a terminal sees them; the answer is about the question as it was asked."""

    async def work(url: str) -> None:
        overrides = (
            f"model_providers.test.base_url={url}",
            "assessment.provider=test",
            "assessment.model=small",
            "assessment.when=all",
            "assessment.form_wait_ms=0",
            "features.experimental_sandbox_command_assessment=true",
        )
        environment = desk.place.environment(*overrides, sandbox_mode="workspace-write", approval_policy="untrusted")
        sessions = Sessions(environment.but(person_present=True), desk.ledger, timeout_s=30.0)
        alice = await sessions.of(ALICE)
        call = alice.begin("exec_command", INITIAL)
        asked = await soon(call.happened())
        assert asked is not None
        (approval,) = desk.ledger.pending()
        said = asyncio.Event()
        loop = asyncio.get_running_loop()

        def follow_words() -> None:
            reader, writer = os.pipe()
            for event in follow(desk.ledger, writer):
                if isinstance(event, Advised):
                    break
            os.close(reader)
            os.close(writer)
            loop.call_soon_threadsafe(said.set)

        following = asyncio.ensure_future(asyncio.to_thread(follow_words))
        await soon(said.wait())
        await following
        assert desk.ledger.advice(approval.approval_id) == (
            "The model says: Sends it away.",
            "Risk: HIGH (data exfiltration) - raised by the model",
        )
        assert desk.ledger.get(approval.approval_id) == approval
        await alice.give_up(call)
        await sessions.close()

    with ResponsesServer(assesses("high", "Sends it away.", ["data_exfiltration"])) as server:
        run(work(server.url))


def test_words_of_a_model_that_come_in_time_are_in_the_form_itself(desk: Desk) -> None:
    """Required: a form is shown once, so it waits a short time for what was paid for; a raised risk takes care."""

    async def work(url: str) -> None:
        overrides = (
            f"model_providers.test.base_url={url}",
            "assessment.provider=test",
            "assessment.model=small",
            "assessment.when=all",
            "assessment.timeout_ms=15000",
            "assessment.form_wait_ms=15000",
            "features.experimental_sandbox_command_assessment=true",
        )
        environment = desk.place.environment(*overrides, sandbox_mode="workspace-write", approval_policy="untrusted")
        sessions = Sessions(environment.but(person_present=True), desk.ledger, timeout_s=30.0)
        alice = await sessions.of(ALICE)
        call = alice.begin("exec_command", INITIAL)
        assert await soon(call.happened()) is not None
        (approval,) = desk.ledger.pending()
        assert "Sends it away." in approval.message
        assert approval.details["codex_risk"]["risk_level"] == "high"
        assert takes_care(approval)
        await alice.give_up(call)
        await sessions.close()

    with ResponsesServer(assesses("high", "Sends it away.", ["data_exfiltration"])) as server:
        run(work(server.url))
