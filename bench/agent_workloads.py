"""A whole agent against a scripted model: how long it takes over what is not the model's."""

from __future__ import annotations

import os
import random
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent_server import ScriptedServer, Step, calls, calls_live, patches, says
from contestants import ROOT, SANDGATE, quiet_environment

PYTHON = str(ROOT / ".venv" / "bin" / "python")  # the interpreter `./sandgate` itself runs on
RUN_LIMIT_S = 120
TRUE = {"cmd": "true", "login": False}
YARDSTICK = "python -c pass"
# Codex 0.169 with workspace-write, as measured in another year's rounds on a machine whose yardstick took this long.
ANCHOR_YARDSTICK_MS = 27.1
ANCHORS = {  # script: wall ms, ms to the first request, ms per round, ms after the last answer, CPU ms, MB
    "1 message": (339, 262, None, 75.9, 418, 146),
    "20 x exec_command": (2922, 214, 130, 84.4, 2538, 152),
    "20 at once": (1258, 276, 885, 94.0, 1962, 154),
    "10 x apply_patch": (1522, 257, 117, 79.3, 1584, 150),
    "10 x write_stdin": (4778, 268, 390, 94.2, 956, 152),
}
ANCHOR = "codex (anchors, scaled)"
HEADS = ("wall ms", "to first ms", "per round ms", "p95", "after last ms", "CPU ms", "RSS MB", "requests", "KB sent")


@dataclass
class Run:
    """What one run took."""

    wall_ms: float
    first_ms: float
    rounds_ms: list[float]
    tail_ms: float
    cpu_ms: float
    rss_mb: float
    requests: int
    sent_kb: float


@dataclass
class AgentContestant:
    """A program that takes a prompt; `argv` from the URL of the model."""

    name: str
    argv: Callable[[str], list[str]]
    environ: dict[str, str]
    runs: list[Run] = field(default_factory=list)

    def run(self, steps: Sequence[Step], workspace: Path) -> Run:
        with ScriptedServer(steps) as server, open(os.devnull, "r+b") as null:
            line = ["/usr/bin/env", f"--chdir={workspace}", *self.argv(server.url)]
            actions = [(os.POSIX_SPAWN_DUP2, null.fileno(), fd) for fd in (0, 1)]
            with open(workspace / ".git" / "said", "w+b") as said:
                actions.append((os.POSIX_SPAWN_DUP2, said.fileno(), 2))
                began = time.perf_counter()
                pid = os.posix_spawnp(line[0], line, self.environ, file_actions=actions)
                _, status, used = os.wait4(pid, 0)
                ended = time.perf_counter()
                said.seek(0)
                words = said.read().decode(errors="replace")
            if os.waitstatus_to_exitcode(status) != 0 or len(server.answered) < len(steps):
                raise RuntimeError(f"{len(server.answered)} of {len(steps)} answers taken: {words.strip()[-300:]}")
            gaps = [(after - before) * 1000 for before, after in zip(server.answered, server.arrived[1:], strict=False)]
            return Run(
                wall_ms=(ended - began) * 1000,
                first_ms=(server.arrived[0] - began) * 1000,
                rounds_ms=gaps,
                tail_ms=(ended - server.answered[-1]) * 1000,
                cpu_ms=(used.ru_utime + used.ru_stime) * 1000,
                rss_mb=used.ru_maxrss / 1024,
                requests=len(server.arrived),
                sent_kb=server.sent_bytes / 1024,
            )


def scripts() -> dict[str, list[Step]]:
    """What the model says, by the name of the script."""
    begin = "*** Begin Patch\n"
    added = [f"{begin}*** Add File: added_{number}.txt\n+line {number}\n*** End Patch\n" for number in range(10)]
    return {
        "1 message": [says("done")],
        "20 x exec_command": [*(calls("exec_command", dict(TRUE)) for _ in range(20)), says("done")],
        "20 at once": [calls("exec_command", *(dict(TRUE) for _ in range(20))), says("done")],
        "10 x apply_patch": [*map(patches, added), says("done")],
        "10 x write_stdin": [
            calls("exec_command", {"cmd": "cat", "tty": True, "login": False, "yield_time_ms": 250}),
            *(calls_live(chars=f"echo {number}\n", yield_time_ms=250) for number in range(10)),
            says("done"),
        ],
    }


