"""`sandgate mcp` from outside: the official client, real pipes, real connections, and processes that die."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult, InputRequiredResult

from support.mcp.mcp_program import (
    MODES,
    Place,
    gone,
    living,
    marker,
    over_http,
    over_stdio,
    run,
    sleeping,
    structured,
    text_of,
)
from support.process.waiting import ended

pytestmark = [pytest.mark.host("namespace", "notify"), pytest.mark.slow]

ALICE, BOB = "a" * 40, "b" * 40
PATCH = "*** Begin Patch\n*** Add File: greeting\n+hello\n*** End Patch\n"

modes = pytest.mark.parametrize("mode", MODES)
transports = pytest.mark.parametrize("transport", ["stdio", "http"])


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    assert made.nothing_waits()


@asynccontextmanager
async def connected(place: Place, transport: str, mode: str, *options: str, **callbacks: Any) -> AsyncIterator[Client]:
    if transport == "stdio":
        async with over_stdio(place, mode, *options, **callbacks) as client:
            yield client
        return
    with place.serving("--token-file", place.tokens(alice=ALICE), *options) as server:
        async with over_http(server.url, ALICE, mode, **callbacks) as client:
            yield client


@modes
@transports
def test_a_client_walks_through_all_six_tools(transport: str, mode: str, place: Place) -> None:
    async def walk() -> None:
        async with connected(place, transport, mode) as client:
            listed = await client.list_tools()
            assert len(listed.tools) == 6
            foreseen = await client.call_tool("check_command", {"cmd": "cat"})
            assert structured(foreseen)["verdict"] == "allow"

            asked = {"cmd": "read line; echo got $line; exec cat", "tty": True, "yield_time_ms": 250, "login": False}
            session = structured(await client.call_tool("exec_command", asked))["session_id"]
            typed = {"session_id": session, "chars": "a word\n", "yield_time_ms": 5000}
            assert "got a word" in text_of(await client.call_tool("write_stdin", typed))
            listing = structured(await client.call_tool("exec_list", {}))["commands"]
            assert [each["session_id"] for each in listing] == [session]
            assert structured(await client.call_tool("exec_kill", {"session_id": session})) == {"terminated": True}
            last = structured(await client.call_tool("write_stdin", {"session_id": session, "yield_time_ms": 5000}))
            assert last["exit_code"] != 0
            assert structured(await client.call_tool("exec_list", {}))["commands"] == []

            assert structured(await client.call_tool("apply_patch", {"input": PATCH}))["applied"]
            assert (place.workspace / "greeting").read_text() == "hello\n"

    run(walk())


@modes
@transports
def test_what_the_user_approves_in_a_form_is_run_and_what_he_denies_is_not(
    transport: str, mode: str, place: Place
) -> None:
    answers = iter(["approve", "deny"])
    shown = []

    async def asked(_context: Any, params: Any) -> ElicitResult:
        shown.append(params.message)
        return ElicitResult(action="accept", content={"decision": next(answers)})

    async def walk() -> None:
        async with connected(place, transport, mode, "-a", "untrusted", elicitation_callback=asked) as client:
            approved = await client.call_tool("exec_command", {"cmd": "touch first", "login": False})
            denied = await client.call_tool("exec_command", {"cmd": "touch second", "login": False})
            assert (structured(approved)["exit_code"], approved.is_error) == (0, False)
            assert (structured(denied)["refused"], denied.is_error) == ("exec command rejected by user", True)

    run(walk())
    assert ["touch first" in shown[0], "touch second" in shown[1], len(shown)] == [True, True, 2]
    assert [(place.workspace / name).exists() for name in ("first", "second")] == [True, False]


@modes
@transports
def test_a_client_that_leaves_takes_its_commands_along(transport: str, mode: str, place: Place) -> None:
    """Over HTTP in the later era nothing tells that a client has left; there the server's end is what ends them."""
    mark = marker()

    async def leave() -> None:
        async with connected(place, transport, mode) as client:
            await sleeping(client, mark)

    run(leave())
    assert gone(mark)


