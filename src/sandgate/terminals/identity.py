"""Which live command one is, and who is told what matters beyond it."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.terminals.interfaces import Live

    class Watcher(Protocol):
        """Is told, on the pump's thread, what matters beyond one command."""

        def refused(self, terminal: Live) -> None:
            """The sandbox has refused something, for the first time or again."""
            ...

        def over(self, terminal: Live) -> None:
            """All output is read and the process gone; told once, before `Terminal.over` is true."""
            ...


class TerminalIdentity(Record):
    """Which command this is. Nothing of it changes while the command lives."""

    terminal_id: int  # what a model calls the session; never a pid
    call_id: str  # of the call that started it
    command: CommandRequest
    plan: ConfinedCommand
    held: bool = False  # by a program, which ends it itself; see TerminalTable.add
    rows: int = 0
    columns: int = 0
