"""Runs the program, or a command without it, on a machine on a small internet."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from support.machine.ordinary_user import PROGRAM as PROGRAM_AS_USER
from support.machine.ordinary_user import OrdinaryUser
from support.network import small_internet
from support.network.small_internet import on_small_internet
from support.process.program import PROGRAM, WAIT_SECONDS, Finished, Sandgate, Terminal

ASKING = ("run", "--backend", "namespace", "-c", 'sandbox.ask="at-call"', "-a", "on-failure")
"""Has what a command is refused asked about while it runs."""


class Machine:
    """The program on a small internet."""

    def __init__(self, folder: Path, names: dict[str, list[str]]) -> None:
        self._folder = folder / "internet"
        self._folder.mkdir()
        self._asked = self._folder / "asked"
        (folder / "ws").mkdir()
        self.home = folder / "home"
        self.home.mkdir()
        self._sandgate = Sandgate(folder / "ws", self.home)
        self._through = on_small_internet(self._folder, names, is_root=os.geteuid() == 0)

    def __call__(self, *words: str) -> Finished:
        return self._finished([*self._through, *PROGRAM, *words])

    def unconfined(self, *words: str) -> Finished:
        return self._finished([*self._through, *words])

    def at_terminal(self, *words: str) -> Terminal:
        through = [shutil.which(self._through[0]) or "", *self._through[1:]]
        return Terminal([*through, *PROGRAM, *words], self._sandgate.workspace, self._sandgate.env)

    @property
    def asked(self) -> set[str]:
        """The names that left the sandbox."""
        return set(self._asked.read_text().split()) if self._asked.exists() else set()

    def _finished(self, argv: list[str]) -> Finished:
        done = subprocess.run(argv, cwd=self._sandgate.workspace, env=self._sandgate.env, capture_output=True,
                              timeout=WAIT_SECONDS, check=False, start_new_session=True)  # fmt: skip
        return Finished(done.returncode, done.stdout, done.stderr)


def for_ordinary_user(
    as_user: OrdinaryUser, name: str, names: dict[str, list[str]]
) -> tuple[Path, Path, tuple[str, ...]]:
    """The folder of a small internet, a workspace, and the program there with `ASKING`, without any right on the
    machine; `name`: of a new directory in the user's home."""
    home = as_user.home / name
    folder, workspace, program = (home / each for each in ("internet", "ws", "small_internet.py"))
    for path in (home, folder, workspace):
        path.mkdir()
    shutil.copy(small_internet.__file__, program)
    for path in (home, folder, workspace, program):
        os.chown(path, as_user.uid, as_user.gid)
    through = on_small_internet(folder, names, python=as_user.python, program=str(program), is_root=False)
    program_there = (as_user.python, "-I", "-S", "-c", PROGRAM_AS_USER, str(as_user.source))
    return folder, workspace, (*through, *program_there, *ASKING)
