"""What live terminals are measured on: throughput, the way there and back, and many at once."""

from __future__ import annotations

import random
import statistics
from dataclasses import dataclass

from terminal_contestants import CONFINED, LIMIT, UNCONFINED, TerminalContestant, build_reader, everybody
from terminal_tables import Bar, Column, paired, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from terminal_tables import Rows

    Question = Callable[[TerminalContestant], tuple[object, ...]]

STREAM_ROUNDS_MAX = 5
MANY_ROUNDS_MAX = 3
CROWD_ROUNDS_PER_ROUND = 3  # one round of the crowd for so many of the others: it is a load, not a latency
TICK_LINES, TICK_INTERVAL_MS = 400, 10
LONG_LINE_BYTES = 1_001
GAIN = 10  # of a terminal without output post-processing over one with it, on short lines
OURS = (CONFINED, UNCONFINED)


@dataclass(frozen=True)
class Stream:
    """What one terminal prints."""

    title: str
    mode: str  # `raw`: without output post-processing
    command: str
    payload: int  # bytes, without the carriage returns that the terminal adds
    lines: int


STREAMS = (
    Stream("short lines, `yes`, 20 MB", "pty", "yes 2>/dev/null | head -c 20000000", 20_000_000, 10_000_000),
    Stream("`seq`, a million lines", "pty", "seq 1000000", 6_888_896, 1_000_000),
    Stream(
        "long lines, 60 MB",
        "pty",
        f'yes "$(printf %0{LONG_LINE_BYTES - 1}d 0)" 2>/dev/null | head -c 60000000',
        60_000_000,
        60_000_000 // LONG_LINE_BYTES,
    ),
    Stream(
        "short lines, output post-processing off", "raw", "yes 2>/dev/null | head -c 20000000", 20_000_000, 10_000_000
    ),
)


def streams(workspace: Path, home: Path, rounds: int, *, peers: bool) -> str:
    """How fast one terminal's output is taken in, and at which cost."""
    field = _field(workspace, home, peers=peers)
    measured = {stream: _streamed(field, stream, min(rounds, STREAM_ROUNDS_MAX)) for stream in STREAMS}
    columns = [Column("MB/s", "MB/s", 1, ratio=True), Column("CPU s", "cpu_s")]
    columns += [Column("growth MB", "growth_mb"), Column("peak MB", "peak_mb")]
    shown = ""
    for stream, rows in measured.items():
        bars = [Bar(name, "growth_mb", "at most", 4) for name in OURS]
        if stream.mode == "pty":
            bars += [Bar(name, "MB/s", "at least", 0.85, of_limit=True) for name in OURS]
        shown += table(f"One terminal: {stream.title}", rows, columns, limit=LIMIT, bars=bars) + "\n"
    return shown + _gains(measured[STREAMS[-1]], measured[STREAMS[0]])


def _streamed(field: list[TerminalContestant], stream: Stream, rounds: int) -> Rows:
    def question(contestant: TerminalContestant) -> tuple[object, ...]:
        return "stream", "pipe" if "pipe" in contestant.answers else stream.mode, stream.command

    rows = _race([one for one in field if one.answers & {stream.mode, "pipe"}], question, rounds)
    for name, answers in rows.items():
        for answer in answers:
            if answer is None:
                continue
            answer["MB/s"] = stream.payload / answer["seconds"] / 1e6
            if answer["bytes"] not in (stream.payload, stream.payload + stream.lines):
                print(f"{name} got {answer['bytes']} bytes of {stream.payload} and {stream.lines} carriage returns\n")
    return rows


def _gains(raw: Rows, default: Rows) -> str:
    """Each contestant without output post-processing against itself with it."""
    lines = ["### Short lines, the gain of leaving output post-processing off", ""]
    for name in raw:
        gain = paired(raw[name], default.get(name, []), "MB/s")
        if gain is not None:
            judged = (" (bar met)" if gain >= GAIN else f" (bar MISSED: {GAIN})") if name in OURS else ""
            lines.append(f"- {name}: {gain:.1f} x its default{judged}")
    return "\n".join([*lines, "", ""])


def roundtrip(workspace: Path, home: Path, rounds: int, *, peers: bool) -> str:
    """From writing `echo hi` to a live shell until its `hi` is there for the caller."""
    field = [one for one in _field(workspace, home, peers=peers) if "roundtrip" in one.answers]
    bars = [Bar(name, "median ms", "at most", 2.5, of_limit=True) for name in OURS]
    return _latencies("`echo hi` to a live shell and back, library level", field, "roundtrip", rounds, bars)


