"""Commands that live on keep their state, are told about, and leave nothing behind, however their session ends."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import threading
import weakref
from collections import Counter
from pathlib import Path

import pytest

from sandgate.errors import UnknownTerminal
from sandgate.protocol.trace import (
    ApprovalRequested,
    CommandBegan,
    CommandEnded,
    OutputArrived,
    TerminalBegan,
    TerminalEnded,
    TerminalInput,
)
from sandgate.runtime.aio import AsyncGate
from sandgate.testing import ReviewerDouble
from sandgate.tools.python_arguments import exec_arguments
from support.process.waiting import open_descriptors, wait_until
from support.suite.sampling import full
from support.terminal.live_sessions import (
    BACKENDS,
    CONNECTIONS,
    JOIN_LIMIT_S,
    Workplace,
    is_running,
    left_of,
    pid_in,
    run_to_end,
    shell,
)

pytestmark = pytest.mark.host("namespace", "notify")

SOURCE = Path(__file__).resolve().parents[2] / "src"
CYCLES = 200 if full() else 20  # what each of them left would be seen after the first
WARM_UP = 10  # caches and lazily opened descriptors settle
STAND_STILL = "echo $$ > pid; exec sleep 1000"


def test_shell_keeps_its_state_from_call_to_call(place: Workplace) -> None:
    """Idea 12."""
    runtime = place.session()
    number = shell(runtime)
    runtime.write_stdin(number, "export KEPT=so; cd /usr\r")
    assert "so in /usr" in runtime.write_stdin(number, "echo $KEPT in $PWD\r").output


def test_two_shells_share_nothing(place: Workplace) -> None:
    """Idea 13."""
    runtime = place.session()
    first, second = shell(runtime), shell(runtime)
    runtime.write_stdin(first, "export KEPT=so\r")
    assert "[]" in runtime.write_stdin(second, 'echo "[$KEPT]"\r').output
    assert first != second


def test_answer_comes_before_the_output_and_a_later_poll_has_it(place: Workplace) -> None:
    """Idea 14: the output is not lost between two calls, and comes once."""
    runtime = place.session()
    number = shell(runtime)
    first = runtime.write_stdin(number, "sleep 1 && echo V$((1 + 1))\r", yield_time_ms=10)
    assert ("V2" in first.output, first.session_id, first.state) == (False, number, "running")
    later = runtime.write_stdin(number)
    assert later.output.count("V2") == 1


@pytest.mark.parametrize("tty", CONNECTIONS)
def test_time_does_not_count_while_somebody_is_asked(place: Workplace, tty: bool) -> None:
    """Idea 15: the answer is as complete as if nobody had been asked meanwhile."""
    colleague = ReviewerDouble(always="approve", holds_back=True)
    runtime = place.session(reviewer=colleague, approval_policy="on-request")
    asking = threading.Thread(target=lambda: runtime.run(runtime.request(("true",), escalate=True)))
    asking.start()
    assert colleague.is_asked.wait(JOIN_LIMIT_S)

    def answer_when_it_is_over() -> None:
        wait_until((place.repo / "made").exists)
        colleague.open.set()

    answering = threading.Thread(target=answer_when_it_is_over)
    answering.start()
    answer = runtime.exec_command("sleep 1; echo done; touch made", yield_time_ms=250, tty=tty, login=False)
    for thread in (asking, answering):
        thread.join(JOIN_LIMIT_S)
    assert (answer.exit_code, answer.session_id, answer.output.strip()) == (0, None, "done")


def test_number_of_a_command_whose_end_was_told_is_unknown(place: Workplace) -> None:
    """Idea 16."""
    runtime = place.session()
    number = shell(runtime)
    assert runtime.write_stdin(number, "exit 3\r").exit_code == 3
    with pytest.raises(UnknownTerminal, match=f"^Unknown process id {number}$"):
        runtime.write_stdin(number)
    assert runtime.list_live() == ()


@pytest.mark.parametrize("tty", CONNECTIONS)
@pytest.mark.parametrize("backend", BACKENDS)
def test_exit_code_is_told_with_the_last_output(place: Workplace, backend: str, tty: bool) -> None:
    """Idea 17, and the same for one that was handed out first."""
    runtime = place.session(backend=backend)
    early = run_to_end(runtime, "echo early; exit 17", tty=tty)
    assert (early.exit_code, early.output.split()) == (17, ["early"])
    begun = runtime.exec_command("sleep 0.5; echo late; exit 18", yield_time_ms=250, tty=tty, login=False)
    assert begun.session_id is not None
    later = runtime.write_stdin(begun.session_id)
    assert (later.exit_code, later.session_id, later.output.split()) == (18, None, ["late"])


@pytest.mark.parametrize("tty", CONNECTIONS)
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_killed_command_reads_as_137(place: Workplace, backend: str, tty: bool) -> None:
    """Idea 48."""
    answer = run_to_end(place.session(backend=backend), "kill -9 $$", tty=tty)
    assert answer.exit_code == 137


def test_short_command_has_one_beginning_one_end_and_its_output(place: Workplace) -> None:
    """Ideas 22, 24, 25, 26: with yield before its end, the end is told once and holds all output."""
    runtime = place.session()
    run_to_end(runtime, "sleep 0.5; printf X", yield_time_ms=1000, workdir="/usr")
    (end,) = place.told(TerminalEnded)
    (began,) = place.told(TerminalBegan)
    assert (began.command.argv[1:], began.command.cwd, began.tty) == (("-c", "sleep 0.5; printf X"), "/usr", False)
    assert (end.call_id, end.process_id) == (began.call_id, began.process_id)
    assert (end.exit_code, end.output, end.status, end.message) == (0, b"X", "completed", "")
    assert b"".join(delta.chunk for delta in place.told(OutputArrived)) == b"X"
    assert [(each.call_id, each.attempt) for each in place.told(CommandBegan)] == [(began.call_id, 1)]
    assert [each.call_id for each in place.told(CommandEnded)] == [began.call_id]


def test_beginning_comes_first_and_the_end_last(place: Workplace) -> None:
    runtime = place.session()
    run_to_end(runtime, "echo a; sleep 0.3; echo b")
    assert len(place.told(TerminalEnded)) == 1
    order = [type(event).__name__ for event in place.events]
    live = [name for name in order if name in ("TerminalBegan", "OutputArrived", "TerminalEnded")]
    assert (live[0], live[-1], live.count("OutputArrived")) == ("TerminalBegan", "TerminalEnded", 2)


def test_inputs_are_told_under_the_call_that_started_the_command(place: Workplace) -> None:
    """Ideas 27 and 28: each with its exact characters, also a look; both markers are in the transcript."""
    runtime = place.session()
    number = shell(runtime)
    typed = ["sleep 0.5\r", "echo on\\e-$((1 + 1))\r", "echo two-$((2 + 2))\r"]
    for text in typed:
        runtime.write_stdin(number, text)
    runtime.write_stdin(number, "exit\r")
    (end,) = place.told(TerminalEnded)
    (began,) = place.told(TerminalBegan)
    inputs = place.told(TerminalInput)
    assert [each.stdin for each in inputs] == [*typed, "exit\r"]
    assert {(each.call_id, each.process_id) for each in inputs} == {(began.call_id, number)}
    assert b"one-2" in end.output
    assert b"two-4" in end.output
    assert b"".join(delta.chunk for delta in place.told(OutputArrived)) == end.output


def test_what_is_typed_without_echo_is_told_to_nobody(place: Workplace) -> None:
    runtime = place.session()
    asking = runtime.exec_command("read -rs secret; echo got ${#secret}", tty=True, login=False)
    assert (asking.state, asking.session_id is not None) == ("waiting_for_secret", True)
    answer = runtime.write_stdin(asking.session_id or 0, "hunter2\r")
    assert "got 7" in answer.output
    assert len(place.told(TerminalEnded)) == 1
    assert place.told(OutputArrived)
    assert "hunter2" not in repr(place.events)
    assert [each.stdin for each in place.told(TerminalInput)] == ["(not shown: typed while echo was off)"]


def test_cat_repeats_what_is_typed_and_ends_at_end_of_file(place: Workplace) -> None:
    """Idea 34."""
    runtime = place.session()
    number = runtime.exec_command("cat", tty=True, login=False).session_id
    assert number is not None
    assert runtime.write_stdin(number, "text\r").output == "text\r\ntext\r\n"
    answer = runtime.write_stdin(number, "\x04")
    assert (answer.exit_code, answer.session_id) == (0, None)
    (end,) = place.told(TerminalEnded)
    assert (end.call_id, end.process_id, end.exit_code) == (place.told(TerminalBegan)[0].call_id, number, 0)
    with pytest.raises(UnknownTerminal):
        runtime.write_stdin(number)


def test_a_refused_start_is_told_with_its_reason(place: Workplace) -> None:
    """Ours: the reference tells neither beginning nor end."""
    runtime = place.session(approval_policy="untrusted")
    assert runtime.exec_command("touch made", login=False).refused
    (end,) = place.told(TerminalEnded)
    assert (end.status, end.exit_code, end.output) == ("declined", -1, b"")
    assert end.message
    assert [each.call_id for each in place.told(TerminalBegan)] == [end.call_id]
    assert [each.request.call_id for each in place.told(ApprovalRequested)] == [end.call_id]


# Room and numbers

SMALL_TABLE = {
    "SANDGATE_EXEC_MAX_PROCESSES": "4",
    "SANDGATE_EXEC_WARN_PROCESSES": "3",
    "SANDGATE_EXEC_PROTECTED_RECENT": "1",
    "SANDGATE_EXEC_MIN_EMPTY_YIELD_MS": "250",
}


def test_a_command_that_is_over_makes_room_before_one_that_runs(place: Workplace) -> None:
    """Idea 40: the oldest is alive and stays."""
    runtime = place.session(environ=SMALL_TABLE)
    commands = ["sleep 1000", "sleep 0.6; echo last words; exit 5", "sleep 1000", "sleep 1000"]
    numbers = [runtime.exec_command(each, yield_time_ms=250, login=False).session_id for each in commands]
    assert wait_until(lambda: [each.state for each in runtime.list_live()].count("exited") == 1)
    newest = runtime.exec_command("sleep 1000", yield_time_ms=250, login=False).session_id
    assert [each.session_id for each in runtime.list_live()] == [numbers[0], numbers[2], numbers[3], newest]
    told = runtime.write_stdin(numbers[1] or 0)  # its number still answers, once
    assert (told.exit_code, told.output) == (5, "last words\n")
    with pytest.raises(UnknownTerminal):
        runtime.write_stdin(numbers[1] or 0)


def test_the_one_unused_for_longest_makes_room_when_all_run_and_is_ended(place: Workplace) -> None:
    runtime = place.session(environ=SMALL_TABLE)
    numbers = []
    for index in range(4):
        answer = runtime.exec_command(f"echo $$ > pid{index}; exec sleep 1000", yield_time_ms=250, login=False)
        numbers.append(answer.session_id or 0)
    runtime.write_stdin(numbers[0], yield_time_ms=0, max_output_tokens=1)
    newest = runtime.exec_command("sleep 1000", yield_time_ms=250, login=False).session_id
    assert [each.session_id for each in runtime.list_live()] == [numbers[0], numbers[2], numbers[3], newest]
    assert wait_until(lambda: len(place.told(TerminalEnded)) == 1)
    assert place.told(TerminalEnded)[0].process_id == numbers[1]


@pytest.mark.parametrize("begun", [True, False])
def test_calls_that_are_given_up_keep_no_command_beyond_the_limit(place: Workplace, begun: bool) -> None:
    """Required: before they began to wait or after."""
    runtime = place.session(environ=SMALL_TABLE)
    given = exec_arguments(cmd="sleep 1000", login=False)
    calls = [runtime.tools.finish(given, runtime.tools.begin(given)) for _ in range(7)]
    assert len(runtime.list_live()) == 7
    for call in calls:
        if begun:
            next(call)
        call.close()
    calls.clear()
    del call
    if not begun:  # nobody is told then: the next one to start finds them
        runtime.exec_command("sleep 1000", yield_time_ms=250, login=False)
    assert len(runtime.list_live()) == 4


def test_a_cancelled_call_keeps_no_command_beyond_the_limit(place: Workplace) -> None:
    runtime = place.session(environ=SMALL_TABLE)
    gate = AsyncGate(runtime)

    async def work() -> None:
        calls = [asyncio.ensure_future(gate.exec_command("sleep 1000", login=False)) for _ in range(7)]
        while len(await gate.list_live()) < 7:
            await asyncio.sleep(0)
        for call in calls:
            call.cancel()
        await asyncio.wait(calls)
        assert len(await gate.list_live()) == 4

    asyncio.run(asyncio.wait_for(work(), 60))


def test_many_open_commands_are_warned_about(place: Workplace) -> None:
    """Idea 46."""
    runtime = place.session(environ=SMALL_TABLE)
    answers = [runtime.exec_command("sleep 1000", yield_time_ms=250, login=False) for _ in range(3)]
    assert [len(answer.notices) for answer in answers] == [0, 0, 1]
    assert "keep open is 3 and you currently have 3 processes open" in answers[2].notices[0]
    assert "Notice: The maximum number" in answers[2].text()


# Several callers


def test_concurrent_polls_lose_nothing_and_repeat_nothing(place: Workplace) -> None:
    """Idea 47: each line is in exactly one answer, whoever asked."""
    runtime = place.session()
    script = "for part in 0 1 2 3 4 5; do seq ${part}000 ${part}999; read more; done"
    begun = runtime.exec_command(f"stty -echo; {script}", tty=True, login=False)
    parts = [begun.output]

    def poll() -> None:
        try:
            while True:
                parts.append(runtime.write_stdin(begun.session_id or 0, "\r", max_output_tokens=100_000).output)
        except UnknownTerminal:
            return  # the other one was told its end

    threads = [threading.Thread(target=poll) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(JOIN_LIMIT_S)
    assert len(parts) > 3
    assert sorted(map(int, "".join(parts).split())) == list(range(6000))


# Ends


@pytest.mark.parametrize("tty", CONNECTIONS)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("way", ["clean", "close", "drop", "terminate"])
def test_commands_live_on_between_calls_and_end_when_they_are_told_to(
    place: Workplace, backend: str, tty: bool, way: str
) -> None:
    """Idea 35, and what the command has started goes along."""
    mark = f"1000.{os.getpid()}{id(place)}"
    runtime = place.session(backend=backend)
    number = runtime.exec_command(f"sleep {mark} & sleep {mark}; true", tty=tty, yield_time_ms=250, login=False)
    assert left_of(mark) == 2
    assert [each.state for each in runtime.list_live()] == ["running"]
    if way == "clean":
        assert runtime.clean() == 1
    elif way == "terminate":
        assert runtime.terminate(number.session_id or 0)
    elif way == "close":
        runtime.close()
    else:
        place.forget(runtime)
        del runtime
        gc.collect()
    assert wait_until(lambda: left_of(mark) == 0), left_of(mark)


def test_a_clean_session_goes_on_and_a_second_close_does_nothing(place: Workplace) -> None:
    runtime = place.session()
    shell(runtime)
    assert (runtime.clean(), runtime.list_live(), runtime.clean()) == (1, (), 0)
    assert run_to_end(runtime, "echo again").output == "again\n"
    runtime.close()
    runtime.close()


def test_terminate_asks_first_and_answers_who_was_there(place: Workplace) -> None:
    runtime = place.session()
    script = "trap 'echo asked; exit 9' TERM; echo ready; while :; do sleep 0.05; done"
    begun = runtime.exec_command(script, yield_time_ms=250, login=False)
    assert begun.session_id is not None
    assert runtime.terminate(begun.session_id) is True
    last = runtime.write_stdin(begun.session_id)
    said = (begun.output + last.output).split()
    assert (said[0], said[-1], last.exit_code) == ("ready", "asked", 9)
    assert runtime.terminate(begun.session_id) is False


def test_a_command_that_does_not_listen_is_killed(place: Workplace) -> None:
    runtime = place.session()
    begun = runtime.exec_command("trap '' TERM HUP; echo deaf; while :; do sleep 1; done", tty=True, yield_time_ms=500)
    assert runtime.terminate(begun.session_id or 0)
    last = runtime.write_stdin(begun.session_id or 0)
    assert last.exit_code == 137


@pytest.mark.parametrize("tty", CONNECTIONS)
@pytest.mark.parametrize("backend", BACKENDS)
def test_nothing_is_left_when_the_owner_is_killed(place: Workplace, backend: str, tty: bool) -> None:
    """Required for every backend: SIGKILL gives nobody a chance to clear up."""
    mark = f"1000.{os.getpid()}{id(place)}"
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(SOURCE), backend, "tty" if tty else "pipe", mark],
        cwd=place.repo,
        env={"PATH": "/usr/bin:/bin", "HOME": str(place.home)},
        stdout=subprocess.PIPE,
    )
    assert owner.stdout is not None
    with owner, owner.stdout:
        try:
            assert owner.stdout.readline() == b"started\n"
            assert wait_until(lambda: left_of(mark) == 3), left_of(mark)
        finally:
            owner.kill()
    assert owner.returncode == -signal.SIGKILL
    assert wait_until(lambda: left_of(mark) == 0), left_of(mark)


OWNER = """
import os, sys
source, backend, connection, mark = sys.argv[1:]
sys.path.insert(0, source)
from sandgate.runtime import Environment, open_runtime
from sandgate.config import TypedOverrides
mode = "danger-full-access" if backend == "none" else "workspace-write"
typed = TypedOverrides(approval_policy="never", sandbox_mode=mode, backend=None if backend == "none" else backend)
runtime = open_runtime(Environment(cwd=os.getcwd(), environ=dict(os.environ), typed=typed))
script = f"trap '' HUP TERM; sleep {mark} & (trap '' HUP; exec sleep {mark}) & sleep {mark}; true"
answer = runtime.exec_command(script, tty=connection == "tty", yield_time_ms=250, login=False)
assert answer.session_id is not None, answer
print("started", flush=True)
runtime.live.table.get(answer.session_id).wait_exit()
"""


def census() -> tuple[list[str], int, list[str]]:
    """What our descriptors are, our threads, and our children, zombies among them."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return sorted(open_descriptors().values()), len(os.listdir("/proc/self/task")), children


