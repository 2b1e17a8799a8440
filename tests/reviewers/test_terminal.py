"""A person at a real terminal: what they see, which keys count, and what happens when the terminal goes."""

from __future__ import annotations

import os
import select
import termios
import threading

import pyte
import pytest

from sandgate.approvals.prompts.advice import Advice, Said
from sandgate.approvals.prompts.prompt import COLUMNS_DEFAULT
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import Amendment, ApprovalRequest, Decision
from sandgate.protocol.denials import Denial, DenialReport
from sandgate.protocol.permissions import ESCALATE, Grant
from sandgate.protocol.risk import RiskAssessment
from sandgate.reviewers import terminal as human
from sandgate.reviewers.terminal import TerminalReviewer
from sandgate.reviewers.terminal_talk import PLAIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOTD = Grant("write_path", "/etc/motd")
LOW = RiskAssessment("Writes a file.", "low")
HIGH = RiskAssessment("Deletes your home directory.", "high", ("data_deletion",))
WAIT_MS = 30_000


class Person:
    """Somebody in front of a pseudo-terminal."""

    def __init__(self) -> None:
        self.master, self._slave = os.openpty()
        self.path = os.ttyname(self._slave)
        self.seen = ""
        self.answer: Decision | BaseException | None = None

    def is_asked(
        self,
        request: ApprovalRequest,
        advice: Advice | None = None,
        withdrawn: int | None = None,
        start: tuple[int, int] | None = None,
    ) -> None:
        def ask() -> None:
            try:
                self.answer = TerminalReviewer(colour=False, terminal=self.path, start=start).review(
                    request, advice, withdrawn
                )
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
def test_the_key_that_saves_a_rule_is_there_only_where_one_is_offered_and_after_it_was_shown(person: Person) -> None:
    rule = Amendment(("git", "push"))
    person.is_asked(asked().but(stage="initial", denial=None, amendment=rule))
    person.sees("Your answer")
    assert 0 < person.seen.index("`p` saves the rule prefix_rule(pattern=") < person.seen.index("[p] yes, and always")
    person.presses("p")
    assert (person.decided().decision, person.decided().amendment) == ("approved_with_amendment", rule)


@pytest.mark.usefixtures("quickly")
def test_without_a_rule_that_key_is_no_answer(person: Person) -> None:
    person.is_asked(asked())
    person.sees("Your answer")
    person.presses("p")
    person.presses("n")
    assert person.decided().decision == "denied"


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


@pytest.mark.usefixtures("quickly")
def test_a_small_letter_for_a_capital_one_is_corrected_once(person: Person) -> None:
    """Otherwise whoever presses it sees nothing happen, and why stands lines above."""
    person.is_asked(asked(risk=HIGH))
    person.sees("Your answer [Y/A/U/n/q]: ")
    person.presses("y")
    person.sees("y is no answer here, Y is")
    person.presses("yyY")
    assert person.decided().decision == "approved"
    person.sees("Your answer [Y/A/U/n/q]: Y")
    assert person.seen.count("is no answer here") == 1


def test_enter_arrows_and_unknown_keys_answer_nothing(person: Person) -> None:
    person.is_asked(asked())
    person.sees("Your answer")
    person.presses("\r\n z\x1b[A")
    person.presses("n")
    assert person.decided().decision == "denied"


@pytest.mark.usefixtures("quickly")
@pytest.mark.parametrize(
    "said",
    [
        "\x1b[MCyY",  # the pointer over column 89, row 57: `ESC [ ? 1003 h` of the command has it told
        "\x1b[<35;89;57M",
        "\x1b[?64;1;2;6;9;15;16;17;18;21;22;28;29c",  # XTerm's attributes, asked for by `ESC [ c`
        "\x1bP>|kitty(0.32.2)\x1b\\",  # a name, asked for by `ESC [ > q`
        "\x1bP1+r544e=6b69747479\x1b\\",  # what a terminal can, in hexadecimal
        "\x1b]11;rgb:aaaa/aaaa/aaaa\x07",
        "\x1b]lyYaA\x1b\\",  # its title, which the command has set
        "\x1b\x1b[A",  # Alt and an arrow
        "\x1b[[A",  # F1 of the Linux console
        "\x1bOa",
        "\x9b?64;1;2c",  # with controls of one byte, as `ESC SP G` of the command has them sent
        "\x9d11;rgb:aaaa/aaaa/aaaa\x9c",
    ],
)
def test_what_the_terminal_says_by_itself_is_no_answer(person: Person, said: str) -> None:
    """Required: a command that had the terminal report something has not answered the question that comes after it."""
    person.is_asked(asked(risk=HIGH if said.endswith("A") else None))
    person.sees("Your answer")
    person.presses(said)
    person.presses("n")
    assert person.decided().decision == "denied"


