"""Live commands for a long time, by several callers at once and in no order: nothing leaks and no output is lost.

Not part of the ordinary tests; `./check soak` runs it for SANDGATE_SOAK_MINUTES. SANDGATE_SOAK_SEED repeats a run's
choices.
"""

from __future__ import annotations

import gc
import os
import random
import resource
import threading
import time
from pathlib import Path

import pytest

from sandgate.patterns.wanted import Wanted
from support.process.waiting import open_descriptors, wait_until
from support.terminal.live_sessions import Workplace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.runtime import Runtime

pytestmark = [pytest.mark.soak, pytest.mark.host("namespace", "notify")]

MINUTES = float(os.environ.get("SANDGATE_SOAK_MINUTES", "10"))
SEED = int(os.environ.get("SANDGATE_SOAK_SEED", "0")) or random.SystemRandom().randrange(1, 2**31)
CALLERS = 4
SETTLE_S = 30  # after the last call, for the kernel's own bookkeeping
WARM_UP_S = 20  # or a fifth of the time; caches and arenas fill
MEMORY_GROWTH_MAX_BYTES = 40_000_000
ENVIRON = {"SANDGATE_EXEC_MIN_EMPTY_YIELD_MS": "250", "SANDGATE_EXEC_MAX_PROCESSES": "16",
           "SANDGATE_EXEC_WARN_PROCESSES": "15"}  # fmt: skip


class Caller:
    """One thread with commands of its own; every deed checks what it can know."""

    def __init__(self, runtime: Runtime, seed: int) -> None:
        self._runtime = runtime
        self._confined = runtime.policies.confines
        self._random = random.Random(seed)
        self._deeds: tuple[Callable[[], None], ...] = (
            self.short_command,
            self.counted_output,
            self.dialogue,
            self.sudden_end,
            self.ended_from_outside,
            self.large_output,
            self.tied_to_a_pattern,
        )
        self.done = 0
        self.fault: BaseException | None = None

    def work(self, until_s: float) -> None:
        try:
            while time.monotonic() < until_s:
                self._random.choice(self._deeds)()
                self.done += 1
        except BaseException as fault:
            self.fault = fault

    def short_command(self) -> None:
        code, tty = self._random.randrange(200), self._flip()
        answer = self._runtime.exec_command(f"echo one; exit {code}", tty=tty, login=False)
        assert (answer.output.split(), answer.exit_code) == (["one"], code), answer

    def counted_output(self) -> None:
        """Numbers, slowly and in bursts; taken by polls, each of them once."""
        count = self._random.randrange(10, 3000)
        pause = self._random.choice(("", "sleep 0.3;"))
        script = f"seq 1 {count}; {pause} seq {count + 1} {2 * count}"
        answer = self._runtime.exec_command(script, tty=self._flip(), yield_time_ms=250, login=False,
                                            max_output_tokens=100_000)  # fmt: skip
        parts = [answer.output]
        while answer.session_id is not None:
            answer = self._runtime.write_stdin(answer.session_id, max_output_tokens=100_000)
            parts.append(answer.output)
        assert "".join(parts).split() == [str(number) for number in range(1, 2 * count + 1)]
        assert answer.exit_code == 0

    def dialogue(self) -> None:
        terminal = self._runtime.terminal(("/bin/bash", "--norc", "--noprofile", "-i"))
        try:
            offset = 0
            for _ in range(self._random.randrange(1, 8)):
                word = f"{self._random.randrange(10**9):09d}"
                if self._flip():
                    terminal.resize(self._random.randrange(10, 60), self._random.randrange(40, 200))
                terminal.write(f"echo {word[:4]}''{word[4:]}\n".encode())
                match = terminal.wait_for((word,), timeout_ms=20_000, offset=offset)
                assert match is not None, terminal.read(offset)
                offset = match.end
            terminal.write(b"exit 0\n")
            assert terminal.wait_exit(20_000) == 0
        finally:
            terminal.close()

    def sudden_end(self) -> None:
        answer = self._runtime.exec_command("kill -9 $$", tty=self._flip(), login=False)
        assert answer.exit_code == 137, answer

    def ended_from_outside(self) -> None:
        # Without a sandbox nobody knows of a session that a command opens for itself.
        escaping = "setsid sleep 1000 & " if self._confined else ""
        script = f"sleep 1000 & {escaping}sleep 1000"
        begun = self._runtime.exec_command(script, tty=self._flip(), yield_time_ms=250, login=False)
        assert begun.session_id is not None, begun
        assert self._runtime.terminate(begun.session_id)
        answer = self._runtime.write_stdin(begun.session_id, yield_time_ms=20_000)
        assert answer.session_id is None, answer

    def large_output(self) -> None:
        size = self._random.randrange(1, 4) * 1_000_000
        answer = self._runtime.exec_command(f"head -c {size} /dev/zero | tr '\\0' x", login=False)
        while answer.session_id is not None:
            answer = self._runtime.write_stdin(answer.session_id)
        assert answer.exit_code == 0, answer

    def tied_to_a_pattern(self) -> None:
        begun = self._runtime.exec_command("stty -echo; echo ready; read x; echo got=$x; read y", tty=True, login=False)
        assert begun.session_id is not None, begun
        wanted = (Wanted("got=[0-9]+", regex=True),)
        answer = self._runtime.write_stdin(begun.session_id, "17\r", wait_for=wanted, yield_time_ms=20_000)
        assert (answer.matched or "").startswith("got=1"), answer
        assert self._runtime.write_stdin(begun.session_id, "\r", yield_time_ms=20_000).exit_code == 0

    def _flip(self) -> bool:
        return self._random.random() < 0.5