@modes
def test_a_server_that_is_killed_leaves_no_command_behind(mode: str, place: Place) -> None:
    mark = marker()

    async def kill() -> None:
        async with over_stdio(place, mode) as client:
            await sleeping(client, mark)
            os.kill(place.server, signal.SIGKILL)
            assert await asyncio.to_thread(gone, mark)

    run(kill())


def test_a_server_over_http_that_is_killed_leaves_no_command_behind(place: Place) -> None:
    mark = marker()

    async def kill() -> None:
        with place.serving("--token-file", place.tokens(alice=ALICE)) as server:
            async with over_http(server.url, ALICE, "legacy") as client:
                await sleeping(client, mark)
                server.killed()
                assert await asyncio.to_thread(gone, mark)

    run(kill())


CLIENT = """
import asyncio, os, sys
from pathlib import Path
from support.mcp.mcp_program import Place, over_stdio, sleeping
async def work():
    async with over_stdio(Place(Path(os.environ["FOLDER"])), os.environ["MODE"]) as client:
        await sleeping(client, os.environ["MARK"])
        print("asleep", flush=True)
        await asyncio.Event().wait()
asyncio.run(work())
"""


@modes
def test_a_client_that_is_killed_ends_its_server_and_all_its_commands(mode: str, place: Place) -> None:
    mark = marker()
    environ = {**os.environ, "MARK": mark, "MODE": mode, "FOLDER": str(place.folder), "PYTHONPATH": _paths()}
    with subprocess.Popen([sys.executable, "-c", CLIENT], env=environ, stdout=subprocess.PIPE) as client:
        assert client.stdout
        try:
            said = client.stdout.readline()
        finally:
            client.kill()
    assert said == b"asleep\n"
    assert ended(place.server)
    assert gone(mark)


def _paths() -> str:
    return os.pathsep.join(path for path in sys.path if path)


def test_the_token_is_in_no_commands_reach(place: Place) -> None:
    """Required: neither in the environment nor anywhere else that a command may look."""
    look = f"env; cat /proc/[0-9]*/environ; cat {place.home}/tokens"

    async def work() -> str:
        with place.serving(SANDGATE_MCP_TOKEN=ALICE) as server:
            async with over_http(server.url, ALICE, "legacy") as client:
                return text_of(await client.call_tool("exec_command", {"cmd": look, "login": False}))

    printed = run(work())
    assert "PATH=" in printed
    assert ALICE not in printed


class Neighbours:
    """Clients of one server that must not see each other."""

    def __init__(self, **clients: Client) -> None:
        self.clients = clients

    async def owned(self) -> dict[str, list[Any]]:
        found = {}
        for name, client in self.clients.items():
            commands = structured(await client.call_tool("exec_list", {}))["commands"]
            found[name] = [each["command"] for each in commands]
        return found


@asynccontextmanager
async def neighbours(place: Place, *options: str, **callbacks: Any) -> AsyncIterator[Neighbours]:
    """Two sessions of Alice's token, what she has without a session, and the same token-wise for Bob."""
    with place.serving("--token-file", place.tokens(alice=ALICE, bob=BOB), *options) as server:
        async with AsyncExitStack() as open_clients:

            async def client(token: str, mode: str) -> Client:
                return await open_clients.enter_async_context(over_http(server.url, token, mode, **callbacks))

            yield Neighbours(
                first=await client(ALICE, "legacy"),
                second=await client(ALICE, "legacy"),
                alice=await client(ALICE, "2026-07-28"),
                bob=await client(BOB, "2026-07-28"),
                bobs=await client(BOB, "legacy"),
            )


