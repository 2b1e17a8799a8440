"""What the tools need of the session they work in. The runtime's `LiveCommands` is one."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.decisions import Attempt, Passage
    from sandgate.protocol.denials import Denial
    from sandgate.terminals.awaiting import Awaiting
    from sandgate.terminals.limits import ExecLimits
    from sandgate.terminals.start import Shape
    from sandgate.terminals.table import TerminalTable
    from sandgate.terminals.terminal import Terminal
    from sandgate.terminals.waiting import Pause
    from sandgate.tools.truncation import TruncationPolicy

    class Started(Protocol):
        """What came of a command that may live on."""

        @property
        def passage(self) -> Passage: ...

        @property
        def terminal(self) -> Terminal | None: ...

        @property
        def awaiting(self) -> Awaiting | None:
            """Of the call that started it, for `Host.answered`."""
            ...

    class Host(Protocol):
        """The session."""

        @property
        def limits(self) -> ExecLimits: ...

        @property
        def table(self) -> TerminalTable: ...

        @property
        def pause(self) -> Pause: ...

        @property
        def truncation(self) -> TruncationPolicy:
            """How much of an output one answer of this turn may hold, whatever the call asks for."""
            ...

        def start(self, command: CommandRequest, shape: Shape, *, call_id: str = "") -> Started: ...

        def attempt(self, terminal: Terminal) -> Attempt | None:
            """The last run of a command; with its result once it is over."""
            ...

        def untold(self, terminal: Terminal) -> tuple[Denial, ...]:
            """What the sandbox refused to it and no answer has told yet; from now on it is told."""
            ...

        def sought_in_vain(self, terminal: Terminal) -> str:
            """Of one that runs: at which port it met nobody and who listens elsewhere; told once. "": nothing."""
            ...

        def listens(self, terminal: Terminal) -> str:
            """Of one that runs: which ports it serves, and how a person sees them; told once. "": nothing."""
            ...

        def answered(self, awaiting: Awaiting) -> None:
            """The call has its answer, or was given up."""
            ...

        def forget(self, terminal: Terminal) -> None: ...

        def typed(self, terminal: Terminal, text: str, *, secret: bool) -> None: ...
