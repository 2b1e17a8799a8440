"""Sessions without a leader stay watched exactly as long as somebody is left of them."""

from __future__ import annotations

import os
import signal
import subprocess

from sandgate.kernel.session_tree import members
from sandgate.terminals.leftover_processes import Remnants
from sandgate.terminals.pump import Pump
from support.process.waiting import wait_until


class Noting:
    """Stands in for the warden, and notes what it is told."""

    def __init__(self) -> None:
        self.dropped: list[int] = []

    def drop(self, session: int) -> None:
        self.dropped.append(session)


def leader(script: str) -> int:
    """The number of a session whose leader has ended and was reaped."""
    process = subprocess.Popen(["sh", "-c", script], start_new_session=True)
    process.wait()
    return process.pid


def test_a_session_nobody_is_left_of_is_let_go_and_one_with_somebody_is_not() -> None:
    pump, warden = Pump(), Noting()
    try:
        remnants = Remnants(warden, pump)  # type: ignore[arg-type]  # all it needs is `drop`
        empty, peopled = leader("true"), leader("sleep 1000 & true")
        for session in (empty, peopled):
            remnants.leader_ended(session)
        assert wait_until(lambda: warden.dropped == [empty])
        remnants.look()
        assert warden.dropped == [empty]
        for pid in members((peopled,)):
            os.kill(pid, signal.SIGKILL)
    finally:
        pump.close()
