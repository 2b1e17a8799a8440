"""One session of governed commands, without an agent: the one API that surfaces and programs use.

It is synchronous, in the manner of `subprocess.run`; `aio.py` is for event loops.
"""

from __future__ import annotations

import sys
from _thread import allocate_lock

from sandgate.config import for_confinement
from sandgate.config.rules_in_force import rules_in_force
from sandgate.errors import SandgateError
from sandgate.protocol.trace import Notice
from sandgate.runtime.commands import CommandSession, unheard
from sandgate.runtime.wiring import who_answers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Any

    from sandgate.config import Loaded
    from sandgate.gate.policies import Policies
    from sandgate.patterns.wanted import Wanted
    from sandgate.protocol.commands import EscalationWish
    from sandgate.protocol.decisions import Attempt
    from sandgate.protocol.environment import Environment
    from sandgate.terminals.live_listing import LiveCommand
    from sandgate.terminals.live_shell import LiveShell
    from sandgate.terminals.prompt_marks import Shell
    from sandgate.terminals.session_ports import ListedPort, ShownPort
    from sandgate.terminals.terminal import Terminal
    from sandgate.tools.answers import ExecAnswer
    from sandgate.tools.calls import ToolOutput
    from sandgate.tools.live_commands import LiveCommands
    from sandgate.tools.patch_answer import PatchAnswer
    from sandgate.tools.toolbox import Toolbox


_OPENING = allocate_lock()  # taken by the first call of a session that needs what is opened; all share it


