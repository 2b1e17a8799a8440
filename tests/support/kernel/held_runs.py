"""Runs one command whose refused calls are held, and answers them from the test."""

import os
import select
from collections.abc import Callable

from sandgate.kernel import helper as helper_module
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.held_calls import HeldCall
from sandgate.protocol.permissions import Grant
from support.kernel.helper_runs import RUN_LIMIT_MS, Outcome

Answer = Callable[[HeldCall], tuple[Grant, ...] | None]
"""The grants for a held call; none are a no, and None is no answer at all."""


class HeldOutcome(Outcome):
    """What came of it, with the calls that were held."""

    def __init__(self, child: helper_module.HelperChild, output: str) -> None:
        super().__init__(child, output)
        self.held = list(child.held)
        self.let_go = list(child.let_go)
        self.performed = list(child.performed_calls)
        self.performed_omitted = child.performed_omitted


class HeldRun:
    """A running command; its output must fit into a pipe."""

    def __init__(self, helper: str, plan: ConfinedCommand) -> None:
        self._output, writing = os.pipe()
        null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        try:
            self.child = helper_module.start(plan, stdin=null, stdout=writing, stderr=writing, helper=helper)
        finally:
            os.close(writing)
            os.close(null)

    def serve(self, until: Callable[[], object] = lambda: False) -> None:
        """Reads what the helper says until it is over, or `until` says so."""
        while self.child.descriptors() and not until():
            ready = select.poll()
            ready.register(self.child.descriptors()[0], select.POLLIN)
            assert ready.poll(RUN_LIMIT_MS), "the helper was silent for too long"
            self.child.handle(self.child.descriptors()[0])

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
            grants = answer(held)
            if grants is not None:
                run.child.answer(held.number, grants)
    return run.outcome()
