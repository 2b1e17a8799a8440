"""Where one command of a live shell ends, and with which exit code."""

import os
import secrets
import shutil
import signal
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.errors import RequestError
from sandgate.kernel.build import helper_path
from sandgate.kernel.foreground import look
from sandgate.terminals.prompt_marks import Mark, MarkReader, command_input, integration
from sandgate.terminals.state import process_state
from support.process.waiting import readable
from support.terminal.live import Live, confined_on_terminal, on_terminal

NONCE = "0123456789abcdef" * 2
OTHER = "f" * 32


def mark(letter: str, *fields: str) -> bytes:
    return f"\x1b]133;{';'.join((letter, *fields))}\x07".encode()


DONE, PROMPT, OUTPUT = mark("D", "7", NONCE), mark("A", NONCE), mark("C", NONCE)


def test_marks_are_taken_out_and_say_where_they_were() -> None:
    clean, marks = MarkReader(NONCE).feed(OUTPUT + b"hello" + DONE + PROMPT)
    assert clean == b"hello"
    assert marks == [Mark("output", 0), Mark("done", 5, 7), Mark("prompt", 5)]


@pytest.mark.parametrize(
    "foreign",
    [
        mark("D", "0"),
        mark("D", "0", OTHER),
        mark("A"),
        mark("D", "", NONCE),
        mark("D", "-1", NONCE),
        mark("D", "1000", NONCE),
        mark("B", NONCE),
        mark("A", "1", NONCE),
        mark("A", NONCE)[:-1] + b"\x1b\\",
        mark("D", "7", NONCE + "0"),
        b"\x1b]0;title\x07",
        b"\x1b\x1b[31m\x1b]133\x1b",
        b"\x1b]133;" + b"D" * 100,
    ],
)
def test_what_is_not_ours_passes_through(foreign: bytes) -> None:
    """Required: a program that does not know the nonce cannot end a command."""
    reader = MarkReader(NONCE)
    clean, marks = reader.feed(b"a" + foreign + b"z" + DONE)
    assert (clean + reader.flush(), marks) == (b"a" + foreign + b"z", [Mark("done", len(foreign) + 2, 7)])


@given(st.lists(st.integers(0, 400), max_size=12))
def test_a_mark_may_be_torn_at_any_byte(cuts: list[int]) -> None:
    stream = b"\x1b" + DONE + PROMPT + b"x\x1b]133;D;0\x07" + OUTPUT + b"out\x1b" + DONE[:-1] + DONE + b"\x1b]133;A;0"
    whole = MarkReader(NONCE)
    expected = whole.feed(stream)
    reader = MarkReader(NONCE)
    bounds = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    clean, marks = b"", []
    for begin, end in pairwise(bounds):
        part, more = reader.feed(stream[begin:end])
        clean += part
        marks += more
    assert (clean, marks) == expected
    assert len(marks) == 4
    assert reader.flush() == whole.flush()


@given(st.lists(st.sampled_from([b"\x1b", b"]133;", b"D;7;", b"A;", NONCE.encode(), b"\x07", b"x"]), max_size=30))
def test_little_is_ever_held_back_and_nothing_is_lost(parts: list[bytes]) -> None:
    reader = MarkReader(NONCE)
    given_bytes = clean_bytes = mark_bytes = 0
    for part in parts:
        clean, marks = reader.feed(part)
        given_bytes += len(part)
        clean_bytes += len(clean)
        mark_bytes += sum(len(DONE) if one.kind == "done" else len(PROMPT) for one in marks)
        assert 0 <= given_bytes - clean_bytes - mark_bytes < len(DONE) + 2
    assert given_bytes == clean_bytes + mark_bytes + len(reader.flush())


def test_a_nonce_is_not_chosen_by_hand() -> None:
    with pytest.raises(ValueError, match="32 hexadecimal digits"):
        MarkReader("secret")
    with pytest.raises(ValueError, match="32 hexadecimal digits"):
        integration("sh", "'; rm -rf /; '" + "0" * 18)


@pytest.mark.parametrize("command", ["echo \x03", "echo \x1b[31m", "echo \x7f", "echo " + "x" * 4_000])
def test_what_a_terminal_would_not_take_is_refused(command: str) -> None:
    with pytest.raises(RequestError, match="cannot type this command"):
        command_input(command)


class LiveShell:
    """A shell with integration, used as a library would."""

    def __init__(self, live: Live, nonce: str, first_input: bytes) -> None:
        self.live = live
        self.nonce = nonce
        self._reader = MarkReader(nonce)
        self._seen = b""
        self._marks: list[Mark] = []
        live.type(first_input)
        self._next("prompt")

    def run(self, command: str, *, typed: bytes = b"", once: bytes = b"") -> tuple[int | None, str]:
        """(exit code, exact output, the terminal's line ends undone); types once a program of that name is there."""
        self.live.type(command_input(command))
        begin = self._next("output").at
        assert not once or self.live.until(lambda: self.live.in_front(once))
        self.live.type(typed)
        done = self._next("done")
        self._next("prompt")
        return done.exit_code, self._seen[begin : done.at].replace(b"\r\n", b"\n").decode()

    def _next(self, kind: str) -> Mark:
        while True:
            while self._marks:
                found = self._marks.pop(0)
                if found.kind == kind:
                    return found
            readable(self.live.master)
            clean, marks = self._reader.feed(os.read(self.live.master, 4096))
            self._seen += clean
            self._marks += marks


