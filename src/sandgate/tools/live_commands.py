"""The live commands of one session: started through the gate, kept by number, gone with the session."""

from __future__ import annotations

import os
from weakref import WeakKeyDictionary, WeakSet

from sandgate.errors import RequestError, SandgateError
from sandgate.gate.gate_request import GateRequest
from sandgate.kernel.session_tree import kill_marked, kill_sessions
from sandgate.protocol.confinement import AttemptOutcome
from sandgate.protocol.trace import Notice, TerminalEnded, TerminalInput
from sandgate.terminals.leftover_processes import Remnants
from sandgate.terminals.lifecycle import SESSION_BOUND
from sandgate.terminals.listeners import Teller
from sandgate.terminals.port_owners import ports_served, served_before, served_instead, server_words, showing
from sandgate.terminals.pump import Pump
from sandgate.terminals.table import TerminalTable
from sandgate.terminals.waiting import Pause
from sandgate.terminals.warden import Warden
from sandgate.tools.interfaces import StartedCommand
from sandgate.tools.terminal_launch import TerminalLaunch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.gate.confinement import Confinement
    from sandgate.gate.gate import Gate
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.protocol.decisions import Attempt, Passage
    from sandgate.protocol.denials import Denial
    from sandgate.protocol.trace import Recorder, TerminalStatus
    from sandgate.terminals.awaiting import Awaiting
    from sandgate.terminals.interfaces import Live
    from sandgate.terminals.lifecycle import Lifecycle
    from sandgate.terminals.limits import ExecLimits
    from sandgate.terminals.session_ports import SessionPorts
    from sandgate.terminals.start import Shape
    from sandgate.terminals.terminal import Terminal
    from sandgate.tools.truncation import TruncationPolicy

REDACTED = "(not shown: typed while echo was off)"
NEVER_RAN = -1
MARK, MARK_BYTES = "SANDGATE_SESSION_ID", 16  # tells what our commands have started, wherever it went
KILLED_MS = 2_000  # for the end of what was killed to be told; then it is killed once more


