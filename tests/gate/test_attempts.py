"""What one run came to. Errors of what never ran are in test_gate.py, denials in tests/sandbox/test_denial.py."""

import pytest

from sandgate.gate.attempts import explained, has_failed, locked_outside, not_started
from sandgate.protocol.commands import CommandRequest, CommandResult
from sandgate.protocol.confinement import AttemptOutcome, ConfinedCommand
from sandgate.protocol.permissions import EffectivePermissions

FINE = CommandResult(0, None, "exited", b"", b"", b"")
PLAN = ConfinedCommand("namespace", ("x",), "/", {}, EffectivePermissions())


@pytest.mark.parametrize(
    ("result", "failed"),
    [
        (FINE, False),
        (None, False),
        (FINE.but(exit_code=1), True),
        (FINE.but(exit_code=137, termination="signaled"), True),
        (FINE.but(exit_code=124, termination="timed_out"), False),
        (FINE.but(exit_code=124, termination="cancelled"), False),
    ],
)
def test_only_what_ended_by_itself_and_not_well_has_failed(result: CommandResult | None, failed: bool) -> None:
    assert has_failed(result) is failed


def test_silence_of_a_layer_that_watched_means_that_nothing_was_denied() -> None:
    assert explained(PLAN, AttemptOutcome(FINE, reported=True)).verdict == "not_denied"
    assert explained(PLAN, AttemptOutcome(FINE.but(exit_code=1), reported=False)).verdict == "unknown"


def test_an_outcome_without_a_result_must_say_why() -> None:
    with pytest.raises(AssertionError, match="carries a failure"):
        not_started(CommandRequest(("x",), "/", {}), AttemptOutcome(FINE))


def test_locks_outside_are_named_some_and_counted_all() -> None:
    assert locked_outside(("/a", "/b\n")) == (
        "it locked `/a`, `/b\\n` outside the writable places; a process that wanted one had to wait for the command"
    )
    assert "`/1`, `/2`, `/3` and 2 more" in locked_outside(("/1", "/2", "/3", "/4", "/5"))