def census() -> tuple[list[str], int, list[str]]:
    """Our descriptors, threads and children."""
    children = [
        pid for task in os.listdir("/proc/self/task") for pid in _read(f"/proc/self/task/{task}/children").split()
    ]
    return sorted(open_descriptors().values()), len(os.listdir("/proc/self/task")), children


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def memory_bytes() -> int:
    return int(_read("/proc/self/statm").split()[1]) * resource.getpagesize()


def in_threads(runtime: Runtime, seconds: float, seed: int) -> int:
    """Lets the callers work; how much they did. Raises what went wrong in one of them."""
    callers = [Caller(runtime, seed + index) for index in range(CALLERS)]
    until_s = time.monotonic() + seconds
    threads = [threading.Thread(target=each.work, args=(until_s,), daemon=True) for each in callers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds + 120)
        assert not thread.is_alive(), "a call never came back"
    for each in callers:
        if each.fault is not None:
            raise each.fault
    return sum(each.done for each in callers)


@pytest.mark.parametrize("backend", ["namespace", "landlock", "none"])
def test_a_long_session_leaks_nothing_and_loses_nothing(place: Workplace, backend: str) -> None:
    print(f"SANDGATE_SOAK_SEED={SEED}")
    seconds = MINUTES * 60 / 3
    with place.session(backend=backend) as first:
        first.exec_command("true", login=False)
    gc.collect()
    at_first = census()
    place.keeps_events = False  # they hold all output
    runtime = place.session(backend=backend, environ=ENVIRON)
    in_threads(runtime, min(WARM_UP_S, seconds / 5), SEED)
    gc.collect()
    before = memory_bytes()
    done = in_threads(runtime, seconds, SEED + CALLERS)
    assert done > 0
    assert {each.state for each in runtime.list_live()} <= {"exited"}  # terminals; their owners need no answer
    gc.collect()
    grown = memory_bytes() - before
    print(f"{backend}: {done} deeds, memory grew by {grown} bytes")
    assert grown < MEMORY_GROWTH_MAX_BYTES
    place.forget(runtime)
    runtime.close()
    del runtime
    gc.collect()
    assert wait_until(lambda: census() == at_first, SETTLE_S), (census(), at_first)