class LiveCommands:
    """Everything the live commands of one session share. Its methods may be called from any thread."""

    def __init__(
        self,
        gate: Gate,
        confinement: Confinement,
        record: Recorder,
        limits: ExecLimits,
        truncation: TruncationPolicy,
        *,
        heard: bool,  # a caller listens to `record`
        ends_on_network_denial: bool,
    ) -> None:
        self.limits = limits
        self.ends_on_network_denial = ends_on_network_denial
        self.confinement = confinement
        self.pause = Pause()
        self.table = TerminalTable(limits)
        self.pump = Pump()
        self.mark = f"{MARK}={os.urandom(MARK_BYTES).hex()}"
        self.warden = Warden(self.mark)
        self.remnants = Remnants(self.warden, self.pump)
        self.teller = Teller(record) if heard else None
        gate.pause_while_asking(self.pause)
        self._gate = gate
        self._record = record
        self._attendances: WeakKeyDictionary[Terminal, Lifecycle] = WeakKeyDictionary()
        self.truncation = truncation
        self._leaving: WeakSet[Terminal] = WeakSet()  # told to go to make room, and not gone yet
        self._ports: SessionPorts | None = None
        self._served_before = ""  # the last command on the session's loopback that has listened and is over
        self._closed = False

    def start(self, command: CommandRequest, shape: Shape, *, call_id: str = "") -> StartedCommand:
        """Passes a command through the gate, as `call_id` in the trail, and lets it live on.

        Raises what `Runtime.run` raises.
        """
        if self._closed:
            raise RequestError("the session is closed", hint="open another one")
        name, _, value = self.mark.partition("=")
        command = command.but(env={**command.env, name: value})
        number = self.table.reserve()
        launch = TerminalLaunch(self, command, number, shape, call_id=call_id or self._gate.new_id())
        try:
            passage = self._gate.pass_through(GateRequest(command, call_id=launch.call_id), launch)
        except SandgateError as error:
            self._tell_end(launch, "failed", error.sentence)
            raise
        finally:
            self.table.release(number)
            awaiting, launch.awaiting = launch.awaiting, None  # the launch is kept as long as the command lives
        started = StartedCommand(passage, launch.terminal if passage.attempts else None, awaiting)
        if passage.refusal is not None:
            self._tell_end(launch, "declined", passage.refusal.why)
        if launch.terminal is not None and launch.attendance is not None:
            launch.attendance.attempt = passage.attempts[-1]
            self._attendances[launch.terminal] = launch.attendance
        if passage.refusal is None and not passage.running:
            self._tell_end(launch, "completed", "")
        elif passage.running and launch.attendance is not None:
            launch.attendance.hand_out(lambda outcome: self._concluded(launch, passage, outcome))
        return started

    def attempt(self, terminal: Terminal) -> Attempt | None:
        """The last run of a command; with its result once it is over."""
        attendance = self._attendances.get(terminal)
        return attendance.attempt if attendance is not None else None

    def asks_for_caller(self, terminal: Terminal) -> None:
        """From now on who this thread works for is asked about the calls of it that wait."""
        attendance = self._attendances.get(terminal)
        questions = attendance.questions if attendance is not None else None
        if questions is not None:
            questions.ask_for(self._gate.on_behalf())

    def untold(self, terminal: Terminal) -> tuple[Denial, ...]:
        """What the sandbox refused to a command and no answer has told yet; from now on it is told."""
        attendance = self._attendances.get(terminal)
        if attendance is None:
            return ()
        if terminal.exited:
            return attendance.untold(attendance.attempt.denial.denials if attendance.attempt is not None else ())
        if not terminal.refused:
            return ()
        so_far = AttemptOutcome(None, refused=terminal.refused)
        questions = attendance.questions  # gone with the end of it, which may come meanwhile
        held = tuple(questions.told) if questions is not None else ()
        return attendance.untold(self._gate.refused(terminal.identity.plan, so_far, held).denials)

    def sought_in_vain(self, terminal: Terminal) -> str:
        """The sentence for a command that runs and met no server at a port; once for each port."""
        attendance = self._attendances.get(terminal)
        return "" if attendance is None or terminal.exited else attendance.unmet(terminal, terminal.unserved)

    def served_instead(self, sought: tuple[str, ...], seeker: Live | None = None) -> str:
        """Which command serves other ports than these addresses, where no server was met; a sentence, or ""."""
        if not sought:
            return ""
        said = served_instead(ports_served(self.table.terminals()), sought, seeker)
        return said or served_before(self._served_before, sought)

    def served_until_now(self, plan: ConfinedCommand) -> None:
        """The command of this plan has listened and is over, with all that it left in the background."""
        self._served_before = server_words(plan) or self._served_before

    def listens(self, terminal: Terminal) -> str:
        """The sentence for a command that runs and serves ports not reached from outside; once for each port."""
        attendance = self._attendances.get(terminal) if terminal.may_listen else None
        return "" if attendance is None else showing(attendance.unshown(ports_served((terminal,)).get(terminal, ())))

    def kept_back(self, terminal: Terminal) -> str:
        """The sentence for a command that runs and has changed a git directory, which others do not see yet; once."""
        attendance = self._attendances.get(terminal)
        return "" if attendance is None else attendance.kept_back()

    @property
    def ports(self) -> SessionPorts:
        """What its commands serve, and what of it is shown on this host."""
        if self._ports is None:
            from sandgate.terminals.session_ports import SessionPorts

            self._ports = SessionPorts(self.table)
        return self._ports

    def left(self, number: int, plan: ConfinedCommand) -> None:
        """Nothing of a command is left that ran by this plan."""
        if self._ports is not None:
            self._ports.ended(number)
        self.confinement.leave(plan)

    def keep(self, terminal: Terminal, *, pinned: bool) -> None:
        """Stores a command that is alive; what had to go to make room is ended."""
        removed = self.table.add(terminal, pinned=pinned)
        if self._closed:  # meanwhile: `close` has not seen it
            terminal.close()
            self.forget(terminal)
            raise RequestError("the session is closed", hint="open another one")
        self._see_off(*filter(None, (removed,)), *self.table.prune())
        self.table.sweep()

    def answered(self, awaiting: Awaiting) -> None:
        """A call has its answer, or was given up; what was kept beyond the limit for its sake may go."""
        awaiting.end()
        self._see_off(*self.table.prune())

    def _see_off(self, *removed: Terminal) -> None:
        for terminal in removed:
            self._leaving.add(terminal)
            terminal.terminate()

    def forget(self, terminal: Terminal) -> None:
        """The number of a command whose end was told is free again."""
        self.table.remove(terminal.identity.terminal_id)

    def terminate(self, terminal_id: int) -> bool:
        """Ends one command, politely at first; False when there is none of that number, or it is over."""
        terminal = next((each for each in self.table.terminals() if each.identity.terminal_id == terminal_id), None)
        if terminal is None or terminal.exited:
            return False
        terminal.terminate()
        return True

    def clean(self) -> int:
        """Ends all commands and waits until they are gone; how many there were."""
        terminals = (*self.table.terminals(), *self._leaving)
        for terminal in terminals:
            terminal.kill()
        # One look at all processes for those that nothing else ends as a whole.
        kill_sessions([each.pid for each in terminals if each.identity.plan.backend in SESSION_BOUND and each.pid])
        if self.warden.is_needed:
            kill_marked(self.mark)
        for terminal in terminals:
            terminal.wait_exit(KILLED_MS)
            terminal.close()
            self.forget(terminal)
        return len(terminals)

    def typed(self, terminal: Terminal, text: str, *, secret: bool) -> None:
        """Tells listeners about an input, or a look."""
        if self.teller is not None:
            shown = REDACTED if secret and text else text
            self.teller.tell(TerminalInput(terminal.identity.call_id, terminal.identity.terminal_id, shown))

    def warn(self, message: str) -> None:
        """Tells listeners, without waiting for them."""
        if self.teller is not None:
            self.teller.tell(Notice("warning", message))

    def put_back(self, path: str, content: bytes | None, why: str) -> str:
        return self.confinement.put_back(path, content, why)

    def quarantine(self, paths: tuple[str, ...]) -> None:
        for message in self.confinement.quarantine(paths):
            self.warn(message)

    def close(self) -> None:
        """Ends every live command and waits until they are gone. May be repeated."""
        if self._closed:
            return
        self._closed = True
        self.clean()
        self.pump.close()
        self.warden.close()
        if self.teller is not None:
            self.teller.flush()

    def _concluded(self, launch: TerminalLaunch, passage: Passage, outcome: AttemptOutcome) -> Attempt:
        terminal = launch.terminal
        assert terminal is not None  # it lived on
        before = passage.attempts[-1]
        if launch.questions is not None:
            before = before.but(held=tuple(launch.questions.told))  # also those after the first answer
        record = self._record if self.teller is None else self.teller.tell  # a listener must not hold up the pump
        attempt = self._gate.ended(
            launch.call_id, passage.command, before, terminal.identity.plan, outcome, record=record
        )
        self._tell_end(launch, "failed" if terminal.failure_message else "completed", terminal.failure_message)
        if launch.shape.pinned:
            self.forget(terminal)  # its holder knows; no call will ask by number
        return attempt

    def _tell_end(self, launch: TerminalLaunch, status: TerminalStatus, message: str) -> None:
        teller, terminal, attendance = self.teller, launch.terminal, launch.attendance
        if teller is None:
            return
        launch.tell_begin()
        if terminal is None or attendance is None or not terminal.exited:
            teller.tell(TerminalEnded(launch.call_id, launch.number, NEVER_RAN, b"", 0, 0, 0, 0, status, message))
            return
        code = terminal.exit_code
        failed = status == "failed" or code != 0
        deltas = attendance.deltas
        teller.tell(
            TerminalEnded(
                call_id=launch.call_id,
                process_id=launch.number,
                exit_code=NEVER_RAN if status == "failed" or code is None else code,
                output=terminal.output.transcript(),
                omitted_bytes=terminal.output.omitted_bytes,
                deltas=deltas.told if deltas else 0,
                deltas_omitted_bytes=deltas.omitted_bytes if deltas else 0,
                duration_ms=terminal.duration_ms,
                status="failed" if failed else "completed",
                message=message,
            )
        )
