"""Twin of `execution/run.py`: what comes back from commands that end by themselves."""

from __future__ import annotations

import os
import signal
import threading
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sandgate.errors import BackendUnavailable
from sandgate.execution import lifetime
from sandgate.execution.lifetime import Lifetime
from sandgate.execution.run import run
from sandgate.execution.streams import PENDING_BYTES, READ_BYTES, ForwardingStopped
from sandgate.kernel.plain import PlainChild
from sandgate.protocol.commands import CommandResult
from sandgate.protocol.confinement import AttemptOutcome, ConfinedCommand, ExecFailure
from sandgate.protocol.denials import Refused
from support.process import waiting
from support.terminal.children import plan, shell, start_plain

if TYPE_CHECKING:
    from sandgate.execution.capture import Stream
    from sandgate.execution.lifetime import Order

LIMIT_MS = 20_000


def outcome_of(
    command: ConfinedCommand,
    *,
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
    told: list[ForwardingStopped] | None = None,
) -> AttemptOutcome:
    return run(
        command,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        timeout_ms=LIMIT_MS,
        starter=start_plain,
        on_stopped=None if told is None else told.append,
    )


def result_of(command: ConfinedCommand, *, stdin: int | None = None) -> CommandResult:
    result = outcome_of(command, stdin=stdin).result
    assert result is not None
    return result


def test_a_command_comes_back_with_its_code_and_both_streams() -> None:
    result = result_of(shell("printf out; printf err >&2; exit 3"))
    assert result.but(duration_ms=0, aggregated=b"") == CommandResult(
        exit_code=3, signal=None, termination="exited", stdout=b"out", stderr=b"err", aggregated=b""
    )
    assert sorted((b"outerr", b"errout")).count(result.aggregated) == 1


def test_output_is_merged_in_the_order_it_was_written() -> None:
    script = "echo 1; read _; echo 2 >&2; read _; echo 3"
    ours, theirs = os.pipe()

    def answer(_stream: Stream, _data: bytes) -> None:
        os.write(theirs, b"\n")

    outcome = run(
        shell(script), stdin=ours, stdout=None, stderr=None, timeout_ms=LIMIT_MS, on_output=answer, starter=start_plain
    )
    os.close(ours)
    os.close(theirs)
    assert outcome.result is not None
    assert outcome.result.aggregated == b"1\n2\n3\n"


def test_a_listener_sees_every_chunk_as_it_comes() -> None:
    heard: list[tuple[Stream, bytes]] = []
    run(
        shell("printf a; printf b >&2"),
        stdin=None,
        stdout=None,
        stderr=None,
        timeout_ms=LIMIT_MS,
        on_output=lambda stream, data: heard.append((stream, data)),
        starter=start_plain,
    )
    assert sorted(heard) == [("stderr", b"b"), ("stdout", b"a")]


def test_without_stdin_a_command_reads_end_of_file() -> None:
    """Required: an open pipe makes some tools wait or change their behaviour."""
    assert result_of(shell("cat; echo eof; readlink /proc/self/fd/0")).stdout == b"eof\n/dev/null\n"


def test_stdin_is_handed_on_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"\xff\x00typed")
    with (tmp_path / "in").open("rb") as file:
        assert result_of(shell("cat"), stdin=file.fileno()).stdout == b"\xff\x00typed"


def test_a_closed_stdin_is_end_of_file() -> None:
    number = os.dup(0)
    os.close(number)
    assert result_of(shell("cat; echo eof"), stdin=number).stdout == b"eof\n"


def test_the_command_leads_its_own_session() -> None:
    """Required."""
    pid, group, session = result_of(shell("cut -d' ' -f4,5,6 /proc/self/stat; echo $$")).stdout.split()[:3]
    assert (pid, group) == (group, session)
    assert int(session) != os.getsid(0)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGRTMAX])
def test_a_death_by_signal_keeps_the_output(number: signal.Signals) -> None:
    """Required: SIGRTMAX is no time-out either."""
    result = result_of(shell(f"printf partial; kill -{int(number)} $$"))
    assert (result.exit_code, result.signal, result.termination, result.stdout) == (
        128 + number,
        number,
        "signaled",
        b"partial",
    )


def test_a_shell_that_outlives_its_killed_child_exits_normally() -> None:
    result = result_of(shell("sh -c 'kill -9 $$'; exit $?"))
    assert (result.exit_code, result.signal, result.termination) == (137, None, "exited")


def test_a_missing_directory_and_a_missing_program_are_told_apart() -> None:
    """Required."""
    assert (outcome_of(plan("true", cwd="/no/such/place")), outcome_of(plan("no-such-program"))) == (
        AttemptOutcome(result=None, failure=ExecFailure("directory", "ENOENT")),
        AttemptOutcome(result=None, failure=ExecFailure("program", "ENOENT")),
    )


