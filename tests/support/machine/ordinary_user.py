"""Runs things as an ordinary user, whoever runs the tests.

Under root that is a user id that owns nothing, with a home, a temporary folder and a readable copy of the source of
its own; otherwise it is the user who runs the tests, in the same surroundings.
"""

import compileall
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ORDINARY_ID = 4242
"""A user and group id that no system account has."""

RUN_LIMIT_S = 60

PACKAGES = ("tree_sitter", "tree_sitter_bash")
"""What the program imports beside itself; copied, because the environment may lie where only root can look."""

PROGRAM = "import sys; sys.path.append(sys.argv.pop(1)); from sandgate.start import entry; sys.exit(entry())"


class OrdinaryUser:
    """An unprivileged account in a folder of its own. `source` can be put on a module path."""

    def __init__(self, folder: Path, number: int = ORDINARY_ID) -> None:
        self.as_other = os.geteuid() == 0
        self.uid = number if self.as_other else os.getuid()
        self.gid = number if self.as_other else os.getgid()
        self.home = folder / "home"
        self.tmpdir = folder / "tmp"
        self.source = folder / "source"
        for own in (self.home, self.tmpdir):
            own.mkdir()
            os.chown(own, self.uid, self.gid)
        _copy_readable(self.source)
        self.python = self._interpreter()

    def environment(self) -> dict[str, str]:
        """A small environment in which only this account's folders appear."""
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.home),
            "TMPDIR": str(self.tmpdir),
            "LANG": "C.UTF-8",
            "USER": "ordinary",
        }

    def run(
        self,
        argv: Sequence[str | bytes],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        input: str | None = None,
        timeout_s: float = RUN_LIMIT_S,
    ) -> subprocess.CompletedProcess[str]:
        """Runs `argv` in the account's home (or `cwd`), with `env` added to its environment; output is captured."""
        return subprocess.run(
            list(argv),
            cwd=cwd or self.home,
            env={**self.environment(), **(env or {})},
            input=input if input is not None else "",
            capture_output=True,
            text=True,
            timeout=timeout_s,
            user=self.uid if self.as_other else None,
            group=self.gid if self.as_other else None,
            extra_groups=[] if self.as_other else None,
        )

    def run_python(self, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs Python code that may import `sandgate`."""
        prefix = f"import sys; sys.path.append({str(self.source)!r})\n"
        return self.run([self.python, "-I", "-S", "-c", prefix + code, *arguments])

    def sandgate(self, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
        """Runs the program; `options` as for `run`."""
        argv = [self.python, "-I", "-S", "-c", PROGRAM, str(self.source), *arguments]
        return self.run(argv, **options)  # type: ignore[arg-type] # handed through unchanged

    def _interpreter(self) -> str:
        """A Python of the version that runs the tests which this account may execute."""
        same = f"import sys; sys.exit(sys.version_info[:2] != {tuple(sys.version_info[:2])})"
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        for candidate in (os.path.realpath(sys.executable), f"/usr/local/bin/{version}", f"/usr/bin/{version}"):
            try:
                if self.run([candidate, "-I", "-S", "-c", same]).returncode == 0:
                    return candidate
            except OSError:
                continue
        raise LookupError(f"user {self.uid} can execute no {version}")


def _copy_readable(target: Path) -> None:
    source = Path(__file__).resolve().parents[3] / "src"
    shutil.copytree(source, target)
    packages = Path(sysconfig.get_path("purelib"))
    for name in PACKAGES:
        shutil.copytree(packages / name, target / name)
    # The account may not write there, and would compile everything at each start: most of the time of its tests.
    compileall.compile_dir(target, quiet=2)
    for path in [target, *target.rglob("*")]:
        path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))


@contextmanager
def ordinary_user(number: int = ORDINARY_ID) -> Iterator[OrdinaryUser]:
    """The account, for as long as the block lasts. Raises LookupError when it could run no Python.

    `number`: its id under root, for what only works for accounts that the system knows.
    """
    # Not below pytest's own temporary folder: that one is closed to other users.
    folder = Path(tempfile.mkdtemp(prefix="sandgate-user-", dir="/tmp"))
    try:
        folder.chmod(0o755)
        yield OrdinaryUser(folder, number)
    finally:
        shutil.rmtree(folder)
