"""`sandgate run` at a terminal tells what was refused while the command still runs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from sandgate.surfaces.cli.narrate import MEANWHILE_SAID_MAX
from support.process.program import Sandgate, in_repository

pytestmark = pytest.mark.host("namespace", "notify")

TOLD = "sandgate: denied: create /etc/{} (outside the writable roots: "


@pytest.fixture
def sandgate(tmp_path: Path) -> Sandgate:
    return in_repository(tmp_path)


def refused(*names: str) -> str:
    return "; ".join(f"true 2>/dev/null >/etc/{name}" for name in names)


def script(*parts: str, then: str) -> tuple[str, ...]:
    """A shell that lives until somebody types a line."""
    return ("run", "-a", "never", "--", "sh", "-c", f"{'; '.join(parts)}; read line; {then}")


def test_it_is_told_while_the_command_runs_and_not_again_at_its_end(sandgate: Sandgate) -> None:
    """Required: on a line of its own, and how to grant it at the end."""
    terminal = sandgate.at_terminal(*script("echo begun", f"({refused('one')})", then="exit 3"))
    terminal.sees("begun\r\n" + TOLD.format("one"))
    terminal.presses("\n")
    assert terminal.ends() == 3
    assert terminal.seen.count("denied: create /etc/one") == 1
    assert "sandgate: grant it once with: " in terminal.seen


def test_only_so_many_are_told_and_the_rest_at_the_end(sandgate: Sandgate) -> None:
    names = [f"file-{at}" for at in range(MEANWHILE_SAID_MAX + 2)]
    terminal = sandgate.at_terminal(*script(*(f"({refused(name)})" for name in names), then="exit 3"))
    before = terminal.sees(TOLD.format(names[MEANWHILE_SAID_MAX - 1]))
    assert names[MEANWHILE_SAID_MAX] not in before
    terminal.presses("\n")
    assert terminal.ends() == 3
    assert [terminal.seen.count(f"denied: create /etc/{name} ") for name in names] == [1] * len(names)


def test_a_line_of_the_command_that_stays_open_is_not_written_into(sandgate: Sandgate) -> None:
    terminal = sandgate.at_terminal(*script(f"({refused('one')})", "printf 'Name: '", then="exit 3"))
    terminal.sees("Name: \r\n" + TOLD.format("one"))
    terminal.presses("\n")
    assert terminal.ends() == 3


def test_a_command_that_does_without_gets_no_line_more_at_its_end(sandgate: Sandgate) -> None:
    terminal = sandgate.at_terminal(*script(f"({refused('one', 'two')})", then="exit 0"))
    terminal.sees(TOLD.format("two"))
    terminal.presses("\n")
    assert terminal.ends() == 0
    assert "which it could do without" not in terminal.seen
    assert terminal.seen.count("sandgate: ") == 2


def test_what_ends_at_once_is_told_at_its_end_as_ever(sandgate: Sandgate) -> None:
    terminal = sandgate.at_terminal("run", "-a", "never", "--", "sh", "-c", f"{refused('one', 'two')}; true")
    assert terminal.ends() == 0
    assert terminal.seen.count("denied: ") == 1


def test_a_command_with_a_terminal_of_its_own_keeps_its_screen(sandgate: Sandgate) -> None:
    """Our choice: whatever is on it, a line of ours would spoil it. The end tells. Nothing comes, so it is time that
    has to pass."""
    words = ("sh", "-c", f"({refused('one')}); sleep 2; printf over; read line; exit 3")
    terminal = sandgate.at_terminal("run", "-a", "never", "--tty", "--", *words)
    assert "sandgate: " not in terminal.sees("over")
    terminal.presses("\n")
    assert terminal.ends() == 3
    assert terminal.seen.count("denied: create /etc/one") == 1


def told_and_let_go(sandgate: Sandgate, *options: str, stream: str, until: bytes) -> str:
    """All of that output of a command that ends once `until` was said there."""
    words = ("run", *options, "--", "sh", "-c", f"{refused('one')}; read line; exit 3")
    pipe = subprocess.PIPE
    with sandgate.start(*words, stdin=pipe, stdout=pipe, stderr=pipe) as program:
        output, typed = getattr(program, stream), program.stdin
        assert typed is not None
        said = b""
        while until not in said:
            line = output.readline()
            assert line, said
            said += line
        typed.write(b"\n")
        typed.close()
        said += output.read()
    return str(said.decode())


def test_without_a_terminal_it_is_told_meanwhile_with_v(sandgate: Sandgate) -> None:
    assert told_and_let_go(sandgate, "-v", stream="stderr", until=b"/etc/one").count("denied: create /etc/one") == 1


def test_as_json_it_is_an_event_before_the_end(sandgate: Sandgate) -> None:
    said = told_and_let_go(sandgate, "--json", stream="stdout", until=b"exec_command_denials")
    events = [json.loads(line) for line in said.splitlines()]
    types = [event["type"] for event in events if event["type"] != "exec_command_output_delta"]
    assert types == ["exec_command_begin", "exec_command_denials", "exec_command_end", "run_completed"]
    assert [denial["path"] for denial in events[1]["denials"]] == ["/etc/one"]
    assert [denial["path"] for denial in events[-1]["attempts"][0]["denials"]] == ["/etc/one"]