def test_bytes_that_are_no_text_pass_unchanged(tmp_path: Path) -> None:
    blob = bytes(range(256)) * 3
    (tmp_path / "blob").write_bytes(blob)
    read_end, write_end = os.pipe()
    outcome = outcome_of(plan("cat", f"{tmp_path}/blob"), stdout=write_end)
    os.close(write_end)
    assert outcome.result is not None
    assert (outcome.result.stdout, waiting.read_all(read_end)) == (blob, blob)
    os.close(read_end)


def test_two_megabytes_are_kept_at_both_ends_and_counted_in_the_middle() -> None:
    result = result_of(shell("printf first; head -c 2097152 /dev/zero; printf last"))
    assert (len(result.stdout), result.stdout[:5], result.stdout[-4:], result.stdout_omitted_bytes) == (
        1_048_576,
        b"first",
        b"last",
        2_097_152 + 9 - 1_048_576,
    )


def test_fifty_megabytes_reach_the_reader_whole_in_little_memory(tmp_path: Path) -> None:
    size = 50 * 1024 * 1024
    tracemalloc.start()
    try:
        with (tmp_path / "log").open("wb") as file:
            outcome = outcome_of(plan("head", "-c", str(size), "/dev/zero"), stdout=file.fileno())
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 6 * 1024 * 1024
    assert outcome.result is not None
    assert ((tmp_path / "log").stat().st_size, outcome.result.stdout_omitted_bytes) == (size, size - 1_048_576)


def test_a_slow_reader_gets_everything_and_the_command_waits_for_it() -> None:
    size = 2_000_000
    read_end, write_end = os.pipe()
    parts: list[bytes] = []
    reader = threading.Thread(target=lambda: parts.append(waiting.read_all(read_end)))

    def start_reading(_stream: Stream, _data: bytes) -> None:
        if not parts and not reader.is_alive():
            reader.start()

    run(
        plan("head", "-c", str(size), "/dev/zero"),
        stdin=None,
        stdout=write_end,
        stderr=None,
        timeout_ms=LIMIT_MS,
        on_output=start_reading,
        starter=start_plain,
    )
    os.close(write_end)
    reader.join(waiting.LIMIT_S)
    os.close(read_end)
    assert len(parts[0]) == size


class Watched(Lifetime):
    """Says when the drain limit has passed at least once."""

    passed = threading.Event()
    looks_after_end = -1

    def ended(self, now_ns: int) -> None:
        super().ended(now_ns)
        self.looks_after_end = 0

    def due(self, now_ns: int) -> Order:
        order = super().due(now_ns)
        if self.looks_after_end >= 0:
            self.looks_after_end += 1
        if self.looks_after_end > 3 or order == "stop_reading":
            self.passed.set()
        return order


def test_what_a_command_left_in_its_pipe_is_delivered_however_long_our_reader_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lifetime, "DRAIN_MS", 20)
    monkeypatch.setattr("sandgate.execution.attendance.Lifetime", Watched)
    size = PENDING_BYTES + 3 * READ_BYTES // 2  # ours is full, the pipe to the reader is, the command's half is
    read_end, write_end = os.pipe()
    parts: list[bytes] = []

    def read_late() -> None:
        assert Watched.passed.wait(waiting.LIMIT_S)
        parts.append(waiting.read_all(read_end))

    reader = threading.Thread(target=read_late)
    reader.start()
    outcome = outcome_of(plan("head", "-c", str(size), "/dev/zero"), stdout=write_end)
    os.close(write_end)
    reader.join(waiting.LIMIT_S)
    os.close(read_end)
    assert outcome.result is not None
    assert (len(parts[0]), len(outcome.result.stdout)) == (size, size)


def test_a_reader_that_leaves_ends_the_command_as_it_would_without_us() -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    result = outcome_of(plan("yes"), stdout=write_end).result
    os.close(write_end)
    assert result is not None
    assert (result.signal, result.termination, result.stdout[:2]) == (signal.SIGPIPE, "signaled", b"y\n")


def test_on_a_full_disk_the_output_is_still_captured_and_the_loss_is_told_once() -> None:
    told: list[ForwardingStopped] = []
    with open("/dev/full", "wb", buffering=0) as full:
        outcome = outcome_of(shell("echo a; echo b; exit 4"), stdout=full.fileno(), told=told)
    assert outcome.result is not None
    assert (outcome.result.exit_code, outcome.result.stdout) == (4, b"a\nb\n")
    assert [stopped.sentence() for stopped in told] == [
        "cannot pass on the command's stdout: no space is left on its disk"
    ]


def test_closed_outputs_lose_what_is_passed_on_and_nothing_else() -> None:
    number = os.dup(0)
    os.close(number)
    told: list[ForwardingStopped] = []
    silent = outcome_of(shell("true"), stdout=number, told=told).result
    spoken = outcome_of(shell("echo hi"), stdout=number, told=told).result
    assert silent is not None
    assert spoken is not None
    assert (silent.stdout, spoken.stdout, [stopped.stream for stopped in told]) == (b"", b"hi\n", ["stdout"])


