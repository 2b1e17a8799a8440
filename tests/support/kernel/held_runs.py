"""Runs one command whose refused calls are held, under either backend, and answers them from the test."""

from __future__ import annotations

import os
import select
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from sandgate.kernel import helper as helper_module
from sandgate.kernel import launcher
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.held_calls import HeldAnswer, HeldCall
from sandgate.protocol.permissions import Grant
from sandgate.sandbox.landlock import LandlockBackend
from support.kernel.helper_runs import RUN_LIMIT_MS, Outcome

if TYPE_CHECKING:
    from sandgate.kernel.child import Child

LANDLOCK = "landlock"
"""In place of the helper's path: plans run under Landlock."""

BACKENDS = (
    pytest.param("namespace", marks=pytest.mark.host("namespace", "notify")),
    pytest.param(LANDLOCK, marks=pytest.mark.host("landlock", "notify")),
)

Answer = Callable[[HeldCall], tuple[Grant, ...] | HeldAnswer | None]
"""The grants for a held call; none are a no, and None is no answer at all."""


def refused_as(helper: str) -> str:
    """What a C library says of a refused write."""
    return "Permission denied" if helper == LANDLOCK else "Read-only file system"


def under_landlock(plan: ConfinedCommand) -> ConfinedCommand:
    """The same for the other backend: what the view says becomes permissions."""
    places = {kind: tuple(mount.path for mount in plan.mounts if mount.kind.startswith(kind)) for kind in KINDS}
    closed = {"hidden": places["hide"], "read_only": places["read"]}
    request = CommandRequest(plan.argv, plan.cwd, plan.env)
    made = LandlockBackend().confine(request, plan.permissions.but(writable=places["write"], **closed))
    return made.but(holds_calls=plan.holds_calls, supervised_grants=plan.supervised_grants)


KINDS = ("write", "read", "hide")


class HeldOutcome(Outcome):
    """What came of it, with the calls that were held."""

    def __init__(self, child: Child, output: str) -> None:
        super().__init__(child, output)
        self.held = list(child.held)
        self.let_go = list(child.let_go)
        self.performed = list(child.performed_calls)
        self.performed_omitted = child.performed_omitted


def _start(helper: str, plan: ConfinedCommand, null: int, output: int) -> Child:
    if helper == LANDLOCK:
        return launcher.start(under_landlock(plan), stdin=null, stdout=output, stderr=output)
    return helper_module.start(plan, stdin=null, stdout=output, stderr=output, helper=helper)


class HeldRun:
    """A running command; its output must fit into a pipe."""

    def __init__(self, helper: str, plan: ConfinedCommand) -> None:
        self._output, writing = os.pipe()
        null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        try:
            self.child: Child = _start(helper, plan, null, writing)
        finally:
            os.close(writing)
            os.close(null)

    def serve(self, until: Callable[[], object] = lambda: False) -> None:
        """Reads what the helper says until it is over, or `until` says so."""
        while self.child.descriptors() and not until():
            waiting = select.poll()
            for fd in self.child.descriptors():
                waiting.register(fd, select.POLLIN)
            ready = waiting.poll(RUN_LIMIT_MS)
            assert ready, "the supervisor was silent for too long"
            for fd, _ in ready:
                self.child.handle(fd)

    def finish(self) -> HeldOutcome:
        self.serve()
        return self.outcome()

    def outcome(self) -> HeldOutcome:
        self.child.close()
        chunks = []
        while chunk := os.read(self._output, 65536):
            chunks.append(chunk)
        os.close(self._output)
        return HeldOutcome(self.child, b"".join(chunks).decode(errors="surrogateescape"))


def run_held(helper: str, plan: ConfinedCommand, answer: Answer) -> HeldOutcome:
    """Runs to the end and answers each held call as soon as it is told."""
    run = HeldRun(helper, plan.but(holds_calls=True))
    answered: list[HeldCall] = []
    while run.child.descriptors():
        run.serve(until=lambda: len(run.child.held) > len(answered))
        for held in run.child.held[len(answered) :]:
            answered.append(held)
            given = answer(held)
            if isinstance(given, HeldAnswer):
                run.child.answer(held.number, given.grants, given.hosts)
            elif given is not None:
                run.child.answer(held.number, given)
    return run.outcome()
