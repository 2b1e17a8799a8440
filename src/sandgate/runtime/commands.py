"""Governed commands that run to their end: what `sandgate run`, `check` and `assess` use of a session.

It holds the settings, the rules, what was approved "for the session", and the backend that was chosen. What lives
on, and what a model calls, comes with `runtime.py`.
"""

from __future__ import annotations

import os

from sandgate.approvals.answering import SessionAnswers
from sandgate.config import for_run
from sandgate.config.rules_in_force import counter_of, keeper_of, rules_in_force
from sandgate.execution.environment import command_environment
from sandgate.gate.gate import Gate
from sandgate.gate.gate_request import GateRequest
from sandgate.gate.policies import Policies, as_judged
from sandgate.gate.rulebook import Rulebook
from sandgate.protocol.commands import CommandRequest, check_argv
from sandgate.protocol.stdio import CAPTURED
from sandgate.protocol.trace import Notice
from sandgate.runtime.wiring import confinement_of, places_of, risk_of, who_answers, written_answers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Self

    from sandgate.approvals.chain import Reviewer
    from sandgate.config import Loaded, Settings
    from sandgate.gate.confinement import Confinement
    from sandgate.gate.forecast import Forecast
    from sandgate.policy.rules import RuleSet
    from sandgate.protocol.decisions import Passage
    from sandgate.protocol.denials import DenialReport
    from sandgate.protocol.environment import Environment
    from sandgate.protocol.risk import RiskAssessment
    from sandgate.protocol.stdio import Stdio
    from sandgate.protocol.trace import Recorder, TraceRecord
    from sandgate.reviewers.asking_session import AskingSession
    from sandgate.terminals.shown_ports import PortWish

ID_BYTES = 8


class CommandSession:
    """What commands of one session share. Not to be shared by threads that must not share approvals."""

    def __init__(
        self,
        environment: Environment,
        loaded: Loaded,
        *,
        reviewers: tuple[Reviewer, ...],
        record: Recorder | None,
        side_by_side: bool = False,
        confining: Callable[[Settings, Environment, Recorder], Confinement] = confinement_of,
    ) -> None:
        self.record = record or unheard
        self.asking: AskingSession | None = None  # on whose behalf models are asked; None: none is
        self._stand(environment, loaded)
        self.confinement = confinement = confining(self.settings, environment, self.record)
        rules, self.rule_warnings = rules_in_force(loaded, environment.environ.get("HOME", ""))
        self.policies = self._judging_by(rules)
        self.shown_ports: tuple[PortWish, ...] = ()  # of each command that runs to its end
        written = written_answers(environment.environ, self.record, required=self.settings.require_record)
        self._reviewers = reviewers
        self.answering = SessionAnswers(
            who_answers(reviewers, self), side_by_side=side_by_side, write_performed=written.performed
        )
        rulebook = Rulebook(self.policies, keep=keeper_of(loaded), counted=counter_of(environment.environ))
        confinement.given_by_rules = rulebook.given_by_rules
        self.gate = Gate(
            self.policies,
            confinement=confinement,
            answering=self.answering,
            # Not `self.risk`: a session without references to it must be able to end while its commands live.
            assess=lambda command, denial: risk_of(command, denial, confinement, confinement.environment),
            record=self.record,
            write_down=written,
            new_id=self.new_id,
            rulebook=rulebook,
        )
        self.gate.asks_at_call = self.settings.ask == "at-call"
        for warning in (*loaded.warnings, *self.rule_warnings):
            self.record(Notice("warning", warning))

    def _stand(self, environment: Environment, loaded: Loaded) -> None:
        self.loaded, self.environment = loaded, environment
        settings = for_run(loaded.settings, person_present=environment.person_present)
        self.settings = settings.but(secrets_hidden=(*settings.secrets_hidden, *environment.hidden))
        # Taken once: what a session passes on does not change under its commands.
        passed_on = command_environment(
            environment.environ, self.settings.environment, provider_keys=self.settings.provider_keys
        )
        self._inherited, self.dropped_variables = passed_on.env, passed_on.dropped_names

    def _judging_by(self, rules: RuleSet) -> Policies:
        settings, environment = self.settings, self.environment
        return Policies(
            approval=settings.approval,
            sandbox=settings.sandbox,
            rules=rules,
            workspace=environment.cwd,
            places=places_of(settings, environment, self.confinement),
            retry_after_approval=settings.retry_after_approval,
        )

    @property
    def directory(self) -> str:
        """Where this session stands; its policy resolves relative paths here."""
        return self.environment.cwd

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment this session was opened in."""
        return self.environment.environ

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
        unset_variables: Collection[str] = (),
    ) -> CommandRequest:
        """A command in the environment that policy gives it.

        `set_variables` are the caller's own and pass every filter; `unset_variables` are left out. Raises RequestError
        for an argv that no kernel would take.
        """
        check_argv(argv)
        given = tuple((set_variables or {}).items())
        inherited = {name: value for name, value in self._inherited.items() if name not in unset_variables}
        return CommandRequest(
            argv=tuple(argv),
            cwd=cwd if cwd is not None else self.environment.cwd,
            env={**inherited, **dict(given)},
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
        from sandgate.gate.launch import Launch

        launch = Launch(
            self.confinement,
            self.record,
            stdio=stdio,
            ports=self.shown_ports,
            timeout_ms=command.timeout_ms,
            capture_bytes=self.settings.capture_bytes,
            kill_grace_ms=self.settings.kill_grace_ms,
            cancel_fd=cancel_fd,
            served_elsewhere=self._served_elsewhere,
        )
        return self.gate.pass_through(GateRequest(command, call_id=call_id), launch)

    @staticmethod
    def new_id() -> str:
        """A fresh identifier, unguessable enough to address an approval."""
        return os.urandom(ID_BYTES).hex()

    def close(self) -> None:
        """Give back what the session holds between its commands. May be repeated."""
        self.gate.closed = True
        self.confinement.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def forecast(self, command: CommandRequest) -> Forecast:
        """What `run` would do with this command at its first attempt. Nothing runs, no reviewer is asked."""
        from sandgate.gate.forecast import forecast_of

        policies, risk = self.policies.but(rules=self.gate.rules_holding(command)), self.risk(as_judged(command))
        return forecast_of(command, policies, self.confinement, risk, may_add_rules=self.gate.may_add_rules)

    def risk(self, command: CommandRequest, denial: DenialReport | None = None) -> RiskAssessment | None:
        """The offline assessment of a command; None when it could not be made."""
        return risk_of(command, denial, self.confinement, self.environment)

    def _served_elsewhere(self, sought: tuple[str, ...]) -> str:
        """Who serves these addresses, at which a command found no server."""
        from sandgate.terminals.served_elsewhere import served_elsewhere

        return served_elsewhere(sought)

    def show_ports(self, wishes: tuple[PortWish, ...]) -> None:
        """From now on these ports of a command are shown on this host's loopback while it runs."""
        self.shown_ports = wishes
        self.confinement.networks.expect_company()


def unheard(_record: TraceRecord) -> None:
    """Takes the trail of a session whose caller gave no recorder."""