def test_a_command_may_close_its_output_and_go_on(tmp_path: Path) -> None:
    result = result_of(shell(f"echo a; exec >&- 2>&-; echo late > {tmp_path}/proof; exit 5"))
    assert (result.exit_code, result.stdout, (tmp_path / "proof").read_text()) == (5, b"a\n", "late\n")


@pytest.mark.slow
def test_a_grandchild_that_holds_the_pipes_delays_us_by_the_drain_limit_only() -> None:
    """Required."""
    outcome = outcome_of(shell("sleep 30 & echo $!"))
    result = outcome.result
    assert result is not None
    os.kill(int(result.stdout), signal.SIGKILL)
    assert (result.exit_code, result.drain_timed_out, result.termination) == (0, True, "exited")
    assert result.duration_ms < 2_000


def test_a_detached_grandchild_without_the_pipes_does_not_delay_us() -> None:
    result = result_of(shell("setsid nohup sleep 30 >/dev/null 2>&1 </dev/null & echo $!"))
    os.kill(int(result.stdout), signal.SIGKILL)
    assert not result.drain_timed_out


def test_a_listener_that_fails_takes_the_command_with_it() -> None:
    started: list[int] = []

    def fail(_stream: Stream, data: bytes) -> None:
        started.append(int(data))
        raise LookupError("listener")

    with pytest.raises(LookupError, match="listener"):
        run(
            shell("echo $$; sleep 60"),
            stdin=None,
            stdout=None,
            stderr=None,
            timeout_ms=LIMIT_MS,
            on_output=fail,
            starter=start_plain,
        )
    assert waiting.ended(started[0])


def test_a_hundred_runs_from_ten_threads_leave_nothing_behind() -> None:
    """Required."""
    before = waiting.open_descriptors()
    codes: list[int] = []

    def ten(base: int) -> None:
        for number in range(base, base + 10):
            codes.append(result_of(shell(f"echo x; exit {number}")).exit_code)

    threads = [threading.Thread(target=ten, args=(base,)) for base in range(0, 100, 10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(codes) == list(range(100))
    assert waiting.none_left_open(before)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_what_the_enforcing_layer_saw_is_passed_on() -> None:
    refused = Refused("write", "openat", path="/etc/motd")

    def observant(plan: ConfinedCommand, *, stdin: int, stdout: int, stderr: int, helper: str | None) -> PlainChild:
        child = start_plain(plan, stdin=stdin, stdout=stdout, stderr=stderr, helper=helper)
        child.refused.append(refused)
        child.refused_omitted = 3
        child.reported = True
        child.layers = ("seccomp", "notify")
        return child

    outcome = run(plan("true"), stdin=None, stdout=None, stderr=None, timeout_ms=LIMIT_MS, starter=observant)
    assert outcome.but(result=None) == AttemptOutcome(
        result=None,
        refused=(refused,),
        refused_omitted=3,
        reported=True,
        layers=("seccomp", "notify"),
    )


def test_the_end_is_told_once_before_the_rest_is_cleared_away() -> None:
    told: list[bool] = []
    started: list[PlainChild] = []

    def noted(plan: ConfinedCommand, *, stdin: int, stdout: int, stderr: int, helper: str | None) -> PlainChild:
        started.append(start_plain(plan, stdin=stdin, stdout=stdout, stderr=stderr, helper=helper))
        return started[0]

    def ended() -> None:
        told.append(started[0].ended is not None)

    run(plan("true"), stdin=None, stdout=None, stderr=None, timeout_ms=LIMIT_MS, starter=noted, on_ended=ended)
    assert told == [True]


def test_no_end_is_told_of_what_did_not_start() -> None:
    told: list[str] = []
    outcome = run(
        plan("/no/such/program"),
        stdin=None,
        stdout=None,
        stderr=None,
        timeout_ms=LIMIT_MS,
        on_ended=lambda: told.append("ended"),
    )
    assert (outcome.result, told) == (None, [])


def test_a_failed_start_leaves_no_descriptor_behind() -> None:
    def refuse(*_: object, **__: object) -> Any:
        raise BackendUnavailable("no")

    before = waiting.open_descriptors()
    with pytest.raises(BackendUnavailable):
        run(plan("true"), stdin=None, stdout=None, stderr=None, timeout_ms=None, starter=refuse)
    assert waiting.none_left_open(before)


def test_a_plan_for_namespaces_without_a_helper_does_not_run() -> None:
    with pytest.raises(BackendUnavailable, match="cannot confine with namespaces"):
        run(plan("true").but(backend="namespace"), stdin=None, stdout=None, stderr=None, timeout_ms=None)