PROGRAMS = {"bash": "bash", "sh": "dash", "zsh": "zsh"}
START = {"confined": lambda *argv: confined_on_terminal(helper_path(), *argv), "plain": on_terminal}


@contextmanager
def live_shell(name: str, how: str = "plain") -> Iterator[LiveShell]:
    program = shutil.which(PROGRAMS[name])
    if program is None:
        pytest.skip(f"{PROGRAMS[name]} is not installed")
    nonce = secrets.token_hex(16)
    shell = integration(name, nonce)  # type: ignore[arg-type] # the names of the table
    exported = ["PS1=exported", "__sandgate_mark=exported"]
    settings = exported + [f"{key}={value}" for key, value in shell.environment]
    started: AbstractContextManager[Live] = START[how]("env", *settings, program, *shell.arguments)
    with started as live:
        yield LiveShell(live, nonce, shell.first_input)


@pytest.fixture(params=list(PROGRAMS))
def shell(request: pytest.FixtureRequest) -> Iterator[LiveShell]:
    with live_shell(request.param) as started:
        yield started


def test_every_command_has_its_own_exit_code(shell: LiveShell) -> None:
    assert shell.run("true") == (0, "")
    assert shell.run("false") == (1, "")
    assert shell.run("(exit 7)") == (7, "")
    assert shell.run("sh -c 'exit 255'") == (255, "")
    code, output = shell.run("sh -c 'kill -9 $$'")
    assert code == 128 + signal.SIGKILL
    assert output == "" or "illed" in output  # some shells say so


def test_output_is_exact_with_and_without_a_last_newline(shell: LiveShell) -> None:
    assert shell.run("echo hello; echo 'it''s'") == (0, "hello\nits\n")
    assert shell.run("printf 'no newline'") == (0, "no newline")
    assert shell.run("printf '\\r\\n%s\\t%%!' \"ü\"") == (0, "\r\nü\t%!")
    assert shell.run("seq 5000")[1] == "".join(f"{number}\n" for number in range(1, 5001))
    assert shell.run("") == (0, "")
    assert shell.run("echo a # comment") == (0, "a\n")


def test_several_lines_are_one_command(shell: LiveShell) -> None:
    assert shell.run('for word in a b\ndo\n  echo "<$word>"\ndone\nfalse') == (1, "<a>\n<b>\n")
    assert shell.run("cat <<'END'\nit's $HOME\nEND\necho after") == (0, "it's $HOME\nafter\n")


def test_a_syntax_error_ends_like_any_other_command(shell: LiveShell) -> None:
    code, output = shell.run("echo hi; )")
    assert code != 0
    assert output
    assert shell.run("if true")[0] != 0
    assert shell.run("echo fine") == (0, "fine\n")


def test_directory_variables_and_functions_stay(shell: LiveShell, tmp_path: Path) -> None:
    shell.run(f"cd '{tmp_path}'; export GREETING=hello; greet() {{ echo \"$GREETING $1\"; }}")
    assert shell.run("pwd; greet you; sh -c 'echo $GREETING'") == (0, f"{tmp_path}\nhello you\nhello\n")


def test_a_command_may_read_what_is_typed(shell: LiveShell) -> None:
    """Its echo belongs to the terminal's output, as for a person."""
    assert shell.run('read -r line; echo "<$line>"', typed=b"typed\n") == (0, "typed\n<typed>\n")
    assert shell.run("cat", typed=b"one\n\x04") == (0, "one\none\n")


def test_an_interrupted_command_is_over(shell: LiveShell) -> None:
    code, _ = shell.run("sleep 100", typed=b"\x03", once=b"sleep")
    assert code == 128 + signal.SIGINT
    assert shell.run("echo fine") == (0, "fine\n")


def test_a_program_cannot_say_how_a_command_ended(shell: LiveShell) -> None:
    forged = "printf '\\033]133;D;0\\007\\033]133;D;0;%s\\007' wrong; false"
    assert shell.run(forged) == (1, "\x1b]133;D;0\x07\x1b]133;D;0;wrong\x07")


def test_no_program_is_given_the_nonce(shell: LiveShell) -> None:
    """Required: neither the environment of the shell nor of its children, nor its arguments show it."""
    code, seen = shell.run(
        "env; tr '\\0' '\\n' < /proc/$$/environ; cat /proc/$$/cmdline; export -p; sh -i </dev/null; true"
    )
    assert code == 0
    assert "PATH=" in seen
    assert shell.nonce not in seen


def test_the_marks_tell_a_prompt_from_a_question(shell: LiveShell) -> None:
    master = shell.live.master
    assert shell.live.until(lambda: process_state(look(master), at_prompt=True) == "idle")
    shell.live.type(command_input("read -r line"))
    shell._next("output")
    assert shell.live.until(lambda: process_state(look(master), at_prompt=False) == "waiting_for_input")


@pytest.mark.host("namespace")
@pytest.mark.parametrize("name", list(PROGRAMS))
def test_a_read_only_place_without_a_home_is_enough(name: str) -> None:
    with live_shell(name, "confined") as started:
        assert started.run("cd /; HOME=/nowhere; touch /file 2>/dev/null || echo closed") == (0, "closed\n")
        assert started.run("false") == (1, "")
