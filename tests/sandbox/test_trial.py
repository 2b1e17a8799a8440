"""One small plan, run to its end."""

from __future__ import annotations

import time

from sandgate.kernel.child import Ended
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.confinement import ExecFailure
from sandgate.protocol.permissions import EffectivePermissions
from sandgate.sandbox.none import NoBackend
from sandgate.sandbox.trial import TrialRun, run_to_end

LIMIT_MS = 30_000


def run(*argv: str, limit_ms: int = LIMIT_MS) -> TrialRun:
    command = CommandRequest(argv, "/", {"PATH": "/bin:/usr/bin"})
    plan = NoBackend().confine(command, EffectivePermissions(confined=False))
    return run_to_end(plan, helper=None, limit_ms=limit_ms)


def test_the_ending_and_both_streams_are_reported() -> None:
    ran = run("sh", "-c", "echo out; echo err >&2; cat; exit 3")
    assert (ran.ended, ran.failure, ran.output) == (Ended(3, None), None, b"out\nerr\n")


def test_a_program_that_does_not_exist_is_a_failure() -> None:
    ran = run("/no/such/program")
    assert (ran.ended, ran.failure) == (None, ExecFailure("program", "ENOENT"))


def test_a_command_that_does_not_end_is_killed_at_the_limit() -> None:
    began = time.monotonic()
    ran = run("sleep", "60", limit_ms=200)
    assert (ran.ended, ran.failure) == (None, None)
    assert time.monotonic() - began < LIMIT_MS / 1000