class Runtime(CommandSession):
    """One session of governed commands. Not to be shared by threads that must not share approvals."""

    _live: LiveCommands | None = None
    _tools: Toolbox | None = None
    login_is_usual = False  # whether scripts get a login shell where their caller does not say

    def hold(self, environment: Environment, loaded: Loaded) -> None:
        """Another policy or directory from the next command on, while none is being judged; what lives goes on.

        Raises RuleError and RequestError, and then nothing has changed.
        """
        same = loaded.rules == self.loaded.rules
        rules, warnings = (
            (self.policies.rules, ()) if same else rules_in_force(loaded, environment.environ.get("HOME", ""))
        )
        before = self.environment, self.loaded
        self._stand(environment, loaded)
        try:
            self.confinement.hold(for_confinement(self.settings, environment.environ), environment)
        except SandgateError:
            self._stand(*before)
            raise
        if self._tools is not None:
            self._tools.outlive(self.policies.sandbox, before[0].cwd)
        left, self.policies = self.policies, self._judging_by(rules)
        policies = self.policies
        self.gate.policies = policies
        self.gate.asks_at_call = self.settings.ask == "at-call"
        self.gate.rulebook.hold(policies)
        # An approval for the session was given under one policy, and holds under that one alone.
        self.answering.hold(who_answers(self._reviewers, self), under=_stance(policies), left=_stance(left))
        if self._tools is not None:
            self._tools.patches.policies = policies
        for warning in () if same else (*loaded.warnings, *warnings):
            self.record(Notice("warning", warning))

    def terminal(
        self,
        argv: Sequence[str],
        *,
        tty: bool = True,
        rows: int = 24,
        columns: int = 80,
        post_processing: bool = True,
        cwd: str | None = None,
        escalate: bool = False,
        justification: str | None = None,
        set_variables: Mapping[str, str] | None = None,
        unset_variables: Collection[str] = (),
    ) -> Terminal:
        """Start a program that lives on, to be written to, read and waited for.

        It passes the gate like any command. Without `tty` it has empty input and a pipe for its output. Without
        `post_processing` line ends stay as they are, which is far faster. Raises CommandRefused, what `run` raises.
        """
        from sandgate.terminals.start import Shape
        from sandgate.tools.toolbox import open_terminal

        command = self.request(
            argv,
            cwd=cwd,
            escalate=escalate,
            justification=justification,
            tty=tty,
            set_variables=set_variables,
            unset_variables=unset_variables,
        )
        shape = Shape(tty=tty, rows=rows, columns=columns, post_processing=post_processing, pinned=True)
        return open_terminal(self.live, command.but(timeout_ms=None), shape)

    def shell(self, kind: Shell = "bash", *, cwd: str | None = None, escalate: bool = False) -> LiveShell:
        """Start a shell that runs one command after the other and says of each how it ended.

        Raises what `terminal` raises, and TerminalFailed when it does not come up.
        """
        from sandgate.terminals.live_shell import open_shell

        return open_shell(
            kind,
            lambda argv, variables: self.terminal(
                argv, post_processing=False, cwd=cwd, escalate=escalate, set_variables=variables
            ),
        )

    def exec_command(
        self,
        cmd: str,
        *,
        workdir: str | None = None,
        shell: str | None = None,
        login: bool | None = None,
        tty: bool = False,
        yield_time_ms: int | None = None,
        max_output_tokens: int | None = None,
        sandbox_permissions: EscalationWish = "use_default",
        justification: str | None = None,
        rows: int | None = None,
        columns: int | None = None,
    ) -> ExecAnswer:
        """The tool of that name: run a shell script, answer with what it printed within `yield_time_ms`.

        Earlier when it has ended, or waits for input on its terminal (`tty`). What lives on is addressed by the
        answer's `session_id`. A refusal is an answer. Raises ToolArgumentsError, VerificationFailed, what `run` raises.
        """
        from sandgate.terminals.waiting import drive
        from sandgate.tools.python_arguments import exec_arguments

        given = exec_arguments(
            cmd=cmd,
            workdir=workdir,
            shell=shell,
            login=login,
            tty=tty,
            yield_time_ms=yield_time_ms,
            max_output_tokens=max_output_tokens,
            sandbox_permissions=sandbox_permissions,
            justification=justification,
            rows=rows,
            columns=columns,
        )
        return drive(self.tools.finish(given, self.tools.begin(given)))

    def write_stdin(
        self,
        session_id: int,
        chars: str = "",
        *,
        keys: Sequence[str] = (),
        wait_for: Sequence[Wanted | str] = (),
        yield_time_ms: int | None = None,
        max_output_tokens: int | None = None,
    ) -> ExecAnswer:
        """The tool of that name: type into a live command, or only look, and answer with what it printed since.

        `keys` are typed after `chars`: "enter", "ctrl-c", "up" and so on. `wait_for` comes back as soon as one of the
        texts or patterns appears. Raises UnknownTerminal, StdinClosed, InputNotTaken, TerminalFailed, and
        ToolArgumentsError for arguments that do not fit.
        """
        from sandgate.terminals.waiting import drive
        from sandgate.tools.python_arguments import write_arguments

        given = write_arguments(
            session_id=session_id,
            chars=chars,
            keys=keys,
            wait_for=wait_for,
            yield_time_ms=yield_time_ms,
            max_output_tokens=max_output_tokens,
        )
        return drive(self.tools.write(given, self.tools.review_input(given)))

    def call_tool(self, name: str, arguments: str | Mapping[str, Any]) -> ToolOutput:
        """A call as a model makes it, answered as a model reads it. Raises nothing but what is a bug.

        `arguments` is the JSON of the call, or what that stands for; of `apply_patch` also the patch itself.
        """
        from sandgate.terminals.waiting import drive

        return drive(self.tools.call(name, arguments))

    def apply_patch(self, patch: str) -> PatchAnswer:
        """The tool of that name: apply a patch in this session's directory, all of it or nothing.

        A refusal is an answer, and so is a patch that is none or does not fit the files: exit code 1, nothing changed.
        """
        return self.tools.patched(patch)

    def undo_patch(self, call_id: str) -> bool:
        """Take back a patch that this session applied; False when it is not known.

        Raises PatchDoesNotFit when a file was changed since.
        """
        return self.tools.patches.undo(call_id)

    def attempt_of(self, terminal: Terminal) -> Attempt | None:
        """Why a live command was allowed to run as it does and, once it is over, its result and what was denied."""
        return self.live.attempt(terminal)

    def list_live(self) -> tuple[LiveCommand, ...]:
        """The live commands of this session, oldest first."""
        from sandgate.terminals.live_listing import live_commands

        return live_commands(self.live.table.terminals())

    def list_ports(self) -> tuple[ListedPort, ...]:
        """The TCP ports that live commands of this session serve, and where each is shown."""
        return self.live.ports.listed()

    def show_port(self, port: int, *, host_port: int | None = None) -> ShownPort:
        """Show one on this host's loopback (127.0.0.1 alone) until its command ends, or the session, or it is closed.

        `host_port` is another number for it there. Raises RequestError and PortUnavailable.
        """
        return self.live.ports.show(port, host_port)

    def terminate(self, session_id: int) -> bool:
        """End a live command, politely at first; False when there is none of that number."""
        return self.live.terminate(session_id)

    def clean(self) -> int:
        """End all live commands and wait until they are gone; how many there were."""
        return self.live.clean()

    @property
    def live(self) -> LiveCommands:
        """The live commands of this session."""
        with _OPENING:
            if self._live is None:
                from sandgate.tools.toolbox import open_live

                self._live = open_live(self, self.record, heard=self.record is not unheard)
            return self._live

    @property
    def opened_live(self) -> LiveCommands | None:
        """The same, if there ever was one."""
        return self._live

    @property
    def tools(self) -> Toolbox:
        """What a model may call, with typed arguments."""
        live = self.live
        with _OPENING:
            if self._tools is None:
                from sandgate.tools.toolbox import Toolbox

                self._tools = Toolbox(self, live)
            return self._tools

    def close(self) -> None:
        """End every live command of this session and wait until they are gone. May be repeated."""
        self.gate.closed = True
        if self._live is not None:
            self._live.close()
        super().close()

    def __del__(self, is_over: Callable[[], bool] = sys.is_finalizing) -> None:
        if self._live is not None and not is_over():  # then the guard sees to it
            self.close()

    def _served_elsewhere(self, sought: tuple[str, ...]) -> str:
        return super()._served_elsewhere(sought) if self._live is None else self._live.served_instead(sought)


def _stance(policies: Policies) -> tuple[object, ...]:
    return policies.approval, policies.sandbox, policies.workspace
