"""A person who uses git in a repository in which commands worked before."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO

from support.escape.escape_stage import ENTRY, Ran, Stage

VICTIM = """
git status; git st; git pull; git checkout -- .; git reset -q --hard; git status; git add -A --dry-run
GIT_EDITOR=true git rebase --continue; echo more >> file; git commit -qam more
"""


class Victim:
    """A person's repository with one commit."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.mark = stage.outside / "mark"
        self.here("git config --global user.name n; git config --global user.email e; git init -q -b main .")
        self.here("echo x > file; git add file; git commit -qm one")

    def here(self, line: str) -> str:
        """What the person types; the attacker, where nothing confines him."""
        return self.stage.unconfined(["sh", "-c", line], env={"MARK": str(self.mark)}).stdout.strip()

    def inside(self, line: str, *options: str, backend: str = "namespace", path: str = "") -> Ran:
        """The same for a command in a draft."""
        env = {"MARK": str(self.mark), **({"PATH": path} if path else {})}
        return self.stage.sandgate(*self._words(("sh", "-c", line), options, backend), env=env)

    @contextmanager
    def starting(self, line: str, *argv: str) -> Iterator[IO[str]]:
        """Such a command, or `argv`, that goes on: what it says. It ends with the block at the latest."""
        with subprocess.Popen(
            [
                *self.stage.script(ENTRY, self.stage.import_path),
                *self._words(argv or ("sh", "-c", line), (), "namespace"),
            ],
            cwd=self.stage.repo,
            env={**self.stage.environment(), "MARK": str(self.mark)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            **self.stage._identity(),
        ) as command:
            assert command.stdout is not None
            try:
                yield command.stdout
            except BaseException:
                command.kill()
                raise

    def _words(self, argv: Sequence[str], options: Sequence[str], backend: str) -> list[str]:
        chosen = (
            "-c",
            "sandbox.protect_git=draft",
            "--backend",
            backend,
            "-s",
            "workspace-write",
            "-a",
            "never",
            *options,
        )
        return ["run", *chosen, "--", *argv]

    def is_caught(self) -> bool:
        self.mark.unlink(missing_ok=True)
        self.here(VICTIM)
        return self.mark.exists()
