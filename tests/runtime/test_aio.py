"""The same session on an event loop: nothing is lost, nothing is approved by accident, and nothing is left behind."""

from __future__ import annotations

import asyncio
import os
import threading
from contextlib import asynccontextmanager

import pytest

from sandgate.approvals.chain import NO_REVIEWER
from sandgate.errors import ConfigError, UnknownTerminal
from sandgate.gate.event_loop import on_thread
from sandgate.protocol.decisions import ApprovalRequest
from sandgate.runtime.aio import AsyncGate, open_gate, open_server_gate
from sandgate.runtime.opening import open_runtime
from sandgate.testing import ReviewerDouble
from support.process.loops import run
from support.process.waiting import none_left_open, open_descriptors, wait_until
from support.terminal.live_sessions import NOT_ALL_OF_TMP, Workplace, left_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from typing import Any

pytestmark = pytest.mark.host("namespace", "notify")

LIMIT_S = 60
TERMINALS = 50


@asynccontextmanager
async def gate_of(
    place: Workplace, reviewer: Callable[[ApprovalRequest], Awaitable[Any]] | None = None, *, approval: str = "never"
) -> AsyncIterator[AsyncGate]:
    environ = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(place.home)}
    overrides = (NOT_ALL_OF_TMP, "sandbox_mode=workspace-write", f"approval_policy={approval}")
    async with open_gate(
        str(place.repo), reviewer=reviewer, environ=environ, overrides=overrides, record=place.events.append
    ) as gate:
        yield gate


def test_tools_work_on_a_loop(place: Workplace) -> None:
    async def work() -> None:
        async with gate_of(place) as gate:
            begun = await gate.exec_command("exec bash --norc --noprofile -i", tty=True, login=False)
            number = begun.session_id or 0
            assert "so 4" in (await gate.write_stdin(number, "echo so $((2 + 2))\r")).output
            assert [each.session_id for each in await gate.list_live()] == [number]
            assert await gate.terminate(number) is True
            assert (await gate.write_stdin(number)).session_id is None
            with pytest.raises(UnknownTerminal):
                await gate.write_stdin(number)
            patch = "*** Begin Patch\n*** Add File: made\n+new\n*** End Patch"
            assert (await gate.apply_patch(patch)).exit_code == 0
            passage = await gate.run("cat made; exit 3")
            assert passage.result is not None
            assert (passage.result.exit_code, passage.result.stdout) == (3, b"new\n")

    run(work())


def test_terminal_is_driven_on_a_loop(place: Workplace) -> None:
    async def work() -> None:
        async with gate_of(place) as gate:
            terminal = await gate.terminal(("bash", "--norc", "--noprofile", "-i"))
            terminal.write("echo so-$((20 + 3))\n")
            match = await terminal.wait_for("so-23")
            assert match is not None
            assert await terminal.wait_for("never", timeout_ms=50, offset=match.end) is None
            terminal.write(b"exit 9\n")
            assert await terminal.wait_exit() == 9

    run(work())


def test_end_of_the_block_ends_what_was_started(place: Workplace) -> None:
    mark = f"1000.{os.getpid()}{id(place)}"

    async def work() -> None:
        async with gate_of(place) as gate:
            await gate.exec_command(f"sleep {mark}", yield_time_ms=250, login=False)
            assert left_of(mark) == 1

    run(work())
    assert left_of(mark) == 0


# Reviewers


def test_plain_async_function_is_a_reviewer_on_the_callers_loop(place: Workplace) -> None:
    asked: list[tuple[ApprovalRequest, int]] = []

    async def reviewer(request: ApprovalRequest) -> str:
        await asyncio.sleep(0)
        asked.append((request, threading.get_ident()))
        return "approve"

    async def work() -> None:
        async with gate_of(place, reviewer, approval="untrusted") as gate:
            answer = await gate.exec_command("touch made; echo done", login=False)
            assert answer.output == "done\n"

    run(work())
    assert [thread for _request, thread in asked] == [threading.get_ident()]
    assert (place.repo / "made").exists()


