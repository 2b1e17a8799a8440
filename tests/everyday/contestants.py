"""Who runs the lines of a task: nobody in between, Sandgate, or a sandbox of others; as which user, and where."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from everyday.tasks import LIVE, Task
from support.machine.ordinary_user import OrdinaryUser
from support.process.resident import resident
from support.suite.source_tree import REPOSITORY

LINE_LIMIT_S = 30
TASK_LIMIT_S = 300
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
FURTHER_PATH = "EVERYDAY_PATH"
"""A variable with directories of tools that lie elsewhere on this machine, before those of the system."""

DRIVER = Path(__file__).with_name("gated.py")


class BrokenTaskError(AssertionError):
    """A task that cannot even be prepared here, or does not work with nobody in between."""


@dataclass(frozen=True)
class Line:
    """How one line went."""

    code: int
    printed: str = ""
    refused: tuple[str, ...] = ()
    asked: tuple[dict[str, Any], ...] = ()
    why: str = ""


@dataclass
class Place:
    """A home with a project in it, of one task, for one user. `registry`: where packages are served."""

    folder: Path
    registry: str
    account: OrdinaryUser | None

    def __post_init__(self) -> None:
        self.home, self.project = self.folder / "home", self.folder / "home/project"
        self.project.mkdir(parents=True)
        self.folder.chmod(0o755)
        if self.account is not None and self.account.as_other:
            for path in (self.folder, self.home, self.project):
                os.chown(path, self.account.uid, self.account.gid)

    def environment(self) -> dict[str, str]:
        further = os.environ.get(FURTHER_PATH, "")
        return {
            "PATH": f"{further}:{SYSTEM_PATH}".strip(":"),
            "HOME": str(self.home),
            "USER": "ordinary",
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "REGISTRY": self.registry,
            "DEPLOY_TOKEN": "d3pl0y-0123456789abcdef",
        }

    def identity(self) -> dict[str, Any]:
        account = self.account
        if account is None or not account.as_other:
            return {}
        return {"user": account.uid, "group": account.gid, "extra_groups": []}

    def start(self, argv: list[str], **more: Any) -> subprocess.Popen[str]:
        """Starts a program in the project, in a process group of its own."""
        given = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **more}
        return subprocess.Popen(argv, cwd=self.project, env=self.environment(), text=True, errors="replace",
                                start_new_session=True, **given, **self.identity())  # fmt: skip

    def run(self, argv: list[str]) -> tuple[int, str]:
        """Runs it to its end; its exit code, and what it printed. What it left running is ended."""
        started = self.start(argv)
        try:
            printed, _ = started.communicate(timeout=LINE_LIMIT_S)
        except subprocess.TimeoutExpired:
            return 124, f"no end within {LINE_LIMIT_S} seconds"
        finally:
            ended(started)
        return started.returncode, printed

    def script(self, text: str) -> tuple[int, str]:
        return self.run(["bash", "-ec", text])

    def short(self, text: str) -> str:
        """A text without what is true only of this run."""
        for long, name in ((str(self.project), "."), (str(self.home), "~"), (self.registry, "$REGISTRY")):
            text = text.replace(long, name)
        return text.replace(self.registry.removeprefix("http://"), "$REGISTRY")


def ended(process: subprocess.Popen[str]) -> None:
    """Ends a process group that we started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


@contextmanager
def place_for(account: OrdinaryUser | None, registry: str) -> Iterator[Place]:
    """A fresh place, removed afterwards. Not below /tmp, where a home is no home."""
    folder = Path(tempfile.mkdtemp(prefix="sandgate-everyday-", dir="/var/tmp"))
    try:
        yield Place(folder, registry, account)
    finally:
        # Caches of modules are without the right to write.
        subprocess.run(["chmod", "-R", "u+rwX", str(folder)], check=False, timeout=LINE_LIMIT_S, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class Wrapped:
    """Each line after the words of another program; no words: nobody is in between."""

    words: tuple[str, ...] = ()
    settings: dict[str, str] = field(default_factory=dict)  # files of the home → text

    def lines(self, task: Task, place: Place, *, yes: bool = False) -> list[Line]:
        assert not yes, "it cannot be asked"
        for name, text in self.settings.items():
            (place.home / name).parent.mkdir(exist_ok=True)
            (place.home / name).write_text(text.replace("PROJECT", str(place.project)))
        live: list[subprocess.Popen[str]] = []
        try:
            return [self._line(line, place, live) for line in task.lines]
        finally:
            for process in live:
                ended(process)

    def _line(self, line: str, place: Place, live: list[subprocess.Popen[str]]) -> Line:
        argv = [*self.words, "bash", "-c", line.removeprefix(LIVE)]
        if line.startswith(LIVE):
            live.append(place.start(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            return Line(0)
        return Line(*place.run(argv))


@dataclass(frozen=True)
class Gated:
    """One session of Sandgate under its default policy, confined by `backend`."""

    backend: str

    def lines(self, task: Task, place: Place, *, yes: bool = False) -> list[Line]:
        account = place.account
        path = [str(account.source)] if account else [str(REPOSITORY / "src"), sysconfig.get_path("purelib")]
        python = account.python if account else os.path.realpath(sys.executable)
        order = {"path": path, "cwd": str(place.project), "environ": place.environment(), "yes": yes,
                 "overrides": [f"sandbox.backend={self.backend}"], "lines": task.lines}  # fmt: skip
        identity = {name: () if each == [] else each for name, each in place.identity().items()}
        born_from = resident((python, "-I", "-S"), tuple(path), tuple(identity.items()))
        done = born_from.run(DRIVER.read_text(), json.dumps(order), cwd=str(place.project), env=place.environment(),
                             limit_s=TASK_LIMIT_S)  # fmt: skip
        if done.returncode:
            raise BrokenTaskError(f"{task.key}: {done.stdout}{done.stderr}")
        return [_line(each) for each in json.loads(done.stdout.splitlines()[-1])]


def _line(said: dict[str, Any]) -> Line:
    return Line(said["code"], said["printed"], tuple(said["refused"]), tuple(said["asked"]), said["why"])
