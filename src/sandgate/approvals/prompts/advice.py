"""Words about a question that come while a person is deciding it, and how they are shown below it.

The reviewer that shows the question polls `fileno`; the consultation of a model gives its words once. Nothing waits
for them.
"""

from __future__ import annotations

import os
from _thread import allocate_lock

from sandgate.approvals.prompts.prompt import COLOURS, wrapped
from sandgate.approvals.prompts.risk_lines import render
from sandgate.display import BOLD, DIM, RESET, one_line
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.protocol.risk import RiskAssessment

WHY_NOT_CHARS_MAX = 120
CHECKING = "  model: checking…"


class Said(Record):
    """What there is to say: the risk as it stands now, or why it stands as it was."""

    risk: RiskAssessment | None
    words: str = ""  # the model's own, one line
    why_not: str = ""


class Advice:
    """Room for one `Said`, given on one thread and taken on another."""

    def __init__(self) -> None:
        self._fd = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._guard = allocate_lock()
        self._said: Said | None = None
        self._hear: Callable[[Said], None] | None = None

    def fileno(self) -> int:
        """Readable once something was said, until that is taken."""
        return self._fd

    def give(self, said: Said) -> None:
        """Once, and before `close`."""
        with self._guard:
            self._said, hear = said, self._hear
        os.eventfd_write(self._fd, 1)
        if hear is not None:
            hear(said)

    def listen(self, hear: Callable[[Said], None]) -> None:
        """For a reviewer that cannot poll: `hear` is called once, on the thread that gives, or now if it was given."""
        with self._guard:
            self._hear, said = hear, self._said
        if said is not None:
            hear(said)

    def take(self) -> Said | None:
        """What was said; None while nothing was."""
        try:
            os.eventfd_read(self._fd)
        except BlockingIOError:
            return None
        return self._said

    def close(self) -> None:
        os.close(self._fd)


def checking_lines(*, colour: bool) -> list[str]:
    """Stands below a question while a model is asked about it."""
    return [_dim(CHECKING, colour=colour), ""]


def said_lines(said: Said, before: RiskAssessment | None, *, colour: bool, columns: int) -> list[str]:
    """What is added below a question that was shown with the risk `before`."""
    if said.risk is None:
        why = one_line(said.why_not, limit=WHY_NOT_CHARS_MAX)
        lines = wrapped(f"  risk: not assessed by the model ({why})", columns)
        return ["", *(_dim(line, colour=colour) for line in lines)]
    words = wrapped(f"  The model says: {one_line(said.words)}", columns)
    level = said.risk.risk_level
    line = f"  {render(said.risk).risk}"
    if before is None or before.risk_level != level:
        line += " - raised by the model"
    if colour:
        line = line.replace(level.upper(), f"{BOLD}{COLOURS[level]}{level.upper()}{RESET}", 1)
    return ["", *words, *wrapped(line, columns)]


def _dim(line: str, *, colour: bool) -> str:
    return f"{DIM}{line}{RESET}" if colour else line
