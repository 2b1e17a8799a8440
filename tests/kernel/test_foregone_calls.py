"""What a call gets on the host in any case, it gets in the sandbox, too: nobody is asked about what cannot be done."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandgate.kernel.build import helper_path
from sandgate.protocol.confinement import ConfinedCommand, Mount
from sandgate.protocol.held_calls import HeldCall
from sandgate.protocol.permissions import Grant
from support.kernel.held_runs import BACKENDS, LANDLOCK, HeldRun, run_held
from support.kernel.helper_runs import plan_for, run


@pytest.fixture(params=BACKENDS)
def helper(request: pytest.FixtureRequest) -> str:
    """Both backends answer for the host."""
    return LANDLOCK if request.param == LANDLOCK else helper_path()


WITH_A_VIEW = pytest.mark.parametrize("helper", BACKENDS[:1], indirect=True)
"""Without one, names are there to be seen, and /dev/shm is the host's."""


def no(_held: HeldCall) -> tuple[Grant, ...]:
    return ()


# What programs do to clear the way, and then look at the error of.
CALLS = """
import ctypes, errno, json, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def only_new(old, new):
    if libc.renameat2(-100, old.encode(), -100, new.encode(), 1):
        raise OSError(ctypes.get_errno(), "")
calls = {
    "unlink missing": lambda: os.unlink("missing"),
    "unlink directory": lambda: os.unlink("full"),
    "unlink below missing": lambda: os.unlink("missing/name"),
    "unlink below file": lambda: os.unlink("file/name"),
    "rmdir missing": lambda: os.rmdir("missing"),
    "rmdir file": lambda: os.rmdir("file"),
    "rmdir full": lambda: os.rmdir("full"),
    "rename missing": lambda: os.rename("missing", "new"),
    "rename missing onto file": lambda: os.rename("missing", "file"),
    "rename onto directory": lambda: os.rename("file", "full"),
    "rename directory onto file": lambda: os.rename("full", "file"),
    "rename onto full": lambda: os.rename("empty", "full"),
    "rename without replacing": lambda: only_new("file", "other"),
    "link missing": lambda: os.link("missing", "new"),
    "link onto file": lambda: os.link("file", "other"),
    "mkdir file": lambda: os.mkdir("file"),
    "mkdir below missing": lambda: os.mkdir("missing/name"),
    "symlink onto file": lambda: os.symlink("x", "file"),
    "open missing": lambda: os.open("missing", os.O_RDWR),
    "open new again": lambda: os.open("file", os.O_RDWR | os.O_CREAT | os.O_EXCL),
    "open directory": lambda: os.open("full", os.O_RDWR),
    "chmod missing": lambda: os.chmod("missing", 0o600),
    "truncate missing": lambda: os.truncate("missing", 0),
    "truncate directory": lambda: os.truncate("full", 0),
    "times of missing": lambda: os.utime("missing", (1, 1)),
}
os.chdir(sys.argv[1])
got = {}
for name, call in calls.items():
    try:
        call()
        got[name] = "done"
    except OSError as problem:
        got[name] = errno.errorcode[problem.errno]
print(json.dumps(got))
"""


def fill(place: Path) -> Path:
    for folder in ("full/inner", "empty"):
        (place / folder).mkdir(parents=True)
    for file in ("file", "other"):
        (place / file).write_text("text\n")
    return place


def argv_in(place: Path) -> tuple[str, ...]:
    return (sys.executable, "-I", "-S", "-c", CALLS, str(place))


def plan_in(tmp_path: Path, place: Path, mounts: tuple[Mount, ...] = ()) -> ConfinedCommand:
    work = tmp_path / "work"
    work.mkdir()
    return plan_for(*argv_in(place), write=(str(work),), mounts=mounts, cwd="/")


def on_the_host(tmp_path: Path) -> dict[str, str]:
    place = fill(tmp_path / "free")
    answer: dict[str, str] = json.loads(subprocess.check_output(argv_in(place)))
    assert "done" not in answer.values()
    return answer


def test_what_the_host_would_answer_is_answered_without_a_question(helper: str, tmp_path: Path) -> None:
    """Required: the errno of the host for all that fails there, and nothing waits for it, or is on record."""
    place = fill(tmp_path / "outside")
    outcome = run_held(helper, plan_in(tmp_path, place), no)
    assert json.loads(outcome.output) == on_the_host(tmp_path)
    assert [(held.refused.operation, held.refused.path) for held in outcome.held] == []
    assert outcome.refused == []


@pytest.mark.parametrize("kind", ["write_root", "new_entry"])
def test_the_errors_are_the_hosts_within_a_grant(helper: str, tmp_path: Path, kind: str) -> None:
    place = tmp_path / "outside"
    place.mkdir()
    made = place / "d"
    grant = Grant("write_root", str(place)) if kind == "write_root" else Grant("new_entry", str(made))
    prepare = f"mkdir -p {made}/full/inner {made}/empty; echo text > {made}/file; echo text > {made}/other;"
    script = f'{prepare} exec "$0" "$@"'
    argv = ("sh", "-c", script, *argv_in(made))
    plan = plan_in(tmp_path, made).but(argv=argv, supervised_grants=(grant,))
    outcome = HeldRun(helper, plan).finish()
    assert json.loads(outcome.output) == on_the_host(tmp_path)
    assert outcome.refused == []


@WITH_A_VIEW
def test_hidden_places_tell_nothing_of_what_they_hold(helper: str, tmp_path: Path) -> None:
    """Required: what is there and what is not cannot be told apart by an error."""
    place = fill(tmp_path / "outside")
    script = """
import os, sys
os.chdir(sys.argv[1])
for call in (os.unlink, os.rmdir, lambda name: os.rename(name, "new")):
    seen = set()
    for name in ("full", "file", "missing"):
        try:
            call("outside/" + name)
            seen.add(0)
        except OSError as problem:
            seen.add(problem.errno)
    print(len(seen))
"""
    plan = plan_in(tmp_path, place, (Mount("hide_directory", str(place)),))
    argv = (sys.executable, "-I", "-S", "-c", script, str(tmp_path))
    outcome = run_held(helper, plan.but(argv=argv), no)
    assert outcome.output == "1\n1\n1\n"
    assert sorted(os.listdir(place)) == ["empty", "file", "full", "other"]


WHERE_THE_HOST_HAS_NOTHING = """
import os, sys
os.chdir(sys.argv[1])
for name in ("one", "other", "third"):
    assert not os.path.exists(name)
open("one", "w").close()
os.link("one", "other")
os.rename("other", "third")
os.unlink("third")
os.unlink("one")
os.mkdir("one")
os.rename("one", "other")
os.rmdir("other")
print("all done")
"""


@WITH_A_VIEW
@pytest.mark.parametrize("asked", [True, False])
def test_what_the_command_has_and_the_host_has_not_is_linked_moved_and_removed(helper: str, asked: bool) -> None:
    """Required: the shared memory of a sandbox is its own; `multiprocessing` links its semaphores there."""
    plan = plan_for("python3", "-c", WHERE_THE_HOST_HAS_NOTHING, "/dev/shm")
    ran = run_held(helper, plan, no) if asked else run(helper, plan)
    assert (ran.exit_code, ran.output, ran.refused) == (0, "all done\n", [])
