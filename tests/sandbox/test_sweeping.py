"""What nobody used for a day goes, and nothing else."""

from __future__ import annotations

import os
import random
import shutil
import threading
import time
from pathlib import Path

import pytest

from sandgate.sandbox import sweeping
from sandgate.sandbox.private_tmp import PrivateDirectory, private_directory
from sandgate.sandbox.sweeping import UNUSED_S, sweep
from support.machine.ordinary_user import OrdinaryUser


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def taken(state: Path, project: str = "/ws") -> PrivateDirectory:
    made = private_directory(str(state), project)
    assert made is not None
    return made


def aged(state: Path, project: str = "/ws") -> Path:
    """A directory that was last used more than a day ago."""
    made = taken(state, project)
    path = Path(made.path)
    made.close()
    age(path)
    return path


def age(path: Path) -> None:
    long_ago = time.time() - UNUSED_S - 60
    os.utime(path.parent, (long_ago, long_ago))


def projects(state: Path) -> list[str]:
    return sorted(os.listdir(state / "tmp"))


def test_what_was_used_lately_stays(state: Path) -> None:
    made = taken(state)
    Path(made.path, "file").write_text("x")
    made.close()
    assert sweep(str(state)) == 0
    assert Path(made.path, "file").exists()


def test_what_is_in_use_stays_however_old(state: Path) -> None:
    made = taken(state)
    Path(made.path, "file").write_text("x")
    age(Path(made.path))
    assert sweep(str(state)) == 0
    assert Path(made.path, "file").exists()
    made.close()
    sweep(str(state))
    assert projects(state) == []


def test_whatever_a_command_left_goes_and_nothing_outside_is_touched(state: Path, tmp_path: Path) -> None:
    """Required: a link to the home directory inside must not empty the home directory."""
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    (outside / "deep/file").write_text("kept")
    (outside / "closed").mkdir(mode=0o500)
    before = {path: path.lstat() for path in [outside, *outside.rglob("*")]}
    top = aged(state)
    choose = random.Random(34)
    places = [top]
    for number in range(300):
        at = choose.choice(places) / choose.choice(["a", ".b", "c d", "e\n", "-rf", "*", f"n{number}"])
        if at.exists() or at.is_symlink():
            continue
        match choose.randrange(6):
            case 0 | 1:
                at.mkdir()
                places.append(at)
            case 2:
                at.symlink_to(choose.choice([str(outside), f"{outside}/deep", "/", "..", "../../..", str(at)]))
            case 3:
                os.mkfifo(at)
            case _:
                at.write_text("x")
    for place in choose.sample(places[1:], k=len(places) // 3):
        place.chmod(choose.choice([0, 0o100, 0o400, 0o500]))
    assert sweep(str(state)) > 100
    assert projects(state) == []
    after = {path: path.lstat() for path in [outside, *outside.rglob("*")]}
    assert {path: (at.st_ino, at.st_mode, at.st_ctime_ns) for path, at in after.items()} == {
        path: (at.st_ino, at.st_mode, at.st_ctime_ns) for path, at in before.items()
    }


def test_directories_deeper_than_any_path_may_be_long_go(state: Path) -> None:
    top = aged(state)
    here = os.open(top, os.O_RDONLY | os.O_DIRECTORY)
    for _ in range(300):
        os.mkdir("d" * 100, dir_fd=here)
        deeper = os.open("d" * 100, os.O_RDONLY | os.O_DIRECTORY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)
    for _ in range(20):
        sweep(str(state))
    assert projects(state) == []


def test_a_sweep_does_so_much_and_the_next_goes_on(state: Path) -> None:
    top = aged(state)
    for number in range(50):
        (top / str(number)).write_text("")
    assert sweep(str(state), entries_max=20) == 20
    (left,) = projects(state)
    assert left.startswith(sweeping.STALE_PREFIX)
    assert os.listdir(taken(state).path) == []  # who comes back finds a fresh one
    for _ in range(4):
        sweep(str(state), entries_max=20)
    assert projects(state) == ["+ws"]


def test_directories_exchanged_for_links_meanwhile_lead_nowhere(state: Path, tmp_path: Path) -> None:
    """Somebody whose session was killed may still write there, under the fallback backend."""
    outside = tmp_path / "outside"
    outside.mkdir()
    for number in range(50):
        (outside / str(number)).write_text("kept")
    over = threading.Event()

    def flip(top: Path) -> None:
        while not over.is_set():
            for at in (top, *top.parent.parent.glob(".gone-*/tmp")):
                try:
                    (at / "d").mkdir()
                    (at / "d/x").write_text("")
                    os.rename(at / "d", at / "e")
                    (at / "d").symlink_to(outside)
                    os.unlink(at / "d")
                    os.rename(at / "e", at / "d")
                    shutil.rmtree(at / "d")
                except OSError:
                    continue

    for round_number in range(20):
        top = aged(state, f"/ws{round_number}")
        over.clear()
        flipping = threading.Thread(target=flip, args=[top])
        flipping.start()
        sweep(str(state))
        over.set()
        flipping.join()
    assert len(list(outside.iterdir())) == 50


def test_who_takes_a_directory_never_loses_it_to_a_sweep(state: Path) -> None:
    over = threading.Event()

    def sweeping_always() -> None:
        while not over.is_set():
            sweep(str(state))

    sweeper = threading.Thread(target=sweeping_always)
    sweeper.start()
    try:
        for _ in range(200):
            aged(state)
            made = taken(state)
            Path(made.path, "file").write_text("x")
            assert made.renew()
            assert Path(made.path, "file").exists()
            made.close()
    finally:
        over.set()
        sweeper.join()


def test_an_ordinary_users_closed_directories_go_too(as_user: OrdinaryUser) -> None:
    code = """
import os, sys, time
from sandgate.sandbox.private_tmp import private_directory
from sandgate.sandbox.sweeping import sweep
state = os.path.expanduser("~/swept-state")
made = private_directory(state, "/ws")
os.makedirs(made.path + "/a/b/c")
open(made.path + "/a/b/c/file", "w").close()
for closed in ("/a/b/c", "/a/b", "/a"): os.chmod(made.path + closed, 0)
made.close()
os.utime(os.path.dirname(made.path), (0, 0))
sweep(state)
print(os.listdir(state + "/tmp"))
"""
    assert as_user.run_python(code).stdout == "[]\n"
