"""Runs that are born from a Python which has read the modules: as separate as if each had been started."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from support.process import resident as residents
from support.process.resident import Resident
from support.suite.source_tree import REPOSITORY

PATH = "/usr/bin:/bin"


@pytest.fixture(scope="module")
def resident() -> Resident:
    return Resident((sys.executable, "-I", "-S"), [str(REPOSITORY / "src")], {})


def said(resident: Resident, code: str, *arguments: str, **env: str) -> str:
    ended = resident.run(code, *arguments, cwd="/", env=env)
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout.rstrip("\n")


def test_a_run_has_its_arguments_directory_and_environment_and_nothing_to_read(
    resident: Resident, tmp_path: Path
) -> None:
    code = "import os, sys; print([*sys.argv, os.getcwd(), dict(os.environ), sys.stdin.read()])"
    ended = resident.run(code, "one", "two", cwd=str(tmp_path), env={"NAME": "value"})
    assert ended.stdout == f"{['-c', 'one', 'two', str(tmp_path), {'NAME': 'value'}, '']}\n"


@pytest.mark.parametrize(
    ("code", "exit_code", "last"),
    [
        ("import sys; sys.exit(7)", 7, ""),
        ("import os; os._exit(9)", 9, ""),
        ("import os; os.kill(os.getpid(), 15)", -15, ""),
        ("1 / 0", 1, "ZeroDivisionError: division by zero"),
    ],
)
def test_every_end_is_told_as_it_was(resident: Resident, code: str, exit_code: int, last: str) -> None:
    ended = resident.run(code, cwd="/", env={})
    assert (ended.returncode, ended.stderr.splitlines()[-1:]) == (exit_code, [last] if last else [])


def test_what_a_run_leaves_behind_does_not_reach_the_next(resident: Resident) -> None:
    spoil = "import os, signal, sys; os.umask(0); os.open('/', 0); sys.path.clear(); signal.alarm(60)"
    look = (
        "import os, signal, sys; print(os.umask(7), len(os.listdir('/proc/self/fd')), len(sys.path), signal.alarm(0))"
    )
    before = said(resident, look)
    said(resident, spoil)
    assert said(resident, look) == before


def test_a_run_is_in_a_session_of_its_own_and_nobodys_child_here(resident: Resident) -> None:
    session, above = said(resident, "import os; print(os.getsid(0) == os.getpid(), os.getppid())").split()
    assert session == "True"
    assert int(above) != os.getpid()


@pytest.mark.parametrize("end", ["", "; import os; os._exit(0)"])
def test_what_one_run_has_read_the_next_begins_with(resident: Resident, end: str) -> None:
    name = "sandgate.places.secrets" if end else "sandgate.places.caches"
    look = f"import sys; print({name!r} in sys.modules)"
    assert said(resident, look) == "False"
    said(resident, f"import {name}{end}")
    assert said(resident, look) == "True"


def test_its_processor_time_is_counted_as_the_tests(resident: Resident) -> None:
    before = residents.processor_s()
    ended = said(resident, "import time\nwhile time.process_time() < 0.2: pass")
    assert (ended, residents.processor_s() - before > 0.15) == ("", True)


def test_a_resident_that_is_gone_is_an_error_and_no_run(tmp_path: Path) -> None:
    brief = Resident((sys.executable, "-I", "-S"), [], {})
    number = int(said(brief, "import os; print(os.getppid())"))
    os.kill(number, 9)
    with pytest.raises((AssertionError, OSError)):
        brief.run("open('made', 'w')", cwd=str(tmp_path), env={})
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_lives_on_is_talked_to_and_ends_with_its_block(resident: Resident) -> None:
    answers = (
        "import sys\nfor line in sys.stdin: print(len(line), flush=True)\nprint('over', file=sys.stderr); sys.exit(3)"
    )
    with resident.begin(answers, cwd="/", env={"PATH": PATH}) as born:
        born.stdin.write(b"word\n")
        born.stdin.flush()
        assert born.stdout.readline() == b"5\n"
        born.stdin.close()
        assert (born.wait(10), born.stderr.read()) == (3, b"over\n")
    with resident.begin("import time; time.sleep(1000)", cwd="/", env={"PATH": PATH}) as asleep:
        pass
    assert asleep.wait(10) == -9
