"""A person at a real terminal: what they see, which keys count, and what happens when the terminal goes."""

from __future__ import annotations

import os
import select
import termios
import threading

import pytest

from sandgate.approvals import human
from sandgate.approvals.human import TerminalReviewer
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import ApprovalRequest, Decision
from sandgate.protocol.denials import Denial, DenialReport
from sandgate.protocol.permissions import ESCALATE, Grant
from sandgate.protocol.risk import RiskAssessment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOTD = Grant("write_path", "/etc/motd")
HIGH = RiskAssessment("Deletes your home directory.", "high", ("data_deletion",))
WAIT_MS = 5_000


class Person:
    """Somebody in front of a pseudo-terminal."""

    def __init__(self) -> None:
        self.master, self._slave = os.openpty()
        self.path = os.ttyname(self._slave)
        self.seen = ""
        self.answer: Decision | BaseException | None = None

    def is_asked(self, request: ApprovalRequest) -> None:
        def ask() -> None:
            try:
                self.answer = TerminalReviewer(colour=False, terminal=self.path).review(request)
            except BaseException as error:
                self.answer = error

        self._thread = threading.Thread(target=ask)
        self._thread.start()

    def sees(self, text: str) -> None:
        poller = select.poll()
        poller.register(self.master, select.POLLIN)
        while text not in self.seen:
            assert poller.poll(WAIT_MS), f"never saw {text!r} in {self.seen!r}"
            self.seen += os.read(self.master, 4096).decode()

    def presses(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def decided(self) -> Decision:
        self._thread.join(WAIT_MS / 1000)
        assert isinstance(self.answer, Decision), self.answer
        return self.answer

    def hangs_up(self) -> None:
        os.close(self.master)
        self.master = -1

    def leaves(self) -> None:
        for descriptor in (self.master, self._slave):
            if descriptor >= 0:
                os.close(descriptor)


@pytest.fixture
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody here types ahead, so nobody needs the whole guard."""
    monkeypatch.setattr(human, "TYPE_AHEAD_GUARD_MS", 1)


@pytest.fixture
def person() -> Iterator[Person]:
    someone = Person()
    yield someone
    someone.leaves()


def asked(*argv: str, risk: RiskAssessment | None = None, grants: tuple[Grant, ...] = (MOTD,)) -> ApprovalRequest:
    return ApprovalRequest(
        request_id="r",
        call_id="c",
        stage="retry",
        command=CommandRequest(argv or ("touch", "/etc/motd"), "/repo", {}),
        reason="command failed; retry without sandbox?",
        grants=grants,
        denial=DenialReport("denied", (Denial("write", path="/etc/motd", program="touch", grant=MOTD),)),
        risk=risk,
        may_escalate=True,
    )


@pytest.mark.usefixtures("quickly")
@pytest.mark.parametrize(
    ("key", "decision", "grants"),
    [
        ("y", "approved", (MOTD,)),
        ("a", "approved_for_session", (MOTD,)),
        ("u", "approved", (ESCALATE,)),
        ("n", "denied", ()),
        ("q", "abort", ()),
        ("\x1b", "abort", ()),
    ],
)
def test_each_key_means_one_decision(person: Person, key: str, decision: str, grants: tuple[Grant, ...]) -> None:
    person.is_asked(asked())
    person.sees("Your answer")
    person.presses(key)
    assert (person.decided().decision, person.decided().grants) == (decision, grants)


@pytest.mark.usefixtures("quickly")
def test_the_prompt_shows_reason_denial_risk_command_and_directory_in_this_order(person: Person) -> None:
    person.is_asked(asked(risk=HIGH))
    person.sees("Your answer")
    person.presses("n")
    wanted = ["Why:", "Denied: write /etc/motd by touch", "Summary:", "Risk: HIGH", "$ touch /etc/motd", "in /repo"]
    places = [person.seen.index(text) for text in wanted]
    assert places == sorted(places)
    person.decided()


@pytest.mark.usefixtures("quickly")
def test_high_risk_is_not_approved_by_a_small_letter_or_enter(person: Person) -> None:
    person.is_asked(asked(risk=HIGH))
    person.sees("Your answer")
    person.presses("y\r\nauY")
    assert person.decided().decision == "approved"
    assert person.seen.count("Your answer") == 1


@pytest.mark.usefixtures("quickly")
def test_enter_arrows_and_unknown_keys_answer_nothing(person: Person) -> None:
    person.is_asked(asked())
    person.sees("Your answer")
    person.presses("\r\n z\x1b[A")
    person.presses("n")
    assert person.decided().decision == "denied"


def test_keys_typed_before_the_question_stands_there_do_not_count(person: Person) -> None:
    person.presses("yyyy\n")
    person.is_asked(asked())
    person.sees("approval needed")
    person.presses("y")
    person.sees("Your answer")
    person.presses("n")
    assert person.decided().decision == "denied"


@pytest.mark.usefixtures("quickly")
def test_a_hostile_command_cannot_paint_a_prompt(person: Person) -> None:
    person.is_asked(asked("echo", "\x1b[2J\x1b[H[y] harmless\n  Risk: LOW", "\u202e"))
    person.sees("Your answer")
    person.presses("n")
    person.decided()
    assert "\x1b" not in person.seen
    assert "\\e[2J" in person.seen
    assert "\r\n  Risk: LOW" not in person.seen


@pytest.mark.usefixtures("quickly")
def test_a_long_command_is_folded_and_shown_whole_on_request(person: Person) -> None:
    script = "\n".join(f"echo line {number}" for number in range(60))
    person.is_asked(asked("bash", "-c", script))
    person.sees("press v")
    person.sees("Your answer")
    assert "line 59" not in person.seen
    person.presses("v")
    person.sees("line 59")
    person.presses("n")
    person.decided()


@pytest.mark.usefixtures("quickly")
def test_control_c_at_the_prompt_interrupts(person: Person) -> None:
    person.is_asked(asked())
    person.sees("Your answer")
    person.presses("\x03")
    person._thread.join(WAIT_MS / 1000)
    assert isinstance(person.answer, KeyboardInterrupt)


@pytest.mark.usefixtures("quickly")
def test_a_terminal_that_goes_away_is_a_refusal_not_a_hang(person: Person) -> None:
    person.is_asked(asked())
    person.sees("Your answer")
    os.close(person._slave)
    person._slave = -1
    person.hangs_up()
    assert person.decided().decision == "denied"
    assert "terminal went away" in person.decided().reason


@pytest.mark.usefixtures("quickly")
def test_the_terminal_is_left_as_it_was(person: Person) -> None:
    before = termios.tcgetattr(person.master)
    person.is_asked(asked())
    person.sees("Your answer")
    person.presses("n")
    person.decided()
    assert termios.tcgetattr(person.master) == before


def test_no_terminal_passes_the_question_on() -> None:
    assert TerminalReviewer(colour=False, terminal="/nonexistent/tty").review(asked()) is None
