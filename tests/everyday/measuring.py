"""What becomes of each task with one contestant: it works, somebody is asked, or it is refused; and why."""

from __future__ import annotations

import functools
import os
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from everyday.contestants import LINE_LIMIT_S, BrokenTaskError, Gated, Line, Place, Wrapped, place_for
from everyday.tasks import Task
from support.machine.ordinary_user import OrdinaryUser

WORKS, ASKS, IN_VAIN, REFUSED, NOT_HERE = "works", "asks", "asks, in vain", "refused", "not here"
REASON_CHARACTERS = 240
NAMED_MAX = 2
NO_HOME = "/proc/nonexistent"  # where nothing can be made: some programs make a home that is missing
"""So many refused calls are named; the others are counted."""

_ONLY_HERE = (
    (re.compile(r"\b[\w.:\[\]]+:53\b"), "a resolver"),
    (re.compile(r"(?<=connect )[a-z][\w-]*(\.[\w-]+)*\.[a-z]{2,}"), "a public host"),
    (re.compile(r"(?<=[./_-])(?=[^/\s]*\d)[A-Za-z0-9_]{6,}(?=[/\s,.:]|$)|\bpid \d+"), "…"),
)
"""What is true only of one run, or of one machine."""


@dataclass(frozen=True)
class Outcome:
    """A cell of the table, and why it is not simply `works`."""

    status: str
    reason: str = ""


def measured(task: Task, who: Gated | Wrapped, account: OrdinaryUser | None, registry: str) -> Outcome:
    """Prepares the task in a fresh place and lets `who` run it; a question is first answered no, then yes."""
    with place_for(account, registry) as place:
        if not _here(task, place):
            return Outcome(NOT_HERE)
        lines, done = _attempt(task, who, place)
        if done and not _asked(lines):
            return Outcome(WORKS)
        reason = _reason(task, lines, place)
    if not _asked(lines):
        return Outcome(REFUSED, reason)
    with place_for(account, registry) as place:
        again, helped = _attempt(task, who, place, yes=True)
        reason = _tidy(place.short(reason + _further(again)))
    if not helped and any(each["outside"] for line in again for each in line.asked):
        return Outcome(ASKS, f"{reason}; what is outside this machine was not allowed here")
    return Outcome(ASKS if helped else IN_VAIN, reason)


def check_plainly(task: Task, account: OrdinaryUser | None, registry: str) -> None:
    """Raises BrokenTaskError for a task that does not work with nobody in between."""
    with place_for(account, registry) as place:
        if not _here(task, place):
            return
        lines, done = _attempt(task, Wrapped(), place)
        if not done:
            raise BrokenTaskError(f"{task.key}: {lines}")


def _attempt(task: Task, who: Gated | Wrapped, place: Place, *, yes: bool = False) -> tuple[list[Line], bool]:
    code, printed = place.script(task.setup)
    if code:
        raise BrokenTaskError(f"{task.key} cannot be prepared: {printed}")
    lines = who.lines(task, place, yes=yes) if yes else who.lines(task, place)
    ended_well = all(line.code == 0 for line in lines[:-1]) and lines[-1].code == task.exit
    return lines, ended_well and place.script(task.check)[0] == 0


def _here(task: Task, place: Place) -> bool:
    return all(_runs(need, place.environment()["PATH"], place.account and place.account.uid) for need in task.needs)


@functools.cache
def _runs(need: str, path: str, uid: int | None) -> bool:
    """Whether a program is on the path, or a command line ends well."""
    asked = need if " " in need else f"command -v {need}"
    other = uid is not None and os.geteuid() == 0
    identity: dict[str, Any] = {"user": uid, "group": uid, "extra_groups": []} if other else {}
    ended = subprocess.run(["bash", "-c", asked], env={"PATH": path, "HOME": NO_HOME}, cwd="/", check=False,
                           capture_output=True, timeout=LINE_LIMIT_S, **identity)  # fmt: skip
    return ended.returncode == 0


def _asked(lines: Iterable[Line]) -> bool:
    return any(line.asked for line in lines)


def _reason(task: Task, lines: list[Line], place: Place) -> str:
    """Why it did not work, from the first line that stumbled; from what was recorded, where anything was."""
    wanted = [0] * (len(lines) - 1) + [task.exit]
    stumbled = next(
        (line for line, code in zip(lines, wanted, strict=True) if line.asked or line.code != code), lines[-1]
    )
    said = _question(stumbled) or _calls(stumbled.refused) or stumbled.why or f"it says: {_last(stumbled.printed)}"
    return _tidy(place.short(said))


def _question(line: Line) -> str:
    if not line.asked:
        return ""
    first = line.asked[0]
    gives = f"; a yes gives {', '.join(first['gives'])}" if first["gives"] else ""
    calls = _calls(first["refused"])
    return f"asked after {calls}{gives}" if calls else f"asked before it runs: {first['why']}{gives}"


def _further(lines: list[Line]) -> str:
    """Of a task that is asked about more than once, until it is done."""
    asked = [each for line in lines for each in line.asked]
    gives = ", ".join(asked[-1]["gives"]) if asked else ""
    return f"; {len(asked)} questions in all, the last gives {gives or 'nothing more'}" if len(asked) > 1 else ""


def _calls(refused: Iterable[str]) -> str:
    named = list(dict.fromkeys(refused))
    more = f" and {len(named) - NAMED_MAX} more" if len(named) > NAMED_MAX else ""
    return f"{', '.join(f'`{each}`' for each in named[:NAMED_MAX])}{more}" if named else ""


def _last(printed: str) -> str:
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    return f"`{lines[-1]}`" if lines else "nothing"


def _tidy(reason: str) -> str:
    """One line, of bounded length, that a second run would say as well."""
    line = " ".join(reason.split()).replace("|", "/")
    for pattern, instead in _ONLY_HERE:
        line = pattern.sub(instead, line)
    return line if len(line) <= REASON_CHARACTERS else line[: REASON_CHARACTERS - 1] + "…"
