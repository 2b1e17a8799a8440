"""What every contestant of the terminal workloads is asked and how it answers, so that the rows can be compared.

A contestant is a program: `PROGRAM stream pty|raw COMMAND`, `PROGRAM roundtrip SAMPLES`, `PROGRAM tool SAMPLES` or
`PROGRAM many COUNT LINES COMMAND GATE`, answering with one JSON object on its last line of output. `native/reader.c`
says what they mean. Here is what the ones in Python have in common: reading the question, timing the round trips, and
counting what is left after closing.
"""

from __future__ import annotations

import fcntl
import json
import sys
import time

from terminal_programs.meter import Meter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

ROWS, COLUMNS = 24, 80
SHELL = ("env", "TERM=dumb", "PS1=$ ", "bash", "--norc", "--noprofile", "-i")  # plain answers, a known prompt
PROMPT = b"$ "
TYPED = b"echo hi\n"
ANSWERED = b"\nhi\r\n"  # begins a line: the echo of what was typed ends in the same letters
WAIT_MS = 60_000  # no single wait is longer
WARM_SAMPLES = 10  # round trips that are not counted, as in native/reader.c
LEFTOVER_WAIT_MS = 2_000  # a killed process needs a moment to be gone
LOOK_AGAIN_MS = 5

Answer = dict[str, object]


class NoSuchThing(Exception):
    """The contestant cannot do what it was asked; its answer is `null`, its cell in the table stays empty."""


class Program:
    """One contestant."""

    def __init__(self) -> None:
        self.meter = Meter()  # of this process; a contestant that is a server puts the server's here

    def stream(self, mode: str, command: str) -> int:
        """Read all that `bash -c command` prints to a terminal (`pty`: as it is, `raw`: without output
        post-processing); returns the number of bytes."""
        raise NoSuchThing(mode, command)

    def roundtrip(self) -> Callable[[], object]:
        """Open `SHELL`, wait for its prompt; what is returned types one `echo hi` and returns when `hi` is there.
        It may return a function that waits for the prompt, outside of the time taken."""
        raise NoSuchThing

    def tool(self) -> Callable[[], object]:
        """The same at the level at which a model calls."""
        raise NoSuchThing

    def open_many(self, count: int, command: str) -> None:
        """Open `count` terminals that run `bash -c command`."""
        raise NoSuchThing(count, command)

    def gather(self, lines: int) -> int:
        """Read until each terminal has printed `lines` lines since it was opened; returns how many all printed."""
        raise NoSuchThing(lines)

    def close_many(self) -> None:
        """Close all terminals, whose programs still run; afterwards nothing is left of them."""
        raise NoSuchThing

    def finish(self) -> None:
        """Close everything."""
        raise NoSuchThing


def serve(make: Callable[[], Program]) -> None:
    """Answer the question on the command line."""
    question, *arguments = sys.argv[1:]
    program = make()
    try:
        answer: Answer | None = _answer(program, question, arguments)
    except NoSuchThing:
        answer = None
    finally:
        program.finish()
    print(json.dumps(answer))


def _answer(program: Program, question: str, arguments: list[str]) -> Answer:
    match question, arguments:
        case "stream", [mode, command]:
            return _stream(program, mode, command)
        case "roundtrip", [samples]:
            return _timed(program, program.roundtrip(), int(samples))
        case "tool", [samples]:
            return _timed(program, program.tool(), int(samples))
        case "many", [count, lines, command, gate]:
            return _many(program, int(count), int(lines), command, gate)
    raise SystemExit(f"cannot answer {question} {arguments}")


def _stream(program: Program, mode: str, command: str) -> Answer:
    program.stream(mode, "true")  # what the first one loads is not what the output costs
    program.meter.start()
    start = time.perf_counter()
    received = program.stream(mode, command)
    return {"seconds": time.perf_counter() - start, "bytes": received, **program.meter.used()}


def _timed(program: Program, once: Callable[[], object], samples: int) -> Answer:
    taken_ms = []
    for number in range(-WARM_SAMPLES if samples > WARM_SAMPLES else -1, samples):
        if number == 0:
            program.meter.start()
        start = time.perf_counter()
        settle = once()
        if number >= 0:
            taken_ms.append((time.perf_counter() - start) * 1000)
        if callable(settle):
            settle()
    return {"samples_ms": taken_ms, **program.meter.used()}


def _many(program: Program, count: int, lines: int, command: str, gate: str) -> Answer:
    meter = program.meter
    with open(gate, "rb+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        program.open_many(1, command)  # what stays after the first one is the contestant's, not its terminals'
        program.gather(1)
        program.close_many()
        before = meter.descriptors(), meter.helpers(command)
        meter.start()
        start = time.perf_counter()
        program.open_many(count, command)
        program.gather(1)
        starting = meter.used()
        answer: Answer = {"start_s": time.perf_counter() - start, "start_cpu_s": starting["cpu_s"]}
        start = time.perf_counter()
        fcntl.flock(held, fcntl.LOCK_UN)
        received = program.gather(lines + 1) - count
        used = meter.used()
        answer |= {"seconds": time.perf_counter() - start, "lines": received, "peak_mb": used["peak_mb"]}
        answer["cpu_s"] = used["cpu_s"] - starting["cpu_s"]
        helpers = meter.helpers(command)
        answer |= {"helpers": len(helpers), "helpers_mb": meter.proportional_mb(helpers)}
        closing = time.perf_counter()
        program.close_many()
        answer["close_s"] = time.perf_counter() - closing
        return {**answer, **_left(meter, command, before)}


def _left(meter: Meter, command: str, before: tuple[int, list[int]]) -> Answer:
    """What there is more of than before the terminals, once everything killed has had time to go."""
    until = time.monotonic() + LEFTOVER_WAIT_MS / 1000
    while True:
        descriptors = meter.descriptors() - before[0]
        processes = len(meter.running(command)) + len(set(meter.helpers(command)) - set(before[1]))
        if (descriptors <= 0 and not processes) or time.monotonic() > until:
            return {"left_descriptors": descriptors, "left_processes": processes}
        time.sleep(LOOK_AGAIN_MS / 1000)