@pytest.mark.parametrize(
    "answer",
    [
        None,
        False,
        0,
        1,
        "",
        "yes",
        "y",
        "Approve",
        "approve ",
        "denied",
        b"approve",
        ["approve"],
        object(),
        float("nan"),
    ],
    ids=repr,
)
def test_nothing_but_a_known_yes_approves(place: Workplace, answer: Any) -> None:
    async def reviewer(_request: ApprovalRequest) -> Any:
        return answer

    async def work() -> None:
        async with gate_of(place, reviewer, approval="untrusted") as gate:
            assert (await gate.exec_command("touch made", login=False)).refused

    run(work())
    assert list(place.repo.iterdir()) == []


@pytest.mark.parametrize("failure", [RuntimeError, asyncio.CancelledError, TimeoutError])
def test_reviewer_that_fails_has_refused(place: Workplace, failure: type[BaseException]) -> None:
    async def reviewer(_request: ApprovalRequest) -> Any:
        raise failure("not now")

    async def work() -> None:
        async with gate_of(place, reviewer, approval="untrusted") as gate:
            assert (await gate.exec_command("touch made", login=False)).refused

    run(work())
    assert list(place.repo.iterdir()) == []


def test_without_a_reviewer_nothing_is_approved(place: Workplace) -> None:
    async def work() -> None:
        async with gate_of(place, approval="untrusted") as gate:
            assert (await gate.exec_command("touch made", login=False)).refused

    run(work())
    assert list(place.repo.iterdir()) == []


# Cancelling


def test_cancelled_run_is_killed_and_gone_before_the_caller_goes_on(place: Workplace) -> None:
    mark = f"1000.{os.getpid()}{id(place)}"

    async def work() -> None:
        async with gate_of(place) as gate:
            task = asyncio.create_task(gate.run(f"sleep {mark} & sleep {mark}"))
            assert await asyncio.to_thread(wait_until, lambda: left_of(mark) == 2)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert left_of(mark) == 0

    run(work())


def test_cancelled_exec_command_leaves_the_command_alive(place: Workplace) -> None:
    """Idea 35: an interrupted turn keeps what runs."""
    mark = f"1000.{os.getpid()}{id(place)}"

    async def work() -> None:
        async with gate_of(place) as gate:
            task = asyncio.create_task(gate.exec_command(f"echo begun; sleep {mark}", login=False))
            assert await asyncio.to_thread(wait_until, lambda: left_of(mark) == 1 and gate.runtime.list_live() != ())
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            (listed,) = await gate.list_live()
            assert (listed.state, left_of(mark)) == ("running", 1)

    run(work())
    assert left_of(mark) == 0


def test_cancelled_write_keeps_its_output_for_the_next_call(place: Workplace) -> None:
    async def work() -> None:
        async with gate_of(place) as gate:
            begun = await gate.exec_command("read go; echo heard; sleep 1000", tty=True, login=False)
            number = begun.session_id or 0
            task = asyncio.create_task(gate.write_stdin(number, "go\r", yield_time_ms=30_000))
            terminal = gate.runtime.live.table.get(number)
            assert await asyncio.to_thread(wait_until, lambda: b"heard" in terminal.read().data)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert "heard" in (await gate.write_stdin(number, "\r")).output

    run(work())


def test_reviewer_of_a_cancelled_call_does_not_keep_the_session_open(place: Workplace) -> None:
    asked = asyncio.Event()

    async def reviewer(_request: ApprovalRequest) -> str:
        asked.set()
        await asyncio.sleep(0.2)
        return "approve"

    async def work() -> None:
        async with gate_of(place, reviewer, approval="untrusted") as gate:
            task = asyncio.create_task(gate.run("touch made"))
            await asked.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    run(work())


CALLS: dict[str, Callable[[AsyncGate, str], Awaitable[object]]] = {
    "run": lambda gate, made: gate.run(f"touch {made}", escalate=True),
    "exec_command": lambda gate, made: gate.exec_command(
        f"touch {made}", login=False, sandbox_permissions="require_escalated"
    ),
    "terminal": lambda gate, made: gate.terminal(("touch", made), escalate=True),
    "patch": lambda gate, made: gate.apply_patch(f"*** Begin Patch\n*** Add File: {made}\n+x\n*** End Patch"),
}


