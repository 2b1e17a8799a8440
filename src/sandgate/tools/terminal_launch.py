"""Launches the runs of one command that may live on: from the gate's plan to a live command in the table."""

from __future__ import annotations

from time import monotonic

from sandgate.execution.planted_files import Planted
from sandgate.execution.post_run_checks import PostRunChecks
from sandgate.gate.confinement import OUTDATED
from sandgate.gate.readiness import Readiness
from sandgate.protocol.confinement import AttemptOutcome
from sandgate.protocol.trace import TerminalBegan
from sandgate.terminals.activity import is_settled
from sandgate.terminals.awaiting import Awaiting
from sandgate.terminals.identity import TerminalIdentity
from sandgate.terminals.lifecycle import Lifecycle
from sandgate.terminals.start import start_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from sandgate.gate.confinement import Confinement
    from sandgate.gate.held_questions import HeldQuestions
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.terminals.lifecycle import LifecycleSession
    from sandgate.terminals.pump import Pump
    from sandgate.terminals.start import Shape
    from sandgate.terminals.table import TerminalTable
    from sandgate.terminals.terminal import Terminal

    class Home(LifecycleSession, Protocol):
        """What a launch needs of the session: where its commands live."""

        confinement: Confinement
        pump: Pump
        table: TerminalTable

        def keep(self, terminal: Terminal, *, pinned: bool) -> None: ...

        def left(self, number: int, plan: ConfinedCommand) -> None: ...


LOOK_S = 0.02  # without a change, before the kernel is asked whether it waits for input


class TerminalLaunch(Readiness):
    """A `gate.Launcher` for one passage. The last command it started is `terminal`."""

    __slots__ = (
        "_began",
        "_command",
        "_live",
        "attendance",
        "awaiting",
        "call_id",
        "number",
        "questions",
        "shape",
        "terminal",
    )

    def __init__(self, live: Home, command: CommandRequest, number: int, shape: Shape, *, call_id: str) -> None:
        super().__init__(live.confinement)
        self._live = live
        self._command = command
        self.number = number
        self.shape = shape
        self._began = False
        self.call_id = call_id
        self.terminal: Terminal | None = None
        self.attendance: Lifecycle | None = None
        self.questions: HeldQuestions | None = None  # about the calls of the last run, as long as it lives
        self.awaiting: Awaiting | None = None  # of the call that starts it, from when others could find it

    def when_held(self, questions: HeldQuestions) -> bool:
        """See `gate.Launcher`."""
        self.questions = questions
        return True

    def __call__(self, call_id: str, plan: ConfinedCommand) -> AttemptOutcome:
        self.tell_begin()
        confinement = self._live.confinement
        if not confinement.enter(plan):
            return AttemptOutcome(None, failure=OUTDATED)
        terminal = self.terminal = self._attended(call_id, plan)
        try:
            if not terminal.exited:
                self.awaiting = Awaiting(terminal)
                self._live.keep(terminal, pinned=self.shape.pinned)
            self._wait(terminal)
        except BaseException:
            terminal.close()
            raise
        if terminal.exited:
            terminal.wait_exit()
            self._live.table.remove(self.number)
            assert self.attendance is not None
            assert self.attendance.outcome is not None  # it is over
            return self.attendance.outcome
        terminal.settle_in()
        return AttemptOutcome(result=None, running=True)

    def tell_begin(self) -> None:
        """Tells listeners once, however many runs it takes."""
        if self._live.teller is not None and not self._began:
            self._began = True
            self._live.teller.tell(TerminalBegan(self.call_id, self.number, self._command, self.shape.tty))

    def _attended(self, call_id: str, plan: ConfinedCommand) -> Terminal:
        """Started, in company until it is over."""
        live, number, entered = self._live, self.number, plan
        confinement = live.confinement
        try:
            planted = Planted(plan, confinement.listings())
            checks = PostRunChecks(plan, confinement.marks())
            plan, drafts = confinement.drafted(plan)
        except BaseException:
            confinement.leave(entered)
            raise
        # Told at the very end, so it must not hold on to us: we have the command with all that it said.
        self.attendance = Lifecycle(
            live, call_id, plan, checks, planted, drafts, left=lambda: live.left(number, entered)
        )
        self.attendance.questions = self.questions
        return self._start(call_id, plan, self.attendance)

    def _start(self, call_id: str, plan: ConfinedCommand, attendance: Lifecycle) -> Terminal:
        live = self._live
        try:
            terminal = start_terminal(
                TerminalIdentity(self.number, call_id, self._command, plan, held=self.shape.pinned),
                self.shape,
                starter=self._head_start.start,
                helper=self._confinement.helper,
                pump=live.pump,
                limits=live.limits,
                watcher=attendance,
                listeners=() if attendance.deltas is None else (attendance.deltas,),
                ask=self.questions if plan.holds_calls else None,
            )
        except BaseException:
            attendance.abandon()
            raise
        attendance.begun(terminal)
        return terminal

    def _wait(self, terminal: Terminal) -> None:
        """For an end so early that the command may be run again with what it lacked.

        One that waits for input will not end by itself. A caller that holds the command itself gets it as soon as it
        has something to say.
        """
        deadline = monotonic() + self._live.limits.early_exit_grace_ms / 1000
        while not terminal.exited:
            seen = terminal.changes.count
            left = deadline - monotonic()
            if terminal.exited or left <= 0 or (self.shape.pinned and terminal.total_bytes):
                return
            if not terminal.changes.wait(seen, min(left, LOOK_S)) and is_settled(terminal):
                return
