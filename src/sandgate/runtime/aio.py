"""The same session for programs with an event loop: `async with open_gate(...) as gate`.

Whatever may block for long (asking a reviewer, running a command to its end) happens on a thread of its own; waiting
for a live command takes no thread.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager, suppress

from sandgate.errors import RequestError
from sandgate.gate.event_loop import on_thread as on_thread
from sandgate.protocol.environment import Environment
from sandgate.reviewers.async_reviewer import CallerTurn, ReviewerBridge, Threads
from sandgate.runtime.opening import open_runtime
from sandgate.terminals.loop_waiting import drive_on_loop
from sandgate.tools.python_arguments import exec_arguments, write_arguments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence
    from typing import Any, TypeVar

    from sandgate.patterns.wanted import Match, Wanted
    from sandgate.protocol.commands import EscalationWish
    from sandgate.protocol.decisions import ApprovalRequest, Decision, Passage
    from sandgate.protocol.trace import Recorder
    from sandgate.reviewers.async_reviewer import AsyncReviewer, Hearing
    from sandgate.runtime.runtime import Runtime
    from sandgate.terminals.live_listing import LiveCommand
    from sandgate.terminals.live_shell import LiveShell, ShellResult
    from sandgate.terminals.prompt_marks import Shell
    from sandgate.terminals.session_ports import ListedPort, ShownPort
    from sandgate.terminals.terminal import Terminal
    from sandgate.terminals.waiting import Steps
    from sandgate.tools.answers import ExecAnswer
    from sandgate.tools.calls import ToolOutput
    from sandgate.tools.patch_answer import PatchAnswer

    T = TypeVar("T")

BLOCKING_MAX = 256  # commands that are being asked about or run to their end at the same time; more wait their turn


@asynccontextmanager
async def open_gate(
    cwd: str | None = None,
    *,
    reviewer: AsyncReviewer | None = None,
    environ: Mapping[str, str] | None = None,
    overrides: tuple[str, ...] = (),
    profile: str | None = None,
    record: Recorder | None = None,
) -> AsyncIterator[AsyncGate]:
    """A session in the directory `cwd` (absolute; our own by default); what it started ends with the block.

    `reviewer` answers every question: `"approve"` (or True) for once, `"approve-session"`, `"approve-session-changing"`
    (`request.may_change`), `"approve-always"` where a rule is offered (`request.amendment`), anything else is a
    refusal; without one nothing is ever approved.
    `overrides` are `key=value`, as after `-c`. `record` is called with what happens, on threads of ours.
    Raises ConfigError and RuleError.
    """
    if reviewer is not None and not callable(reviewer):
        raise RequestError(f"`{reviewer!r}` cannot review", hint="give a function that takes the request")
    environment = Environment(
        cwd=os.getcwd() if cwd is None else cwd,
        environ=dict(os.environ if environ is None else environ),
        overrides=overrides,
        profile=profile,
    )
    bridge = None if reviewer is None else ReviewerBridge(reviewer, asyncio.get_running_loop())
    reviewers = () if bridge is None else (bridge,)
    runtime = await on_thread(lambda: open_runtime(environment, reviewers=reviewers, record=record))
    gate = AsyncGate(runtime, bridge)
    try:
        yield gate
    finally:
        await gate.close()


async def open_server_gate(
    environment: Environment, *, record: Recorder | None = None, hear: Hearing | None = None
) -> AsyncGate:
    """A session whose calls bring their own reviewers (`call_tool(reviewer=)`), asked side by side; `close` it.

    `hear` is told what a model says about an open question, on a thread of ours. Raises ConfigError and RuleError.
    """
    bridge = ReviewerBridge(None, asyncio.get_running_loop(), hear=hear)
    runtime = await on_thread(lambda: open_runtime(environment, reviewers=(bridge,), record=record, side_by_side=True))
    return AsyncGate(runtime, bridge)


class AsyncGate:
    """One session. `runtime` is the same session for blocking callers."""

    def __init__(self, runtime: Runtime, bridge: ReviewerBridge | None = None) -> None:
        self.runtime = runtime
        self._bridge = bridge
        self._room = asyncio.Semaphore(BLOCKING_MAX)
        self._threads = Threads() if bridge is None else bridge.threads
        runtime.gate.wanted = self._threads.wanted
        runtime.gate.on_behalf = self._threads.on_behalf

    async def run(self, command: str | Sequence[str], **request: Any) -> Passage:
        """One command through the gate, to its end. A string is a script for the user's shell.

        `request` are the arguments of `Runtime.request`. Cancelling kills the command, and waits until it is gone.
        Raises what `Runtime.run` raises.
        """
        from sandgate.tools.script_shell import shell_argv

        argv = shell_argv(command) if isinstance(command, str) else tuple(command)
        wanted = self.runtime.request(argv, **request)
        return await self.killable(lambda cancel: self.runtime.run(wanted, cancel_fd=cancel))

    async def exec_command(
        self,
        cmd: str,
        *,
        workdir: str | None = None,
        shell: str | None = None,
        login: bool | None = None,
        tty: bool = False,
        yield_time_ms: int | None = None,
        max_output_tokens: int | None = None,
        sandbox_permissions: EscalationWish = "use_default",
        justification: str | None = None,
        rows: int | None = None,
        columns: int | None = None,
    ) -> ExecAnswer:
        """The tool of that name; see `Runtime.exec_command`. Cancelling leaves a command that lives alone."""
        given = exec_arguments(
            cmd=cmd,
            workdir=workdir,
            shell=shell,
            login=login,
            tty=tty,
            yield_time_ms=yield_time_ms,
            max_output_tokens=max_output_tokens,
            sandbox_permissions=sandbox_permissions,
            justification=justification,
            rows=rows,
            columns=columns,
        )
        started = await self._blocking(
            lambda: self.runtime.tools.begin(given),
            unwanted=lambda it: _abandon(self.runtime.tools.finish(given, it)),
        )
        return await drive_on_loop(self.runtime.tools.finish(given, started))

    async def write_stdin(
        self,
        session_id: int,
        chars: str = "",
        *,
        keys: Sequence[str] = (),
        wait_for: Sequence[Wanted | str] = (),
        yield_time_ms: int | None = None,
        max_output_tokens: int | None = None,
    ) -> ExecAnswer:
        """The tool of that name; see `Runtime.write_stdin`."""
        given = write_arguments(
            session_id=session_id,
            chars=chars,
            keys=keys,
            wait_for=wait_for,
            yield_time_ms=yield_time_ms,
            max_output_tokens=max_output_tokens,
        )
        reviewed = await self._blocking(lambda: self.runtime.tools.review_input(given))
        return await drive_on_loop(self.runtime.tools.write(given, reviewed))

    async def call_tool(
        self,
        name: str,
        arguments: str | Mapping[str, Any],
        *,
        reviewer: AsyncReviewer | None = None,
        ends_with_caller: bool = False,
        call_id: str = "",
    ) -> ToolOutput:
        """A call as a model makes it; see `Runtime.call_tool`. `reviewer` answers for this call alone.

        `call_id`: its name in what is told about it. Cancelling leaves a command that lives alone, or ends it
        (`ends_with_caller`).
        """
        steps = await self._blocking(
            lambda: self.runtime.tools.call(name, arguments, ends_with_caller=ends_with_caller, call_id=call_id),
            reviewer=reviewer,
            unwanted=_abandon,
        )
        return await drive_on_loop(steps)

    async def ask(self, request: ApprovalRequest, reviewer: AsyncReviewer | None = None) -> Decision:
        """Puts a question to the session's reviewers, or to `reviewer`; what was approved before is not asked again."""
        return await self._blocking(lambda: self.runtime.gate.ask(request), reviewer=reviewer)

    async def apply_patch(self, patch: str) -> PatchAnswer:
        """The tool of that name; see `Runtime.apply_patch`."""
        return await self._blocking(lambda: self.runtime.apply_patch(patch))

    async def terminal(self, argv: Sequence[str], **options: Any) -> AsyncTerminal:
        """A program that lives on; see `Runtime.terminal`."""
        return AsyncTerminal(
            await self._blocking(lambda: self.runtime.terminal(argv, **options), unwanted=lambda it: it.close())
        )

    async def shell(self, kind: Shell = "bash", **options: Any) -> AsyncShell:
        """A shell that runs one command after the other; see `Runtime.shell`."""
        return AsyncShell(
            await self._blocking(lambda: self.runtime.shell(kind, **options), unwanted=lambda it: it.terminal.close())
        )

    async def killable(self, work: Callable[[int], T], reviewer: AsyncReviewer | None = None) -> T:
        """`work` on a thread; the descriptor it gets is readable as soon as the caller no longer wants what it does.

        `reviewer` answers for it alone.
        """
        cancel = os.eventfd(0, os.EFD_CLOEXEC)
        try:
            return await self._blocking(
                lambda: work(cancel), stop=lambda: os.eventfd_write(cancel, 1), reviewer=reviewer
            )
        finally:
            os.close(cancel)

    async def _blocking(
        self,
        work: Callable[[], T],
        *,
        stop: Callable[[], object] | None = None,
        unwanted: Callable[[T], object] | None = None,
        reviewer: AsyncReviewer | None = None,
    ) -> T:
        """`work` on a thread, when there is room for one more.

        Cancelled, its questions are answered with no from then on, and `unwanted` gets what it brought all the same.
        """
        turn = CallerTurn(reviewer)
        brought: list[T] = []

        def attended() -> T:
            self._threads.turn = turn
            brought.append(work())
            return brought[0]

        def give_up() -> None:
            turn.give_up()
            if stop is not None:
                stop()

        async with self._room:
            try:
                return await on_thread(attended, stop=give_up)
            except asyncio.CancelledError:
                if unwanted is not None and brought:
                    await asyncio.shield(on_thread(lambda: unwanted(brought[0])))
                raise

    async def list_live(self) -> tuple[LiveCommand, ...]:
        """The live commands of this session."""
        return await on_thread(self.runtime.list_live)

    async def list_ports(self) -> tuple[ListedPort, ...]:
        """Which ports they serve; see `Runtime.list_ports`."""
        return await on_thread(self.runtime.list_ports)

    async def show_port(self, port: int, *, host_port: int | None = None) -> ShownPort:
        """One of these on this host's loopback; see `Runtime.show_port`."""
        return await self._blocking(
            lambda: self.runtime.show_port(port, host_port=host_port), unwanted=lambda it: it.close()
        )

    async def terminate(self, session_id: int) -> bool:
        """End one; False when there is none of that number."""
        return await on_thread(lambda: self.runtime.terminate(session_id))

    async def prepare(self) -> None:
        """Load what the first tool call would load."""
        await on_thread(lambda: self.runtime.tools)

    async def close(self) -> None:
        """End what the session started, and wait until it is gone; also when cancelled meanwhile."""
        await asyncio.shield(on_thread(self.runtime.close))


