"""What a live command is doing, judged on real programs."""

import os
import shutil
import signal
import sys

import pytest

from sandgate.kernel.build import helper_path
from sandgate.kernel.foreground import Foreground, Member, look
from sandgate.terminals.state import process_state
from support.terminal.live import Live, confined_on_terminal, on_terminal

BASH = ("bash", "--norc", "--noprofile", "-i")
PYTHON = (sys.executable, "-I", "-q")
PASSWORD = (sys.executable, "-I", "-c", "import getpass; getpass.getpass()")

# program, what is typed once it is in its first state, first state, state after
STORIES = {
    "bash at its prompt": (BASH, b"", "idle", ""),
    "bash with a pipeline that reads": (BASH, b"cat | cat\n", "idle", "waiting_for_input"),
    "bash with a job": (BASH, b"sleep 100\n", "idle", "running"),
    "bash that waits for a job": (BASH, b"sleep 100 & wait\n", "idle", "running"),
    "sh at its prompt": (("sh", "-i"), b"sleep 100\n", "idle", "running"),
    "cat": (("cat",), b"", "waiting_for_input", ""),
    "a question": (("bash", "-c", "read answer; sleep 100"), b"yes\n", "waiting_for_input", "running"),
    "a secret question": (("bash", "-c", "read -s answer; sleep 100"), b"yes\n", "waiting_for_secret", "running"),
    "getpass": (PASSWORD, b"", "waiting_for_secret", ""),
    "a REPL": (PYTHON, b"import time; time.sleep(100)\n", "waiting_for_input", "running"),
    "sleep": (("sleep", "100"), b"typed ahead\n", "running", "running"),
    "less": (("less", "/etc/passwd"), b"", "waiting_for_input", ""),
    "sqlite3": (("sqlite3",), b"", "waiting_for_input", ""),
    "a pipeline of a script": (("sh", "-c", "cat | cat; true"), b"", "waiting_for_input", ""),
    "a program that computes": (("sh", "-c", "while :; do :; done"), b"", "running", ""),
}


def state(live: Live) -> str:
    return process_state(look(live.master))


def _plays(live: Live, typed: bytes, first: str, after: str) -> None:
    assert live.until(lambda: state(live) == first), look(live.master)
    if typed:
        live.type(typed)
        assert live.until(lambda: look(live.master).pending_input == 0 or after == "running")
        assert live.until(lambda: state(live) == after), look(live.master)


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES.keys())
def test_programs_are_in_the_state_a_person_would_name(story: tuple[tuple[str, ...], bytes, str, str]) -> None:
    argv, typed, first, after = story
    if shutil.which(argv[0]) is None:
        pytest.skip(f"{argv[0]} is not installed")
    with on_terminal(*argv) as live:
        _plays(live, typed, first, after)


CONFINED = ("bash at its prompt", "bash with a job", "a question", "a secret question", "cat", "sleep")


@pytest.mark.host("namespace")
@pytest.mark.parametrize("name", CONFINED)
def test_the_sandbox_hides_nothing_of_it(name: str) -> None:
    argv, typed, first, after = STORIES[name]
    with confined_on_terminal(helper_path(), *argv) as live:
        _plays(live, typed, first, after)


def test_a_shell_whose_job_was_stopped_is_at_its_prompt_again() -> None:
    with on_terminal(*BASH) as live:
        assert live.until(lambda: state(live) == "idle")
        live.type(b"sleep 100\n")
        assert live.until(lambda: live.in_front(b"sleep"))
        live.type(b"\x1a")
        assert live.until(lambda: state(live) == "idle")


def test_a_stopped_program_is_stopped_until_it_is_continued() -> None:
    with on_terminal("cat") as live:
        assert live.until(lambda: state(live) == "waiting_for_input")
        leader = look(live.master).session
        os.kill(leader, signal.SIGSTOP)
        assert live.until(lambda: state(live) == "stopped")
        os.kill(leader, signal.SIGCONT)
        assert live.until(lambda: state(live) == "waiting_for_input")


def _found(*members: Member, echo: bool = True, canonical: bool = True) -> Foreground:
    return Foreground(session=7, group=7, echo=echo, canonical=canonical, members=members)


SHELL = Member(7, "S", True, True)
SCRIPT = Member(7, "S", True, False)


def test_what_the_shell_integration_knows_decides_about_the_prompt() -> None:
    """`read answer`, typed at a prompt, is the shell itself waiting; only its marks tell the two apart."""
    assert process_state(_found(SHELL), at_prompt=False) == "waiting_for_input"
    assert process_state(_found(SHELL), at_prompt=True) == "idle"
    assert process_state(_found(SCRIPT), at_prompt=True) == "idle"
    assert process_state(_found(SHELL, echo=False), at_prompt=True) == "idle"
    assert process_state(_found(SHELL, echo=False), at_prompt=False) == "waiting_for_secret"
    assert process_state(_found(SHELL)) == "idle"
    assert process_state(_found(SCRIPT)) == "waiting_for_input"


def test_a_secret_is_asked_for_only_where_somebody_waits() -> None:
    assert process_state(_found(SHELL, echo=False)) == "waiting_for_secret"
    assert process_state(_found(SCRIPT.but(waits_for_terminal=False), echo=False)) == "running"
    assert process_state(_found(SCRIPT, echo=False, canonical=False)) == "waiting_for_input"


def test_the_dead_and_the_absent_are_told_apart() -> None:
    assert process_state(None, exited=True) == "exited"
    assert process_state(_found(SHELL), exited=True) == "exited"
    assert process_state(None) == "running"
    assert process_state(_found()) == "running"
    assert process_state(_found(Member(7, "Z", False, False))) == "running"
    assert process_state(_found(Member(7, "T", False, False), Member(8, "Z", False, False))) == "stopped"
    assert process_state(_found(Member(7, "T", False, False), Member(8, "S", False, False))) == "running"