@pytest.mark.parametrize("call", CALLS)
def test_answer_that_comes_after_the_caller_left_is_a_no(
    place: Workplace, tmp_path_factory: pytest.TempPathFactory, call: str
) -> None:
    """Required: cancelled in the very step in which the question came up."""
    made = tmp_path_factory.mktemp("outside") / "made"
    release = asyncio.Event()
    tasks: list[asyncio.Task[object]] = []

    async def reviewer(_request: ApprovalRequest) -> str:
        tasks[0].cancel()
        await asyncio.shield(release.wait())
        return "approve"

    async def work() -> None:
        async with gate_of(place, reviewer, approval="on-request") as gate:
            tasks.append(asyncio.ensure_future(CALLS[call](gate, str(made))))
            with pytest.raises(asyncio.CancelledError):
                await tasks[0]
            release.set()
            assert await gate.list_live() == ()
        assert not made.exists()

    run(work())


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("cancelled", [True, False], ids=["cancelled", "awaited"])
def test_a_yes_of_the_sessions_own_reviewer_runs_nothing_after_the_caller_left(
    place: Workplace, tmp_path_factory: pytest.TempPathFactory, call: str, cancelled: bool
) -> None:
    """Required: a turn that was stopped must not patch a file a minute later."""
    made = tmp_path_factory.mktemp("outside") / "made"
    slow = ReviewerDouble(always="approve", holds_back=True)

    async def work() -> None:
        environment = place.environment(sandbox_mode="workspace-write", approval_policy="on-request")
        runtime = await on_thread(lambda: open_runtime(environment, reviewers=(slow,)))
        gate = AsyncGate(runtime)
        task = asyncio.ensure_future(CALLS[call](gate, str(made)))
        await asyncio.to_thread(slow.is_asked.wait, LIMIT_S)
        if cancelled:
            task.cancel()
            await asyncio.sleep(0)
        slow.open.set()
        await asyncio.wait([task])
        if not cancelled:
            assert await asyncio.to_thread(wait_until, made.exists)
        await gate.close()

    run(work())
    assert made.exists() is not cancelled


def test_terminal_nobody_waits_for_any_more_is_closed(place: Workplace) -> None:
    mark = f"1000.{os.getpid()}{id(place)}"

    async def work() -> None:
        async with gate_of(place) as gate:
            task = asyncio.create_task(gate.terminal(("sleep", mark)))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await gate.list_live(), left_of(mark)) == ((), 0)

    run(work())


# Calls that bring their own reviewer


@asynccontextmanager
async def server_gate(place: Workplace, approval: str = "untrusted") -> AsyncIterator[AsyncGate]:
    environment = place.environment(sandbox_mode="workspace-write", approval_policy=approval)
    gate = await open_server_gate(environment.but(person_present=True), record=place.events.append)
    try:
        yield gate
    finally:
        await gate.close()


def script(cmd: str) -> dict[str, Any]:
    return {"cmd": cmd, "login": False}


def test_each_call_is_answered_by_its_own_reviewer_and_no_other(place: Workplace) -> None:
    """Required: one client's yes must not reach another client's question."""
    asked: list[tuple[str, str]] = []

    def reviewer(name: str, answer: str) -> Callable[[ApprovalRequest], Awaitable[str]]:
        async def review(request: ApprovalRequest) -> str:
            asked.append((name, request.command.argv[-1]))
            return answer

        return review

    async def work() -> None:
        async with server_gate(place) as gate:
            outputs = await asyncio.gather(
                gate.call_tool("exec_command", script("touch a"), reviewer=reviewer("yes", "approve")),
                gate.call_tool("exec_command", script("touch b"), reviewer=reviewer("no", "deny")),
                gate.call_tool("exec_command", script("touch c")),
            )
            assert [output.success for output in outputs] == [True, False, False]
            assert NO_REVIEWER in outputs[2].text

    run(work())
    assert sorted(asked) == [("no", "touch b"), ("yes", "touch a")]
    assert [path.name for path in place.repo.iterdir()] == ["a"]


