"""A session for the tools without gate, policy or sandbox: it starts real commands and remembers what it is told."""

from __future__ import annotations

from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import Attempt, Passage, Refusal
from sandgate.protocol.denials import DenialReport
from sandgate.protocol.permissions import EffectivePermissions
from sandgate.protocol.verdicts import Allow
from sandgate.terminals.awaiting import Awaiting
from sandgate.terminals.limits import DEFAULT_LIMITS
from sandgate.terminals.start import Shape
from sandgate.terminals.table import TerminalTable
from sandgate.terminals.waiting import Pause, drive
from sandgate.tools.arguments import WriteStdinArguments
from sandgate.tools.command_input import write_stdin
from sandgate.tools.command_start import await_command, start_command
from sandgate.tools.interfaces import StartedCommand
from sandgate.tools.truncation import TruncationPolicy
from support.terminal.children import shell
from support.terminal.terminal_stage import Stage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.denials import Denial
    from sandgate.terminals.terminal import Terminal
    from sandgate.tools.answers import ExecAnswer

PATIENT = DEFAULT_LIMITS.but(min_empty_yield_ms=250, default_write_yield_ms=10_000)
"""A write comes back as soon as there is something to come back with; the tests wait for nothing else."""


class ToolHost:
    """A `tools.host.Host`."""

    def __init__(self) -> None:
        self.stage = Stage()
        self.limits = PATIENT
        self.table = TerminalTable(PATIENT)
        self.pause = Pause()
        self.truncation = TruncationPolicy("tokens", 10_000)
        self.told: list[tuple[str, bool]] = []  # what was typed, and whether it was a secret
        self.refuses: str | None = None
        self.denials: tuple[Denial, ...] = ()
        self.untold_before: tuple[Denial, ...] = ()
        self._attempts: dict[Terminal, Attempt] = {}

    def start(self, command: CommandRequest, shape: Shape, *, call_id: str = "") -> StartedCommand:  # noqa: ARG002
        if self.refuses is not None:
            return StartedCommand(Passage(command, Allow(), refusal=Refusal("rule", self.refuses)), None)
        number = self.table.reserve()
        terminal = self.stage.start(
            shell(command.argv[-1], tty=shape.tty), shape=shape, limits=self.limits, number=number
        )
        awaiting = Awaiting(terminal)
        self.table.add(terminal)
        report = DenialReport("denied" if self.denials else "unknown", self.denials)
        attempt = Attempt(False, "none", (), None, report, "a test", EffectivePermissions(confined=False))
        passage = Passage(command, Allow(), attempts=(attempt,))
        self._attempts[terminal] = attempt
        return StartedCommand(passage, terminal, awaiting)

    def untold(self, terminal: Terminal) -> tuple[Denial, ...]:  # noqa: ARG002
        new = tuple([each for each in self.denials if each not in self.untold_before])
        self.untold_before += new
        return new

    def sought_in_vain(self, terminal: Terminal) -> str:  # noqa: ARG002
        return ""

    def listens(self, terminal: Terminal) -> str:  # noqa: ARG002
        return ""

    def kept_back(self, terminal: Terminal) -> str:  # noqa: ARG002
        return ""

    def attempt(self, terminal: Terminal) -> Attempt | None:
        return self._attempts.get(terminal)

    def answered(self, awaiting: Awaiting) -> None:
        awaiting.end()
        self.table.prune()

    def forget(self, terminal: Terminal) -> None:
        self.table.remove(terminal.identity.terminal_id)

    def typed(self, _terminal: Terminal, text: str, *, secret: bool) -> None:
        self.told.append((text, secret))

    # What a model does

    def exec(self, script: str, *, tty: bool = False, **options: Any) -> ExecAnswer:
        started = self.begin(script, tty=tty)
        return drive(await_command(self, started, **options))

    def begin(self, script: str, *, tty: bool = False) -> Any:
        command = CommandRequest(("/bin/sh", "-c", script), "/", {}, tty=tty)
        return start_command(self, command, Shape(tty=tty))

    def write(self, session_id: int | None, chars: str = "", **arguments: Any) -> ExecAnswer:
        assert session_id is not None
        return drive(write_stdin(self, WriteStdinArguments(session_id, chars, **arguments)))

    def terminal(self, session_id: int | None) -> Terminal:
        assert session_id is not None
        return self.table.get(session_id)
