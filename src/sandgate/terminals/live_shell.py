"""Runs one command after the other in a live shell, and knows of each what it printed and how it ended.

The shell keeps what a shell keeps: directory, variables, functions, background jobs. Where a command begins and ends it
says itself, with marks that no program can forge (`prompt_marks.py`), so no prompt is looked for and no text is waited
for.
"""

from __future__ import annotations

import os
from time import monotonic

from sandgate.errors import RequestError, TerminalFailed
from sandgate.execution.capture import HeadTail
from sandgate.record import Record
from sandgate.terminals.call_queue import CallQueue
from sandgate.terminals.prompt_marks import NONCE_BYTES, MarkReader, command_input, integration
from sandgate.terminals.waiting import Wait, drive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.terminals.prompt_marks import Integration, Mark, Shell
    from sandgate.terminals.terminal import Terminal
    from sandgate.terminals.waiting import Steps

SHELLS = ("bash", "sh", "zsh")
READY_MS = 10_000  # from the start of a shell to its first prompt
RUN_MS = 120_000  # of one command, unless the caller says otherwise
INTERRUPT_MS = 2_000  # from Ctrl-C to the prompt; then the shell counts as busy
OUTPUT_BYTES = 1_048_576  # kept of one command's output, half from its start and half from its end
INTERRUPT = b"\x03"


class ShellResult(Record):
    """How one command in a live shell went."""

    output: bytes  # both streams in order of arrival; lines end in `\n`
    exit_code: int | None  # None: it was still running when the time was up, or the shell has ended
    omitted_bytes: int = 0  # printed and not kept, between the two halves of `output`
    timed_out: bool = False
    duration_ms: int = 0


def shell_start(kind: Shell) -> tuple[str, Integration]:
    """A fresh nonce, and how to start a shell that knows it."""
    if kind not in SHELLS:
        raise RequestError(f"no live shell of the kind `{kind}`", hint=f"one of {', '.join(SHELLS)}")
    nonce = os.urandom(NONCE_BYTES).hex()
    return nonce, integration(kind, nonce)


def open_shell(kind: Shell, start: Callable[[tuple[str, ...], dict[str, str]], Terminal]) -> LiveShell:
    """`start` takes argv and variables, and starts them without output post-processing.

    Raises what it raises, and TerminalFailed when the shell does not come up.
    """
    nonce, plan = shell_start(kind)
    shell = LiveShell(start((kind, *plan.arguments), dict(plan.environment)), nonce, plan)
    drive(shell.ready())
    return shell


class LiveShell:
    """A shell on `terminal`, started as `shell_start` says and without output post-processing.

    One command at a time; more wait their turn. `terminal` stays the way to everything else: input for a command,
    resizing, recording, closing.
    """

    def __init__(self, terminal: Terminal, nonce: str, plan: Integration) -> None:
        self.terminal = terminal
        self._reader = MarkReader(nonce)
        self._first_input = plan.first_input
        self._turns = CallQueue()
        self._offset = 0
        self._at_prompt = False
        self._output: HeadTail | None = None
        self._exit_code: int | None = None

    def run(self, command: str, *, timeout_ms: int = RUN_MS) -> ShellResult:
        """Blocks until the command is over; after `timeout_ms` it is interrupted, and the result says so.

        Raises TerminalFailed when the shell is not at its prompt, or has ended; RequestError for what cannot be typed.
        """
        return drive(self.running(command, timeout_ms=timeout_ms))

    def ready(self) -> Steps[None]:
        """Sets the shell up. The first thing to do with it. Raises TerminalFailed when it does not come up."""
        self.terminal.write(self._first_input)
        yield from self._until_prompt(READY_MS)
        if not self._at_prompt:
            raise TerminalFailed("the shell did not come up", why=f"no prompt within {READY_MS} ms")

    def running(self, command: str, *, timeout_ms: int = RUN_MS) -> Steps[ShellResult]:
        """The waits of `run`."""
        typed = command_input(command)
        turn = self._turns.enter()
        try:
            yield from self._turns.wait(turn)
            return (yield from self._run(typed, timeout_ms))
        finally:
            self._turns.leave(turn)

    def _run(self, typed: bytes, timeout_ms: int) -> Steps[ShellResult]:
        yield from self._until_prompt(0)  # what has arrived since
        if not self._at_prompt or self.terminal.exited:
            raise TerminalFailed(
                "the shell takes no command now", why="it has ended, or runs another one", hint="interrupt or close it"
            )
        began_s = monotonic()
        self._at_prompt, self._output, self._exit_code = False, None, None
        self.terminal.write(typed)
        yield from self._until_prompt(timeout_ms)
        timed_out = not self._at_prompt and not self.terminal.exited
        if timed_out:
            self.terminal.write(INTERRUPT)
            yield from self._until_prompt(INTERRUPT_MS)
        printed = self._output or HeadTail(0)
        return ShellResult(
            output=printed.kept(),
            exit_code=self._exit_code,
            omitted_bytes=printed.omitted_bytes,
            timed_out=timed_out,
            duration_ms=round((monotonic() - began_s) * 1000),
        )

    def _until_prompt(self, timeout_ms: int) -> Steps[None]:
        deadline = monotonic() + timeout_ms / 1000
        while True:
            seen, over = self.terminal.changes.count, self.terminal.over
            self._take()
            left = deadline - monotonic()
            if self._at_prompt or over or left <= 0:
                return
            yield Wait(self.terminal.changes, seen, left)

    def _take(self) -> None:
        before = self._offset
        piece = self.terminal.read(before)
        self._offset = piece.end
        clean, marks = self._reader.feed(piece.data)
        at = 0
        start = self._reader.clean_bytes - len(clean)
        for mark in marks:
            self._keep(clean[at : mark.at - start])
            at = mark.at - start
            self._note(mark)
        self._keep(clean[at:])

    def _keep(self, data: bytes) -> None:
        if self._output is not None and self._exit_code is None:
            self._output.add(data)

    def _note(self, mark: Mark) -> None:
        match mark.kind:
            case "output":
                self._output, self._exit_code = HeadTail(OUTPUT_BYTES), None
            case "done":
                if self._output is not None and self._exit_code is None:
                    self._exit_code = mark.exit_code
            case "prompt":
                self._at_prompt = True
