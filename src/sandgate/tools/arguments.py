"""What calls of the tools that run commands stand for, as typed values; each tool reads its own (`builtin/`). Pure."""

from __future__ import annotations

from sandgate.record import Record
from sandgate.tools.keys import typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.commands import EscalationWish

SHELL_TIMEOUT_MS = 10_000  # when the call says nothing
SHELL_TIMEOUT_MS_MAX = 3_600_000  # a longer one is cut to this, and the model told


class WaitPattern(Record):
    """Something in the output to wait for."""

    text: str
    regex: bool = False


class ExecCommandArguments(Record):
    """Of `exec_command`. None: not said."""

    cmd: str
    workdir: str | None = None
    shell: str | None = None
    login: bool | None = None
    tty: bool = False
    yield_time_ms: int | None = None
    max_output_tokens: int | None = None
    sandbox_permissions: EscalationWish = "use_default"
    justification: str | None = None
    prefix_rule: tuple[str, ...] = ()
    rows: int | None = None
    columns: int | None = None


class WriteStdinArguments(Record):
    """Of `write_stdin`. Nothing to send: a poll."""

    session_id: int
    chars: str = ""
    yield_time_ms: int | None = None
    max_output_tokens: int | None = None
    keys: tuple[str, ...] = ()
    wait_for: tuple[WaitPattern, ...] = ()

    @property
    def sent(self) -> str:
        """All that goes to the command: the characters, then what the keys send."""
        return self.chars + typed(self.keys)


class ShellArguments(Record):
    """Of `shell` and `local_shell`. None: not said."""

    command: tuple[str, ...]
    workdir: str | None = None
    timeout_ms: int | None = None
    sandbox_permissions: EscalationWish = "use_default"
    justification: str | None = None
    prefix_rule: tuple[str, ...] = ()

    @property
    def bounded_timeout_ms(self) -> int:
        """How long the command may really take."""
        return SHELL_TIMEOUT_MS if self.timeout_ms is None else min(self.timeout_ms, SHELL_TIMEOUT_MS_MAX)

    @property
    def notices(self) -> tuple[str, ...]:
        """What the model has to know about how its arguments were taken."""
        if self.timeout_ms is None or self.timeout_ms <= SHELL_TIMEOUT_MS_MAX:
            return ()
        return (f"the time limit was cut to {SHELL_TIMEOUT_MS_MAX} milliseconds",)
