"""The tools of one session, put together: arguments become governed commands, and live commands are looked after.

Imported with the first live command, since a plain command does not need any of it.
"""

from __future__ import annotations

import os

from sandgate.errors import CommandRefused
from sandgate.runtime.live import LiveCommands
from sandgate.runtime.shell import shell_argv
from sandgate.terminals.limits import exec_limits
from sandgate.terminals.start import Shape
from sandgate.tools.exec_command import await_command, start_command
from sandgate.tools.truncation import TruncationPolicy
from sandgate.tools.write_stdin import write_stdin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.trace import Recorder
    from sandgate.runtime.runtime import Runtime
    from sandgate.terminals.terminal import Terminal
    from sandgate.terminals.waiting import Steps
    from sandgate.tools.answers import ExecAnswer
    from sandgate.tools.arguments import ExecCommandArguments, WriteStdinArguments
    from sandgate.tools.host import Started

ANSWER_POLICY = TruncationPolicy("tokens", 10_000)  # exec.md section 10, where no model says otherwise

# unified_exec.md section 5: what makes output readable for somebody who is no terminal.
PLAIN_OUTPUT = {
    "NO_COLOR": "1",
    "TERM": "dumb",
    "LANG": "C.UTF-8",
    "LC_CTYPE": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "COLORTERM": "",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GH_PAGER": "cat",
    "SANDGATE_CI": "1",
}
_WIRE_POLICY = {"untrusted": "UnlessTrusted", "on-failure": "OnFailure", "on-request": "OnRequest", "never": "Never"}


class Toolbox:
    """Made by `Runtime` on first use."""

    def __init__(self, runtime: Runtime, live: LiveCommands) -> None:
        self._runtime = runtime
        self.live = live

    def begin(self, arguments: ExecCommandArguments) -> Started:
        """The blocking half of `exec_command`. Raises CommandRefused, and what `Runtime.run` raises."""
        self._check_wish(arguments)
        command = self.command(arguments)
        limits = self.live.limits
        rows, columns = arguments.rows or limits.terminal_rows, arguments.columns or limits.terminal_columns
        return start_command(self.live, command, Shape(tty=arguments.tty, rows=rows, columns=columns))

    def finish(self, arguments: ExecCommandArguments, started: Started) -> Steps[ExecAnswer]:
        """The waiting half."""
        return await_command(
            self.live,
            started,
            yield_time_ms=arguments.yield_time_ms,
            max_output_tokens=arguments.max_output_tokens,
        )

    def write(self, arguments: WriteStdinArguments) -> Steps[ExecAnswer]:
        """`write_stdin`, which only waits."""
        return write_stdin(self.live, arguments)

    def command(self, arguments: ExecCommandArguments) -> CommandRequest:
        """The command that a call stands for."""
        runtime = self._runtime
        directory = os.path.normpath(os.path.join(runtime.directory, arguments.workdir or "."))
        command = runtime.request(
            shell_argv(arguments.cmd),
            cwd=directory,
            escalate=arguments.sandbox_permissions == "require_escalated",
            justification=arguments.justification,
            tty=arguments.tty,
        )
        return command.but(env={**command.env, **PLAIN_OUTPUT}, timeout_ms=None)

    def _check_wish(self, arguments: ExecCommandArguments) -> None:
        policy = self._runtime.policies.name
        if arguments.sandbox_permissions == "require_escalated" and policy != "on-request":
            name = _WIRE_POLICY.get(policy, policy)
            raise CommandRefused(
                f"approval policy is {name}; reject command — you cannot ask for escalated permissions if the "
                f"approval policy is {name}"
            )


def open_live(runtime: Runtime, record: Recorder, *, heard: bool) -> LiveCommands:
    """What the live commands of `runtime` share. Raises ConfigError for limits that do not fit together."""
    return LiveCommands(
        runtime.gate,
        runtime.confinement,
        record,
        exec_limits(os.environ),
        ANSWER_POLICY,
        heard=heard,
        ends_on_network_denial=False,
    )


def open_terminal(live: LiveCommands, command: CommandRequest, shape: Shape) -> Terminal:
    """A live command for a program. Raises CommandRefused when it did not run."""
    terminal = start_command(live, command, shape).terminal
    assert terminal is not None  # start_command has seen to it
    return terminal
