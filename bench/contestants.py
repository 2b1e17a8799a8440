"""The alternatives, each doing the same work: one confined `/bin/true` with a writable working directory."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

from measure import Contestant, spawn

ROOT = Path(__file__).resolve().parent.parent
SANDGATE = str(ROOT / "sandgate")
TRUE = "/bin/true"


def quiet_environment(home: Path) -> dict[str, str]:
    """A small environment, so that nobody is slowed down by ours."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", "TERM": "dumb"}


def bwrap_line(workspace: Path) -> list[str]:
    """A bwrap command line with the view that workspace-write gives: what a careful person would write by hand."""
    line = ["bwrap", "--new-session", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    line += ["--bind", str(workspace), str(workspace), "--bind", "/tmp", "/tmp"]
    line += ["--ro-bind", str(workspace / ".git"), str(workspace / ".git"), "--tmpfs", "/run"]
    line += ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net", "--cap-drop", "ALL"]
    return [*line, "--chdir", str(workspace), "--"]


def plain() -> Contestant:
    """The floor: start and reap, nothing else."""
    return Contestant("fork+exec", lambda: spawn([TRUE]))


def bwrap(workspace: Path) -> Contestant | None:
    """bubblewrap with the same view, from a fresh command line."""
    if shutil.which("bwrap") is None:
        return None
    return Contestant("bwrap", lambda: spawn([*bwrap_line(workspace), TRUE]))


def sandgate_run(workspace: Path, env: dict[str, str]) -> Contestant:
    """Our program, Python's start included."""
    argv = [SANDGATE, "run", "-C", str(workspace), "--", TRUE]
    return Contestant("sandgate run", lambda: spawn(argv, env=env))


def codex(workspace: Path, env: dict[str, str]) -> Contestant | None:
    """The Codex CLI's sandbox command, if it is installed."""
    program = os.environ.get("CODEX") or shutil.which("codex")
    if program is None:
        return None
    argv = [program, "sandbox", "-c", 'sandbox_mode="workspace-write"', "--", TRUE]
    return Contestant("codex sandbox", lambda: spawn(argv, env=env, cwd=str(workspace)))


def srt(workspace: Path, env: dict[str, str], home: Path) -> Contestant | None:
    """Anthropic's sandbox-runtime, if it is installed."""
    program = os.environ.get("SRT") or shutil.which("srt")
    if program is None:
        return None
    settings = home / "srt.json"
    network: dict[str, list[str]] = {"allowedDomains": [], "deniedDomains": []}
    files = {"denyRead": [], "allowWrite": [str(workspace)], "denyWrite": []}
    settings.write_text(json.dumps({"network": network, "filesystem": files}))
    argv = [program, "-s", str(settings), "-c", TRUE]
    return Contestant("srt", lambda: spawn(argv, env=env, cwd=str(workspace)))


def subprocess_run() -> Contestant:
    """What a Python program does without any gate."""

    def run() -> None:
        subprocess.run([TRUE], check=True, stdin=subprocess.DEVNULL, capture_output=True)

    return Contestant("subprocess.run", run)


def subprocess_bwrap(workspace: Path) -> Contestant | None:
    """bubblewrap with the same view, from a running Python program."""
    if shutil.which("bwrap") is None:
        return None
    argv = [*bwrap_line(workspace), TRUE]

    def run() -> None:
        subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, capture_output=True)

    return Contestant("bwrap", run)


def governed(
    workspace: Path,
    *options: str,
    home: Path | None = None,
    name: str = "sandgate runtime",
    argv: tuple[str, ...] = (TRUE,),
) -> Contestant:
    """The runtime's synchronous API: decide, confine, run, report."""
    from sandgate.runtime import Environment, open_runtime

    environ = dict(os.environ) if home is None else {**os.environ, "HOME": str(home)}
    runtime = open_runtime(Environment(cwd=str(workspace), environ=environ, overrides=options))

    def run() -> None:
        passage = runtime.run(runtime.request(argv))
        if passage.result is None or passage.result.exit_code != 0:
            raise RuntimeError(f"not run: {passage}")

    return Contestant(name, run)
