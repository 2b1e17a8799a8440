"""The person's own program that hears of each turn that came to its end (`notify` in their configuration).

It runs outside the sandbox, because nobody but the person can name it, and in the root directory: what lies in a
project could otherwise be loaded by it. Nothing waits for it but the end of the session, and that not for long.
"""

from __future__ import annotations

import asyncio
import json
import os

from sandgate.display import one_line
from sandgate.execution.run import run
from sandgate.gate.event_loop import on_thread
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.events import TaskComplete, UserMessage, Warned
from sandgate.protocol.permissions import EffectivePermissions
from sandgate.protocol.wire import sendable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from typing import Any

    from sandgate.protocol.confinement import AttemptOutcome
    from sandgate.protocol.events import Event, EventMessage
    from sandgate.session.session import Session

RUN_MS = 30_000  # for one run; then it is killed
AT_ONCE_MAX = 4  # runs of one session
LAST_S = 2.0  # for the last ones to end with the session; then they are killed
NOTICE_BYTES_MAX = 100_000  # Linux takes no argument of more than 128 KiB (execve(2), MAX_ARG_STRLEN)
MESSAGES_MAX = 64  # of one turn that are told; what a person says while it runs is among them
SAID_BYTES_MAX = 4_096  # kept of what it prints
SAID_SHOWN_CHARS = 200
ROOT = "/"
FAILED = "the program of the setting `notify` {how}; further failures are not told"
TOO_MANY = f"was not started: {AT_ONCE_MAX} runs of it have not ended yet"


class TurnProgram:
    """For one session. Belongs to one event loop; `warn` is called once, when a run has failed."""

    def __init__(self, argv: tuple[str, ...], environ: Mapping[str, str], warn: Callable[[str], object]) -> None:
        self._argv = argv
        self._environ = environ
        self._warn: Callable[[str], object] | None = warn
        self._running: set[asyncio.Task[None]] = set()
        self._listening: asyncio.Task[None] | None = None

    def listen(self, events: AsyncIterator[Event], session_id: str, cwd: Callable[[], str]) -> None:
        """To the session of that id, until it ends. `cwd`: where it works by now."""
        self._listening = asyncio.ensure_future(self._listen(events, session_id, cwd))

    async def close(self) -> None:
        """The session has ended: what still runs may end soon, or is killed."""
        if self._listening is not None:
            await asyncio.wait((self._listening,), timeout=LAST_S)
            self._listening.cancel()
        if self._running:
            _done, late = await asyncio.wait(self._running, timeout=LAST_S)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _listen(self, events: AsyncIterator[Event], session_id: str, cwd: Callable[[], str]) -> None:
        said: dict[str, list[str]] = {}  # by turn; one runs at a time, and what is replaced tells its end too
        async for event in events:
            match event.msg:
                case UserMessage(message=message) if event.delegate is None:
                    said = {event.id: [*said.get(event.id, ()), message][:MESSAGES_MAX]}
                case TaskComplete(last_agent_message=last) if event.delegate is None and event.id in said:
                    self._start(notice(session_id, event.id, cwd(), said.pop(event.id), last))

    def _start(self, told: str) -> None:
        if len(self._running) >= AT_ONCE_MAX:
            self._failed(TOO_MANY)
            return
        task = asyncio.ensure_future(self._run(told))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _run(self, told: str) -> None:
        plan = ConfinedCommand(
            backend="none",
            argv=(*self._argv, told),
            cwd=ROOT,
            env=self._environ,
            permissions=EffectivePermissions(network="on", confined=False),
            report="off",
        )
        stop = os.eventfd(0)
        try:
            outcome = await on_thread(lambda: _ran(plan, stop), stop=lambda: os.eventfd_write(stop, 1))
        finally:
            os.close(stop)
        how = _failure(outcome)
        if how:
            self._failed(how)

    def _failed(self, how: str) -> None:
        warn, self._warn = self._warn, None
        if warn is not None:
            warn(FAILED.format(how=how))


def listening(
    argv: tuple[str, ...],
    environ: Mapping[str, str],
    session: Session,
    tell: Callable[[str, EventMessage], object],
) -> TurnProgram:
    """One that hears of this session's turns from now on."""
    program = TurnProgram(argv, environ, lambda text: tell("", Warned(text)))
    program.listen(session.events(session.told), session.settings.session_id, lambda: session.settings.cwd)
    return program


def notice(session_id: str, turn_id: str, cwd: str, said: list[str], last: str | None) -> str:
    """What the program gets as its last argument: one JSON object, with the lineage's names.

    Texts that are too long for an argument are cut, all to the same length.
    """
    limit = NOTICE_BYTES_MAX
    while True:
        told: dict[str, Any] = {
            "type": "agent-turn-complete",
            "thread-id": session_id,
            "turn-id": turn_id,
            "cwd": cwd,
            "input-messages": [text[:limit] for text in said],
            "last-assistant-message": None if last is None else last[:limit],
        }
        text = json.dumps(sendable(told), ensure_ascii=False)
        if len(text.encode()) <= NOTICE_BYTES_MAX:
            return text
        limit //= 2


def _ran(plan: ConfinedCommand, stop: int) -> AttemptOutcome:
    return run(
        plan, stdin=None, stdout=None, stderr=None, timeout_ms=RUN_MS, cancel_fd=stop, capture_bytes=SAID_BYTES_MAX
    )


def _failure(outcome: AttemptOutcome) -> str:
    """How it went wrong; "" where it did not, or was killed with its session."""
    result = outcome.result
    if result is None:
        return f"could not be started ({getattr(outcome.failure, 'errno', '')})"
    if result.termination == "cancelled" or result.exit_code == 0:
        return ""
    if result.timed_out:
        return f"was killed after {RUN_MS // 1000} seconds"
    said = one_line(result.stderr.decode("utf-8", "replace").strip(), limit=SAID_SHOWN_CHARS)
    return f"failed with exit code {result.exit_code}{f': {said}' if said else ''}"
