"""Asks the person at the terminal, through the terminal itself.

Questions go to and answers come from the controlling terminal, never stdin or stdout: those belong to the
command. One key answers. Typed-ahead keys are thrown away and keys are ignored for a moment after the prompt
appears, so that the person approves nothing unseen; Enter, an unknown key, an arrow key and whatever the terminal
says by itself (`terminal_talk.py`) is no answer.
"""

from __future__ import annotations

import os
import select
import termios
import time

from sandgate.approvals.prompts.advice import checking_lines, said_lines
from sandgate.approvals.prompts.prompt import (
    COLUMNS_DEFAULT,
    choice_lines,
    choices,
    is_folded,
    prompt_lines,
    question,
    whole_command_lines,
)
from sandgate.approvals.prompts.small_screens import Pages, is_small, short_lines
from sandgate.protocol.decisions import Decision
from sandgate.reviewers.terminal_talk import DUMB, KEY_GAP_MS, NOTHING, PLAIN, begins_sequence, skip_sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.approvals.prompts.advice import Advice
    from sandgate.approvals.prompts.prompt import Choice
    from sandgate.protocol.decisions import ApprovalRequest

TERMINAL = "/dev/tty"
TYPE_AHEAD_GUARD_MS = 300  # keys pressed this soon after the prompt appeared are not an answer to it
TYPE_AHEAD_BYTES = 4096  # thrown away at a time
COLUMNS_MIN = 40  # a terminal that had them and says it has fewer was told so by a command, or cannot show a question
ESCAPE, CONTROL_C, CONTROL_D = "\x1b", "\x03", "\x04"
VIEW = "v"
CORRECTION_LINES = 1  # more on the screen after a small letter where a capital one is the answer
ROWS_UNKNOWN = 1 << 16
WITHDRAWN = "taken back: no answer is needed any more"