def test_neither_sessions_nor_tokens_see_each_others_commands(place: Place) -> None:
    marks = {name: marker() for name in ("first", "second", "alice", "bob", "bobs")}

    async def work() -> None:
        async with neighbours(place) as all_of_them:
            numbers = {name: await sleeping(all_of_them.clients[name], mark) for name, mark in marks.items()}
            for name, commands in (await all_of_them.owned()).items():
                assert [marks[name] in command for command in commands] == [True], (name, commands)
            for name, client in all_of_them.clients.items():
                for other in set(numbers.values()) - {numbers[name]}:
                    typed = await client.call_tool("write_stdin", {"session_id": other, "chars": "x"})
                    assert typed.is_error
                    killed = await client.call_tool("exec_kill", {"session_id": other})
                    assert not (killed.structured_content or {}).get("terminated")
            assert all(living(mark) for mark in marks.values())

    run(work())
    assert all(gone(mark) for mark in marks.values())


def test_the_end_of_one_session_ends_its_commands_and_no_others(place: Place) -> None:
    staying, leaving = marker(), marker()

    async def work() -> None:
        with place.serving("--token-file", place.tokens(alice=ALICE)) as server:
            async with over_http(server.url, ALICE, "legacy") as stays:
                await sleeping(stays, staying)
                async with over_http(server.url, ALICE, "legacy") as leaves:
                    await sleeping(leaves, leaving)
                assert await asyncio.to_thread(gone, leaving)
                assert living(staying)
                assert len(structured(await stays.call_tool("exec_list", {}))["commands"]) == 1

    run(work())
    assert gone(staying)


def test_an_approval_is_of_no_use_to_anybody_but_who_was_asked(place: Place) -> None:
    """Required: the name of a question, and an answer to it, brought by somebody else, run nothing."""
    call = {"cmd": "echo ran >> runs", "login": False}
    yes: dict[str, Any] = {"approval": ElicitResult(action="accept", content={"decision": "approve"})}

    async def never(_context: Any, _params: Any) -> ElicitResult:
        raise AssertionError("somebody else was asked")

    async def work() -> None:
        async with neighbours(place, "-a", "untrusted", elicitation_callback=never) as all_of_them:
            alice = all_of_them.clients["alice"]
            asked = await alice.session.call_tool("exec_command", call, allow_input_required=True)
            assert isinstance(asked, InputRequiredResult)
            for thief in ("bob", "bobs", "first", "second"):
                stolen = all_of_them.clients[thief].session.call_tool(
                    "exec_command", call, input_responses=yes, request_state=asked.request_state
                )
                with pytest.raises(MCPError, match="Invalid or expired requestState"):
                    await stolen
            assert not (place.workspace / "runs").exists()
            done = await alice.session.call_tool(
                "exec_command", call, input_responses=yes, request_state=asked.request_state
            )
            assert not done.is_error

    run(work())
    assert (place.workspace / "runs").read_text() == "ran\n"


def test_a_client_reads_how_a_person_shows_a_port(place: Place) -> None:
    """Required: in the one answer, told once; no tool of ours shows it."""
    serve = (
        'python3 -c \'import socket; server = socket.create_server(("127.0.0.1", 4243)); print("up"); server.accept()\''
    )

    async def walk() -> None:
        async with connected(place, "stdio", MODES[0]) as client:
            asked = {"cmd": serve, "yield_time_ms": 250, "login": False, "tty": True}
            answers = [await client.call_tool("exec_command", asked)]
            number = structured(answers[0])["session_id"]
            for _ in range(2):
                look = {"session_id": number, "yield_time_ms": 250, "wait_for": ["up"]}
                answers.append(await client.call_tool("write_stdin", look))
            said = [
                line for each in answers for line in text_of(each).splitlines() if "sandgate ports serve 4243" in line
            ]
            assert len(said) == 1, answers
            assert said[0].startswith("Notice: it listens on 4243, ")
            listed = await client.list_tools()
            assert [tool.name for tool in listed.tools if "port" in tool.name] == []

    run(walk())
