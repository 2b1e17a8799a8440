"""A command looks a name up while the network is off: one question names it, and after a yes that same run goes on."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from support.machine.ordinary_user import OrdinaryUser
from support.network.machine import ASKING, Machine, for_ordinary_user
from support.process.program import SOURCE

NAMES = {
    "example.test": ["93.184.216.34"],
    "inside.test": ["10.11.12.13"],
    "broken.test": [],
    "two.test": ["93.184.216.35", "2606:2800:220::1"],
}
FETCH = ("curl", "-sS", "--max-time", "30", "http://example.test/")

pytestmark = [
    pytest.mark.host("namespace", "notify"),
    pytest.mark.skipif(not all(map(shutil.which, ("unshare", "ip", "mount"))), reason="it takes a machine of its own"),
]


# Fetches a page from each host that it is told, in one session with one answer; then says how many were asked for.
TWO_COMMANDS = """
import asyncio, os, sys
sys.path.insert(0, sys.argv[1])
from sandgate.runtime.aio import open_gate
asked = []
async def review(request):
    asked.append(request)
    return "approve-session"
async def main():
    overrides = ('sandbox.backend="namespace"', 'sandbox.ask="at-call"', 'approval_policy="on-failure"')
    async with open_gate(os.getcwd(), reviewer=review, overrides=overrides) as gate:
        for host in sys.argv[2:]:
            passage = await gate.run(f"curl -sS http://{host}/")
            print(passage.result.aggregated.decode(), end="")
asyncio.run(main())
print(len(asked))
"""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path, NAMES)


def fetched(program: str, host: str) -> tuple[str, ...]:
    url = f"http://{host}/"
    python = f"from urllib.request import urlopen; print(urlopen('{url}').read().decode(), end='')"
    script = {
        "curl": ("curl", "-sS", url),
        "python": ("python3", "-c", python),
        "node": ("node", "-e", f"fetch('{url}').then(r => r.text()).then(t => process.stdout.write(t))"),
    }[program]
    if shutil.which(script[0], path="/usr/local/bin:/usr/bin:/bin") is None:
        pytest.skip(f"no {script[0]} here")
    return script


@pytest.mark.parametrize("program", ["curl", "python", "node"])
@pytest.mark.parametrize("host", ["example.test", "two.test"])
def test_one_yes_fetches_a_page_by_its_name(machine: Machine, program: str, host: str) -> None:
    """Required: one question, the same run goes on, once."""
    done = machine(*ASKING, "--json", "--answer", "approve", "--", *fetched(program, host))
    assert done.code == 0, done
    ended = [each["stdout"] for each in done.events if each["type"] == "exec_command_end"]
    questions = [each for each in done.events if each["type"] == "exec_approval_request"]
    assert [each["grants"] for each in questions] == [[{"kind": "host", "value": host}]]
    assert ended == [f"hello from {host}\n"]


def test_a_no_ends_it_at_once_and_nothing_has_left(machine: Machine) -> None:
    """Required: two sides. Without the sandbox the same command asks the name server."""
    done = machine(*ASKING, "--json", "--answer", "deny", "--answer", "deny", "--", *FETCH)
    assert (done.code, machine.asked) == (6, set()), done
    asked = [each["grants"][0]["value"] for each in done.events if each["type"] == "exec_approval_request"]
    assert asked == ["example.test"]  # and not `example.test.corp.test`, which a name that does not exist would lead to
    assert machine.unconfined(*FETCH).out == "hello from example.test\n"
    assert machine.asked == {"example.test"}


def test_a_name_of_an_inner_address_takes_a_second_yes(machine: Machine) -> None:
    """Required: who owns the name chose the address; the question about it says which."""
    url = "http://inside.test/"
    first = machine(*ASKING, "--answer", "approve", "--", "curl", "-sS", url)
    assert first.code != 0
    assert "10.11.12.13:80" in first.err
    both = machine(*ASKING, "--json", "--answer", "approve", "--answer", "approve", "--", "curl", "-sS", url)
    assert [each["grants"] for each in both.events if each["type"] == "exec_approval_request"] == [
        [{"kind": "host", "value": "inside.test"}],
        [{"kind": "host", "value": "10.11.12.13:80"}],
    ]
    assert [each["stdout"] for each in both.events if each["type"] == "exec_command_end"] == [
        "hello from inside.test\n"
    ]


def test_a_lookup_that_fails_outside_is_told_and_leads_to_no_second_question(machine: Machine) -> None:
    """Required: another run, with the whole network, would fail just so."""
    fetch = ("curl", "-sS", "http://broken.test/")
    done = machine(*ASKING, "--json", "--answer", "approve", "--answer", "approve", "--", *fetch)
    assert done.code == 6
    asked = [each["grants"] for each in done.events if each["type"] == "exec_approval_request"]
    assert asked == [[{"kind": "host", "value": "broken.test"}]]
    assert "`broken.test` was allowed, and could not be looked up outside the sandbox" in done.out


def test_the_second_question_says_whose_address_it_is(machine: Machine) -> None:
    terminal = machine.at_terminal(*ASKING, "--", "curl", "-sS", "http://inside.test/")
    terminal.sees("Your answer")
    terminal.presses("y\n")
    said = terminal.sees("Your answer")
    assert "an address that is not public and that `inside.test` has: 10.11.12.13:80" in " ".join(
        said.replace("┆", " ").split()
    )
    terminal.presses("y\n")
    terminal.sees("hello from inside.test")
    assert terminal.ends() == 0


def test_an_answer_for_the_session_is_for_the_name(machine: Machine) -> None:
    """Required: the next command of the session has it without a question, by whatever address it has then."""
    done = machine.unconfined(sys.executable, "-c", TWO_COMMANDS, str(SOURCE), "example.test", "example.test")
    assert done.out.splitlines() == ["hello from example.test", "hello from example.test", "1"], done


def test_a_rule_that_forbids_the_domain_is_no_question(machine: Machine) -> None:
    rules = machine.home / ".sandgate/rules"
    rules.mkdir(parents=True)
    (rules / "default.rules").write_text('network_rule(host="test", protocol="https", decision="forbidden")\n')
    script = "import socket; socket.getaddrinfo('example' + '.test', 80)"  # the words do not name it
    done = machine(*ASKING, "--json", "--answer", "approve", "--", "python3", "-c", script)
    assert done.code != 0
    assert not [each for each in done.events if each["type"] == "exec_approval_request"]
    assert machine.asked == set()


def test_a_person_at_a_terminal_is_shown_the_name(machine: Machine) -> None:
    terminal = machine.at_terminal(*ASKING, "--", *FETCH)
    terminal.sees("example.test")
    terminal.sees("Your answer")
    terminal.presses("y\n")
    terminal.sees("hello from example.test")
    assert terminal.ends() == 0


def test_an_ordinary_user_has_the_same(as_user: OrdinaryUser) -> None:
    """Required: two sides, without any right on the machine."""
    folder, workspace, sandgate = for_ordinary_user(as_user, "names", NAMES)
    no = as_user.run([*sandgate, "--answer", "deny", "--", *FETCH], cwd=workspace)
    assert (no.returncode, (folder / "asked").read_text()) == (6, ""), no.stderr
    yes = as_user.run([*sandgate, "--answer", "approve", "--", *FETCH], cwd=workspace)
    assert (yes.returncode, yes.stdout) == (0, "hello from example.test\n"), yes.stderr
    assert set((folder / "asked").read_text().split()) == {"example.test"}
