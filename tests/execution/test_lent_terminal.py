"""Twin of `execution/lent_terminal.py`: our terminal, lent to a question and taken back."""

from __future__ import annotations

import os
import termios
from contextlib import suppress
from fcntl import ioctl
from struct import pack, unpack
from typing import TYPE_CHECKING

import pytest

from sandgate.execution import lent_terminal
from sandgate.execution.capture import Capture
from sandgate.execution.lent_terminal import REPAINT_MS, SETTLE_MS, LentTerminal
from sandgate.execution.streams import Forwarding, OutputStream
from sandgate.execution.tty import TerminalRelay
from sandgate.protocol.commands import NS_PER_MS
from support.process import waiting

if TYPE_CHECKING:
    from collections.abc import Iterator

ECHO = termios.ECHO


class Stage:
    """A person, our terminal, and the command's."""

    def __init__(self) -> None:
        self.person, self.ours = os.openpty()
        ioctl(self.ours, termios.TIOCSWINSZ, pack("HHHH", 30, 100, 0, 0))
        self.relay = TerminalRelay(stdin=self.ours, stdout=self.ours)
        shown = OutputStream(
            "stdout", self.relay.master, capture=Capture(4_096), forwarding=Forwarding(self.ours), on_output=None
        )
        self.shown = shown
        self.lent = LentTerminal(self.relay, shown)

    def close(self) -> None:
        self.lent.close()
        self.shown.close()
        self.relay.close()
        for fd in (self.relay.slave, self.person, self.ours):
            with suppress(OSError):
                os.close(fd)

    @property
    def echoes(self) -> bool:
        return bool(termios.tcgetattr(self.ours)[3] & ECHO)

    @property
    def rows(self) -> int:
        rows: int = unpack("HHHH", ioctl(self.relay.slave, termios.TIOCGWINSZ, bytes(8)))[0]
        return rows

    def paints(self) -> None:
        """The command takes keys one by one, in the second screen."""
        modes = termios.tcgetattr(self.relay.slave)
        modes[3] &= ~termios.ICANON
        termios.tcsetattr(self.relay.slave, termios.TCSANOW, modes)
        os.write(self.relay.slave, b"\x1b[?1049hpicture")


@pytest.fixture
def stage() -> Iterator[Stage]:
    found = Stage()
    yield found
    found.close()


def test_what_was_printed_is_shown_first_and_the_modes_are_ours(stage: Stage) -> None:
    stage.paints()
    assert not stage.echoes
    assert stage.lent(True)
    assert stage.echoes
    assert waiting.read_until(stage.person, b"\x1b[?1049l") == b"\x1b[?1049hpicture\x1b[?1049l"
    assert stage.lent(False)
    assert not stage.echoes
    assert waiting.read_until(stage.person, b"1049h") == b"\x1b[?1049h"


def test_what_was_typed_for_the_command_is_kept_for_it(stage: Stage) -> None:
    """Required: it is no answer, and is not lost."""
    os.write(stage.person, b"typed")
    assert stage.lent(True)
    stage.lent(False)
    for fd, _events in stage.relay.interest():
        stage.relay.handle(fd)
    assert waiting.read_until(stage.relay.master, b"typed") == b"typed"  # its terminal echoes


def test_the_sizes_are_told_one_after_the_other_and_not_while_a_call_waits(stage: Stage) -> None:
    """Required: a signal could interrupt the call; and one size alone would be no news to the program."""
    stage.paints()
    stage.lent(True)
    stage.relay.tell_size(smaller=True)  # as if ours changed meanwhile
    assert stage.rows == 30
    stage.lent(False)
    now = stage.lent._due_ns
    stage.lent.repaint(now, waits=True)
    assert (stage.rows, stage.lent.wait_ms(None, waits=True)) == (30, None)
    stage.lent.repaint(now, waits=False)
    assert stage.rows == 29
    stage.lent.repaint(now + (REPAINT_MS - 1) * NS_PER_MS, waits=False)
    assert stage.rows == 29
    stage.lent.repaint(now + REPAINT_MS * NS_PER_MS, waits=False)
    assert (stage.rows, stage.lent.wait_ms(7, waits=False)) == (30, 7)


def test_a_command_that_reads_lines_is_told_of_no_other_size(stage: Stage) -> None:
    stage.lent(True)
    stage.lent(False)
    assert (stage.lent.wait_ms(None, waits=False) or 0) <= SETTLE_MS
    stage.lent.repaint(stage.lent._due_ns, waits=False)
    assert (stage.rows, stage.lent.wait_ms(None, waits=False)) == (30, None)


def test_a_terminal_that_shows_nothing_any_more_is_not_lent(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: nobody is asked where what came before the question cannot be read; the command has it as before."""
    monkeypatch.setattr(lent_terminal, "SHOWN_LIMIT_MS", 20)
    assert stage.shown.forwarding is not None
    while not stage.shown.waiting:
        stage.shown.forwarding.send(b"x" * 65_536)  # which nobody reads
    assert not stage.lent(True)
    assert not stage.echoes


def test_a_terminal_that_is_gone_is_not_lent_and_harms_nothing(stage: Stage) -> None:
    os.close(stage.person)
    assert not stage.lent(True)
    assert stage.lent(False)


def test_a_command_without_our_terminal_leaves_it_alone(stage: Stage) -> None:
    """Required: what goes to a file gets no sequences."""
    elsewhere = LentTerminal(stage.relay, None)
    assert elsewhere(True)
    elsewhere(False)
    elsewhere.close()
    os.write(stage.ours, b"end")
    assert waiting.read_until(stage.person, b"end") == b"end"
