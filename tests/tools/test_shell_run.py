"""`shell` in a session: the real sandbox, the forms models know, and nothing left of what was cancelled."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager

import pytest

from sandgate.protocol.commands import CommandRequest, CommandResult
from sandgate.protocol.decisions import Attempt, Passage
from sandgate.protocol.denials import Denial, DenialReport
from sandgate.protocol.permissions import EffectivePermissions
from sandgate.protocol.verdicts import Allow
from sandgate.runtime.aio import open_gate
from sandgate.tools.arguments import ShellArguments
from sandgate.tools.shell_run import run_shell, shell_answer
from support.process.loops import run
from support.process.waiting import wait_until
from support.terminal.live_sessions import NOT_ALL_OF_TMP, Workplace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Any

    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.runtime.aio import AsyncGate
    from sandgate.tools.calls import ToolOutput

pytestmark = pytest.mark.host("namespace", "notify")


@asynccontextmanager
async def gate_of(place: Workplace, *, approval: str = "never", reviewer: Any = None) -> AsyncIterator[AsyncGate]:
    environ = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(place.home)}
    overrides = (NOT_ALL_OF_TMP, "sandbox_mode=workspace-write", f"approval_policy={approval}")
    async with open_gate(str(place.repo), environ=environ, overrides=overrides, reviewer=reviewer) as gate:
        yield gate


def bash(script: str, **more: Any) -> ShellArguments:
    return ShellArguments(("bash", "-c", script), **more)


async def shell_call(gate: AsyncGate, arguments: ShellArguments, *, freeform: bool = False) -> ToolOutput:
    """The call as an agent makes it: cancelling kills."""
    return await gate.killable(
        lambda cancel: run_shell(
            gate.runtime, arguments, cancel_fd=cancel, freeform=freeform, over=lambda _command, _became: None
        )
    )


def test_a_command_runs_to_its_end_and_is_answered_in_both_forms(place: Workplace) -> None:
    async def work() -> None:
        (place.repo / "below").mkdir()
        async with gate_of(place) as gate:
            answer = await shell_call(gate, bash("pwd; echo no >&2; exit 3", workdir="below"))
            found = json.loads(answer.text)
            assert found["output"].splitlines() == [str(place.repo / "below"), "no"]
            assert found["metadata"]["exit_code"] == 3
            assert (answer.success, (answer.structured or {})["exit_code"]) == (False, 3)
            lines = await shell_call(gate, bash("echo $PAGER"), freeform=True)
            assert lines.text.startswith("Exit code: 0\nWall time: ")
            assert lines.text.endswith("\nOutput:\ncat\n")

    run(work())


def test_what_the_sandbox_refused_is_said_beside_the_output(place: Workplace) -> None:
    async def work() -> None:
        async with gate_of(place) as gate:
            answer = await shell_call(gate, bash("echo x > ../outside/made"))
            assert not answer.success, answer.text
            (notice, *_) = json.loads(answer.text)["metadata"]["notices"]
            assert "the sandbox refused" in notice
            assert "outside/made" in notice

    run(work())


def test_a_time_limit_kills_and_is_told(place: Workplace) -> None:
    async def work() -> None:
        async with gate_of(place) as gate:
            answer = await shell_call(gate, bash("echo begun; sleep 60", timeout_ms=300))
            found = json.loads(answer.text)
            assert found["metadata"]["exit_code"] == 124
            assert found["output"].startswith("command timed out after ")
            assert "begun" in found["output"]

    run(work())


def test_cancelling_kills_the_command(place: Workplace) -> None:
    """Required: nothing runs on that nobody waits for."""

    async def work() -> None:
        mark = place.repo / "begun"
        async with gate_of(place) as gate:
            call = asyncio.create_task(shell_call(gate, bash("echo $$ > begun; sleep 60; echo > ended")))
            await asyncio.to_thread(wait_until, mark.exists)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert not (place.repo / "ended").exists()

    run(work())


def test_a_wish_nobody_may_have_is_refused_and_a_no_of_the_person_is_told(place: Workplace) -> None:
    async def no(_request: ApprovalRequest) -> str:
        return "denied"

    async def work() -> None:
        wish = ShellArguments(("touch", "a"), sandbox_permissions="require_escalated", justification="why")
        async with gate_of(place) as gate:
            refused = await shell_call(gate, wish)
            assert refused.text.startswith("approval policy is Never; reject command — you should not ask")
        async with gate_of(place, approval="on-request", reviewer=no) as gate:
            assert "rejected by user" in (await shell_call(gate, wish)).text
        assert not (place.repo / "a").exists()

    run(work())


def test_a_patch_in_a_command_is_applied_as_a_patch(place: Workplace) -> None:
    async def work() -> None:
        patch = "*** Begin Patch\n*** Add File: made\n+new\n*** End Patch"
        async with gate_of(place) as gate:
            answer = await shell_call(gate, ShellArguments(("apply_patch", patch)))
            assert (answer.success, (place.repo / "made").read_text()) == (True, "new\n")
            unfit = await shell_call(gate, ShellArguments((patch,)))
            assert "patch detected without explicit call" in unfit.text

    run(work())


def test_a_program_that_is_not_there_is_an_error_like_any_other(place: Workplace) -> None:
    async def work() -> None:
        async with gate_of(place) as gate:
            answer = await shell_call(gate, ShellArguments(("no-such-program",)))
            assert (answer.success, answer.text.startswith("execution error: ")) == (False, True)

    run(work())


def passage(result: CommandResult | None, *denials: Denial) -> Passage:
    command = CommandRequest(("a",), "/", {})
    attempt = Attempt(True, "namespace", (), result, DenialReport("denied", denials), "policy", EffectivePermissions())
    return Passage(command, Allow(), attempts=(attempt,) if result else ())


def test_the_answer_holds_what_both_streams_said_and_what_was_refused() -> None:
    result = CommandResult(1, None, "exited", b"out", b"err\xff", b"out\nerr\xff", duration_ms=149)
    answer = shell_answer(passage(result, Denial("write", "/etc/motd")), notices=("mind the gap",))
    assert answer is not None
    assert (answer.output, answer.exit_code, answer.duration_ms) == ("out\nerr\ufffd", 1, 149)
    assert answer.notices == ("the sandbox refused: write /etc/motd", "mind the gap")
    assert shell_answer(passage(None)) is None
