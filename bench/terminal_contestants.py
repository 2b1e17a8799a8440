"""Who takes part in the terminal workloads: programs of our own, one process each, that ask one library each."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from contestants import ROOT, quiet_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BENCH = ROOT / "bench"
PYTHON = str(ROOT / ".venv" / "bin" / "python")  # the interpreter `./sandgate` itself runs on
LIMIT = "C (limit)"
PIPE = "C, a pipe"
CONFINED = "sandgate"
UNCONFINED = "sandgate, unconfined"
PYTHON_PEERS = {"pexpect": "pexpect", "swe-rex": "swerex", "openai-agents": "agents"}  # package: what is imported
QUESTION_LIMIT_S = 180  # no single question takes longer


@dataclass
class TerminalContestant:
    """A program that answers one question per process, see `terminal_programs/protocol.py`."""

    name: str
    argv: list[str]
    environ: dict[str, str]
    cwd: str
    answers: frozenset[str] = frozenset({"pty", "raw", "roundtrip", "tool", "many"})  # what it can be asked
    samples: int = 100  # round trips in one process; few where each takes long

    def ask(self, *question: object) -> dict[str, Any] | None:
        """None, and a line that says why, when there was no answer."""
        try:
            done = subprocess.run(
                [*self.argv, *map(str, question)],
                cwd=self.cwd,
                env=self.environ,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=QUESTION_LIMIT_S,
                text=True,
            )
            answer: dict[str, Any] | None = json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None
            said = done.stderr
        except subprocess.TimeoutExpired:
            answer, said = None, f"no answer within {QUESTION_LIMIT_S} s"
        if answer is None:
            reason = said.strip().splitlines()[-1] if said.strip() else "no reason given"
            print(f"{self.name}: no answer to `{' '.join(map(str, question))[:60]}`: {reason}\n", file=sys.stderr)
        return answer


def build_reader(folder: Path) -> str:
    """Compile the C reader; its path. Raises CalledProcessError when there is no compiler."""
    program = folder / "reader"
    if not program.exists():
        source = str(BENCH / "native" / "reader.c")
        subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-o", str(program), source], check=True)
    return str(program)


def everybody(workspace: Path, home: Path, reader: str, *, peers: bool) -> list[TerminalContestant]:
    """All that are installed; who is not is named."""
    environ = {**quiet_environment(home), "PYTHONPATH": f"{BENCH}{os.pathsep}{ROOT / 'src'}"}
    cwd = str(workspace)
    module = [PYTHON, "-m"]
    terminal = frozenset({"pty", "raw", "roundtrip", "many"})
    field = [
        TerminalContestant(LIMIT, [reader], environ, cwd, answers=terminal | {"limit"}),
        TerminalContestant(PIPE, [reader], environ, cwd, answers=frozenset({"pipe"})),
        TerminalContestant("python", [*module, "terminal_programs.with_os"], environ, cwd, answers=terminal),
    ]
    for name, mode in ((CONFINED, "workspace-write"), (UNCONFINED, "danger-full-access")):
        field.append(TerminalContestant(name, [*module, "terminal_programs.with_sandgate", mode], environ, cwd))
    if peers:
        field += [*_python_peers(environ, cwd), *_codex(environ, cwd)]
    return field


def _python_peers(environ: dict[str, str], cwd: str) -> list[TerminalContestant]:
    python = os.environ.get("PEERS_PYTHON", sys.executable)
    installed = [name for name, module in PYTHON_PEERS.items() if _imports(python, module)]
    for name in sorted(PYTHON_PEERS.keys() - set(installed)):
        print(f"{name} is left out, it is not installed for {python} (PEERS_PYTHON)\n")
    start = [python, "-m"]
    pexpect, unpaused = {"pty", "roundtrip", "many"}, {"roundtrip"}
    swerex = {"roundtrip", "tool"}  # of `seq` it takes half a minute, and no two sessions start at once
    field: dict[str, list[TerminalContestant]] = {
        "pexpect": [
            TerminalContestant(
                "pexpect", [*start, "terminal_programs.with_pexpect"], environ, cwd, frozenset(pexpect), samples=20
            ),
            TerminalContestant(
                "pexpect, no pause",
                [*start, "terminal_programs.with_pexpect"],
                {**environ, "PEXPECT_PAUSE": "none"},
                cwd,
                frozenset(unpaused),
            ),
        ],
        "swe-rex": [
            TerminalContestant(
                "swe-rex", [*start, "terminal_programs.with_swerex"], environ, cwd, frozenset(swerex), samples=10
            )
        ],
        "openai-agents": [
            TerminalContestant(
                "openai-agents", [*start, "terminal_programs.with_openai_agents"], environ, cwd, samples=5
            )
        ],
    }
    return [contestant for name in installed for contestant in field[name]]


def _imports(python: str, module: str) -> bool:
    found = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    return subprocess.run([python, "-c", found], cwd="/", check=False).returncode == 0


def _codex(environ: dict[str, str], cwd: str) -> list[TerminalContestant]:
    program = os.environ.get("CODEX") or shutil.which("codex")
    if program is None:
        print("codex is left out, it is not installed (CODEX)\n")
        return []
    answers = frozenset({"pty", "raw", "roundtrip", "many"})
    start = [PYTHON, "-m", "terminal_programs.with_codex"]
    environ = {**environ, "CODEX": program, "CODEX_HOME": environ["HOME"]}
    return [
        TerminalContestant(f"codex {name}", [*start, argument], environ, cwd, answers)
        for name, argument in (
            ("app-server", "app-confined"),
            ("app-server, unconfined", "app"),
            ("exec-server, unconfined", "exec"),
        )
    ]
