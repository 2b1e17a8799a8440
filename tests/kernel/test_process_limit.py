"""The control group for root: made, joined, enforced, removed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from sandgate.kernel.process_limit import PREFIX, ProcessLimit, limit_for_root

LIMIT = 10


@pytest.fixture
def group() -> ProcessLimit:
    """A group of ours, or a skip with the reason where the host has none to give."""
    made = limit_for_root(LIMIT) if os.geteuid() == 0 else None
    if made is None:
        pytest.skip("no writable pids control group for this user here")
    return made


def joined(group: ProcessLimit) -> str:
    return os.readlink(f"/proc/self/fd/{group.descriptor}").removesuffix("/cgroup.procs")


def test_a_process_that_joins_can_start_only_so_many_others(group: ProcessLimit) -> None:
    bomb = (
        "import os, sys\n"
        "os.write(int(sys.argv[1]), b'0')\n"
        "made = 0\n"
        "try:\n"
        "    while made < 50:\n"
        "        if os.fork() == 0:\n"
        "            os.read(0, 1); os._exit(0)\n"
        "        made += 1\n"
        "except BlockingIOError:\n"
        "    print(made)\n"
    )
    fd = group.descriptor
    done = subprocess.run(
        [sys.executable, "-c", bomb, str(fd)], pass_fds=(fd,), stdin=subprocess.PIPE, capture_output=True, text=True
    )
    directory = joined(group)
    group.close()
    assert done.stdout == f"{LIMIT - 1}\n"
    assert not os.path.exists(directory)


def test_closing_twice_is_harmless(group: ProcessLimit) -> None:
    group.close()
    group.close()


def test_what_a_killed_process_left_is_removed_by_the_next(group: ProcessLimit) -> None:
    directory = joined(group)
    ended = subprocess.Popen(["true"])
    ended.wait()
    left = os.path.join(os.path.dirname(directory), f"{PREFIX}{ended.pid}")
    os.mkdir(left)
    group.close()
    again = limit_for_root(LIMIT)
    assert again is not None
    assert not os.path.exists(left)
    again.close()
