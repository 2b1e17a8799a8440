"""Starts live commands without a sandbox and without a session, for tests of what a live command does."""

from __future__ import annotations

from sandgate.execution.start import start_child
from sandgate.kernel.session_tree import kill_sessions, started, still_the_same
from sandgate.protocol.commands import CommandRequest
from sandgate.terminals.identity import TerminalIdentity
from sandgate.terminals.limits import DEFAULT_LIMITS
from sandgate.terminals.pump import Pump
from sandgate.terminals.start import Shape, start_terminal
from support.process.waiting import LIMIT_S
from support.terminal.children import plan, shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.execution.held_calls import Ask
    from sandgate.execution.start import Starter
    from sandgate.protocol.confinement import AttemptOutcome, ConfinedCommand
    from sandgate.terminals.interfaces import Live
    from sandgate.terminals.limits import ExecLimits
    from sandgate.terminals.output import Listener
    from sandgate.terminals.terminal import Terminal

LIMIT_MS = LIMIT_S * 1000
FIRST_NUMBER = 1_000
GONE = -1  # it ended before anybody could look; then no process may have its number any more


class Witness:
    """A watcher that remembers what it was told, and how far things were then."""

    def __init__(self) -> None:
        self.refusals = 0
        self.outcomes: list[AttemptOutcome] = []
        self.was_over: list[bool] = []

    def refused(self, _terminal: Live) -> None:
        self.refusals += 1

    def over(self, terminal: Live) -> None:
        self.outcomes.append(terminal.outcome())
        self.was_over.append(terminal.over)


class Stage:
    """A pump, and the live commands on it; `close` ends them all."""

    def __init__(self) -> None:
        self.pump = Pump()
        self.witness = Witness()
        self._terminals: list[Terminal] = []
        self._started: dict[int, int] = {}

    def start(
        self,
        script: str | ConfinedCommand,
        *,
        tty: bool = False,
        limits: ExecLimits = DEFAULT_LIMITS,
        listeners: tuple[Listener, ...] = (),
        starter: Starter = start_child,
        shape: Shape | None = None,
        number: int = 0,
        ask: Ask | None = None,
    ) -> Terminal:
        """`sh -c script`, or what a plan says; `number` is drawn when it is 0."""
        wanted = shell(script, tty=tty) if isinstance(script, str) else script
        identity = TerminalIdentity(
            number or FIRST_NUMBER + len(self._terminals),
            "call",
            CommandRequest(wanted.argv, wanted.cwd, wanted.env, tty=wanted.tty),
            wanted,
        )
        terminal = start_terminal(
            identity,
            shape or Shape(tty=wanted.tty),
            starter=starter,
            helper=None,
            pump=self.pump,
            limits=limits,
            watcher=self.witness,
            listeners=listeners,
            ask=ask,
        )
        self._terminals.append(terminal)
        if terminal.pid:
            when = started(terminal.pid)
            self._started[terminal.pid] = GONE if when is None else when
        return terminal

    def close(self) -> None:
        for terminal in self._terminals:
            terminal.close()
        self.pump.close()
        # What a command left behind on purpose; a session's number is not given away while it has members.
        kill_sessions(still_the_same(self._started))


def sees(terminal: Terminal, *texts: str | bytes, offset: int = 0) -> int:
    """Waits for each of the texts in turn; the offset behind the last."""
    for text in texts:
        found = terminal.wait_for([text], timeout_ms=LIMIT_MS, offset=offset)
        assert found is not None, (text, terminal.read().data[-2_000:])
        offset = found.end
    return offset


def program(*argv: str, tty: bool = False) -> ConfinedCommand:
    """A plan for a program without a shell around it."""
    return plan(*argv, tty=tty)