@pytest.mark.usefixtures("quickly")
@pytest.mark.parametrize(
    "left",
    [
        "\x1b]0;never ended",
        "\x1bP never ended",
        "\x1b(0",  # letters are drawn as lines
        "\x1b)0\x0e",
        "\x1b[4h\x1b[H",  # what is written pushes what stands there
        "\x1b[1;2r\x1b[H",  # two lines scroll, the others stay
        "\x1b[?7l",  # each line ends on top of its last column
        "\x1b[?6h\x1b[2;3r",
        "\x1b[HYour answer [y/n]: " + "\r\n[y] harmless, believe me" * 22 + "\x1b[H",  # a question painted below ours
    ],
)
def test_a_command_cannot_leave_a_terminal_that_shows_another_question(
    person: Person, monkeypatch: pytest.MonkeyPatch, left: str
) -> None:
    """Required: whatever the command did to the terminal, the whole question stands there and nothing below it."""
    monkeypatch.setenv("TERM", "xterm")
    screens = []
    for before in ("", left):
        person.seen = ""
        person.is_asked(asked())
        person.sees("Your answer [y/a/u/n/q]: ")
        person.presses("n")
        person.decided()
        screens.append(_shown(before, person.seen))
    assert screens[0] == screens[1][-len(screens[0]) :]
    assert any("$ touch /etc/motd" in line for line in screens[0])


def _shown(before: str, seen: str) -> list[str]:
    screen = pyte.Screen(80, 24)
    pyte.Stream(screen).feed(before + seen)
    return "\n".join(line.rstrip() for line in screen.display).strip("\n").split("\n")


