"""Signals to the program ring while an attempt runs and act as always otherwise."""

from __future__ import annotations

import os
import select
import signal

import pytest

from sandgate.protocol.commands import CommandRequest, CommandResult
from sandgate.protocol.decisions import Attempt
from sandgate.protocol.denials import DenialReport
from sandgate.protocol.permissions import EffectivePermissions
from sandgate.protocol.trace import CommandBegan, CommandEnded
from sandgate.surfaces.cli.termination_signals import Terminations

COMMAND = CommandRequest(("true",), "/", {})
RESULT = CommandResult(0, None, "exited", b"", b"", b"")
ATTEMPT = Attempt(True, "none", (), RESULT, DenialReport("not_denied"), "policy", EffectivePermissions())


def test_a_signal_during_an_attempt_makes_the_descriptor_readable() -> None:
    told: list[object] = []
    terminations = Terminations(told.append)
    terminations(CommandBegan("c", COMMAND, 1, "none"))
    os.kill(os.getpid(), signal.SIGTERM)
    assert select.select([terminations.descriptor], [], [], 5)[0] == [terminations.descriptor]
    terminations(CommandEnded("c", COMMAND, ATTEMPT))
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    assert len(told) == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_was_ignored_stays_ignored(number: signal.Signals) -> None:
    before = signal.signal(number, signal.SIG_IGN)
    try:
        terminations = Terminations(lambda _record: None)
        terminations(CommandBegan("c", COMMAND, 1, "none"))
        assert signal.getsignal(number) == signal.SIG_IGN
        terminations(CommandEnded("c", COMMAND, ATTEMPT))
        assert signal.getsignal(number) == signal.SIG_IGN
    finally:
        signal.signal(number, before)


def test_without_a_signal_the_program_goes_on() -> None:
    terminations = Terminations(lambda _record: None)
    terminations.end_if_heard()
    assert select.select([terminations.descriptor], [], [], 0)[0] == []
