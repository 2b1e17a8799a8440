"""Launches the runs of one command: from the gate's plan to the driver, with the caller's streams."""

from __future__ import annotations

from sandgate.execution.placeholder import Placeholders
from sandgate.execution.planted_files import Planted
from sandgate.execution.post_run_checks import PostRunChecks
from sandgate.execution.run import run as run
from sandgate.gate.confinement import OUTDATED
from sandgate.gate.readiness import Readiness
from sandgate.protocol.confinement import AttemptOutcome
from sandgate.protocol.trace import Notice, OutputArrived, OutputLost, RefusedMeanwhile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from sandgate.execution.early_refusals import Meanwhile
    from sandgate.execution.streams import ForwardingStopped
    from sandgate.gate.confinement import Confinement
    from sandgate.gate.held_questions import HeldQuestions
    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.protocol.denials import Refused
    from sandgate.protocol.stdio import Stdio
    from sandgate.protocol.trace import Recorder, Stream
    from sandgate.terminals.shown_ports import PortWish

    Hear = Callable[[Stream, bytes], None]


class Launch(Readiness):
    """A `gate.Launcher` for one passage; threads that share a session each have their own.

    `served_elsewhere` says who serves addresses at which the command found no server; "" where that is not known.
    """

    __slots__ = (
        "_ask",
        "_cancel_fd",
        "_capture_bytes",
        "_kill_grace_ms",
        "_ports",
        "_record",
        "_served_elsewhere",
        "_stdio",
        "_timeout_ms",
    )

    def __init__(
        self,
        confinement: Confinement,
        record: Recorder,
        *,
        stdio: Stdio,
        ports: tuple[PortWish, ...] = (),
        timeout_ms: int | None,
        capture_bytes: int,
        kill_grace_ms: int,
        cancel_fd: int | None,
        served_elsewhere: Callable[[tuple[str, ...]], str],
    ) -> None:
        self._capture_bytes = capture_bytes
        self._kill_grace_ms = kill_grace_ms
        self._record = record
        self._stdio = stdio
        self._ports = ports
        self._timeout_ms = timeout_ms
        self._cancel_fd = cancel_fd
        self._served_elsewhere = served_elsewhere
        self._ask: HeldQuestions | None = None
        super().__init__(confinement)

    def when_held(self, questions: HeldQuestions) -> bool:
        """See `gate.Launcher`."""
        self._ask = questions
        return True

    def __call__(self, call_id: str, plan: ConfinedCommand) -> AttemptOutcome:
        def arrived(stream: Stream, chunk: bytes) -> None:
            self._record(OutputArrived(call_id, stream, chunk))

        def lost(stopped: ForwardingStopped) -> None:
            self._record(OutputLost(call_id, stopped.stream, stopped.errno, stopped.sentence()))

        if not self._confinement.enter(plan):
            return AttemptOutcome(None, failure=OUTDATED)
        try:
            return self._attended(call_id, plan, arrived, lost)
        finally:
            self._confinement.leave(plan)

    def _attended(
        self,
        call_id: str,
        plan: ConfinedCommand,
        arrived: Callable[[Stream, bytes], None],
        lost: Callable[[ForwardingStopped], None],
    ) -> AttemptOutcome:
        checks = PostRunChecks(plan, self._confinement.marks())
        planted = Planted(plan, self._confinement.listings())
        plan, drafts = self._confinement.drafted(plan)
        try:
            if not self._ports:
                outcome = self._run(call_id, plan, arrived, lost, checks.look)
            else:
                with self._shown(plan):
                    outcome = self._run(call_id, plan, arrived, lost, checks.look)
        except BaseException:
            if drafts is not None:
                drafts.release()
            checks.look()
            self._warn(self._confinement.quarantine(checks.created))
            raise
        if drafts is not None:
            outcome = drafts.settled(outcome)
        outcome = checks.settled(outcome, self._confinement.put_back)
        if outcome.failure is not None:  # nothing ran
            return outcome
        if not checks.looked:
            checks.look()
        self._warn(checks.exchanged_lines(outcome.performed))
        if _has_failed(outcome):
            from sandgate.sandbox.missing_tmp_files import unseen_in_tmp

            self._warn([*filter(None, (unseen_in_tmp(plan.argv, plan.permissions.private_tmp),))])
        planted.look()
        if remarks := [*filter(None, (planted.sentence(checks.created), self._unmet(outcome)))]:
            outcome = outcome.but(remarks=(*outcome.remarks, *remarks))
        return outcome.but(created_protected=checks.created) if checks.created else outcome

    def _run(
        self,
        call_id: str,
        plan: ConfinedCommand,
        arrived: Callable[[Stream, bytes], None],
        lost: Callable[[ForwardingStopped], None],
        ended: Callable[[], None],
    ) -> AttemptOutcome:
        with Placeholders(plan):
            meanwhile = self._meanwhile(call_id, plan) if self._stdio.tells_refusals and not plan.tty else None
            return run(
                plan,
                stdin=self._stdio.stdin,
                stdout=self._stdio.stdout,
                stderr=self._stdio.stderr,
                timeout_ms=self._timeout_ms,
                cancel_fd=self._cancel_fd,
                on_output=self._hearing(arrived, meanwhile),
                on_stopped=lost,
                on_ended=ended,
                meanwhile=meanwhile,
                ask=self._ask if plan.holds_calls else None,
                on_left=self._leave,
                helper=self._confinement.helper,
                capture_bytes=self._capture_bytes,
                kill_grace_ms=self._kill_grace_ms,
                starter=self._head_start.start,
            )

    def _hearing(self, arrived: Hear, meanwhile: Meanwhile | None) -> Hear | None:
        if self._stdio.stdout is not None:
            return None if meanwhile is None else meanwhile.output
        return arrived

    def _meanwhile(self, call_id: str, plan: ConfinedCommand) -> Meanwhile:
        from sandgate.execution.early_refusals import Meanwhile

        def tell(refused: tuple[Refused, ...], inside_line: bool) -> None:
            from sandgate.sandbox.denial import explain

            denials = explain(plan, AttemptOutcome(None, refused=refused)).denials
            if denials:
                self._record(RefusedMeanwhile(call_id, denials, plan.permissions, inside_line))

        return Meanwhile(tell)

    def _shown(self, plan: ConfinedCommand) -> AbstractContextManager[None]:
        from sandgate.terminals.shown_ports import ports_shown

        confinement = self._confinement
        return ports_shown(self._ports, plan, confinement.networks, confinement.helper, self._tell)

    def _unmet(self, outcome: AttemptOutcome) -> str:
        sought = outcome.unserved if _has_failed(outcome) else ()
        return self._served_elsewhere(sought) if sought else ""

    def _tell(self, message: str) -> None:
        self._record(Notice("background_event", message))

    def _warn(self, messages: list[str]) -> None:
        for message in messages:
            self._record(Notice("warning", message))


def _has_failed(outcome: AttemptOutcome) -> bool:
    return outcome.result is not None and outcome.result.exit_code != 0
