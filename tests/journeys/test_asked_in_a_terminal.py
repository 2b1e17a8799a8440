"""A call waits in `run --tty`: the question takes the terminal, and the program has it again afterwards."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandgate.kernel.process_tree import descendants
from support.process.program import WAIT_SECONDS, Sandgate, Terminal

BACKENDS = [
    pytest.param("namespace", marks=pytest.mark.host("namespace", "notify")),
    pytest.param("landlock", marks=pytest.mark.host("landlock", "notify")),
]
FIRST, SECOND = "\x1b[?1049l", "\x1b[?1049h"  # of the two screens
ASKED, PROMPT = "approval needed", "Your answer ["

# Paints whenever it is told another size, and all the time beside it; `s` saves, `q` ends.
FULL_SCREEN = """
import os, signal, sys, termios, threading, tty
last = []
def paint(*_):
    size = os.get_terminal_size()
    if size != last:
        last[:] = size
        os.write(1, b"\\x1b[2J\\x1b[HPICTURE %dx%d" % (size.lines, size.columns))
def scribble():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGWINCH])  # it is for the thread that reads keys
    while not done.wait(0.01):
        os.write(1, b"\\x1b[5;5HTICK")
done = threading.Event()
before = termios.tcgetattr(0)
tty.setraw(0)
os.write(1, b"\\x1b[?1049h\\x1b[?25l\\x1b[?2004h")
signal.signal(signal.SIGWINCH, paint)
paint()
beside = threading.Thread(target=scribble)
beside.start()
while (key := os.read(0, 1)) != b"q":
    if key == b"s":
        try:
            open(sys.argv[1], "w").write("saved")
            os.write(1, b"SAVED")
        except OSError as error:
            os.write(1, b"REFUSED %d" % error.errno)
    else:
        os.write(1, b"KEY<%s>" % key)