def tool(workspace: Path, home: Path, rounds: int, *, peers: bool) -> str:
    """The same through the call that a model makes, which also has to see that nothing more will come."""
    field = [one for one in _field(workspace, home, peers=peers) if one.answers & {"tool", "limit"}]
    bars = [Bar(name, "median ms", "at most", 60) for name in OURS]
    return _latencies("`echo hi` to a live shell and back, tool level", field, "tool", rounds, bars)


def _latencies(title: str, field: list[TerminalContestant], name: str, rounds: int, bars: list[Bar]) -> str:
    def question(contestant: TerminalContestant) -> tuple[object, ...]:
        return name if name in contestant.answers else "roundtrip", contestant.samples

    rows = _race(field, question, rounds)
    for answers in rows.values():
        for answer in answers:
            if answer is not None:
                taken = sorted(answer["samples_ms"])
                answer["median ms"], answer["p95 ms"] = statistics.median(taken), taken[int(0.95 * (len(taken) - 1))]
    columns = [Column("median ms", "median ms", 3, ratio=True), Column("p95 ms", "p95 ms", 3)]
    return table(title, rows, [*columns, Column("peak MB", "peak_mb")], limit=LIMIT, bars=bars)


def many(workspace: Path, home: Path, rounds: int, *, peers: bool) -> str:
    """64 live terminals that print all the time."""
    bars = [Bar(name, "CPU s", "at most", 5, of_limit=True) for name in OURS]
    bars += [Bar(name, "peak MB", "at most", 40) for name in OURS]
    return _terminals(workspace, _field(workspace, home, peers=peers), 64, min(rounds, MANY_ROUNDS_MAX), bars)


def crowd(workspace: Path, home: Path, rounds: int, *, peers: bool) -> str:
    """500 of them: nobody is turned away, nothing is left behind."""
    bars = [Bar(name, "peak MB", "at most", 60) for name in OURS]
    field = _field(workspace, home, peers=peers)
    return _terminals(workspace, field, 500, min(max(1, rounds // CROWD_ROUNDS_PER_ROUND), MANY_ROUNDS_MAX), bars)


def _terminals(workspace: Path, everyone: list[TerminalContestant], count: int, rounds: int, bars: list[Bar]) -> str:
    field = [one for one in everyone if "many" in one.answers]
    gate = workspace.parent / "gate"
    gate.touch()
    command = f"exec {field[0].argv[0]} tick {TICK_LINES} {TICK_INTERVAL_MS} {gate}"
    rows = _race(field, lambda _contestant: ("many", count, TICK_LINES, command, gate), rounds)
    for answers in rows.values():
        for answer in answers:
            if answer is not None:
                answer["delivered %"] = 100 * answer["lines"] / (count * TICK_LINES)
                answer["CPU s"], answer["peak MB"] = answer["cpu_s"], answer["peak_mb"]
                # The C reader kills and reaps its own children; nobody looks whether that works.
                answer["left"] = max(0, answer.get("left_descriptors", 0)) + answer.get("left_processes", 0)
    columns = [Column("lines delivered %", "delivered %", 1), Column("manager CPU s", "CPU s", ratio=True)]
    columns += [Column("CPU s to start them", "start_cpu_s"), Column("started in s", "start_s")]
    columns += [Column("peak MB", "peak MB", 1), Column("helpers", "helpers", 0), Column("helpers MB", "helpers_mb", 1)]
    columns += [
        Column("all lines in s", "seconds"),
        Column("closed in s", "close_s"),
        Column("left over", "left", 0),
    ]
    bars = [*bars, *(Bar(name, "delivered %", "at least", 100) for name in OURS)]
    bars += [Bar(name, "left", "at most", 0) for name in OURS]
    title = f"{count} live terminals, a line every {TICK_INTERVAL_MS} ms, {TICK_LINES} lines each"
    return table(title, rows, columns, limit=LIMIT, bars=bars)


def _field(workspace: Path, home: Path, *, peers: bool) -> list[TerminalContestant]:
    return everybody(workspace, home, build_reader(workspace.parent), peers=peers)


def _race(field: list[TerminalContestant], question: Question, rounds: int, *, seed: int = 1) -> Rows:
    """Ask every contestant once a round, in a new order each round. Who does not answer is not asked again."""
    order = random.Random(seed)
    rows: Rows = {contestant.name: [] for contestant in field}
    for _round in range(rounds):
        shuffled = list(field)
        order.shuffle(shuffled)
        for contestant in shuffled:
            silent = None in rows[contestant.name]
            rows[contestant.name].append(None if silent else contestant.ask(*question(contestant)))
    return rows


TERMINAL_WORKLOADS = {"streams": streams, "roundtrip": roundtrip, "tool": tool, "many": many, "crowd": crowd}
