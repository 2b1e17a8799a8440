from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager

import pytest

from sandgate.external.connection import ServerConnection, program_environment
from sandgate.external.server import ExternalServer, ServerProgram
from sandgate.tools.truncation import TruncationPolicy
from support.mcp.external_servers import ENVIRON, STAGE, stage
from support.process.loops import run
from support.process.waiting import wait_until

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator

POLICY = TruncationPolicy("tokens", 1_000)


@asynccontextmanager
async def connected(server: ExternalServer) -> AsyncIterator[ServerConnection]:
    connection = ServerConnection(server, ENVIRON, "/tmp", "1")
    await connection.start()
    try:
        yield connection
    finally:
        await connection.close()


def test_a_program_gets_what_it_was_promised_and_no_secret_beside() -> None:
    """Required: what another's program inherits, another's program can send away."""
    program = ServerProgram("p", env=(("MODE", "x"),), env_vars=("GIVEN", "ABSENT"))
    environ = {**ENVIRON, "LD_PRELOAD": "/x.so", "AWS_REGION": "y"}
    assert program_environment(program, environ) == {
        "PATH": ENVIRON["PATH"],
        "HOME": "/nonexistent",
        "MODE": "x",
        "GIVEN": "on",
    }
    named = program_environment(ServerProgram("p", env_vars=("MY_SECRET_TOKEN",)), environ)
    assert named["MY_SECRET_TOKEN"] == "hunter2"


def test_tools_are_called_with_their_arguments_and_what_goes_wrong_is_an_answer() -> None:
    async def work() -> None:
        async with connected(stage()) as connection:
            assert (await connection.call("echo", {"text": "hé"}, POLICY)).output == "hé"
            failed = await connection.call("fails", {}, POLICY)
            assert (failed.output, failed.is_error) == ("no such thing", True)
            raised = await connection.call("raises", {}, POLICY)
            assert raised.is_error
            assert "\x1b" not in str(raised.output)
            flood = await connection.call("flood", {}, POLICY)
            assert len(str(flood.output)) < 5_000
            seen = str((await connection.call("environment", {}, POLICY)).output)
            assert "hunter2" not in seen
            gone = await connection.call("dies", {}, POLICY)
            assert (gone.is_error, gone.output) == (True, "the tool call failed: Connection closed")
            assert (await connection.call("echo", {}, POLICY)).is_error
        assert "not connected any more" in str((await connection.call("echo", {}, POLICY)).output)

    run(work())


def test_a_server_that_knows_only_the_newest_version_is_spoken_to_in_it() -> None:
    async def work() -> None:
        modern = ExternalServer("m", ServerProgram(sys.executable, (STAGE, "modern")), startup_timeout_ms=30_000)
        async with connected(modern) as connection:
            assert (await connection.call("echo", {}, POLICY)).output == "modern"

    run(work())


def test_a_schema_that_would_keep_a_processor_busy_is_not_tried_on_the_answer() -> None:
    """Required: a server cannot stop the loop of everybody with a pattern of its own."""

    async def work() -> None:
        async with connected(stage(tool_timeout_ms=20_000)) as connection:
            answer = await connection.call("numbers", {}, POLICY)
            assert (answer.is_error, answer.structured) == (False, {"x": "a" * 40 + "!"})

    run(work())


def test_a_call_that_takes_too_long_is_given_up_and_the_server_told() -> None:
    async def work() -> None:
        async with connected(stage(tool_timeout_ms=300)) as connection:
            late = await connection.call("waits", {}, POLICY)
            assert late.is_error
            assert "within 0.3 s" in str(late.output)
            assert "mcp_servers.stage.tool_timeout_sec" in str(late.output)
            await heard(connection, "cancelled")

    run(work())


def test_cancelling_a_call_tells_the_server_and_leaves_the_others_alone() -> None:
    async def work() -> None:
        async with connected(stage()) as connection:
            call = asyncio.create_task(connection.call("waits", {}, POLICY))
            await heard(connection, "waiting")
            beside = await connection.call("echo", {"text": "beside"}, POLICY)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await heard(connection, "cancelled")
            assert beside.output == "beside"
            assert (await connection.call("echo", {"text": "after"}, POLICY)).output == "after"

    run(work())


async def heard(connection: ServerConnection, words: str) -> None:
    """Returns when the server has said so."""
    assert await asyncio.to_thread(wait_until, lambda: getattr(connection._link, "last_words", "") == words)