done.set()
beside.join()
os.write(1, b"\\x1b[?1049l\\x1b[?25h\\x1b[?2004l")
termios.tcsetattr(0, termios.TCSANOW, before)
print("ended well", flush=True)
"""


@pytest.fixture
def home() -> Iterator[Path]:
    """A home that no command may write to, below no /tmp."""
    place = Path("/var/tmp") / f"sandgate-asked-{os.getpid()}"
    (place / "ws").mkdir(parents=True)
    (place / ".ssh").mkdir(mode=0o700)
    (place / "note").write_text("note\n")
    (place / "ws/full").write_text(FULL_SCREEN)
    yield place
    shutil.rmtree(place)


@pytest.fixture
def sandgate(home: Path) -> Sandgate:
    found = Sandgate(home / "ws", home)
    found.env["TERM"] = "xterm"
    return found


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def at_terminal(sandgate: Sandgate, backend: str, *words: str) -> Terminal:
    return sandgate.at_terminal("run", "--backend", backend, "-a", "on-failure", "--tty", "--", *words)


def full_screen(sandgate: Sandgate, backend: str, home: Path) -> Terminal:
    """The program, when it has painted."""
    terminal = at_terminal(sandgate, backend, "python3", "full", f"{home}/made")
    terminal.sees("PICTURE")
    terminal.resizes(30, 90)
    terminal.sees("PICTURE 30x90")
    return terminal


def question_of(terminal: Terminal) -> str:
    """What stands on the terminal before the answer."""
    return terminal.sees(PROMPT).rpartition(ASKED)[2].partition(PROMPT)[0]


def says(terminal: Terminal, answer: str) -> None:
    """With the key that the question takes."""
    terminal.presses(answer.upper() if "capital letter" in terminal.seen else answer)


def test_a_full_screen_program_is_asked_about_and_paints_anew(sandgate: Sandgate, backend: str, home: Path) -> None:
    """Required: the first screen for the question, nothing of the program on it; then modes, screen and picture."""
    terminal = full_screen(sandgate, backend, home)
    terminal.presses("s")
    question = question_of(terminal)
    before = terminal.seen.rpartition(ASKED)[0]
    assert FIRST in before.rpartition("TICK")[2]
    assert ("TICK" in question, "PICTURE" in question, "may make" in question) == (False, False, True)
    assert "\r\n" in question
    asked = len(terminal.seen)
    terminal.resizes(31, 91)  # it is told of that afterwards
    says(terminal, "y")
    terminal.sees(SECOND)
    terminal.sees("PICTURE 31x91")
    shown = terminal.seen[asked:]
    assert "TICK" not in shown.partition(SECOND)[0]
    assert "\x1b[?25l\x1b[?2004h" in shown.partition(SECOND)[2]
    assert shown.index("PICTURE 30x91") < shown.index("PICTURE 31x91")
    assert "SAVED" in shown
    terminal.presses("xq")
    terminal.sees("KEY<x>")  # it has the keys again, and raw
    terminal.sees("ended well\r\n")
    assert terminal.ends() == 0
    assert (home / "made").read_text() == "saved"


def test_after_a_no_the_program_goes_on_in_its_screen(sandgate: Sandgate, backend: str, home: Path) -> None:
    terminal = full_screen(sandgate, backend, home)
    terminal.presses("s")
    question_of(terminal)
    terminal.presses("n")
    terminal.sees(SECOND)
    terminal.sees("REFUSED")
    terminal.sees("PICTURE 30x90")
    terminal.presses("q")
    terminal.sees("ended well")
    assert terminal.ends() == 0
    assert not (home / "made").exists()


def test_what_was_typed_ahead_is_the_programs_and_no_answer(sandgate: Sandgate, backend: str, home: Path) -> None:
    """Required: keys that were pressed before the question stood answer nothing."""
    terminal = full_screen(sandgate, backend, home)
    terminal.presses("sYyYy")
    question_of(terminal)
    terminal.presses("n")
    terminal.sees("REFUSED")
    terminal.presses("q")
    terminal.sees("ended well")
    assert terminal.ends() == 0
    assert not (home / "made").exists()


def test_control_c_at_the_question_ends_a_full_screen_program(sandgate: Sandgate, backend: str, home: Path) -> None:
    """Required: the terminal is left on its first screen, with its cursor, whatever the program did to it."""
    terminal = full_screen(sandgate, backend, home)
    terminal.presses("s")
    question_of(terminal)
    terminal.presses("\x03")
    assert terminal.ends() == 130
    assert terminal.seen.rindex(FIRST) > terminal.seen.rindex(SECOND)
    assert terminal.seen.rindex("\x1b[?25h") > terminal.seen.rindex("\x1b[?25l")
    assert not (home / "made").exists()


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT_SECONDS
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_terminal_that_is_lost_at_the_question_says_no(sandgate: Sandgate, backend: str, home: Path) -> None:
    """Required: nobody can have answered; nothing is done, and nothing of it lives on."""
    terminal = full_screen(sandgate, backend, home)
    terminal.presses("s")
    question_of(terminal)
    below = descendants(terminal.pid)
    assert below
    assert terminal.hangs_up() != 0
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in below))
    assert not (home / "made").exists()


def pending(sandgate: Sandgate) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(sandgate("approvals", "list", "--json").out)["pending"]
    return found


def test_somebody_at_another_terminal_answers(sandgate: Sandgate, backend: str, home: Path) -> None:
    """Required: nothing stands on this one, so the program paints on while its call waits."""
    options = ("--backend", backend, "-a", "on-failure", "--tty", "--wait-for-approvals")
    words = ("python3", "full", f"{home}/made")
    pipe = subprocess.PIPE
    program = sandgate.start("run", *options, "--", *words, start_new_session=True, stdin=pipe, stdout=pipe)
    assert program.stdin is not None
    assert program.stdout is not None
    before = b""
    while b"PICTURE" not in before:
        before += os.read(program.stdout.fileno(), 65_536)
    program.stdin.write(b"s")
    program.stdin.flush()
    until(lambda: bool(pending(sandgate)))
    (waiting,) = pending(sandgate)
    assert sandgate("approvals", "resolve", waiting["approval_id"], "approve").code == 0
    until((home / "made").exists)
    out, _ = program.communicate(b"q", WAIT_SECONDS)
    assert program.returncode == 0
    assert FIRST.encode() not in out.partition(b"SAVED")[0]
    assert b"TICK" in out
    assert (home / "made").read_text() == "saved"


def test_a_shell_asks_at_each_call_and_keeps_its_modes(sandgate: Sandgate, backend: str, home: Path) -> None:
    """Required: no second screen is made up; lines end where they should, for the question and the shell."""
    terminal = at_terminal(sandgate, backend, "bash", "--norc", "--noprofile", "-i")
    terminal.sees("bash-")
    terminal.presses(f"printf half; mkdir {home}/d; echo made=$?\r")
    question = question_of(terminal)
    assert "half\r\n" in terminal.seen
    assert question.count("\n") == question.count("\r\n")
    says(terminal, "y")
    terminal.sees("made=0")
    terminal.presses(f"mkdir {home}/e; echo made=$?\r")
    question_of(terminal)
    terminal.presses("n")
    terminal.sees("made=1")
    terminal.presses("exit 5\r")
    assert terminal.ends() == 5
    assert SECOND not in terminal.seen
    assert ((home / "d").is_dir(), (home / "e").exists()) == (True, False)


def test_ssh_keygen_asks_for_its_words_and_we_for_its_call(sandgate: Sandgate, backend: str, home: Path) -> None:
    """Required: a dialogue of its own before and after; one question, one run, no echo of what it hides."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("no ssh-keygen here")
    terminal = at_terminal(sandgate, backend, "ssh-keygen", "-q", "-t", "ed25519", "-f", f"{home}/.ssh/k2")
    terminal.sees("passphrase")
    terminal.presses("secret words\r")
    terminal.sees("again: ")
    terminal.presses("secret words\r")
    question_of(terminal)
    says(terminal, "y")
    assert terminal.ends() == 0
    assert terminal.seen.count(ASKED) == 1
    assert "secret" not in terminal.seen
    assert (home / ".ssh/k2.pub").exists()


def test_vim_saves_and_paints_anew(sandgate: Sandgate, backend: str, home: Path) -> None:
    """Required: an editor that was started as ever saves by one question."""
    if shutil.which("vim") is None:
        pytest.skip("no vim here; the program above stands for it")
    terminal = at_terminal(sandgate, backend, "vim", "-u", "NONE", "-n", f"{home}/note")
    terminal.resizes(30, 90)
    terminal.sees("note")
    terminal.presses(":%s/note/NOTE/\r:w!\r")
    question_of(terminal)
    says(terminal, "y")
    terminal.sees(SECOND)
    terminal.sees("NOTE")
    terminal.presses(":q\r")
    assert terminal.ends() == 0
    assert terminal.seen.count(ASKED) == 1
    assert (home / "note").read_text() == "NOTE\n"