def agent(workspace: Path, home: Path, rounds: int) -> str:
    """Whole turns of an agent, every script in interleaved rounds."""
    contestants = [sandgate_agent(home, "workspace-write"), sandgate_agent(home, "danger-full-access")]
    contestants += [each for mode in ("workspace-write", "danger-full-access") if (each := _codex(home, mode))]
    measured = any(each.name.startswith("codex") for each in contestants)
    order = random.Random(1)
    shown = []
    for name, steps in scripts().items():
        for contestant in contestants:
            contestant.runs.clear()
        yardstick: list[float] = []
        for round_ in range(rounds + 1):
            _pass(yardstick)
            for contestant in order.sample(contestants, len(contestants)):
                for made in workspace.glob("added_*"):
                    made.unlink()
                run = contestant.run(steps, workspace)
                if round_:  # the first only warms up
                    contestant.runs.append(run)
        shown.append(_table(name, contestants, statistics.median(yardstick), measured=measured))
    if not measured:
        shown.append(
            "The Codex CLI is not installed here (PATH, or CODEX names it). Its rows are figures of another run,\n"
            f"scaled by what `{YARDSTICK}` took then ({ANCHOR_YARDSTICK_MS} ms) and takes now: a rough guide, not a\n"
            "measurement.\n"
        )
    return "\n".join(shown)


def sandgate_agent(home: Path, mode: str) -> AgentContestant:
    """Our own program."""
    environ = quiet_environment(home)

    def argv(url: str) -> list[str]:
        chosen = {
            "sandbox_mode": mode,
            "approval_policy": "never",
            "model": "scripted",
            "model_provider": "bench",
            "model_providers.bench.base_url": url,
        }
        overrides = [word for key, value in chosen.items() for word in ("-c", f"{key}={value}")]
        return [SANDGATE, "agent", *overrides, "go"]

    return AgentContestant(f"sandgate agent ({mode})", argv, environ)


def _codex(home: Path, mode: str) -> AgentContestant | None:
    program = os.environ.get("CODEX") or shutil.which("codex")
    if program is None:
        return None
    place = home / ".codex"
    place.mkdir(exist_ok=True)

    def argv(url: str) -> list[str]:
        (place / "config.toml").write_text(
            'model = "scripted"\nmodel_provider = "bench"\n[model_providers.bench]\nname = "bench"\n'
            f'base_url = "{url}"\nwire_api = "responses"\nrequires_openai_auth = false\n'
        )
        return [program, "exec", "--skip-git-repo-check", "-s", mode, "go"]

    return AgentContestant(f"codex exec ({mode})", argv, {**quiet_environment(home), "CODEX_HOME": str(place)})


def _pass(samples: list[float]) -> None:
    began = time.perf_counter()
    subprocess.run([PYTHON, "-c", "pass"], check=True)
    samples.append((time.perf_counter() - began) * 1000)


def _table(script: str, contestants: Sequence[AgentContestant], yardstick_ms: float, *, measured: bool) -> str:
    heads = ("contestant", *HEADS, "wall / codex")
    lines = [f"### Agent: {script} ({YARDSTICK}: {yardstick_ms:.1f} ms)", ""]
    lines += [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    scale = yardstick_ms / ANCHOR_YARDSTICK_MS
    known = {each.name: each for each in contestants}
    peer = known.get("codex exec (workspace-write)")
    for each in contestants:
        ratio = f"{ANCHORS[script][0] * scale:.0f}"
        if peer is not None:
            ratio = f"{statistics.median(a.wall_ms / b.wall_ms for a, b in zip(each.runs, peer.runs, strict=True)):.2f}"
        else:
            ratio = f"{_median(each, 'wall_ms') / (ANCHORS[script][0] * scale):.2f}"
        lines.append(f"| {' | '.join([each.name, *_cells(each), ratio])} |")
    if not measured:
        wall, first, per_round, tail, cpu, rss = ANCHORS[script]
        gap = "-" if per_round is None else f"{per_round * scale:.0f}"
        cells = [f"{wall * scale:.0f}", f"{first * scale:.0f}", gap, "-", f"{tail * scale:.0f}", f"{cpu * scale:.0f}"]
        lines.append(f"| {' | '.join([ANCHOR, *cells, f'{rss:.0f}', '-', '-', '1.00'])} |")
    return "\n".join(lines) + "\n"


def _cells(each: AgentContestant) -> list[str]:
    gaps = sorted(gap for run in each.runs for gap in run.rounds_ms)
    middle = f"{statistics.median(gaps):.1f}" if gaps else "-"
    p95 = f"{gaps[int(0.95 * (len(gaps) - 1))]:.1f}" if gaps else "-"
    columns = [_median(each, name) for name in ("wall_ms", "first_ms", "tail_ms", "cpu_ms", "rss_mb")]
    wall, first, tail, cpu, rss = (f"{value:.0f}" for value in columns)
    sent = f"{_median(each, 'sent_kb'):.0f}"
    return [wall, first, middle, p95, tail, cpu, rss, f"{_median(each, 'requests'):.0f}", sent]


def _median(each: AgentContestant, name: str) -> float:
    return float(statistics.median(getattr(run, name) for run in each.runs))


AGENT_WORKLOADS = {"agent": agent}
