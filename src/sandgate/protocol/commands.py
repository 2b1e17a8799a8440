"""A command before, during and after it runs.

Text that comes from the operating system (argv, paths, environment) is `str` decoded with `surrogateescape`,
so that bytes which are not UTF-8 survive the round trip. Paths are `str`, absolute: `pathlib` costs more to
import than the whole confinement of a command (see docs/decisions).
"""

from __future__ import annotations

from sandgate.errors import RequestError
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    EscalationWish = Literal["use_default", "require_escalated"]
    Termination = Literal["exited", "signaled", "timed_out", "cancelled", "interrupted"]

NS_PER_MS, NS_PER_S = 1_000_000, 1_000_000_000


class CommandRequest(Record):
    """One command that a user or a model wants to run. Nothing in it is changed after a reviewer has seen it."""

    argv: tuple[str, ...]
    cwd: str  # absolute
    env: Mapping[str, str]  # the complete environment; nothing is inherited beside it
    timeout_ms: int | None = None  # None: no limit
    wish: EscalationWish = "use_default"
    justification: str | None = None
    tty: bool = False  # give the command a terminal of its own
    set_variables: tuple[tuple[str, str], ...] = ()  # part of `env` that was asked for; judged like `env K=V …`
    prefix_rule: tuple[str, ...] = ()  # with an escalation wish: the rule the caller would like to see saved

    def __repr__(self) -> str:
        """Without the values of variables: what is printed for a reviewer or into a log must not spill them."""
        named = {**self.fields(), "env": f"<{len(self.env)} variables>"}
        inside = ", ".join(f"{name}={value if name == 'env' else repr(value)}" for name, value in named.items())
        return f"CommandRequest({inside})"


class CommandResult(Record):
    """How a command ended. A denial, a failure and a timeout are results, not exceptions."""

    exit_code: int  # its own; 128+N after signal N; 124 after a time limit or cancellation
    signal: int | None
    termination: Termination
    stdout: bytes  # head and tail, at most the capture cap
    stderr: bytes
    aggregated: bytes  # both streams in order of arrival
    stdout_omitted_bytes: int = 0
    stderr_omitted_bytes: int = 0
    duration_ms: int = 0
    drain_timed_out: bool = False  # a grandchild still held the pipes when we stopped reading

    @property
    def timed_out(self) -> bool:
        return self.termination == "timed_out"


def check_argv(argv: Sequence[str]) -> None:
    """Raises RequestError for an argv that no kernel would take."""
    if isinstance(argv, str) or not all(isinstance(word, str) for word in argv):
        raise RequestError(
            f"`{argv!r}` is no command",
            why="a command is a sequence of words",
            hint='("ls", "-l"); for a script: ("sh", "-c", script)',
        )
    if not argv or not argv[0]:
        raise RequestError("the command is empty", hint="name a program to run")
    for word in argv:
        if "\0" in word:
            raise RequestError("an argument contains a NUL byte", why="no program can be given one", hint="remove it")