def more_than(before: tuple[list[str], int, list[str]]) -> bool:
    """Whether there is anything now that was not there before."""
    descriptors, threads, children = census()
    grown = Counter(descriptors) - Counter(before[0])
    return bool(grown) or threads > before[1] or not set(children) <= set(before[2])


@pytest.mark.slow
@pytest.mark.parametrize("tty", CONNECTIONS)
@pytest.mark.parametrize("backend", BACKENDS)
def test_starts_and_ends_leave_no_descriptor_thread_or_child(place: Workplace, backend: str, tty: bool) -> None:
    """Idea 50."""
    with place.session(backend=backend) as first:  # this process keeps its last Landlock rule set
        run_to_end(first, "true")
    gc.collect()
    at_first = census()
    runtime = place.session(backend=backend)
    for _ in range(WARM_UP):
        run_to_end(runtime, "true", tty=tty)
    place.told(TerminalEnded)
    assert wait_until(lambda: len(census()[2]) <= (backend != "namespace"))  # the guard of what nothing else ends
    before = census()
    for _ in range(CYCLES):
        assert run_to_end(runtime, "true", tty=tty).exit_code == 0
    place.told(TerminalEnded)
    assert wait_until(lambda: not more_than(before)), (census(), before)
    place.forget(runtime)
    runtime.close()
    del runtime
    gc.collect()
    assert wait_until(lambda: not more_than(at_first)), (census(), at_first)


