"""Governed commands, without an agent: the API behind `sandgate run`, `check` and `assess`.

A `Runtime` is one session: it holds the settings, the rules, what was approved "for the session", and the
backend that was chosen. It is synchronous, in the manner of `subprocess.run`; a caller with an event loop
runs it on a thread and cancels through a descriptor.
"""

from __future__ import annotations

import os

from sandgate.config import for_run, load_settings
from sandgate.errors import RequestError
from sandgate.execution.environment import command_environment
from sandgate.gate.gate import Gate, Policies, as_judged
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.permissions import ESCALATE
from sandgate.protocol.trace import Notice
from sandgate.protocol.verdicts import Allow
from sandgate.record import Record
from sandgate.runtime.confinement import Confinement
from sandgate.runtime.reviewers import reviewers_for
from sandgate.runtime.rules import rules_in_force
from sandgate.runtime.stdio import CAPTURED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.approvals.chain import Reviewer
    from sandgate.config import Loaded
    from sandgate.protocol.decisions import Passage
    from sandgate.protocol.denials import DenialReport
    from sandgate.protocol.risk import RiskAssessment
    from sandgate.protocol.trace import Recorder, TraceRecord
    from sandgate.protocol.verdicts import Verdict
    from sandgate.runtime.environment import Environment
    from sandgate.runtime.stdio import Stdio

ID_BYTES = 8


class Forecast(Record):
    """What would happen to a command, without running it."""

    verdict: Verdict
    approval: str
    sandbox: str
    backend: str
    confined: bool
    guarantees: tuple[str, ...]
    writable: tuple[str, ...]
    network: str
    risk: RiskAssessment | None


def open_runtime(
    environment: Environment,
    *,
    reviewers: tuple[Reviewer, ...] = (),
    answers: tuple[str, ...] = (),
    ask_at_terminal: bool = False,
    colour: bool = False,
    record: Recorder | None = None,
) -> Runtime:
    """Load the configuration and rules that hold in `environment.cwd` and open a session on them.

    Questions go to the prepared `answers`, then to `reviewers`, then to the person at the terminal if
    `ask_at_terminal`; whatever is left unanswered is refused. Raises ConfigError and RuleError.
    """
    loaded = load_settings(
        cwd=environment.cwd,
        environ=environment.environ,
        overrides=environment.overrides,
        profile=environment.profile,
        typed=environment.typed,
    )
    asked = answers or reviewers or ask_at_terminal
    return Runtime(
        environment.but(person_present=True) if asked else environment,
        loaded,
        reviewers=reviewers_for(answers, reviewers, ask_at_terminal=ask_at_terminal, colour=colour),
        record=record or _unheard,
    )


class Runtime:
    """One session of governed commands. Not to be shared by threads that must not share approvals."""

    def __init__(
        self, environment: Environment, loaded: Loaded, *, reviewers: tuple[Reviewer, ...], record: Recorder
    ) -> None:
        from sandgate.approvals.chain import ReviewerChain
        from sandgate.approvals.store import ApprovalStore

        self.loaded = loaded
        self.settings = for_run(loaded.settings, person_present=environment.person_present)
        self._environment = environment
        self._record = record
        # Taken once: what a session passes on does not change under its commands.
        self._inherited = command_environment(environment.environ, self.settings.environment).env
        self.confinement = Confinement(self.settings, environment, record)
        rules, rule_warnings = rules_in_force(loaded)
        self.policies = Policies(
            approval=self.settings.approval,
            sandbox=self.settings.sandbox,
            rules=rules,
            workspace=environment.cwd,
            retry_after_approval=self.settings.retry_after_approval,
        )
        self.approvals = ApprovalStore()
        self._gate = Gate(
            self.policies,
            confinement=self.confinement,
            reviewers=ReviewerChain(self.approvals, reviewers),
            store=self.approvals,
            assess=self.risk,
            record=record,
            new_id=new_id,
        )
        for warning in (*loaded.warnings, *rule_warnings):
            record(Notice("warning", warning))

    @property
    def directory(self) -> str:
        """Where this session stands; its policy resolves relative paths here."""
        return self._environment.cwd

    def request(
        self,
        argv: tuple[str, ...],
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
        _check_argv(argv)
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

    def run(self, command: CommandRequest, stdio: Stdio = CAPTURED, *, cancel_fd: int | None = None) -> Passage:
        """Pass one command through the gate and wait for its end.

        A failure, a denial, a refusal and a timeout are in the result. `cancel_fd` becoming readable stops the
        command. Raises ConfinementError when it cannot be confined as asked, LaunchError when the program
        cannot be started; then nothing ran.
        """
        from sandgate.runtime.launch import Launch

        launch = Launch(
            self.confinement,
            self.settings,
            self._record,
            stdio=stdio,
            timeout_ms=command.timeout_ms,
            cancel_fd=cancel_fd,
        )
        return self._gate.pass_through(command, launch)

    def forecast(self, command: CommandRequest) -> Forecast:
        """What `run` would do with this command at its first attempt. Nothing runs, nobody is asked."""
        verdict = self._gate.verdict(command)
        bypasses = isinstance(verdict, Allow) and verdict.bypass_sandbox
        plan = self.confinement.plan(command, (ESCALATE,) if bypasses else ())
        return Forecast(
            verdict=verdict,
            approval=self.policies.name,
            sandbox=type(self.settings.sandbox).__name__,
            backend=plan.backend,
            confined=plan.confined,
            guarantees=plan.guarantees,
            writable=plan.permissions.writable,
            network=plan.permissions.network,
            risk=self.risk(as_judged(command)),
        )

    def risk(self, command: CommandRequest, denial: DenialReport | None = None) -> RiskAssessment | None:
        """The offline assessment of a command; None when it could not be made."""
        from sandgate.runtime.risk import assessed

        return assessed(command, denial, self.confinement, self._environment)


def new_id() -> str:
    """A fresh identifier, unguessable enough to address an approval."""
    return os.urandom(ID_BYTES).hex()


def _unheard(_record: TraceRecord) -> None:
    """Nobody listens to the trail of this runtime."""


def _check_argv(argv: tuple[str, ...]) -> None:
    if not argv or not argv[0]:
        raise RequestError("the command is empty", hint="name a program to run")
    for word in argv:
        if "\0" in word:
            raise RequestError("an argument contains a NUL byte", why="no program can be given one", hint="remove it")
