"""A file system that gives no answer keeps nobody waiting who does not need it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sandgate.sandbox import hanging
from sandgate.sandbox.filesystems import Filesystems
from sandgate.sandbox.hanging import ASKED_MAX, hangs, is_directory, may_hang
from support.process.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
RUN_LIMIT_S = 60

# A file system in user space whose program never answers, over an entry of a home; gone with its descriptor.
MOUNTED = """
import ctypes, os, subprocess, sys
home, place, backend = sys.argv[1:]
fuse = os.open("/dev/fuse", os.O_RDWR)
options = b"fd=%d,rootmode=40000,user_id=0,group_id=0" % fuse
assert ctypes.CDLL(None, use_errno=True).mount(b"hangs", place.encode(), b"fuse", 0, options) == 0, ctypes.get_errno()
asking = subprocess.Popen(["stat", place], stdout=subprocess.DEVNULL)
from sandgate.runtime import Environment, open_runtime
environ = {"PATH": "/usr/bin:/bin", "HOME": home}
inside = place if backend == "namespace" else ""  # covered there; Landlock does not keep stat(2) away
with open_runtime(Environment(home + "/ws", environ, overrides=("sandbox.backend=" + backend,))) as runtime:
    for _ in range(2):
        ran = runtime.run(runtime.request(("sh", "-c", f"ls -A {home} {inside} 2>&1; echo ran; echo x >> runs")))
        assert ran.result.exit_code == 0, ran
        assert "ran" in ran.result.aggregated.decode(), ran
print("still asking:", asking.poll() is None, flush=True)
os.close(fuse)
asking.wait()
"""


@pytest.fixture(autouse=True)
def _nobody_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hanging, "_asked", {})


def test_who_waits_for_others_may_hang() -> None:
    assert all(map(may_hang, ("nfs", "nfs4", "fuse", "fuse.sshfs", "fuse.gvfsd-fuse", "9p", "cifs")))
    assert not any(map(may_hang, ("ext4", "tmpfs", "overlay", "proc", "fusectl", "xfs")))


def test_one_that_does_not_answer_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hanging, "LOOK_LIMIT_S", 0.01)
    answers, asked = threading.Event(), list[str]()

    def ask(mount: str) -> None:
        asked.append(mount)
        answers.wait(RUN_LIMIT_S)

    assert hangs("/m", ask)
    assert hangs("/m", ask)
    assert (asked, is_directory("/m")) == (["/m"], True)
    answers.set()
    assert wait_until(lambda: not hangs("/m", ask))
    assert not is_directory("/m")


def test_an_error_is_an_answer() -> None:
    def ask(_mount: str) -> None:
        raise PermissionError

    assert not hangs("/m", ask)


def test_so_many_are_asked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hanging, "LOOK_LIMIT_S", 0)
    answers, asked = threading.Event(), list[str]()

    def ask(mount: str) -> None:
        asked.append(mount)
        answers.wait(RUN_LIMIT_S)

    assert all(hangs(f"/m{number}", ask) for number in range(ASKED_MAX + 5))
    assert wait_until(lambda: len(asked) == ASKED_MAX)
    answers.set()


def test_only_mounts_of_others_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    table = [
        "22 1 8:1 / / rw - ext4 /dev/sda rw",
        r"30 22 0:50 / /home/u/my\040disk rw - fuse.sshfs sshfs rw",
        "31 22 0:51 / /srv rw - nfs4 host:/ rw",
    ]
    monkeypatch.setattr("sandgate.sandbox.filesystems._lines", lambda: table)
    asked = list[str]()

    def answers(mount: str) -> bool:
        asked.append(mount)
        return mount == "/srv"

    monkeypatch.setattr(hanging, "hangs", answers)
    filesystems = Filesystems()
    assert (filesystems.hanging(), filesystems.hanging()) == (("/srv",), ("/srv",))
    assert asked == ["/home/u/my disk", "/srv"]


@pytest.mark.host("namespace")
@pytest.mark.skipif(
    not os.access("/dev/fuse", os.W_OK) or os.geteuid() != 0, reason="only root mounts in a namespace alone"
)
@pytest.mark.parametrize("backend", ["namespace", "landlock"])
@pytest.mark.parametrize("entry", [".gvfs", ".config/app"])
def test_a_home_in_which_something_hangs_fails_no_command(tmp_path: Path, backend: str, entry: str) -> None:
    """Works: who asks for it unconfined is still waiting when two commands have run."""
    for path in (tmp_path / "ws", tmp_path / entry):
        path.mkdir(parents=True)
    command = ["unshare", "--mount", "--propagation", "private", sys.executable, "-c", MOUNTED]
    done = subprocess.run(
        [*command, str(tmp_path), str(tmp_path / entry), backend],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=RUN_LIMIT_S,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "still asking: True\n"), done.stderr
    assert (tmp_path / "ws/runs").read_text() == "x\nx\n"
