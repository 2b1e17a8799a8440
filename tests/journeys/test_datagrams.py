"""A command sends datagrams to a host while the network is off: one question names it, and that same run goes on."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.machine.ordinary_user import OrdinaryUser
from support.network.machine import ASKING, Machine, for_ordinary_user
from support.network.small_internet import ECHO

ADDRESS, OTHER = "93.184.216.34", "10.11.12.13"
NAMES = {"example.test": [ADDRESS], "inside.test": [OTHER]}

pytestmark = [
    pytest.mark.host("namespace", "notify"),
    pytest.mark.skipif(not all(map(shutil.which, ("unshare", "ip", "mount"))), reason="it takes a machine of its own"),
]

# The words of the command do not name the host: the question comes from the call.
CLIENT = f"""
import socket, sys
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.settimeout(30)
there = (".".join(sys.argv[2].split("-")), {ECHO})
if sys.argv[1] == "connected":
    client.connect(there)
    client.send(b"hello")
else:
    client.sendto(b"hello", there)
print(client.recv(99).decode())
"""


def client(how: str, address: str = ADDRESS) -> tuple[str, ...]:
    return ("python3", "-c", CLIENT, how, address.replace(".", "-"))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path, NAMES)


@pytest.mark.parametrize("how", ["connected", "by address"])
def test_one_yes_has_the_datagrams_carried(machine: Machine, how: str) -> None:
    """Required: one question, the same run goes on, once."""
    done = machine(*ASKING, "--json", "--answer", "approve", "--", *client(how))
    assert done.code == 0, done
    questions = [each for each in done.events if each["type"] == "exec_approval_request"]
    assert [each["grants"] for each in questions] == [[{"kind": "host", "value": f"{ADDRESS}:{ECHO}"}]]
    assert [each["stdout"] for each in done.events if each["type"] == "exec_command_end"] == ["hello\n"]


@pytest.mark.parametrize("how", ["connected", "by address"])
def test_a_no_is_the_end_of_it(machine: Machine, how: str) -> None:
    """Required: two sides. Without the sandbox the same command has its reply."""
    done = machine(*ASKING, "--json", "--answer", "deny", "--answer", "deny", "--", *client(how))
    assert done.code != 0
    assert "Operation not permitted" in done.out
    asked = [each["grants"][0]["value"] for each in done.events if each["type"] == "exec_approval_request"]
    assert asked == [f"{ADDRESS}:{ECHO}"]
    assert machine.unconfined(*client(how)).out == "hello\n"


def test_a_person_is_shown_that_it_is_datagrams_and_to_which_address(machine: Machine) -> None:
    """Also a private one."""
    terminal = machine.at_terminal(*ASKING, "--", *client("by address", OTHER))
    said = terminal.sees("Your answer")
    assert f"send datagrams (UDP) to {OTHER}:{ECHO}" in " ".join(said.replace("┆", " ").split())
    terminal.presses("y\n")
    terminal.sees("hello")
    assert terminal.ends() == 0


def test_an_ordinary_user_has_the_same(as_user: OrdinaryUser) -> None:
    """Required: two sides, without any right on the machine."""
    _, workspace, sandgate = for_ordinary_user(as_user, "datagrams", NAMES)
    for how in ("connected", "by address"):
        no = as_user.run([*sandgate, "--answer", "deny", "--", *client(how)], cwd=workspace)
        assert no.returncode != 0
        assert "Operation not permitted" in no.stderr
        yes = as_user.run([*sandgate, "--answer", "approve", "--", *client(how)], cwd=workspace)
        assert (yes.returncode, yes.stdout) == (0, "hello\n"), yes.stderr