def test_program_learns_why_a_terminal_ran_and_what_was_denied(place: Workplace) -> None:
    runtime = place.session()
    terminal = runtime.terminal(("sh", "-c", f"read go; touch {place.outside}/x"))
    running = runtime.attempt_of(terminal)
    assert running is not None
    assert (running.confined, running.result) == (True, None)
    terminal.write(b"\n")
    assert terminal.wait_exit(10_000) != 0
    ended = runtime.attempt_of(terminal)
    assert ended is not None
    assert [denial.path for denial in ended.denial.denials] == [f"{place.outside}/x"]


def test_what_is_refused_to_a_running_command_is_in_the_next_answer_about_it(place: Workplace) -> None:
    """Required: not only at its end; a program that tries again for a minute is understood at once."""
    runtime = place.session()
    script = f"touch {place.outside}/x; read go; touch {place.outside}/y; read go; exit 3"
    first = runtime.exec_command(script, login=False, tty=True, yield_time_ms=10_000)
    number = first.session_id
    assert number is not None
    assert [denial.path for denial in first.denials] == [f"{place.outside}/x"]
    assert f"the sandbox refused: create {place.outside}/x" in first.notices[0]
    second = runtime.write_stdin(number, "\n", yield_time_ms=10_000)
    assert [denial.path for denial in second.denials] == [f"{place.outside}/y"]
    last = runtime.write_stdin(number, "\n", yield_time_ms=10_000)
    assert (last.exit_code, [denial.path for denial in last.denials]) == (
        3,
        [f"{place.outside}/x", f"{place.outside}/y"],
    )
    assert not any("refused" in notice for notice in last.notices)