class TerminalReviewer:
    """The person at the terminal. Answers every question or, if the terminal is gone, refuses."""

    def __init__(self, *, colour: bool, terminal: str = TERMINAL, start: tuple[int, int] | None = None) -> None:
        """`start`: the terminal's columns and rows before any command could change what it says of its size."""
        self._colour = colour
        self._terminal = terminal
        self._start = start

    def review(
        self, request: ApprovalRequest, advice: Advice | None = None, withdrawn: int | None = None
    ) -> Decision | None:
        """Ask and wait for one key, as long as it takes. None when there is no terminal to ask at.

        `advice`: what is said about the question meanwhile; it is shown when it comes. `withdrawn`: a descriptor that
        is readable as soon as no answer is needed any more; then it is no.
        """
        try:
            tty = os.open(self._terminal, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            return _answer(request, Keyboard(tty, self._start), advice, withdrawn, colour=self._colour)
        except (OSError, termios.error) as error:
            lost = f"the terminal went away before anybody answered ({error.args[-1]})"
            return Decision(request.stage, "denied", "none", reason=lost)
        finally:
            os.close(tty)


def _answer(
    request: ApprovalRequest, keyboard: Keyboard, advice: Advice | None, withdrawn: int | None, *, colour: bool
) -> Decision:
    by_key = {choice.key: choice for choice in choices(request)}
    with keyboard:
        columns = keyboard.columns
        above = prompt_lines(request, colour=colour, columns=columns)
        checking = [] if advice is None else checking_lines(colour=colour)
        below = [*checking, *choice_lines(request, columns)]
        pages = Pages() if is_small(above, below, keyboard.rows) else None
        # Said once, so that the command stays in sight.
        may_correct = not is_small(above, [*below, *["correction"] * CORRECTION_LINES], keyboard.rows)
        keyboard.write([*above, *checking, *_offered(request, keyboard, pages)])
        keyboard.ignore_for(TYPE_AHEAD_GUARD_MS)
        keyboard.prompt(question(request))
        while True:
            awaited = [] if withdrawn is None else [withdrawn]
            if advice is not None:
                awaited.append(advice.fileno())
            first = keyboard.first_of(awaited)
            if first is not None and first == withdrawn:
                keyboard.write([WITHDRAWN])
                return Decision(request.stage, "denied", "none", reason=WITHDRAWN)
            if first is not None and advice is not None:
                request, advice = _advised(request, advice, keyboard, pages, colour=colour), None
                by_key = {choice.key: choice for choice in choices(request)}
                continue
            key = keyboard.key()
            if key == CONTROL_C:
                keyboard.write(["^C"])
                raise KeyboardInterrupt
            if key == VIEW and pages is not None:
                keyboard.write(pages.turned(request, columns, keyboard.rows))
                keyboard.prompt(question(request))
            elif key == VIEW and is_folded(request):
                keyboard.write(["", *whole_command_lines(request, columns)])
                keyboard.prompt(question(request))
            elif may_correct and key not in by_key and key.upper() in by_key:
                may_correct = False
                keyboard.write([f"{key} is no answer here, {key.upper()} is"])
                keyboard.prompt(question(request))
            elif (choice := _meaning(key, by_key)) is not None:
                keyboard.write([choice.key])
                return Decision(
                    request.stage,
                    choice.decision,
                    "user",
                    choice.grants,
                    amendment=choice.amendment,
                    changing=choice.changing,
                )


def _offered(request: ApprovalRequest, keyboard: Keyboard, pages: Pages | None) -> list[str]:
    """The choices, in full or as a small screen takes them."""
    columns = keyboard.columns
    return choice_lines(request, columns) if pages is None else short_lines(request, columns, keyboard.rows)


def _advised(
    request: ApprovalRequest, advice: Advice, keyboard: Keyboard, pages: Pages | None, *, colour: bool
) -> ApprovalRequest:
    """Show what was said, and ask again. A risk that is high now takes other keys, which are named."""
    said = advice.take()
    if said is None:
        return request
    keyboard.write(said_lines(said, request.risk, colour=colour, columns=keyboard.columns))
    updated = request if said.risk is None else request.but(risk=said.risk)
    if pages is not None or choices(updated) != choices(request):
        keyboard.write(_offered(updated, keyboard, pages))
    keyboard.prompt(question(updated))
    return updated


def _meaning(key: str, by_key: dict[str, Choice]) -> Choice | None:
    if key == "":
        raise OSError(5, "hang-up")
    if key in (ESCAPE, CONTROL_D):
        return by_key["q"]
    return by_key.get(key)


class Keyboard:
    """A terminal read key by key, put back as it was on leaving the block."""

    def __init__(self, descriptor: int, start: tuple[int, int] | None = None) -> None:
        self._descriptor = descriptor
        self._start_columns, self._start_rows = start or (0, 0)
        self._before: list[Any] = []

    def __enter__(self) -> Keyboard:
        self._before = termios.tcgetattr(self._descriptor)
        keywise = [*self._before[:6], list(self._before[6])]
        keywise[3] &= ~(termios.ICANON | termios.ECHO | termios.ISIG)
        keywise[6][termios.VMIN], keywise[6][termios.VTIME] = 1, 0
        termios.tcsetattr(self._descriptor, termios.TCSAFLUSH, keywise)
        if os.environ.get("TERM", "") not in DUMB:
            _write_all(self._descriptor, PLAIN)
        return self

    def __exit__(self, *_error: object) -> None:
        termios.tcsetattr(self._descriptor, termios.TCSAFLUSH, self._before)

    @property
    def columns(self) -> int:
        """The terminal's width, no more than at the start: a line must not be broken by the terminal, where it likes.

        What is common where it does not say.
        """
        now = self._size()[0] or COLUMNS_DEFAULT
        start = self._start_columns or now
        return max(min(now, start), min(start, COLUMNS_MIN))

    @property
    def rows(self) -> int:
        """The terminal's height, no more than at the start; more than anything needs where it does not say."""
        now = self._size()[1] or ROWS_UNKNOWN
        return min(now, self._start_rows or now)

    def _size(self) -> tuple[int, int]:
        try:
            return os.get_terminal_size(self._descriptor)
        except OSError:
            return 0, 0

    def write(self, lines: list[str]) -> None:
        """Print whole lines; they contain only visible text and our own colours."""
        _write_all(self._descriptor, "".join(f"{line}\n" for line in lines))

    def prompt(self, text: str) -> None:
        """Print without a line end; from here on keys count."""
        _write_all(self._descriptor, text)

    def ignore_for(self, milliseconds: int) -> None:
        """Throw away everything typed until then."""
        end = time.monotonic_ns() + milliseconds * 1_000_000
        while (left := (end - time.monotonic_ns()) // 1_000_000) > 0:
            if self._waits(left) and os.read(self._descriptor, TYPE_AHEAD_BYTES) == b"":
                raise OSError(5, "hang-up")
        termios.tcflush(self._descriptor, termios.TCIFLUSH)

    def key(self) -> str:
        """The next key; a lone escape is a key, an escape sequence is none. Empty at hang-up."""
        first = os.read(self._descriptor, 1)
        is_escape = first == ESCAPE.encode()
        if first and begins_sequence(first[0]) and (not is_escape or self._waits(KEY_GAP_MS)):
            skip_sequence(first[0], self._next_byte)
            return "escape sequence"
        return first.decode("ascii", "replace")

    def first_of(self, others: list[int]) -> int | None:
        """Waits for a key, or the loss of the terminal: None; or for the first of `others` that is readable before."""
        poller = select.poll()
        for descriptor in (self._descriptor, *others):
            poller.register(descriptor, select.POLLIN)
        ready = {descriptor for descriptor, _events in poller.poll()}
        return None if self._descriptor in ready else next(each for each in others if each in ready)

    def _next_byte(self, milliseconds: int) -> int:
        """Below 0 when none comes in that time, or the terminal is gone."""
        return next(iter(os.read(self._descriptor, 1)), NOTHING) if self._waits(milliseconds) else NOTHING

    def _waits(self, milliseconds: int) -> bool:
        poller = select.poll()
        poller.register(self._descriptor, select.POLLIN)
        return bool(poller.poll(milliseconds))


def _write_all(descriptor: int, text: str) -> None:
    data = text.encode("utf-8", "backslashreplace")
    while data:
        data = data[os.write(descriptor, data) :]
