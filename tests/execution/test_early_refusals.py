"""When a refusal is told to somebody in front of a command that still runs. At a terminal: tests/journeys/."""

from __future__ import annotations

from sandgate.execution.early_refusals import LINE_LIMIT_MS, TOLD_AFTER_MS, Meanwhile
from sandgate.protocol.commands import NS_PER_MS
from sandgate.protocol.denials import Refused

BEGAN_NS = 7 * NS_PER_MS
ONE, OTHER = Refused("write", "openat", "/etc/motd"), Refused("connect", "connect", address="192.0.2.1:80")


class Run:
    """A run in which time is what the test says."""

    def __init__(self) -> None:
        self.told: list[tuple[int, tuple[Refused, ...], bool]] = []
        self.refused: list[Refused] = []
        self.at_ms = 0
        self.meanwhile = Meanwhile(lambda new, inside: self.told.append((self.at_ms, new, inside)))

    def prints(self, text: bytes) -> None:
        self.meanwhile.output("stdout", text)

    def looks(self, at_ms: int, *refused: Refused, held_back: bool = False) -> None:
        self.at_ms = at_ms
        self.refused += refused
        self.meanwhile.look(BEGAN_NS + at_ms * NS_PER_MS, self.refused, held_back=held_back)

    def wait_ms(self, limit_ms: int | None = None) -> int | None:
        return self.meanwhile.wait_ms(limit_ms, BEGAN_NS + self.at_ms * NS_PER_MS)


def test_a_refusal_is_told_once_the_command_has_run_on_for_a_while() -> None:
    run = Run()
    assert (run.wait_ms(), run.wait_ms(5)) == (None, 5)
    run.looks(0, ONE)
    assert (run.wait_ms(), run.wait_ms(5)) == (TOLD_AFTER_MS, 5)
    run.looks(TOLD_AFTER_MS - 1, OTHER)
    assert (run.told, run.wait_ms()) == ([], 1)
    run.looks(TOLD_AFTER_MS)
    run.looks(TOLD_AFTER_MS + 1)
    assert run.told == [(TOLD_AFTER_MS, (ONE, OTHER), False)]
    assert run.wait_ms() is None


def test_the_end_of_a_line_is_waited_for() -> None:
    run = Run()
    run.looks(0, ONE)
    run.prints(b"half a li")
    run.looks(TOLD_AFTER_MS)
    assert (run.told, run.wait_ms()) == ([], LINE_LIMIT_MS - TOLD_AFTER_MS)
    run.prints(b"ne\n")
    run.looks(TOLD_AFTER_MS + 1)
    assert run.told == [(TOLD_AFTER_MS + 1, (ONE,), False)]


def test_of_a_line_that_stays_open_it_is_said() -> None:
    run = Run()
    run.prints(b"Password: ")
    run.looks(0, ONE)
    run.looks(LINE_LIMIT_MS)
    run.looks(LINE_LIMIT_MS, OTHER)
    run.looks(LINE_LIMIT_MS + TOLD_AFTER_MS)
    assert run.told == [
        (LINE_LIMIT_MS, (ONE,), True),
        (LINE_LIMIT_MS + TOLD_AFTER_MS, (OTHER,), False),  # our own line ended it
    ]


def test_output_that_is_still_on_its_way_is_waited_for() -> None:
    run = Run()
    run.looks(0, ONE)
    run.looks(TOLD_AFTER_MS, held_back=True)
    assert run.told == []
    run.looks(TOLD_AFTER_MS + 1)
    assert run.told == [(TOLD_AFTER_MS + 1, (ONE,), False)]
