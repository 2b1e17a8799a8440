"""A socket of the host that lies oddly: it fails no command, and none reaches it (threat table, rows 8 and 9)."""

import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path

import pytest

from support.escape.escape_stage import BOTH_BACKENDS, Stage
from support.machine.ordinary_user import ORDINARY_ID

OTHER_ID = ORDINARY_ID + 1
"""Neither the user under test nor root."""

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes directories of others")

CONNECT = """
import os, socket, sys
for hexed in sys.argv[1:]:
    directory, name = os.path.split(bytes.fromhex(hexed))
    try:
        os.chdir(directory)
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(name)
            print("connected", hexed)
    except OSError: pass
print("over")
"""


@contextmanager
def listening(path: Path) -> Iterator[None]:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.fsencode(path))
        path.chmod(0o777)
        server.listen(64)
        yield


def reach(stage: Stage, *paths: Path) -> list[str]:
    return stage.script(CONNECT, *(os.fsencode(path).hex() for path in paths))


@AS_ROOT
@BOTH_BACKENDS
@pytest.mark.parametrize("closed", ["a", "a/b", "a/b/c"])
def test_a_closed_directory_of_somebody_else_fails_no_command(stage: Stage, backend: str, closed: str) -> None:
    """Required: anybody could stop every command of root with a directory and a socket."""
    folder = stage.folder / "a/b/c"
    folder.mkdir(parents=True)
    with listening(folder / "s"):
        assert "connected" in stage.unconfined(reach(stage, folder / "s")).stdout
        os.chown(stage.folder / closed, OTHER_ID, OTHER_ID)
        (stage.folder / closed).chmod(0o700)
        ran = stage.confined(reach(stage, folder / "s"), backend=backend)
        assert (ran.failure, ran.stdout) == (None, "over\n")


@AS_ROOT
@BOTH_BACKENDS
@pytest.mark.parametrize("closed", ["a", "a/b", "a/b/c"])
def test_somebody_elses_closed_directory_in_the_workspace_fails_no_command(
    stage: Stage, backend: str, closed: str
) -> None:
    """Whatever lies in it that would be covered, protected or pinned otherwise."""
    folder = stage.repo / "a/b/c"
    folder.mkdir(parents=True)
    stage.repository(folder)
    (folder / ".envrc").write_text("")
    (folder.parent / ".vscode").mkdir()
    stage.own()
    with listening(folder / "s"):
        os.chown(stage.repo / closed, OTHER_ID, OTHER_ID)
        (stage.repo / closed).chmod(0o700)
        ran = stage.confined(["sh", "-c", "echo made > made; cat made"], backend=backend)
        assert (ran.failure, ran.stdout) == (None, "made\n")
        if stage.uid == 0:  # others see nothing in it, whatever its name
            moved = stage.confined(["mv", "a", "b"], backend=backend)
            assert (moved.exit_code != 0, (stage.repo / "a").exists()) == (True, True)


WAIT = """
import os, time
open({ready!r}, "w").close()
while not os.path.exists({go!r}): time.sleep(0.01)
"""
OPEN_MEANWHILE = """
import os, time
while not os.path.exists({ready!r}): time.sleep(0.01)
os.chmod({closed!r}, 0o777)
open({go!r}, "w").close()
"""


@AS_ROOT
@pytest.mark.host("namespace")
def test_a_closed_directory_that_is_opened_meanwhile_still_shows_nothing(stage: Stage) -> None:
    closed, ready, go = stage.folder / "closed", stage.repo / "ready", stage.repo / "go"
    places = {"closed": str(closed), "ready": str(ready), "go": str(go)}
    closed.mkdir()
    with listening(closed / "s"):
        os.chown(closed, OTHER_ID, OTHER_ID)
        closed.chmod(0o700)
        with subprocess.Popen([sys.executable, "-I", "-S", "-c", OPEN_MEANWHILE.format(**places)]) as opening:
            ran = stage.confined(stage.script(WAIT.format(**places) + CONNECT, os.fsencode(closed / "s").hex()))
            assert opening.wait(20) == 0
        assert (ran.failure, ran.stdout) == (None, "over\n")
        assert "connected" in stage.unconfined(reach(stage, closed / "s")).stdout


@BOTH_BACKENDS
def test_names_of_any_bytes_are_covered(stage: Stage, backend: str) -> None:
    """The kernel lists names as they are, line feeds and all."""
    choose = random.Random(12)
    odd = [
        b"\n",
        b"\x0b",
        b"\x0c",
        b"\r",
        b"\x1c",
        "\u0085".encode(),
        "\u2028".encode(),
        b"\xff",
        b" ",
        b"\\012",
        b" (deleted)",
    ]
    names = [b"a" + each + b"b" for each in odd]
    names += [b"".join(choose.choices([b"x", *odd], k=choose.randrange(2, 9))) + b"." for _ in range(20)]
    paths = [stage.outside / os.fsdecode(name) for name in dict.fromkeys(names)]
    with ExitStack() as held:
        for path in paths:
            held.enter_context(listening(path))
        assert stage.unconfined(reach(stage, *paths)).stdout.count("connected") == len(paths)
        ran = stage.confined(reach(stage, *paths), backend=backend)
        assert (ran.failure, ran.stdout) == (None, "over\n")


MOVE = """
import os, sys
for old in sys.argv[1:]:
    try: os.rename(old, old + ".moved")
    except OSError: continue
    os.mkdir(old)
    print("moved", old)
"""


@BOTH_BACKENDS
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_no_parent_of_a_socket_can_be_moved_away(stage: Stage, backend: str, depth: int) -> None:
    """Under another name the next command would find it uncovered, and its clients would find the command's."""
    parents = [stage.repo.joinpath(*"abc"[: level + 1]) for level in range(depth)]
    parents[-1].mkdir(parents=True)
    stage.own()
    sock = parents[-1] / "s"
    with listening(sock):
        stage.own()
        ran = stage.confined(stage.script(MOVE, *reversed(parents)), backend=backend)
        assert (ran.failure, ran.stdout) == (None, "")
        assert list(stage.repo.rglob("s")) == [sock]
        assert "connected" not in stage.confined(reach(stage, sock), backend=backend).stdout
        assert "moved" in stage.unconfined(stage.script(MOVE, parents[-1])).stdout


@BOTH_BACKENDS
def test_sockets_that_come_and_go_fail_no_command(stage: Stage, backend: str) -> None:
    over = threading.Event()

    def flicker() -> None:
        for number in count():
            at = stage.outside / f"flicker{number}"
            if over.is_set():
                return
            at.mkdir()
            with listening(at / "s"):
                time.sleep(0.001)
                (at / "s").unlink()
                at.rmdir()
                at.write_text("a file now")
                time.sleep(0.0005)
                at.unlink()

    flickering = threading.Thread(target=flicker)
    flickering.start()
    try:
        failures = [stage.confined(["true"], backend=backend).failure for _ in range(12)]
    finally:
        over.set()
        flickering.join()
    assert failures == [None] * 12
