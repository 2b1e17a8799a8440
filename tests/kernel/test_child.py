"""How a wait status reads. The contract of a child is checked for every kind of it in tests/contracts."""

import os
import signal

import pytest

from sandgate.kernel.child import Ended, ended_from


@pytest.mark.parametrize("code", [0, 1, 126, 255])
def test_an_exit_keeps_its_code(code: int) -> None:
    pid = os.posix_spawn("/bin/sh", ["sh", "-c", f"exit {code}"], {})
    assert ended_from(os.waitpid(pid, 0)[1]) == Ended(code, None)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGABRT])
def test_a_signal_becomes_the_code_a_shell_gives_it(number: signal.Signals) -> None:
    pid = os.posix_spawn("/bin/sh", ["sh", "-c", f"ulimit -c 0; kill -{int(number)} $$"], {})
    assert ended_from(os.waitpid(pid, 0)[1]) == Ended(128 + number, number)


def test_a_core_dump_does_not_change_the_signal() -> None:
    dumped = 0x80  # wait(2): WCOREFLAG
    assert ended_from(signal.SIGSEGV | dumped) == Ended(128 + signal.SIGSEGV, signal.SIGSEGV)
