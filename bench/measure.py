"""Interleaved rounds of contestants, and the table they end in."""

from __future__ import annotations

import os
import random
import resource
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Contestant:
    """Something that can be run once; `run` returns nothing and raises when it did not do its work."""

    name: str
    run: Callable[[], None]
    samples_ms: list[float] = field(default_factory=list)

    def sample(self) -> None:
        start = time.perf_counter()
        self.run()
        self.samples_ms.append((time.perf_counter() - start) * 1000)

    @property
    def median_ms(self) -> float:
        return statistics.median(self.samples_ms)

    @property
    def p95_ms(self) -> float:
        return sorted(self.samples_ms)[int(0.95 * (len(self.samples_ms) - 1))]


def race(contestants: list[Contestant], rounds: int, *, seed: int = 1) -> None:
    """Run every contestant once a round, in a new order each round; the first round only warms up.

    A contestant that cannot do its work here is taken out of the list, and said so.
    """
    order = random.Random(seed)
    for contestant in list(contestants):
        try:
            contestant.run()
        except (OSError, RuntimeError) as problem:
            print(f"{contestant.name} is left out, it does not run here: {problem}\n")
            contestants.remove(contestant)
    for _round in range(rounds):
        shuffled = list(contestants)
        order.shuffle(shuffled)
        for contestant in shuffled:
            contestant.sample()


def table(title: str, contestants: list[Contestant], *, against: tuple[str, ...]) -> str:
    """A markdown table with the ratio to each contestant named in `against`."""
    known = {contestant.name: contestant for contestant in contestants}
    bases = [known[name] for name in against if name in known]
    head = ["contestant", "median ms", "p95 ms", *(f"x {base.name}" for base in bases)]
    lines = [f"### {title}", "", f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for contestant in contestants:
        ratios = [f"{contestant.median_ms / base.median_ms:.2f}" for base in bases]
        cells = [contestant.name, f"{contestant.median_ms:.2f}", f"{contestant.p95_ms:.2f}", *ratios]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def spawn(argv: list[str], *, env: dict[str, str] | None = None, cwd: str | None = None, expect: int = 0) -> None:
    """Run a program with its output thrown away; posix_spawn, so that our own size does not count."""
    with open(os.devnull, "r+b") as null:
        actions = [(os.POSIX_SPAWN_DUP2, null.fileno(), fd) for fd in (0, 1, 2)]
        if cwd is not None:
            argv = ["/usr/bin/env", f"--chdir={cwd}", *argv]
        pid = os.posix_spawnp(argv[0], argv, env if env is not None else dict(os.environ), file_actions=actions)
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code != expect:
        raise RuntimeError(f"{argv} ended with {code}")


def largest_process_mb(argv: list[str], env: dict[str, str]) -> float:
    """Peak resident memory of the largest process a command starts, in MB, measured in a fresh process."""
    script = (
        "import os,resource,sys;"
        "pid=os.posix_spawnp(sys.argv[1],sys.argv[1:],os.environ);os.waitpid(pid,0);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    import subprocess

    done = subprocess.run([sys.executable, "-c", script, *argv], env=env, capture_output=True, check=True, text=True)
    return int(done.stdout.split()[-1]) / 1024


def own_memory_mb() -> float:
    """Peak resident memory of this process, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
