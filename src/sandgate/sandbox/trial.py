"""Runs one small plan to its end, for probes and canaries; everything else belongs to `execution`."""

from __future__ import annotations

import os

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.kernel.child import Child, Ended
    from sandgate.protocol.confinement import ConfinedCommand, ExecFailure, SetupFailure

OUTPUT_BYTES_MAX = 1 << 20


class TrialRun(Record):
    """How it went. Neither `ended` nor `failure`: the limit passed and everything was killed."""

    ended: Ended | None = None
    failure: SetupFailure | ExecFailure | None = None
    layers: tuple[str, ...] = ()
    output: bytes = b""  # both streams


def run_to_end(plan: ConfinedCommand, *, helper: str | None, limit_ms: int) -> TrialRun:
    """Starts `plan` without input and waits. Raises what starting raises."""
    null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    output = os.memfd_create("sandgate-trial", os.MFD_CLOEXEC)
    try:
        child = _start(plan, null, output, helper)
        try:
            in_time = _wait(child, limit_ms)
            ended, failure, layers = child.ended, child.failure, child.layers
        finally:
            child.close()
        said = os.pread(output, OUTPUT_BYTES_MAX, 0)
    finally:
        os.close(null)
        os.close(output)
    return TrialRun(ended if in_time else None, failure, layers, said)


def _start(plan: ConfinedCommand, stdin: int, output: int, helper: str | None) -> Child:
    if plan.backend == "namespace":
        if helper is None:
            raise AssertionError("a plan for namespaces needs the helper")
        from sandgate.kernel.helper import start as start_helper

        return start_helper(plan, stdin=stdin, stdout=output, stderr=output, helper=helper)
    from sandgate.kernel.launcher import start as start_launcher

    return start_launcher(plan, stdin=stdin, stdout=output, stderr=output)


def _wait(child: Child, limit_ms: int) -> bool:
    """Whether it was over within the limit."""
    from select import POLLIN, poll
    from time import monotonic

    deadline = monotonic() + limit_ms / 1000
    while child.ended is None and child.failure is None:
        waiting = poll()
        for descriptor in child.descriptors():
            waiting.register(descriptor, POLLIN)
        ready = waiting.poll(max(0, (deadline - monotonic()) * 1000))
        if not ready:
            return False
        for descriptor, _events in ready:
            child.handle(descriptor)
    return True
