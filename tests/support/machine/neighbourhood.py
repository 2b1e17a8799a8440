"""A machine on which others live as well: run as a program in a mount namespace of its own, it makes one, works there.

`python -m support.machine.neighbourhood FOLDER BACKEND COMMANDS`: FOLDER is empty and not below /tmp; COMMANDS is a
JSON list of argument lists of the program. Prints JSON: how each ended, and what the neighbours were before and after.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

from support.process.program import PROGRAM

STRANGER = 4243
LIMIT_S = 60
TMP = Path("/tmp")


def mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True, timeout=LIMIT_S)


def settle(folder: Path) -> list[socket.socket]:
    """A /tmp with everything of others in it, a home on a file system of its own, a mount whose source is gone."""
    (folder / "home").mkdir()
    (folder / "repo/.git").mkdir(parents=True)
    mount("-t", "tmpfs", "-o", "mode=1777", "none", "/tmp")
    mount("-t", "tmpfs", "-o", "mode=0700", "none", str(folder / "home"))
    (TMP / ".git/hooks").mkdir(parents=True)
    (TMP / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (TMP / ".git/config").write_text(f"[core]\n\tfsmonitor = touch {folder}/effect\n")
    (TMP / "gone").mkdir()
    (TMP / "source").mkdir()
    mount("--bind", "/tmp/source", "/tmp/gone")
    (TMP / "source").rmdir()
    listening = [_listening(TMP / "foreign.sock"), _listening(folder / "repo/own.sock")]
    _listening(TMP / "dead.sock").close()
    for fifo in (TMP / "fifo", folder / "repo/fifo"):
        os.mkfifo(fifo)
    (TMP / "closed").mkdir(mode=0o000)
    (TMP / f"tmux-{STRANGER}").mkdir(mode=0o700)
    listening.append(_listening(TMP / f"tmux-{STRANGER}/default"))
    if os.geteuid() == 0:
        for path in TMP.rglob("*"):
            os.chown(path, STRANGER, STRANGER, follow_symlinks=False)
    return listening


def _listening(path: Path) -> socket.socket:
    made = socket.socket(socket.AF_UNIX)
    made.bind(str(path))
    made.listen()
    return made


def neighbours() -> list[list[Any]]:
    """Everything in /tmp: name, mode, owner, and of files what they hold."""
    found = []
    for path in sorted(TMP.rglob("*")):
        about = path.lstat()
        held = path.read_text() if stat.S_ISREG(about.st_mode) else ""
        found.append([str(path), about.st_mode, about.st_uid, held])
    return found


def tmux(*words: str) -> bool:
    """Of the server of others; False where there is no such program."""
    if shutil.which("tmux") is None:
        return False
    argv = ["tmux", "-S", "/tmp/tmux.sock", *words]
    return subprocess.run(argv, timeout=LIMIT_S, check=False, capture_output=True).returncode == 0


def main(folder: Path, backend: str, commands: list[list[str]]) -> dict[str, Any]:
    listening = settle(folder)
    multiplexed = tmux("new-session", "-d", "cat")
    os.umask(0o077)
    environ = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder / "home"), "LANG": "C.UTF-8"}
    if multiplexed:
        environ["TMUX"] = "/tmp/tmux.sock,1,0"
    before = neighbours()
    ended = [_ended([*command[:1], "-c", f"sandbox.backend={backend}", *command[1:]], folder, environ)
             for command in commands]  # fmt: skip
    lives = tmux("list-sessions") and tmux("kill-server")
    for each in listening:
        each.close()
    return {"ended": ended, "before": before, "after": neighbours() if not multiplexed else before_less(before),
            "multiplexed": [multiplexed, lives]}  # fmt: skip


def before_less(before: list[list[Any]]) -> list[list[Any]]:
    """Without the socket of the server that was ended."""
    now = {each[0]: each for each in neighbours()}
    return [now.get(each[0], each if each[0] == "/tmp/tmux.sock" else []) for each in before]


def _ended(arguments: list[str], folder: Path, environ: dict[str, str]) -> list[Any]:
    done = subprocess.run([*PROGRAM, *arguments], cwd=folder / "repo", env=environ, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=LIMIT_S, check=False)  # fmt: skip
    return [done.returncode, done.stdout, done.stderr]


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3]))))