def test_a_question_that_nobody_answers_holds_no_other_call_up(place: Workplace) -> None:
    release, all_asked = asyncio.Event(), asyncio.Event()
    waiting: list[str] = []

    async def reviewer(request: ApprovalRequest) -> str:
        waiting.append(request.command.argv[-1])
        if len(waiting) == 2:
            all_asked.set()
        await release.wait()
        return "deny"

    async def work() -> None:
        async with server_gate(place) as gate:
            calls = [
                asyncio.create_task(gate.call_tool("exec_command", script(f"touch {name}"), reviewer=reviewer))
                for name in "ab"
            ]
            await all_asked.wait()  # both at once
            release.set()
            assert not any(output.success for output in await asyncio.gather(*calls))

    run(work())


@pytest.mark.parametrize("ends", [True, False], ids=["ends", "lives on"])
def test_a_cancelled_call_ends_its_command_when_that_was_asked_for(place: Workplace, ends: bool) -> None:
    mark = f"1000.{os.getpid()}{id(place)}"

    async def work() -> None:
        async with server_gate(place) as gate:
            task = asyncio.create_task(gate.call_tool("exec_command", script(f"sleep {mark}"), ends_with_caller=ends))
            assert await asyncio.to_thread(wait_until, lambda: left_of(mark) == 1 and gate.runtime.list_live() != ())
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            if ends:
                assert await asyncio.to_thread(wait_until, lambda: left_of(mark) == 0)
            else:
                assert (left_of(mark), len(await gate.list_live())) == (1, 1)

    run(work())
    assert left_of(mark) == 0


def test_a_call_cancelled_before_its_first_wait_ends_its_command_too(place: Workplace) -> None:
    mark = f"1000.{os.getpid()}{id(place)}"

    async def work() -> None:
        async with server_gate(place) as gate:
            task = asyncio.create_task(gate.call_tool("exec_command", script(f"sleep {mark}"), ends_with_caller=True))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await asyncio.to_thread(wait_until, lambda: left_of(mark) == 0)

    run(work())


def test_a_server_gate_says_what_is_wrong_with_the_configuration(place: Workplace) -> None:
    async def work() -> None:
        with pytest.raises(ConfigError, match="sandbox_mode"):
            await open_server_gate(place.environment("sandbox_mode=none"))

    run(work())


# Many


@pytest.mark.slow
def test_fifty_terminals_on_one_loop_keep_their_words_apart(place: Workplace) -> None:
    async def converse(gate: AsyncGate, index: int) -> None:
        begun = await gate.exec_command("exec bash --norc --noprofile -i", tty=True, login=False)
        number = begun.session_id or 0
        for turn in range(3):
            said = await gate.write_stdin(number, f"echo {index}-{turn}-$((1000 + {index}))\r", yield_time_ms=10_000)
            assert f"\r\n{index}-{turn}-{1000 + index}\r\n" in said.output, (index, turn, said)
        assert (await gate.write_stdin(number, f"exit {index}\r", yield_time_ms=10_000)).exit_code == index

    async def work() -> None:
        async with gate_of(place) as gate:
            await gate.exec_command("true", login=False)
            before = threading.active_count()
            async with asyncio.TaskGroup() as group:
                for index in range(TERMINALS):
                    group.create_task(converse(gate, index))
            assert threading.active_count() <= before + 2
            assert await gate.list_live() == ()

    before = open_descriptors()
    run(work())
    assert none_left_open(before)


def test_concurrent_writes_from_two_tasks_lose_nothing(place: Workplace) -> None:
    """Idea 47."""

    async def work() -> None:
        async with gate_of(place) as gate:
            begun = await gate.exec_command("stty -echo; exec cat", tty=True, login=False)
            number = begun.session_id or 0

            async def write(name: str) -> list[str]:
                return [(await gate.write_stdin(number, f"{name}{turn}\r")).output for turn in range(20)]

            answers = await asyncio.gather(write("a"), write("b"))
            assert list(answers) == [[f"{name}{turn}\r\n" for turn in range(20)] for name in "ab"]

    run(work())