@pytest.mark.parametrize("backend", BACKENDS)
def test_terminal_that_was_closed_and_opened_again_still_prints(place: Workplace, backend: str) -> None:
    """Required: nothing is done behind the back of whoever watches."""
    script = "echo seen; exec 9</dev/tty </dev/null >/dev/null 2>&1 9<&-; sleep 0.2; exec >/dev/tty; echo again"
    answer = run_to_end(place.session(backend=backend), script, tty=True)
    assert (answer.exit_code, "seen" in answer.output, "again" in answer.output) == (0, True, True)


@pytest.mark.parametrize("tty", CONNECTIONS)
def test_a_command_whose_end_was_told_is_kept_by_nobody(place: Workplace, tty: bool) -> None:
    """Required: each holds up to two mebibytes of output."""
    runtime = place.session()
    begun = runtime.exec_command("sleep 0.5", tty=tty, yield_time_ms=250, login=False)
    seen = weakref.ref(runtime.live.table.get(begun.session_id or 0))
    assert runtime.write_stdin(begun.session_id or 0).exit_code == 0
    run_to_end(runtime, "true")  # the pump's thread knows the last command it looked after

    def is_forgotten() -> bool:
        gc.collect()
        return seen() is None

    assert wait_until(is_forgotten)  # as soon as nothing more is due for it


def test_pid_file_names_a_process_that_is_gone_after_close(place: Workplace) -> None:
    """Idea 35 with the probe of the reference; without a sandbox the number is the host's."""
    runtime = place.session(backend="none")
    runtime.exec_command(STAND_STILL, yield_time_ms=250, login=False)
    pid = pid_in(place.repo / "pid")
    assert is_running(pid)
    runtime.close()
    assert not is_running(pid)
