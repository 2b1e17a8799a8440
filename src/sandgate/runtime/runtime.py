"""Governed commands, without an agent: the API behind `sandgate run`, `check` and `assess`.

A `Runtime` is one session: it holds the settings, the rules, what was approved "for the session", and the
backend that was chosen. It is synchronous, in the manner of `subprocess.run`; `aio.py` is for event loops.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock

from sandgate.approvals.answering import SessionAnswers
from sandgate.config import for_run
from sandgate.execution.environment import command_environment
from sandgate.gate.gate import Gate
from sandgate.gate.gate_request import GateRequest
from sandgate.gate.policies import Policies, as_judged
from sandgate.gate.rulebook import Rulebook
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.stdio import CAPTURED
from sandgate.protocol.trace import Notice
from sandgate.runtime.argv import check_argv
from sandgate.runtime.rules import counter_of, keeper_of, rules_in_force
from sandgate.runtime.wiring import WrittenAnswers, assessed, confinement_of, places_of, who_answers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Self

    from sandgate.approvals.chain import Reviewer
    from sandgate.config import Loaded
    from sandgate.gate.forecast import Forecast
    from sandgate.patterns.wanted import Wanted
    from sandgate.protocol.commands import EscalationWish
    from sandgate.protocol.decisions import Attempt, Passage
    from sandgate.protocol.denials import DenialReport
    from sandgate.protocol.environment import Environment
    from sandgate.protocol.risk import RiskAssessment
    from sandgate.protocol.stdio import Stdio
    from sandgate.protocol.trace import Recorder, TraceRecord
    from sandgate.terminals.live_commands import LiveCommand
    from sandgate.terminals.live_shell import LiveShell
    from sandgate.terminals.marks import Shell
    from sandgate.terminals.session_ports import ListedPort, ShownPort
    from sandgate.terminals.shown_ports import PortWish
    from sandgate.terminals.terminal import Terminal
    from sandgate.tools.answers import ExecAnswer
    from sandgate.tools.calls import ToolOutput
    from sandgate.tools.live import LiveCommands
    from sandgate.tools.patch_answer import PatchAnswer
    from sandgate.tools.toolbox import Toolbox

ID_BYTES = 8


class Runtime:
    """One session of governed commands. Not to be shared by threads that must not share approvals."""

    def __init__(
        self,
        environment: Environment,
        loaded: Loaded,
        *,
        reviewers: tuple[Reviewer, ...],
        record: Recorder | None,
        side_by_side: bool = False,
    ) -> None:
        self.loaded = loaded
        settings = for_run(loaded.settings, person_present=environment.person_present)
        self.settings = settings.but(secrets_hidden=(*settings.secrets_hidden, *environment.hidden))
        self._environment = environment
        self.record = record or _unheard
        # Taken once: what a session passes on does not change under its commands.
        passed_on = command_environment(
            environment.environ, self.settings.environment, provider_keys=self.settings.provider_keys
        )
        self._inherited, self.dropped_variables = passed_on.env, passed_on.dropped_names
        self.confinement = confinement = confinement_of(self.settings, environment, self.record)
        rules, self.rule_warnings = rules_in_force(loaded)
        self.policies = Policies(
            approval=self.settings.approval,
            sandbox=self.settings.sandbox,
            rules=rules,
            workspace=environment.cwd,
            places=places_of(self.settings, environment, confinement),
            retry_after_approval=self.settings.retry_after_approval,
        )
        self._live: LiveCommands | None = None
        self._tools: Toolbox | None = None
        self.shown_ports: tuple[PortWish, ...] = ()  # of each command that runs to its end
        self.login_is_usual = False  # whether scripts get a login shell where their caller does not say
        self._opening = allocate_lock()
        self.answering = SessionAnswers(who_answers(reviewers, self), side_by_side=side_by_side)
        self.gate = Gate(
            self.policies,
            confinement=confinement,
            answering=self.answering,
            # Not `self.risk`: a session that nobody refers to must be able to end while its commands live.
            assess=lambda command, denial: assessed(command, denial, confinement, environment),
            record=self.record,
            write_down=WrittenAnswers(environment.environ, self.record, required=self.settings.require_record),
            new_id=self.new_id,
            rulebook=Rulebook(self.policies, keep=keeper_of(loaded), counted=counter_of(environment.environ)),
        )
        for warning in (*loaded.warnings, *self.rule_warnings):
            self.record(Notice("warning", warning))

    @property
    def directory(self) -> str:
        """Where this session stands; its policy resolves relative paths here."""
        return self._environment.cwd

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment this session was opened in."""
        return self._environment.environ

    def request(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        escalate: bool = False,
        justification: str | None = None,
        tty: bool = False,
        timeout_ms: int | None = None,
        set_variables: Mapping[str, str] | None = None,
    ) -> CommandRequest:
        """A command in the environment that policy gives it.

        `set_variables` are the caller's own and pass every filter. Raises RequestError for an argv that no
        kernel would take.
        """
        check_argv(argv)
        given = tuple((set_variables or {}).items())
        return CommandRequest(
            argv=tuple(argv),
            cwd=cwd if cwd is not None else self._environment.cwd,
            env={**self._inherited, **dict(given)},
            timeout_ms=timeout_ms if timeout_ms is not None else self.settings.timeout_ms,
            wish="require_escalated" if escalate else "use_default",
            justification=justification,
            tty=tty,
            set_variables=given,
        )

    def run(
        self, command: CommandRequest, stdio: Stdio = CAPTURED, *, cancel_fd: int | None = None, call_id: str = ""
    ) -> Passage:
        """Pass one command through the gate and wait for its end. `call_id`: its name in what is told about it.

        A failure, a denial, a refusal and a timeout are in the result. A readable `cancel_fd` stops the command.
        Raises ConfinementError when it cannot be confined as asked, LaunchError when it cannot be started.
        """
        from sandgate.runtime.launch import Launch

        launch = Launch(
            self.confinement,
            self.record,
            stdio=stdio,
            ports=self.shown_ports,
            timeout_ms=command.timeout_ms,
            capture_bytes=self.settings.capture_bytes,
            kill_grace_ms=self.settings.kill_grace_ms,
            cancel_fd=cancel_fd,
            live=self._live,
        )
        return self.gate.pass_through(GateRequest(command, call_id=call_id), launch)

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
    ) -> Terminal:
        """Start a program that lives on, to be written to, read and waited for.

        It passes the gate like any command. Without `tty` it has empty input and a pipe for its output. Without
        `post_processing` line ends stay as they are, which is far faster. Raises CommandRefused, what `run` raises.
        """
        from sandgate.terminals.start import Shape
        from sandgate.tools.toolbox import open_terminal

        command = self.request(
            argv, cwd=cwd, escalate=escalate, justification=justification, tty=tty, set_variables=set_variables
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
        from sandgate.terminals.live_commands import live_commands

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

    @staticmethod
    def new_id() -> str:
        """A fresh identifier, unguessable enough to address an approval."""
        return os.urandom(ID_BYTES).hex()

    @property
    def live(self) -> LiveCommands:
        """The live commands of this session."""
        with self._opening:
            if self._live is None:
                from sandgate.tools.toolbox import open_live

                self._live = open_live(self, self.record, heard=self.record is not _unheard)
            return self._live

    @property
    def opened_live(self) -> LiveCommands | None:
        """The same, if there ever was one."""
        return self._live

    @property
    def tools(self) -> Toolbox:
        """What a model may call, with typed arguments."""
        live = self.live
        with self._opening:
            if self._tools is None:
                from sandgate.tools.toolbox import Toolbox

                self._tools = Toolbox(self, live)
            return self._tools

    def close(self) -> None:
        """End every live command of this session and wait until they are gone. May be repeated."""
        self.gate.closed = True
        if self._live is not None:
            self._live.close()
        self.confinement.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __del__(self, is_over: Callable[[], bool] = sys.is_finalizing) -> None:
        if getattr(self, "_live", None) is not None and not is_over():  # then the guard sees to it
            self.close()

    def forecast(self, command: CommandRequest) -> Forecast:
        """What `run` would do with this command at its first attempt. Nothing runs, nobody is asked."""
        from sandgate.gate.forecast import forecast_of

        policies, risk = self.policies.but(rules=self.gate.rules_holding(command)), self.risk(as_judged(command))
        return forecast_of(command, policies, self.confinement, risk, may_add_rules=self.gate.may_add_rules)

    def risk(self, command: CommandRequest, denial: DenialReport | None = None) -> RiskAssessment | None:
        """The offline assessment of a command; None when it could not be made."""
        return assessed(command, denial, self.confinement, self._environment)

    def show_ports(self, wishes: tuple[PortWish, ...]) -> None:
        """From now on these ports of a command are shown on this host's loopback while it runs."""
        self.shown_ports = wishes
        self.confinement.networks.expect_company()


def _unheard(_record: TraceRecord) -> None:
    """Nobody listens to the trail of this runtime."""
