"""What tools need of where they work: of a session, its settings and live commands, of an agent, and of the toolbox."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal, Protocol

    from sandgate.gate.confinement import Confinement
    from sandgate.gate.forecast import Forecast
    from sandgate.gate.gate import Gate
    from sandgate.gate.policies import Policies
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.decisions import Attempt, Passage
    from sandgate.protocol.denials import Denial
    from sandgate.protocol.events import EventMessage
    from sandgate.protocol.permissions import ApprovalPolicy
    from sandgate.protocol.trace import Recorder
    from sandgate.terminals.awaiting import Awaiting
    from sandgate.terminals.limits import ExecLimits
    from sandgate.terminals.live_listing import LiveCommand
    from sandgate.terminals.start import Shape
    from sandgate.terminals.table import TerminalTable
    from sandgate.terminals.terminal import Terminal
    from sandgate.terminals.waiting import Pause, Steps
    from sandgate.tools.answers import ExecAnswer
    from sandgate.tools.arguments import ExecCommandArguments, ShellArguments, WriteStdinArguments
    from sandgate.tools.calls import Answer
    from sandgate.tools.patch_answer import PatchAnswer
    from sandgate.tools.truncation import TruncationPolicy


class StartedCommand(Record):
    """What came of a command that may live on."""

    passage: Passage
    terminal: Terminal | None  # None: nothing was started
    awaiting: Awaiting | None = None  # of the call that started it, to be given back to `Host.answered`


if TYPE_CHECKING:

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

        def start(self, command: CommandRequest, shape: Shape, *, call_id: str = "") -> StartedCommand: ...

        def attempt(self, terminal: Terminal) -> Attempt | None:
            """The last run of a command; with its result once it is over."""
            ...

        def untold(self, terminal: Terminal) -> tuple[Denial, ...]:
            """What the sandbox refused to it and no answer has told yet; from now on it is told."""
            ...

        def sought_in_vain(self, terminal: Terminal) -> str:
            """Of one that runs: at which port it met no server and which command listens elsewhere; told once. "":
            nothing."""
            ...

        def listens(self, terminal: Terminal) -> str:
            """Of one that runs: which ports it serves, and how a person sees them; told once. "": nothing."""
            ...

        def kept_back(self, terminal: Terminal) -> str:
            """Of one that runs: where what it does is seen by others only when it ends; told once. "": nowhere."""
            ...

        def answered(self, awaiting: Awaiting) -> None:
            """The call has its answer, or was given up."""
            ...

        def forget(self, terminal: Terminal) -> None: ...

        def typed(self, terminal: Terminal, text: str, *, secret: bool) -> None: ...

    class ToolSettings(Protocol):
        """What the configuration says about tools."""

        @property
        def approval(self) -> ApprovalPolicy: ...
        @property
        def allow_login_shell(self) -> bool: ...
        @property
        def timeout_ms(self) -> int | None: ...
        @property
        def longest_poll_ms(self) -> int: ...
        @property
        def output_tokens(self) -> int | None: ...
        @property
        def on_network_denial(self) -> Literal["terminate", "continue"]: ...
        @property
        def review_input(self) -> Literal["always", "escalated", "never"]: ...

    class ToolSession(Protocol):
        """A session of governed commands; `runtime.Runtime` is one."""

        gate: Gate
        policies: Policies
        confinement: Confinement
        record: Recorder
        login_is_usual: bool

        @property
        def settings(self) -> ToolSettings: ...

        @property
        def directory(self) -> str: ...

        @property
        def environ(self) -> Mapping[str, str]: ...

        def new_id(self) -> str: ...

        def forecast(self, command: CommandRequest) -> Forecast: ...

        def request(
            self,
            argv: tuple[str, ...],
            *,
            cwd: str | None = None,
            escalate: bool = False,
            justification: str | None = None,
            tty: bool = False,
            timeout_ms: int | None = None,
        ) -> CommandRequest: ...

    class ToolContext(Protocol):
        """What a call of a tool may use; `toolbox.Toolbox` is one. What it raises, a tool may let through."""

        @property
        def directory(self) -> str:
            """Where the session stands."""
            ...

        def begin(self, arguments: ExecCommandArguments, *, call_id: str = "") -> StartedCommand | ExecAnswer:
            """A command, through the gate; blocks."""
            ...

        def finish(
            self,
            arguments: ExecCommandArguments,
            started: StartedCommand | ExecAnswer,
            *,
            ends_with_caller: bool = False,
        ) -> Steps[ExecAnswer]:
            """Waits for what it prints."""
            ...

        def review_input(self, arguments: WriteStdinArguments) -> ExecAnswer | None:
            """Asks where a reviewer has to see the input, which blocks; an answer is a refusal."""
            ...

        def write(self, arguments: WriteStdinArguments, reviewed: ExecAnswer | None) -> Steps[ExecAnswer]:
            """Types, and waits for what comes of it."""
            ...

        def patch(self, text: str, *, call_id: str = "") -> PatchAnswer:
            """Applies a patch, through the gate; blocks."""
            ...

        def foresee(self, arguments: ExecCommandArguments) -> Forecast:
            """What would become of a command; asks no reviewer."""
            ...

        def list_live(self) -> tuple[LiveCommand, ...]:
            """The live commands of the session, oldest first."""
            ...

        def terminate(self, session_id: int) -> bool:
            """Ends one; False when there is none of that number."""
            ...

    class AgentContext(Protocol):
        """What one call of a tool may do in an agent's session."""

        def tell(self, message: EventMessage) -> None:
            """Tells all that watch the session."""
            ...

        async def shell(self, arguments: ShellArguments) -> Answer:
            """One command to its end."""
            ...

        async def show(self, path: str) -> Answer:
            """A picture, for the model."""
            ...

        async def delegate(self, prompt: str) -> Answer:
            """A piece of work, by a second agent."""
            ...
