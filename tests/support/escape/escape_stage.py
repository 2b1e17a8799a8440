"""A place where attacks happen: a workspace, things outside it, and two ways to run the same script.

`unconfined` shows that an attack is real, `confined` that the sandbox stops it. Both run as the user under test, in a
process of their own, so that the whole way from the disk to the kernel is the one a person gets.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from support.machine.ordinary_user import OrdinaryUser
from support.process.resident import Resident, resident

# For scripts that try many ways: what works is printed.
ATTEMPT = """
def attempt(what, *arguments):
    try:
        what(*arguments)
    except OSError:
        return
    print("made", arguments)
"""

BOTH_BACKENDS = pytest.mark.parametrize(
    "backend",
    [
        pytest.param("namespace", marks=pytest.mark.host("namespace")),
        pytest.param("landlock", marks=pytest.mark.host("landlock", "notify")),
    ],
)
"""For attacks that both backends promise to stop."""

USERS = ("root", "ordinary") if os.geteuid() == 0 else ("ordinary",)
"""As whom every escape is tried."""

RUN_LIMIT_S = 60
COMMAND_LIMIT_MS = 30_000

SOURCE = Path(__file__).resolve().parents[3] / "src"

ENTRY = "import sys; sys.path += sys.argv.pop(1).split(':'); from sandgate.start import entry; entry()"
"""The program itself; its first argument is `Stage.import_path`."""

PROGRAM = "from sandgate.start import entry; entry()"

DRIVER = """
import json, os, sys
spec = json.loads(sys.argv.pop())
sys.path[:0] = spec["path"]
from sandgate.errors import SandgateError
from sandgate.execution.post_run_checks import PostRunChecks
from sandgate.execution.placeholder import Placeholders
from sandgate.execution.run import run
from sandgate.policy.effective import effective_permissions
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.confinement import Limits
from sandgate.protocol.permissions import Grant, WorkspaceWrite
from sandgate.sandbox.backends import backend_named
from sandgate.sandbox.carried_grants import parted
from sandgate.sandbox.denial import explain
from sandgate.sandbox.facts import workspace_facts
from sandgate.sandbox.private_tmp import private_directory
from sandgate.sandbox.protection import Protection

policy = WorkspaceWrite(tuple(spec["roots"]), spec["network"], True, not spec["tmp_writable"])
own = private_directory(spec["state"], spec["policy_cwd"]) if spec["tmp"] == "private" else None
place = own.path if own is not None else ""
tmp = {} if not place else {"private_tmp": place} if spec["backend"] == "namespace" else {"scratch": place}
grants = tuple(Grant(*grant) for grant in spec["grants"])
def permissions(given):
    facts = workspace_facts(
        policy, policy_cwd=spec["policy_cwd"], environ=spec["environ"], state_directory=spec["state"],
        grants=given, protection=Protection(**spec["protection"]), **tmp,
    )
    return effective_permissions(policy, facts, grants=given)
try:
    grants, carried = parted((), grants, permissions)
    command = CommandRequest(tuple(os.fsdecode(bytes.fromhex(word)) for word in spec["argv"]), spec["cwd"], spec["env"])
    plan = backend_named(spec["backend"]).confine(
        command, permissions(grants), limits=Limits(**spec["limits"])
    ).but(supervised_grants=carried)
    checks = PostRunChecks(plan)
    with Placeholders(plan):
        outcome = run(
            plan, stdin=None, stdout=None, stderr=None, timeout_ms=spec["timeout_ms"], helper=spec["helper"],
            on_ended=checks.look,
        )
except SandgateError as problem:
    print(json.dumps({"error": [type(problem).__name__, str(problem)]}))
    sys.exit()
