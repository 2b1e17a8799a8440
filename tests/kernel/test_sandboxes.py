"""What runs in sandboxes, as the kernel tells it. Whole programs are tried in tests/journeys/test_ports.py."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from sandgate.kernel.helper import start
from sandgate.kernel.networks import EmptyNetworks
from sandgate.kernel.process_tree import descendants
from sandgate.kernel.sandboxes import sandboxes
from support.kernel.helper_runs import plan_for
from support.process.waiting import readable

pytestmark = pytest.mark.host("namespace")

SERVER = (
    "import socket; server = socket.create_server(('127.0.0.1', 0)); print(server.getsockname()[1], flush=True)\n"
    "server.accept()"
)


@pytest.mark.parametrize("network", ["off", "on"])
def test_a_sandbox_is_listed_with_its_ports_while_it_lives(helper: str, network: str) -> None:
    reading, writing = os.pipe()
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    plan = plan_for("/usr/bin/python3", "-c", SERVER, network=network)
    child = start(plan, stdin=null, stdout=writing, stderr=writing, helper=helper)
    readable(reading)
    port = int(os.read(reading, 99))
    (found,) = [each for each in sandboxes() if each.supervisor == child.pid]
    assert (found.argv, found.ports) == (("/usr/bin/python3", "-c", SERVER), (port,))
    assert (found.own_network, found.starter) == (network == "off", os.getpid())
    child.close()
    assert [each for each in sandboxes() if each.supervisor == child.pid] == []
    for fd in (reading, writing, null):
        os.close(fd)


DISGUISE = "import ctypes; ctypes.CDLL(None).prctl(15, b'sandgate-exec')\n"  # PR_SET_NAME
PARENT = "import os\nif os.fork(): os.wait()\n"


@pytest.mark.parametrize("before", [DISGUISE, PARENT + DISGUISE, PARENT + DISGUISE + PARENT])
def test_a_command_neither_hides_nor_shows_another_sandbox_by_taking_the_helpers_name(helper: str, before: str) -> None:
    """Required, both halves: the name is taken, and the command is listed once, as what it is, with its port."""
    reading, writing = os.pipe()
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    script = before + SERVER
    child = start(plan_for("/usr/bin/python3", "-c", script), stdin=null, stdout=writing, stderr=writing, helper=helper)
    readable(reading)
    port = int(os.read(reading, 99))
    below = descendants(child.pid)
    names = [Path(f"/proc/{pid}/comm").read_text() for pid in below]
    assert names.count("sandgate-exec\n") > 1  # the helper's own, and the command's
    found = [each for each in sandboxes() if {each.supervisor, each.inside} & {child.pid, *below}]
    assert [(each.supervisor, each.argv[-1], each.ports) for each in found] == [(child.pid, script, (port,))]
    child.close()
    for fd in (reading, writing, null):
        os.close(fd)


def test_the_name_alone_makes_no_sandbox(helper: str, tmp_path: Path) -> None:
    """Nor does a helper that only made a network."""
    lent = EmptyNetworks().lend(helper)
    assert lent is not None
    program = shutil.copy("/bin/sleep", tmp_path / "sandgate-exec")
    process = subprocess.Popen([program, "60"])
    try:
        assert [each for each in sandboxes() if process.pid in (each.supervisor, each.inside)] == []
    finally:
        process.kill()
        process.wait()
        lent.give_back()