class AsyncTerminal:
    """A live command. What does not wait is on `terminal` itself."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal

    def write(self, data: bytes | str) -> None:
        """Types it; returns at once. Raises StdinClosed, InputNotTaken."""
        self.terminal.write(data.encode() if isinstance(data, str) else data)

    async def wait_for(
        self, *wanted: bytes | str | Wanted, timeout_ms: int = 10_000, offset: int | None = None
    ) -> Match | None:
        """Until one of the texts appears in the output; see `Terminal.wait_for`."""
        from sandgate.terminals.watching import watch

        return await drive_on_loop(watch(self.terminal, wanted, timeout_ms=timeout_ms, offset=offset))

    async def wait_exit(self, timeout_ms: int | None = None) -> int | None:
        """Until it is over; its exit code, None when it is not within `timeout_ms`."""
        from sandgate.terminals.watching import await_end

        return await drive_on_loop(await_end(self.terminal, timeout_ms))

    async def close(self) -> None:
        """Kill it and everything it started, and wait until that is gone."""
        await asyncio.shield(on_thread(self.terminal.close))


class AsyncShell:
    """A live shell; `shell` is the same for blocking callers."""

    def __init__(self, shell: LiveShell) -> None:
        self.shell = shell

    async def run(self, command: str, *, timeout_ms: int = 120_000) -> ShellResult:
        """One command, to its end; see `LiveShell.run`."""
        return await drive_on_loop(self.shell.running(command, timeout_ms=timeout_ms))

    async def close(self) -> None:
        """Kill the shell and everything it started, and wait until that is gone."""
        await asyncio.shield(on_thread(self.shell.terminal.close))


def _abandon(steps: Steps[Any]) -> None:
    """The caller no longer wants what these lead to. What never began could not notice its end."""
    with suppress(StopIteration):
        next(steps)
    steps.close()