report = explain(plan, outcome)
result = outcome.result
print(json.dumps({
    "exit_code": result and result.exit_code,
    "termination": result and result.termination,
    "stdout": result and result.stdout.decode("utf-8", "replace"),
    "stderr": result and result.stderr.decode("utf-8", "replace"),
    "failure": outcome.failure and repr(outcome.failure),
    "layers": outcome.layers,
    "created": checks.created,
    "locked": outcome.locked,
    "verdict": report.verdict,
    "denials": [
        [d.operation, d.path or d.address, d.grant and [d.grant.kind, d.grant.value]] for d in report.denials
    ],
    "explained": [
        {name: getattr(d, name) for name in ("what", "why", "syscall", "errno")} for d in report.denials
    ],
}))
"""


@dataclass(frozen=True)
class Ran:
    """How one run went. `error` is set when Sandgate refused to run it at all."""

    exit_code: int | None = None
    termination: str | None = None
    stdout: str = ""
    stderr: str = ""
    failure: str | None = None
    layers: list[str] = field(default_factory=list)
    created: list[str] = field(default_factory=list)
    locked: list[str] = field(default_factory=list)
    verdict: str = "not_denied"
    denials: list[list[Any]] = field(default_factory=list)
    explained: list[dict[str, Any]] = field(default_factory=list)  # beside each denial
    error: list[str] | None = None

    @property
    def said(self) -> str:
        return self.stdout + self.stderr

    def denied(self, operation: str, place: str | Path) -> bool:
        """Whether this operation on this path or address is among the denials."""
        return any(denial[:2] == [operation, str(place)] for denial in self.denials)


class Stage:
    """`repo` is the workspace; `outside` and `home` belong to the same user but not to the workspace."""

    def __init__(self, folder: Path, account: OrdinaryUser | None, helper: str | None) -> None:
        self.account = account
        self.helper = helper
        self.folder = folder
        self.repo, self.outside, self.home = folder / "repo", folder / "outside", folder / "home"
        self.state = folder / "state"
        for directory in (self.repo, self.outside, self.home, self.state):
            directory.mkdir()
        self.python = account.python if account else os.path.realpath(sys.executable)
        self.uid = account.uid if account else os.geteuid()
        self.starts_alone = False  # whether each run is started anew, where a test is about just that
        self.machine: tuple[str, ...] = ()  # a program with its arguments that both ways are started through
        self.import_path = str(account.source) if account else f"{SOURCE}:{sysconfig.get_path('purelib')}"
        self.own()

    def own(self) -> None:
        """Gives everything on the stage to the user under test."""
        if self.account is not None and self.account.as_other:
            for path in [self.folder, *self.folder.rglob("*")]:
                os.chown(path, self.account.uid, self.account.gid, follow_symlinks=False)

    def repository(self, at: Path | None = None) -> Path:
        """A git directory with a configuration and hooks; no git program is needed."""
        git = (at or self.repo) / ".git"
        for name in ("hooks", "info", "objects/info", "refs/heads"):
            (git / name).mkdir(parents=True)
        (git / "HEAD").write_text("ref: refs/heads/main\n")
        (git / "config").write_text("[core]\n\tbare = false\n")
        self.own()
        return git

    def environment(self) -> dict[str, str]:
        return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "LANG": "C.UTF-8"}

    def unconfined(
        self, argv: Sequence[str | bytes], *, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> Ran:
        """Runs the attack as the user would without Sandgate."""
        ended = subprocess.run(
            [*self.machine, *argv],
            cwd=cwd or self.repo,
            env={**self.environment(), **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=RUN_LIMIT_S,
            start_new_session=True,
            **self._identity(),
        )
        return Ran(ended.returncode, "exited", ended.stdout, ended.stderr)

    def sandgate(self, *words: str, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Ran:
        """Runs the program itself as the user would."""
        ended = self.resident().run(
            PROGRAM, *words, cwd=str(cwd or self.repo), env={**self.environment(), **(env or {})}
        )
        return Ran(ended.returncode, "exited", ended.stdout, ended.stderr)

    def confined(
        self,
        argv: Sequence[str | bytes],
        *,
        backend: str = "namespace",
        cwd: Path | None = None,
        policy_cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        roots: Sequence[Path] = (),
        grants: Sequence[tuple[str, str]] = (),
        network: bool = False,
        protection: Mapping[str, Any] | None = None,
        limits: Mapping[str, int] | None = None,
        timeout_ms: int = COMMAND_LIMIT_MS,
        helper: str | None = None,
        keep_open: Sequence[int] = (),
        tmp: str = "private",
        tmp_writable: bool = False,
    ) -> Ran:
        """Runs the attack under workspace-write, with only the workspace (and `roots`) writable.

        `tmp` and `tmp_writable` say what is there as /tmp, and whether it may be written.
        """
        environ = self.environment()
        spec = {
            "path": [str(self.account.source)] if self.account else [str(SOURCE)],
            "roots": [str(path) for path in roots],
            "network": network,
            "grants": grants,
            "policy_cwd": str(policy_cwd or self.repo),
            "environ": environ,
            "state": str(self.state),
            "protection": protection or {},
            "argv": [os.fsencode(word).hex() for word in argv],
            "cwd": str(cwd or self.repo),
            "env": {**environ, **(env or {})},
            "backend": backend,
            "limits": limits or {},
            "tmp": tmp,
            "tmp_writable": tmp_writable,
            "timeout_ms": timeout_ms,
            "helper": helper or self.helper,
        }
        alone = self.starts_alone or self.machine or keep_open or env
        ended = self._driven(spec, keep_open) if alone else self._driven_by_resident(spec)
        assert ended.returncode == 0, ended.stderr
        return Ran(**json.loads(ended.stdout.splitlines()[-1]))

    def _driven_by_resident(self, spec: dict[str, Any]) -> "subprocess.CompletedProcess[str]":
        return self.resident().run(DRIVER, json.dumps(spec), cwd="/", env=spec["environ"])

    def _driven(self, spec: dict[str, Any], keep_open: Sequence[int]) -> "subprocess.CompletedProcess[str]":
        """By a Python of its own, for what is told from it: what it inherits, and where it was started."""
        return subprocess.run(
            [*self.machine, self.python, "-I", "-S", "-c", DRIVER, json.dumps(spec)],
            cwd="/",
            env=spec["env"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=RUN_LIMIT_S,
            pass_fds=keep_open,
            **self._identity(),
        )

    def resident(self) -> Resident:
        """The Python from which the processes of this user's tests are born."""
        identity = {name: () if each == [] else each for name, each in self._identity().items()}
        return resident((self.python, "-I", "-S"), tuple(self.import_path.split(":")), tuple(identity.items()))

    def script(self, code: str, *arguments: str | Path) -> list[str]:
        """A Python attack as an argument vector."""
        return [self.python, "-I", "-S", "-c", code, *map(str, arguments)]

    def tree(self) -> dict[str, tuple[object, ...]]:
        """Everything below the stage but Sandgate's state: kind, mode, size, inode, times of the last change."""
        found: dict[str, tuple[object, ...]] = {}
        for directory, directories, files in os.walk(self.folder):
            for name in (*directories, *files):
                path = os.path.join(directory, name)
                about = os.lstat(path)
                found[path] = (about.st_mode, about.st_size, about.st_ino, about.st_mtime_ns, about.st_ctime_ns)
        return {path: about for path, about in found.items() if not f"{path}/".startswith(f"{self.state}/")}

    def _identity(self) -> dict[str, Any]:
        account = self.account
        if account is None or not account.as_other:
            return {}
        return {"user": account.uid, "group": account.gid, "extra_groups": []}


@contextmanager
def stage_for(account: OrdinaryUser | None, helper: str | None) -> Iterator[Stage]:
    """A fresh stage, removed afterwards."""
    # Not below pytest's own temporary folder: that one is closed to other users.
    folder = Path(tempfile.mkdtemp(prefix="sandgate-stage-", dir="/tmp"))
    try:
        folder.chmod(0o755)
        yield Stage(folder, account, helper)
    finally:
        shutil.rmtree(folder)


@contextmanager
def stage_as(user: str, request: pytest.FixtureRequest, helper: str | None) -> Iterator[Stage]:
    """A fresh stage of one of `USERS`. `helper`: the C helper that the tests share, or None."""
    account = None
    if user == "ordinary":
        account = request.getfixturevalue("as_user")  # copies the source, with the helper in it
        helper = helper and str(account.source / "sandgate" / "_native" / "sandgate-exec")
    with stage_for(account, helper) as made:
        yield made
