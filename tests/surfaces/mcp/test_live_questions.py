"""A command that a client has started waits at a refused call: the client is asked while its tool call is under way."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import pytest

from support.mcp.mcp_wire import ERAS, Desk, connected, lines_in, run

if TYPE_CHECKING:
    from support.mcp.mcp_wire import Json

pytestmark = pytest.mark.host("namespace", "notify")

AT_CALL = 'sandbox.ask="at-call"'


@pytest.mark.parametrize(("choice", "code", "made"), [("approve", 0, 1), ("deny", 1, 0)])
@pytest.mark.parametrize("version", ERAS)
def test_the_form_is_about_the_call_that_waits_and_nothing_runs_twice(
    desk: Desk, version: str, choice: str, code: int, made: int
) -> None:
    runs = desk.place.repo / "ran"
    script = f"echo run >> {runs}; echo stray >> {desk.outside}"

    async def work() -> Json:
        async with connected(desk.server(AT_CALL), version) as wire:
            call = await wire.call("exec_command", {"cmd": script, "login": False, "yield_time_ms": 30_000})
            form = await call.asked()
            assert form["sandgate_stage"] == "held"
            assert lines_in(desk.outside) == 0
            await call.choose(choice)
            return await call.result()

    result = run(work())
    assert result["structuredContent"]["exit_code"] == code
    assert (lines_in(str(runs)), lines_in(desk.outside)) == (1, made)


@pytest.mark.parametrize("version", ERAS)
def test_a_later_tool_call_about_the_command_asks_its_own_client(desk: Desk, version: str) -> None:
    """Required: also long after the call that started it; what was typed may be the reason."""

    async def work() -> None:
        async with connected(desk.server(AT_CALL), version) as wire:
            first = await wire.result(
                "exec_command", {"cmd": "exec sh -i", "tty": True, "login": False, "yield_time_ms": 250}
            )
            number = first["structuredContent"]["session_id"]
            typed = {"session_id": number, "chars": f"echo stray >> {desk.outside}; exit\n", "yield_time_ms": 30_000}
            call = await wire.call("write_stdin", typed)
            assert (await call.asked())["sandgate_stage"] == "held"
            await call.choose("approve")
            assert (await call.result())["structuredContent"]["exit_code"] == 0

    run(work())
    assert lines_in(desk.outside) == 1


@pytest.mark.parametrize("version", ERAS)
def test_after_the_tool_call_a_person_at_another_terminal_answers(desk: Desk, version: str) -> None:
    """Our choice: no request of the client is there through which it could be asked."""
    go, script = desk.place.repo / "go", f"read _ < go; echo stray >> {desk.outside}"
    os.mkfifo(go)

    async def work() -> None:
        async with connected(desk.server(AT_CALL), version) as wire:
            first = await wire.result("exec_command", {"cmd": script, "login": False, "yield_time_ms": 250})
            number = first["structuredContent"]["session_id"]
            go.write_text("go\n")
            async with asyncio.timeout(30):
                while not (pending := desk.ledger.pending()):
                    look = await wire.result("exec_list", {})
                assert pending[0].stage == "held"
                look = await wire.result("exec_list", {})
            assert [each["state"] for each in look["structuredContent"]["commands"]] == ["waiting_for_approval"]
            desk.ledger.resolve(pending[0].approval_id, "approve", by="terminal", digest=pending[0].digest)
            end = await wire.result("write_stdin", {"session_id": number, "yield_time_ms": 30_000})
            assert end["structuredContent"]["exit_code"] == 0

    run(work())
    assert lines_in(desk.outside) == 1
