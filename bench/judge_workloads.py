"""What it costs to judge a command line: verdict with 1 000 rules, and risk; by length and by kind of script."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import contestants as who
from judge_commands import TYPED
from measure import Contestant, race, spawn, table

RULES = 1_000
SIZES = {"200 B": 200, "1 KB": 1_000, "4 KB": 4_000, "20 KB": 20_000, "100 KB": 100_000, "1 MB": 1_000_000}
LARGE_BYTES = 50_000  # scripts beyond are judged in fewer rounds
CWD, HOME = "/home/u/code/app", "/home/u"
LINES = {
    "the same line again": "grep -rn pattern src | sort | uniq -c > out.txt && rm -f build/tmp.o",
    "lines that differ": "grep -rn 'word {0}' src/module{0}.py | sort | uniq -c > out{0}.txt && rm -f build/tmp{0}.o",
    "loops and tests": 'for f in a{0}/*; do if [ -f "$f" ]; then grep -c "$NAME {0}" "$f" | tee -a out{0}; fi; done',
}


def judge(_workspace: Path, _home: Path, rounds: int) -> str:
    """Typed commands, then every size of every kind. No text is judged twice, so no whole line is remembered."""
    judged = _judgement()
    shown = _typed(judged, rounds)
    shown += "\n### Judging a script: verdict with 1 000 rules, and offline risk\n\n"
    shown += "| script | size | verdict ms | risk ms | both, median ms | x per byte of the size before |\n"
    shown += f"|{' --- |' * 6}\n"
    fresh = itertools.count()
    for kind, line in LINES.items():
        before: float | None = None
        for size, length in SIZES.items():
            text = _script(line, length)
            times = [judged(f"{text}\nls {next(fresh)}") for _ in range(rounds if length < LARGE_BYTES else 3)]
            verdict, risk = [statistics.median(column) for column in zip(*times, strict=True)]
            both = statistics.median([sum(each) for each in times])
            ratio = "" if before is None else f"{both / len(text) / before:.2f}"
            before = both / len(text)
            shown += f"| {kind} | {size} | {verdict:.2f} | {risk:.2f} | {both:.2f} | {ratio} |\n"
    return shown


def _typed(judged: Callable[[str], tuple[float, float]], rounds: int) -> str:
    """The median command of 200 bytes, in a process that has judged some before."""
    for line in TYPED:
        judged(line)
    times: list[list[float]] = []
    machine: list[float] = []
    for line in TYPED:
        times.append([sum(judged(f"{line}\nls {number}")) for number in range(max(rounds, 5))])
        machine.append(_counting())
    medians = sorted(statistics.median(each) for each in times)
    best = sorted(min(each) for each in times)
    size = statistics.median(map(len, TYPED))
    shown = "### Judging a command line: verdict with 1 000 rules, and offline risk\n\n"
    shown += (
        f"{len(TYPED)} typed commands of {size:.0f} bytes: the median one takes {statistics.median(medians):.2f} ms, "
    )
    shown += (
        f"{statistics.median(best):.2f} at its best; the fastest {medians[0]:.2f}, the slowest {medians[-1]:.2f}.\n"
    )
    shown += f"Counting to 100 000 in Python meanwhile: {statistics.median(machine):.1f} ms.\n"
    return shown


def _counting() -> float:
    """What the machine is worth at this moment, in milliseconds: neighbours make it faster and slower by half."""
    start = time.process_time()
    for _ in range(100_000):
        pass
    return (time.process_time() - start) * 1000


REAL_SIZES = range(12_000, 32_000)  # bytes: what "a script of 20 KB" looks like when a person wrote it
REAL_MAX = 12  # scripts; the largest ones


def judge_real(_workspace: Path, _home: Path, rounds: int) -> str:
    """Shell scripts of this machine. What the parser alone needs stands beside, as the floor of every way to judge."""
    from sandgate.commandline.grammar import syntax_tree

    judged = _judgement()
    shown = "### Judging shell scripts that people wrote: verdict with 1 000 rules, and offline risk\n\n"
    shown += "| script | bytes | parser alone ms | verdict ms | risk ms | both, best ms | both, median ms |\n"
    shown += f"|{' --- |' * 7}\n"
    fresh = itertools.count()
    for path in _real_scripts():
        text = path.read_text(errors="surrogateescape")
        parsing: list[float] = []
        times: list[tuple[float, float]] = []
        for _ in range(rounds):
            source = f"{text}\nls {next(fresh)}"
            times.append(judged(source))
            start = time.process_time()
            syntax_tree(f"{source} ".encode("utf-8", "surrogateescape"))
            parsing.append((time.process_time() - start) * 1000)
        verdict, risk = [statistics.median(column) for column in zip(*times, strict=True)]
        both = [sum(each) for each in times]
        shown += f"| {path.name} | {len(text)} | {min(parsing):.1f} | {verdict:.1f} | {risk:.1f} "
        shown += f"| {min(both):.1f} | {statistics.median(both):.1f} |\n"
    return shown


def _real_scripts() -> list[Path]:
    found = []
    for directory in (Path("/usr/bin"), Path("/usr/sbin")):
        for path in directory.iterdir():
            if path.is_file() and not path.is_symlink() and path.stat().st_size in REAL_SIZES:
                with path.open("rb") as file:
                    first = file.readline(80)
                if first.startswith(b"#!") and first.split()[0 if len(first.split()) == 1 else -1].endswith(b"sh"):
                    found.append(path)
    return sorted(found, key=lambda path: -path.stat().st_size)[:REAL_MAX]


def _script(line: str, length: int) -> str:
    """At least `length` bytes of lines, numbered where the line has room for a number."""
    made: list[str] = []
    size = 0
    while size < length:
        made.append(line.replace("{0}", str(len(made))))
        size += len(made[-1]) + 1
    return "\n".join(made)


def _judgement() -> Callable[[str], tuple[float, float]]:
    """Judges a script: milliseconds of CPU for the verdict and for the risk. Nothing waits, so load is left out."""
    import gc

    from sandgate.assessment.facts import AssessmentFacts
    from sandgate.assessment.static import assess
    from sandgate.policy.approval import verdict_for
    from sandgate.policy.rules.model import Rule, RuleSet
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.permissions import WorkspaceWrite
    from sandgate.start import GC_THRESHOLD

    gc.set_threshold(GC_THRESHOLD)  # as in the program
    environment = {"PATH": "/usr/bin:/bin", "HOME": HOME}
    facts = AssessmentFacts(HOME, CWD, environment)
    prefixes = [
        ((f"tool{number // 4}",), (f"sub{number % 4}", "other"), (f"x{number}",)) for number in range(RULES - 3)
    ]
    rules = RuleSet(
        (
            *[Rule(prefix, "ask") for prefix in prefixes],
            Rule((("git",), ("push",)), "ask"), Rule((("npm",), ("test",)), "allow"), Rule((("rm",),), "ask"),
        )
    )  # fmt: skip

    def judged(script: str) -> tuple[float, float]:
        command = CommandRequest(("bash", "-lc", script), CWD, environment)
        start = time.process_time()
        verdict_for(command, policy="on-request", sandbox=WorkspaceWrite(), rules=rules)
        between = time.process_time()
        assess(command, facts=facts)
        return (between - start) * 1000, (time.process_time() - between) * 1000

    return judged


def check_start(_workspace: Path, home: Path, rounds: int) -> str:
    """A fresh `sandgate check`, for a plain command, an everyday line and one that needs the grammar."""
    env = who.quiet_environment(home)
    python = str(who.ROOT / ".venv" / "bin" / "python")  # the interpreter `./sandgate` itself runs on
    field = [Contestant("python -c pass", lambda: spawn([python, "-c", "pass"], env=env))]
    for argv in (["ls"], ["bash", "-lc", "ls src | head -5"], ["bash", "-lc", 'ls "$X"']):
        line = [who.SANDGATE, "check", "--", *argv]
        field.append(Contestant(" ".join(["sandgate check --", *argv]), _checking(line, env)))
    race(field, rounds)
    floor, plain = field[0].median_ms, field[1].median_ms
    bar = 1.5 * floor + 60
    met = "bar met" if plain <= bar else "bar MISSED"
    shown = table("A fresh `sandgate check`", field, against=("python -c pass",))
    return shown + f"\n{met}: `ls` {plain:.1f} ms of 1.5 x `python -c pass` + 60 ms = {bar:.1f} ms\n"


def _checking(argv: list[str], env: dict[str, str]) -> Callable[[], None]:
    def run() -> None:
        try:
            spawn(argv, env=env)
        except RuntimeError as problem:  # what is not allowed unasked ends with a status of its own
            if not str(problem).endswith(tuple("0123456789")):
                raise

    return run


JUDGE_WORKLOADS = {"judge": judge, "judge-real": judge_real, "check-start": check_start}
