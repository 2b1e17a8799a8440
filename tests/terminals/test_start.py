"""Starting a live command, or saying why not and leaving nothing behind."""

from __future__ import annotations

import os
from errno import EIO, EMFILE, ENFILE, ENOSPC

import pytest

import sandgate.terminals.start as start_module
from sandgate.errors import BackendUnavailable, ConfinementError, TerminalLimitReached
from sandgate.execution.start import start_child
from sandgate.protocol.confinement import ExecFailure
from sandgate.terminals.lines import open_pipe
from sandgate.terminals.start import Shape
from support.process.waiting import is_dead, none_left_open, open_descriptors, wait_until
from support.terminal.children import shell
from support.terminal.terminal_stage import LIMIT_MS, Stage, program, sees

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.kernel.child import Child
    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.terminals.lines import Line

BOTH = pytest.mark.parametrize("tty", [False, True], ids=["pipe", "terminal"])


def test_a_terminal_is_the_commands_own_and_has_its_size(stage: Stage) -> None:
    """Required: the controlling terminal of a session of its own."""
    script = (
        "test -t 0 && test -t 1 && test -t 2 && stty size && echo to the terminal >/dev/tty; ps -o sid= -p $$; echo $$"
    )
    terminal = stage.start(script, tty=True, shape=Shape(tty=True, rows=30, columns=100))
    assert terminal.wait_exit(LIMIT_MS) == 0
    size, said, session, pid = terminal.read().data.split(b"\r\n")[:4]
    assert (size, said) == (b"30 100", b"to the terminal")
    assert int(session) == int(pid) == terminal.pid
    assert (terminal.identity.rows, terminal.identity.columns) == (30, 100)


def test_without_a_terminal_input_is_empty_and_there_is_none_to_open(stage: Stage) -> None:
    """Required: `tty: false`."""
    script = "cat; test -t 0 || test -t 1 || test -t 2 || echo none; (echo x >/dev/tty) 2>&- || echo no tty"
    terminal = stage.start(script)
    assert terminal.wait_exit(LIMIT_MS) == 0
    assert terminal.read().data == b"none\nno tty\n"
    assert (terminal.identity.rows, terminal.identity.columns) == (0, 0)


def test_lines_end_as_the_shape_says(stage: Stage) -> None:
    plain = stage.start("echo line", tty=True, shape=Shape(tty=True, post_processing=False))
    usual = stage.start("echo line", tty=True)
    assert (plain.wait_exit(LIMIT_MS), usual.wait_exit(LIMIT_MS)) == (0, 0)
    assert (plain.read().data, usual.read().data) == (b"line\n", b"line\r\n")


@BOTH
def test_a_command_inherits_nothing_but_its_three_descriptors(stage: Stage, tty: bool) -> None:
    """Required: another session's terminal in the wrong hands could be typed into."""
    others = [stage.start("exec cat", tty=True), stage.start("exec sleep 1000")]
    fd = os.open("/etc/passwd", os.O_RDONLY)
    os.set_inheritable(fd, True)
    try:
        script = "n=0; while [ $n -lt 300 ]; do [ ! -e /proc/self/fd/$n ] || echo $n; n=$((n + 1)); done"
        terminal = stage.start(script, tty=tty)
        assert terminal.wait_exit(LIMIT_MS) == 0
    finally:
        os.close(fd)
    assert terminal.read().data.split() == [b"0", b"1", b"2"]
    assert not any(each.exited for each in others)


@BOTH
def test_a_program_that_is_not_there_is_a_failure_that_is_told_like_an_end(stage: Stage, tty: bool) -> None:
    before = open_descriptors()
    terminal = stage.start(program("/no/such/program", tty=tty))
    assert terminal.wait_exit(LIMIT_MS) is None
    assert (terminal.failure, terminal.exited, terminal.over) == (ExecFailure("program", "ENOENT"), True, True)
    (outcome,) = stage.witness.outcomes
    assert (outcome.result, outcome.failure) == (None, terminal.failure)
    terminal.close()
    assert none_left_open(before, most=2), "the pump's own"


def test_a_directory_that_is_not_there_is_a_failure(stage: Stage) -> None:
    """Required."""
    terminal = stage.start(shell("true").but(cwd="/no/such/directory"))
    assert terminal.wait_exit(LIMIT_MS) is None
    assert terminal.failure == ExecFailure("directory", "ENOENT")


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (EMFILE, "this process has no descriptor left"),
        (ENFILE, "this machine has no descriptor left"),
        (ENOSPC, "this machine has no terminal left"),
        (EIO, "Input/output error"),
    ],
)
@BOTH
def test_no_room_for_a_connection_is_said_with_what_to_do(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, tty: bool, code: int, why: str
) -> None:
    def refuse(**_shape: object) -> Line:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(start_module, "open_line" if tty else "open_pipe", refuse)
    with pytest.raises(TerminalLimitReached, match=why) as caught:
        stage.start("true", tty=tty)
    assert caught.value.hint


def test_no_descriptor_left_for_the_child_closes_the_connection(stage: Stage) -> None:
    def refuse(*_plan: object, **_ends: object) -> Child:
        raise OSError(EMFILE, "Too many open files")

    before = open_descriptors()
    with pytest.raises(TerminalLimitReached, match="no descriptor left"):
        stage.start("true", tty=True, starter=refuse)
    assert none_left_open(before)


def test_a_plan_that_nobody_here_can_carry_out_raises_and_leaves_nothing(stage: Stage) -> None:
    """Required: cannot confine as asked means nothing runs."""
    before = open_descriptors()
    for backend, error in (("namespace", BackendUnavailable), ("bwrap", ConfinementError)):
        with pytest.raises(error):
            stage.start(shell("true").but(backend=backend))
    assert none_left_open(before)


def test_our_side_keeps_no_copy_of_the_commands_side(stage: Stage) -> None:
    """Required: otherwise the output would never end."""
    made: list[Line] = []

    def remember() -> Line:
        made.append(open_pipe())
        return made[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(start_module, "open_pipe", remember)
        terminal = stage.start("exec sleep 1000")
    held = open_descriptors()
    assert [end for end in made[0].ends if str(end) in held and "pipe" in held[str(end)]] == []
    terminal.close()


@BOTH
def test_what_cannot_be_looked_after_does_not_run_on(stage: Stage, tty: bool) -> None:
    """Required: a session that closes while a command starts must not leave it behind, alive and unattended."""
    started: list[Child] = []

    def remember(plan: ConfinedCommand, *, stdin: int, stdout: int, stderr: int, helper: str | None) -> Child:
        started.append(start_child(plan, stdin=stdin, stdout=stdout, stderr=stderr, helper=helper))
        return started[0]

    first = stage.start("exec sleep 1000")
    first.close()
    stage.pump.close()
    before = open_descriptors()
    with pytest.raises(AssertionError, match="closed"):
        stage.start("exec sleep 1000", tty=tty, starter=remember)
    assert wait_until(lambda: is_dead(str(started[0].pid)))
    assert none_left_open(before)


def test_listeners_miss_nothing_from_the_first_byte_on(stage: Stage) -> None:
    for _ in range(20):
        heard: list[bytes] = []
        terminal = stage.start("echo first", listeners=(heard.append,))
        sees(terminal, "first\n")
        assert b"".join(heard) == b"first\n"
