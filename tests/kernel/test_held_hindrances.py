"""What would stop the supervisor, and with it every other call, the time limit and the end of its command."""

import fcntl
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandgate.kernel.build import helper_path
from sandgate.protocol.permissions import Grant
from support.kernel.held_runs import BACKENDS, LANDLOCK, HeldOutcome, HeldRun
from support.kernel.helper_runs import plan_for


@pytest.fixture(params=BACKENDS)
def helper(request: pytest.FixtureRequest) -> str:
    return LANDLOCK if request.param == LANDLOCK else helper_path()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    (tmp_path / "work/mine").write_text("text")
    (tmp_path / "file").write_text("text")
    return tmp_path / "file"


def run(helper: str, file: Path, script: str) -> HeldOutcome:
    work = file.parent / "work"
    plan = plan_for(*(sys.executable, "-I", "-S", "-c", script), write=(str(work),), cwd=str(work))
    return HeldRun(helper, plan.but(supervised_grants=(Grant("write_path", str(file)),))).finish()


@pytest.fixture
def lease(file: Path) -> Iterator[None]:
    """Somebody else's, who takes his time to give it up: whoever opens the file for writing waits."""
    before = signal.signal(signal.SIGIO, lambda *_: None)
    held = os.open(file, os.O_RDONLY)
    try:
        fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        yield
    finally:
        os.close(held)
        signal.signal(signal.SIGIO, before)


OPENS = """
import errno, fcntl, os, sys
try:
    fd = os.open(sys.argv[-1], os.O_WRONLY | os.O_APPEND)
    print(fcntl.fcntl(fd, fcntl.F_GETFL) & (os.O_NONBLOCK | os.O_APPEND) == os.O_APPEND)
except OSError as problem:
    print(errno.errorcode[problem.errno])
"""


@pytest.mark.usefixtures("lease")
def test_a_lease_of_somebody_elses_holds_nobody_up(helper: str, file: Path) -> None:
    """Required: the call fails as one that would not wait; the supervisor is heard of again at once."""
    assert run(helper, file, OPENS.replace("sys.argv[-1]", repr(str(file)))).output == "EAGAIN\n"


def test_without_it_the_open_file_is_as_it_was_asked_for(helper: str, file: Path) -> None:
    assert run(helper, file, OPENS.replace("sys.argv[-1]", repr(str(file)))).output == "True\n"


@pytest.mark.parametrize("where", ["work/mine", "file"])
def test_an_attribute_with_flags_that_do_not_exist_is_an_error_of_its_caller(
    helper: str, file: Path, where: str
) -> None:
    script = f"""
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
said = libc.setxattr({os.fsencode(file.parent / where)!r}, b"user.x", b"y", 1, 0x80000000)
print(said, errno.errorcode[ctypes.get_errno()])
print(open("mine", "r+").read())
"""
    outcome = run(helper, file, script)
    assert (outcome.exit_code, outcome.output) == (0, "-1 EINVAL\ntext\n")
