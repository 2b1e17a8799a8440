"""What it costs that the supervisor carries calls out, and that somebody is asked in the middle of a run."""

from __future__ import annotations

import os
import select
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from measure import Contestant, race, table

from sandgate.kernel import helper
from sandgate.kernel.build import helper_path
from sandgate.protocol.confinement import ConfinedCommand, Mount
from sandgate.protocol.permissions import EffectivePermissions, Grant

FILES = 10_000
FILE_BYTES = 200
QUESTIONS = 500  # of one command, each answered at once
WRITE_TREE = f"""
import os, sys
for number in range({FILES}):
    folder = f"{{sys.argv[1]}}/{{number // 100}}"
    if number % 100 == 0:
        os.makedirs(folder)
    with open(f"{{folder}}/{{number}}", "x") as file:
        file.write("x" * {FILE_BYTES})
"""
ASK_OFTEN = f"""
import os, sys
for number in range({QUESTIONS}):
    try:
        os.mkdir(f"{{sys.argv[1]}}/{{number}}")
    except OSError:
        pass
"""


def _plan(
    script: str, place: Path, *, writable: tuple[str, ...] = (), grants: tuple[Grant, ...] = ()
) -> ConfinedCommand:
    return ConfinedCommand(
        backend="namespace",
        argv=(sys.executable, "-I", "-S", "-c", script, str(place)),
        cwd="/",
        env={"PATH": "/usr/bin:/bin"},
        permissions=EffectivePermissions(writable=writable, network="off"),
        mounts=tuple(Mount("write", each) for each in writable),
        supervised_grants=grants,
    )


def _run(plan: ConfinedCommand) -> None:
    """To its end; a held call gets a no as soon as it is told."""
    null = os.open(os.devnull, os.O_RDWR)
    child = helper.start(plan, stdin=null, stdout=null, stderr=null, helper=helper_path())
    os.close(null)
    answered = 0
    while child.descriptors():
        waiting = select.poll()
        waiting.register(child.descriptors()[0], select.POLLIN)
        waiting.poll()
        child.handle(child.descriptors()[0])
        for held in child.held[answered:]:
            child.answer(held.number, ())
        answered = len(child.held)
    child.close()
    if child.ended is None or child.ended.exit_code != 0:
        raise RuntimeError(f"not run: {child.ended} {child.failure} {child.refused[:1]}")


class _Emptied(Contestant):
    """Begins with an empty directory each time, which is not part of what is measured."""

    def __init__(self, name: str, place: Path, run: Callable[[], None]) -> None:
        super().__init__(name, run)
        self.place = place

    def sample(self) -> None:
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()
        super().sample()


def granted(_workspace: Path, home: Path, rounds: int) -> str:
    """Ten thousand new files in a directory of the view, in one that was granted, and in a new one."""
    place = home / "granted"
    place.mkdir()
    top, new = str(place), str(place / "new")

    def contestant(
        name: str, target: Path, *, writable: tuple[str, ...] = (), grants: tuple[Grant, ...] = ()
    ) -> Contestant:
        return _Emptied(name, place, lambda: _run(_plan(WRITE_TREE, target, writable=writable, grants=grants)))

    field = [
        contestant("--add-dir", place, writable=(top,)),
        contestant("granted directory", place, grants=(Grant("write_root", top),)),
        contestant("granted new directory", place / "new", grants=(Grant("new_entry", new),)),
    ]
    _race_emptied(field, max(3, rounds // 4))
    shutil.rmtree(place)
    return table(f"{FILES} new files of {FILE_BYTES} bytes", field, against=("--add-dir",))


def _race_emptied(field: list[Contestant], rounds: int) -> None:
    """As `race`, for contestants that need an empty directory to warm up, too."""
    for each in field:
        each.sample()
        each.samples_ms.clear()
    for number in range(rounds):
        for each in field if number % 2 else field[::-1]:
            each.sample()


def answered(_workspace: Path, home: Path, rounds: int) -> str:
    """Five hundred refused calls, each put to somebody who answers at once, against nobody there."""
    place = home / "answered"
    place.mkdir()
    plan = _plan(ASK_OFTEN, place)
    field = [
        Contestant("nobody attached", lambda: _run(plan)),
        Contestant("each is answered", lambda: _run(plan.but(holds_calls=True))),
    ]
    race(field, max(3, rounds // 4))
    more_ms = (field[1].median_ms - field[0].median_ms) / QUESTIONS
    shown = table(f"{QUESTIONS} refused calls", field, against=("nobody attached",))
    return f"{shown}\nan answered question adds {more_ms * 1000:.0f} us beyond the answer\n"


HELD_WORKLOADS: dict[str, Callable[[Path, Path, int], str]] = {"granted": granted, "answered": answered}
