"""`./check` in a clone whose Python only tells what it was asked to do. No test of the project runs here."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.process.waiting import is_dead, readable
from support.suite.source_tree import REPOSITORY

LIMIT_S = 60

GROUPS = ("documents", "journeys", "escapes", "kernel", "decisions")
PLACED = ("tests/docs", "tests/journeys", "tests/terminals", "tests/policy")  # in the order of their groups

STAND_IN = "import sys; sys.executable, _, code = sys.argv[1:4]; del sys.argv[1:4]; exec(code)"

HANGING = r"""
import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
ignored = signal.getsignal(signal.SIGINT) == signal.SIG_IGN
with open(os.environ["BEGAN"], "w") as events:
    events.write(f"{os.getpid()} began\n")
number = signal.sigwait((signal.SIGINT, signal.SIGTERM))
with open(os.environ["TOLD"], "a") as told:
    told.write(f"{sys.argv[1]} ended in order\n" * (number == signal.SIGINT and not ignored))
"""

# A group is told by its scratch folder. `FAILS` and `HANGS` name what fails and what runs until it is interrupted.
# What starts it beside the others is run by a real Python, which takes this one for itself.
PYTHON = """\
#!/bin/sh
[ "$1" != -c ] || [ "$3" != -m ] || exec "$REAL" -c "$STAND_IN" "$0" "$@"
echo "$*${SANDGATE_LAST_DURATIONS:+ without $(wc -l <"$SANDGATE_LAST_DURATIONS")}" >>"$TOLD"
case $* in
*basetemp=*) name=${*##*basetemp=}; name=${name%% *}; name=${name%.tmp}; name=${name##*/} ;;
*"mypy "*) name=types ;;
*) name=other ;;
esac
case $* in *basetemp=*) echo "$name has a scratch on $(stat -f -c %T "${SANDGATE_DURATIONS%/*}")" >>"$TOLD" ;; esac
case " $HANGS " in *" $name "*) exec "$REAL" -c "$HANGING" "$name" ;; esac
echo "2.00 1.00 tests/$name/test_one.py::test_long" >>"$SANDGATE_DURATIONS"
echo "SKIPPED [1] $name: not here"
echo "first line of $name"
echo "12 passed in 3.00s"
case " $FAILS " in *" $name "*) exit 1 ;; esac
"""


class Clone:
    """A clone with a folder of tests of each kind and a new one."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.told = folder, folder / "told"
        for name in ("check", "requirements/environment.sh", "requirements/dev.txt"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / name, folder / name)
        for name in ("policy", "docs", "journeys", "terminals", "kernel", "new"):
            (folder / "tests" / name).mkdir(parents=True)
        self._program(folder / "sandgate", "#!/bin/sh\n")
        self._program(folder / ".venv-dev/bin/python", PYTHON)
        (folder / ".venv-dev/ready").write_text("\n")
        (folder / "scratch").mkdir()
        os.mkfifo(folder / "began")

    def _program(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def start(self, *arguments: str, fails: str = "", hangs: str = "") -> "subprocess.Popen[str]":
        places = {"HOME": "", "TMPDIR": "scratch", "TOLD": "told", "BEGAN": "began"}
        environ = {name: str(self.folder / place) for name, place in places.items()}
        environ |= {"PATH": os.environ["PATH"], "FAILS": fails, "HANGS": hangs}
        environ |= {"REAL": sys.executable, "STAND_IN": STAND_IN, "HANGING": HANGING}
        return subprocess.Popen([self.folder / "check", *arguments], env=environ, text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)  # fmt: skip

    def run(self, *arguments: str, fails: str = "") -> tuple[int, str]:
        with self.start(*arguments, fails=fails) as child:
            said, _ = child.communicate(timeout=LIMIT_S)
        return child.returncode, said

    def group(self, name: str) -> str:
        """How the tests of the group were started."""
        (line,) = [line for line in self.told.read_text().splitlines() if f"/{name}.tmp " in line]
        return line.partition("-m pytest ")[2]


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[Clone]:
    made = Clone(tmp_path / "clone")
    yield made
    assert os.listdir(made.folder / "scratch") == []


def summary(said: str) -> list[str]:
    return re.findall(r"^(?:ok|FAIL) .*", said, re.MULTILINE)


def test_what_is_good_is_a_line_each(clone: Clone) -> None:
    code, said = clone.run()
    steps = ["ok    program", "ok    format", "ok    lint", "ok    layers", "ok    site"]
    assert (code, summary(said)) == (
        0,
        [*steps, *(f"ok    {name}: 12 passed in 3.00s" for name in GROUPS), "ok    types"],
    )
    assert said.endswith("check: all good\n")
    assert "first line" not in said


def test_what_was_left_out_is_told(clone: Clone) -> None:
    """Required: a skipped proof is no proof."""
    _, said = clone.run()
    assert re.findall(r"^SKIPPED .*", said, re.MULTILINE) == [f"SKIPPED [1] {name}: not here" for name in GROUPS]


def test_the_slowest_of_all_are_told(clone: Clone) -> None:
    _, said = clone.run()
    assert "2.00 1.00 tests/decisions/test_one.py::test_long\n" in said


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_that_fails_is_shown_whole(clone: Clone, name: str) -> None:
    code, said = clone.run(fails=name)
    assert code == 1
    assert [line for line in summary(said) if line.startswith("FAIL")] == [f"FAIL  {name}: 12 passed in 3.00s"]
    assert re.findall(r"^first line of .*", said, re.MULTILINE) == [f"first line of {name}"]


def test_types_that_fail_are_shown_whole(clone: Clone) -> None:
    code, said = clone.run(fails="types")
    assert (code, "first line of types" in said) == (1, True)
    assert "FAIL  types" in summary(said)


def test_every_folder_of_tests_is_in_exactly_one_group(clone: Clone) -> None:
    """Required: a new folder is not forgotten."""
    clone.run()
    named = " ".join(clone.group(name) for name in GROUPS).split()
    assert [each for each in named if each in PLACED] == [*PLACED]
    rest = clone.group("kernel").split()
    assert rest[-1] == "tests"
    assert {f"--ignore={each}" for each in PLACED} <= set(rest)
    assert not {"--ignore=tests/kernel", "--ignore=tests/new"} & set(rest)


def test_folders_that_are_left_to_a_group_are_there() -> None:
    """Required: a folder that was renamed would be left to nobody."""
    lists = re.findall(
        r'^(?:decisions|documents|journeys|escapes)="(.*)"$', (REPOSITORY / "check").read_text(), re.MULTILINE
    )
    names = " ".join(lists).split()
    assert len(lists) == len(GROUPS) - 1
    assert [name for name in names if not (REPOSITORY / "tests" / name).is_dir()] == []
    assert len(names) == len(set(names))


def test_the_fast_ones_are_asked_for_in_every_group(clone: Clone) -> None:
    clone.run("fast")
    assert all("-m not slow " in clone.group(name) for name in GROUPS)
    assert not any("without" in clone.group(name) for name in GROUPS)


def test_what_took_long_in_the_last_whole_check_is_named_to_the_fast_one(clone: Clone) -> None:
    """Required: and a fast one, which knows of less, leaves no record."""
    clone.run()
    known = (clone.folder / "build/durations").read_text()
    assert len(known.splitlines()) >= len(GROUPS)
    for _ in range(2):
        clone.told.unlink()
        clone.run("fast")
        named = [clone.group(name).rpartition(" without ")[2] for name in GROUPS]
        assert named == len(GROUPS) * [str(len(known.splitlines()))]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_check_ends_everything(clone: Clone, number: signal.Signals) -> None:
    """Required: tests end what they have started; nothing of a check goes on behind one's back."""
    hang = (*GROUPS, "types")
    events, seen = os.open(clone.folder / "began", os.O_RDWR), b""
    with clone.start(hangs=" ".join(hang)) as child:
        while seen.count(b" began\n") < len(hang):
            readable(events)
            seen += os.read(events, 4096)
        child.send_signal(number)
        child.communicate(timeout=LIMIT_S)
    os.close(events)
    assert child.returncode == 128 + number
    assert [pid for pid in re.findall(r"\d+", seen.decode()) if not is_dead(pid)] == []
    ended = [line for line in clone.told.read_text().splitlines() if line.endswith("ended in order")]
    assert sorted(ended) == sorted(f"{name} ended in order" for name in GROUPS)


def has_room() -> bool:
    """For the scratch of a check in memory, and the right to mount it."""
    found = re.search(r"^MemAvailable: +(\d+) kB$", Path("/proc/meminfo").read_text(), re.MULTILINE)
    return found is not None and int(found[1]) > 4 << 20 and not os.system("unshare --mount true 2>/dev/null")


@pytest.mark.skipif(os.geteuid() != 0 or not has_room(), reason="root alone mounts, where there is room")
def test_the_scratch_of_root_is_in_memory_and_mounted_for_nobody_else(clone: Clone) -> None:
    code, _ = clone.run()
    told = [line for line in clone.told.read_text().splitlines() if " has a scratch " in line]
    assert code == 0
    assert {*told} == {f"{name} has a scratch on tmpfs" for name in GROUPS}
    assert f"{clone.folder}/" not in Path("/proc/self/mountinfo").read_text()


def test_what_there_is_not_is_a_usage_error(clone: Clone) -> None:
    code, said = clone.run("everything")
    assert (code, said) == (2, "usage: ./check [fast | soak | tests [PYTEST ARGUMENTS]]\n")
