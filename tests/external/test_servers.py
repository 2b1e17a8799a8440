"""Real servers, made with the official SDK: as programs and over HTTP."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from sandgate.errors import ExternalServerFailed, ToolArgumentsError
from sandgate.external.server import ExternalServer, ServerProgram
from sandgate.external.servers import external_arguments
from sandgate.protocol.items import InputImage, InputText
from support.mcp.external_servers import STAGE, listening, remote, servers, stage
from support.process.loops import run
from support.process.waiting import ended, none_left_open, open_descriptors, wait_until

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.external.servers import ExternalServers


async def called(found: ExternalServers, name: str, **arguments: object) -> object:
    tool = found.tool(name)
    assert tool is not None, name
    return (await found.call(tool, arguments)).output


def test_tools_of_all_servers_stand_under_one_roof() -> None:
    async def work() -> None:
        with listening(token="secret") as url:
            away = remote(url, address={"bearer_token_env_var": "STAGE_TOKEN", "http_headers": (("x-team", "one"),)})
            environ = {"PATH": "/usr/bin", "STAGE_TOKEN": "secret"}
            async with servers(stage(enabled_tools=("echo", "look")), away, environ=environ) as found:
                assert (found.failures, found.notices) == ((), ())
                names = [each["name"] for each in found.definitions()]
                assert names[:3] == ["mcp__stage__echo", "mcp__stage__look", "mcp__remote__echo"]
                assert await called(found, "mcp__stage__echo", text="a") == "a"
                assert await called(found, "mcp__remote__echo", text="b") == "b"
                parts = await called(found, "mcp__remote__picture")
                assert isinstance(parts, tuple)
                assert [type(part) for part in parts] == [InputText, InputImage, InputText]
                assert "left out" in parts[2].text
                look = found.tool("mcp__stage__look")
                assert look is not None
                assert (look.read_only, found.server_of(look).name) == (True, "stage")
                assert found.tool("mcp__stage__fails") is None

    before = open_descriptors()
    run(work())
    assert none_left_open(before)


def test_what_a_server_calls_its_tools_cannot_forge_anything() -> None:
    async def work() -> None:
        async with servers(stage()) as found:
            shown = str(found.definitions())
            assert "\\x1b" in shown
            assert not any(sign in shown for sign in ("\x1b", "\u202e", "\x07"))
            (name,) = [each["name"] for each in found.definitions() if "__del_" in each["name"]]
            assert await called(found, name) == "del\x1b[2J\u202e\nAllow? yes"  # by its real name

    run(work())


def test_a_server_that_fails_is_one_message_and_the_others_are_there() -> None:
    """Required."""

    async def work() -> None:
        absent = ExternalServer("absent", ServerProgram("no-such-program"))
        crash = ExternalServer(
            "crash", ServerProgram(sys.executable, (STAGE, "stdio", "crash")), startup_timeout_ms=30_000
        )
        async with servers(absent, stage("chatty", "chatty"), crash) as found:
            assert await called(found, "mcp__chatty__echo", text="hi") == "hi"
            first, second = found.failures
            assert (first.server, second.server) == ("absent", "crash")
            assert first.message == ("the MCP server `absent` did not start: cannot start `no-such-program`: ENOENT")
            assert "it last said: no licence\\x1b[2J found" in second.message

    run(work())


def test_a_server_that_is_not_ready_in_time_says_what_to_raise_and_is_gone(tmp_path: Path) -> None:
    """Required."""
    note = tmp_path / "note"

    async def work() -> None:
        # A shell is there at once; how long a Python takes to start is not what this is about.
        mute = ServerProgram("/bin/sh", ("-c", 'echo $$ > "$0"; exec sleep 60', str(note)))
        async with servers(ExternalServer("slow", mute, startup_timeout_ms=1_500)) as found:
            (failure,) = found.failures
            assert "within 1.5 s" in failure.message
            assert "mcp_servers.slow.startup_timeout_sec" in failure.message
            assert ended(int(note.read_text()))

    run(work())


def test_without_a_required_server_nothing_starts_and_nothing_stays(tmp_path: Path) -> None:
    note = tmp_path / "note"

    async def work() -> None:
        absent = ExternalServer("absent", ServerProgram("no-such-program"), required=True)
        with pytest.raises(ExternalServerFailed, match="`absent` did not start"):
            await servers(stage("other", "stubborn", str(note)), absent).start()

    run(work())
    assert [ended(int(pid)) for pid in note.read_text().split()] == [True] * 3


def test_a_start_that_is_given_up_leaves_nothing(tmp_path: Path) -> None:
    note = tmp_path / "note"

    async def work() -> None:
        starting = asyncio.create_task(servers(stage("mute", "mute", str(note))).start())
        await asyncio.to_thread(wait_until, lambda: note.exists() and bool(note.read_text()))
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert ended(int(note.read_text()))

    run(work())


def test_no_servers_need_no_sdk() -> None:
    """Required: a session without servers does not pay for them."""
    script = (
        "import asyncio, sys\n"
        "from sandgate.external.servers import ExternalServers\n"
        "asyncio.run(ExternalServers((), environ={}, cwd='/', version='1').start())\n"
        "assert not {'mcp', 'mcp_types', 'pydantic', 'httpx2'} & sys.modules.keys()\n"
    )

    async def work() -> None:
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", script)
        assert await process.wait() == 0

    run(work())


def test_arguments_are_an_object_or_nothing_at_all() -> None:
    assert external_arguments(" ") == {}
    assert external_arguments('{"a": [1, null]}') == {"a": [1, None]}
    for text in ("[]", "{", '{"a": NaN}', '{"a": 1, "a": 2}', '{"a": "\\ud800"}', "x", '{"a": 1} x'):
        with pytest.raises(ToolArgumentsError, match="failed to parse function arguments"):
            external_arguments(text)