@pytest.mark.usefixtures("quickly")
def test_a_terminal_that_would_show_them_is_sent_no_sequences(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    person.is_asked(asked())
    person.sees("Your answer")
    person.presses("n")
    person.decided()
    assert "\x1b" not in person.seen


@pytest.mark.usefixtures("quickly")
def test_a_command_that_is_shown_whole_paints_no_line_of_ours(person: Person) -> None:
    """Required: no piece of it begins where a word of ours does, whatever the width of the terminal."""
    start = len("echo '")
    forged = " " * (6 * COLUMNS_DEFAULT - start) + "".join(
        f"{line:<{COLUMNS_DEFAULT}}" for line in ("  $ ls", "  [y] yes, once: list")
    )
    person.is_asked(asked("echo", forged))
    person.sees("Your answer")
    person.presses("v")
    person.sees("Your answer [y/a/u/n/q]: \r\n")
    person.presses("n")
    person.decided()
    whole = person.seen.split("Your answer")[1]
    assert "list" in whole
    rows = [row for line in whole.split("\r\n") for row in _rows(line)]
    assert not any(row.startswith(("  $ ls", "  [y]")) for row in rows)


@pytest.mark.usefixtures("quickly")
@pytest.mark.parametrize(("says", "counts"), [(5000, 80), (1, 40), (60, 60), (0, 80)])
def test_a_terminal_that_a_command_has_told_another_width_is_written_to_as_before(
    person: Person, says: int, counts: int
) -> None:
    """Required: `stty cols 5000` in a command has no line of the next question broken by the terminal itself."""
    termios.tcsetwinsize(person.master, (50, says))
    person.is_asked(asked("echo", "x" * 200), start=(80, 50))
    person.sees("Your answer")
    person.presses("n")
    person.decided()
    command = person.seen[person.seen.index("  $ echo") :].split("\r\n")
    assert max(map(len, command[:3])) <= counts
    assert len(command[0]) + 10 >= counts


def _rows(line: str) -> list[str]:
    """As the terminal breaks it."""
    return [line[at : at + COLUMNS_DEFAULT] for at in range(0, max(len(line), 1), COLUMNS_DEFAULT)]


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
    assert "\x1b" not in person.seen.replace(PLAIN, "")
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
    person.sees("^C\r\n")


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


@pytest.fixture
def advice() -> Iterator[Advice]:
    found = Advice()
    yield found
    found.close()


@pytest.mark.usefixtures("quickly")
def test_words_that_come_while_the_person_thinks_are_shown_and_the_key_is_asked_for_again(
    person: Person, advice: Advice
) -> None:
    person.is_asked(asked(risk=LOW), advice)
    person.sees("Your answer [y/a/u/n/q]: ")
    assert "model: checking…" in person.seen
    advice.give(Said(HIGH.but(source="both"), "Deletes all of it."))
    person.sees("The model says: Deletes all of it.")
    person.sees("Risk: HIGH (data deletion) - raised by the model")
    person.sees("(high risk: approving takes the capital letter)")
    person.sees("Your answer [Y/A/U/n/q]: ")
    person.presses("y")
    person.presses("n")
    assert person.decided().decision == "denied"


@pytest.mark.usefixtures("quickly")
@pytest.mark.usefixtures("quickly")
@pytest.mark.parametrize("advised", [False, True])
def test_a_question_that_is_withdrawn_lets_go_of_the_terminal_without_a_key(
    person: Person, advice: Advice, advised: bool
) -> None:
    """Required: the next key is not read by a question that nobody needs answered, and is seen as it is typed."""
    before = termios.tcgetattr(person.master)
    withdrawn = os.eventfd(0)
    try:
        person.is_asked(asked(), advice if advised else None, withdrawn)
        person.sees("Your answer")
        os.eventfd_write(withdrawn, 1)
        assert person.decided() == Decision("retry", "denied", "none", reason=human.WITHDRAWN)
    finally:
        os.close(withdrawn)
    person.sees(human.WITHDRAWN)
    assert termios.tcgetattr(person.master) == before


def test_a_lost_answer_is_said_and_the_keys_stay(person: Person, advice: Advice) -> None:
    person.is_asked(asked(risk=LOW), advice)
    person.sees("Your answer [y/a/u/n/q]: ")
    advice.give(Said(None, why_not="timed out"))
    person.sees("risk: not assessed by the model (timed out)")
    person.sees("Your answer [y/a/u/n/q]: ")
    person.presses("y")
    assert person.decided().decision == "approved"


@pytest.mark.usefixtures("quickly")
def test_a_key_pressed_before_the_words_came_counts(person: Person, advice: Advice) -> None:
    """Required: whoever has decided is not held up by words they did not wait for."""
    person.is_asked(asked(risk=LOW), advice)
    person.sees("Your answer [y/a/u/n/q]: ")
    person.presses("y")
    assert person.decided().decision == "approved"
    assert "The model says" not in person.seen


@pytest.mark.usefixtures("quickly")
def test_whoever_hangs_up_while_words_are_awaited_has_not_approved(person: Person, advice: Advice) -> None:
    person.is_asked(asked(risk=LOW), advice)
    person.sees("Your answer")
    person.hangs_up()
    assert person.decided().decision == "denied"


@pytest.mark.usefixtures("quickly")
def test_on_a_small_screen_the_command_and_what_a_yes_gives_are_in_sight(person: Person) -> None:
    termios.tcsetwinsize(person.master, (10, 40))
    person.is_asked(asked(risk=HIGH))
    person.sees("Your answer")
    screen = pyte.Screen(40, 10)
    pyte.Stream(screen).feed(person.seen)
    shown = "\n".join(screen.display)
    for words in ("$ touch /etc/motd", "Risk: HIGH", "a yes: may write /etc/motd", "[Y] once", "[n] no", "[v] see"):
        assert words in shown, words
    person.seen = ""
    person.presses("v")
    person.sees("approval needed")
    person.sees("Your answer")
    person.presses("n")
    assert person.decided().decision == "denied"
