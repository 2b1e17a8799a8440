"""Sessions whose commands are scripted. That they are as real ones: tests/contracts/test_gate_double.py."""

from __future__ import annotations

import asyncio
import os
import resource
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sandgate.protocol.trace import CommandBegan
from sandgate.testing import NotInScript, ReviewerDouble, ScriptedCommand, scripted_gate, scripted_runtime

if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.protocol.trace import TraceRecord
    from sandgate.runtime import Runtime

ASKS = ("sandbox_mode=workspace-write", "approval_policy=on-failure")
NEW = "/etc/sandgate-made"
WRITES = ScriptedCommand("written\n", writes=("/etc/motd",))


def by_run(runtime: Runtime) -> object:
    return runtime.run(runtime.request(("make", "all")))


def by_tool(runtime: Runtime) -> object:
    return runtime.exec_command("make all")


def by_call(runtime: Runtime) -> object:
    return runtime.call_tool("exec_command", {"cmd": "make all"})


@pytest.mark.parametrize("way", [by_run, by_tool, by_call])
def test_what_the_script_does_not_know_fails_the_test_and_is_no_answer(way: Callable[[Runtime], object]) -> None:
    with scripted_runtime({"make test": ""}) as runtime:
        with pytest.raises(NotInScript, match="does not know `make all`"):
            way(runtime)
        assert runtime.exec_command("make test").exit_code == 0


def test_no_process_is_started_and_nothing_is_written() -> None:
    """Also not where a real gate would make a file for a mount to lie on."""
    before = traces_of_children()
    with scripted_runtime({f"touch {NEW}": WRITES.but(writes=(NEW,))}, overrides=ASKS,
                          reviewers=(ReviewerDouble(always="approve"),)) as runtime:  # fmt: skip
        answer = runtime.exec_command(f"touch {NEW}")
        assert (answer.exit_code, answer.output) == (0, "written\n")
        assert runtime.run(runtime.request(("touch", NEW))).attempts[-1].confined
        assert traces_of_children() == before
    assert not Path(NEW).exists()


def traces_of_children() -> tuple[int, str]:
    """What a child leaves behind that was reaped, and those that were not."""
    alive = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt, alive


def test_it_promises_nothing_about_confinement() -> None:
    with scripted_runtime({"true": ""}) as runtime:
        (attempt,) = runtime.run(runtime.request(("true",))).attempts
    assert (attempt.confined, attempt.guarantees) == (True, ())


@pytest.mark.parametrize(
    ("asks", "printed"), [("at-call", [b"written\n"]), ("after", [b"", b"written\n"])], ids=["at-call", "after"]
)
def test_after_a_yes_it_has_what_it_lacked(asks: str, printed: list[bytes]) -> None:
    """In the same run, or in the one after it."""
    reviewer, settings = ReviewerDouble("approve"), (*ASKS, f"sandbox.ask={asks}")
    answers: list[str | ScriptedCommand] = [WRITES, "second\n"]
    with scripted_runtime({"touch /etc/motd": answers}, overrides=settings, reviewers=(reviewer,)) as runtime:
        passage = runtime.run(runtime.request(("touch", "/etc/motd")))
        assert [attempt.final.stdout for attempt in passage.attempts] == printed
        assert runtime.exec_command("touch /etc/motd").output == "second\n"
    assert [grant.value for grant in reviewer.asked[0].grants] == ["/etc/motd"]


def test_no_configuration_of_this_machine_or_its_user_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".sandgate").mkdir()
    (tmp_path / ".sandgate/config.toml").write_text("this is no configuration")
    monkeypatch.setenv("HOME", str(tmp_path))
    with scripted_runtime({"env": "shown\n"}) as runtime:
        assert runtime.loaded.warnings == ()
        assert runtime.environ["HOME"] != str(tmp_path)
        assert runtime.exec_command("env").output == "shown\n"


def test_home_and_workspace_go_with_the_session(tmp_path: Path) -> None:
    with scripted_runtime({}) as runtime:
        made = [runtime.directory, runtime.environ["HOME"]]
        assert all(map(os.path.isdir, made))
        runtime.apply_patch("*** Begin Patch\n*** Add File: x\n+y\n*** End Patch\n")
        assert Path(runtime.directory, "x").read_text() == "y\n"
    assert not any(map(os.path.exists, made))
    with scripted_runtime({}, cwd=str(tmp_path)) as runtime:
        assert runtime.directory == str(tmp_path)
    assert tmp_path.is_dir()


def test_a_gate_on_an_event_loop_asks_the_reviewer_and_carries_out_calls() -> None:
    reviewer = ReviewerDouble("approve", "deny")

    async def told() -> list[str]:
        async with scripted_gate({"touch /etc/motd": WRITES}, reviewer=reviewer, overrides=ASKS) as gate:
            called = await gate.call_tool("exec_command", {"cmd": "touch /etc/motd"})
            passage = await gate.run(("touch", "/etc/motd"))
            return [called.text.splitlines()[-1], *(each.decision for each in passage.decisions)]

    assert asyncio.run(told()) == ["written", "denied"]
    assert [each.command.argv[-1] for each in reviewer.asked] == ["touch /etc/motd", "/etc/motd"]


def test_a_command_that_is_cancelled_ends() -> None:
    async def work() -> None:
        loop, began = asyncio.get_running_loop(), asyncio.Event()

        def hear(event: TraceRecord) -> None:
            if isinstance(event, CommandBegan):
                loop.call_soon_threadsafe(began.set)

        async with scripted_gate({"serve": ScriptedCommand(endless=True)}, record=hear) as gate:
            running = asyncio.ensure_future(gate.run(("serve",)))
            await began.wait()
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running

    asyncio.run(asyncio.wait_for(work(), 30))
