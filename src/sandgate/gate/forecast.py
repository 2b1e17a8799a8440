"""What would happen to a command, as a value."""

from __future__ import annotations

from sandgate.gate.policies import as_judged
from sandgate.policy.effective import lies_below
from sandgate.policy.explanation import PolicyCircumstances, decision, explanation_tree, flip
from sandgate.policy.foreseen import would_be_stopped
from sandgate.protocol.permissions import ESCALATE
from sandgate.protocol.verdicts import Allow
from sandgate.protocol.wire import plain, risk_json
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.gate.confinement import Confinement
    from sandgate.gate.policies import Policies
    from sandgate.policy.explanation import Change, Part
    from sandgate.policy.foreseen import Stopped
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.risk import RiskAssessment
    from sandgate.protocol.verdicts import RuleDecision, Verdict


class Forecast(Record):
    """What would happen to a command, without running it."""

    verdict: Verdict
    approval: str
    sandbox: str
    backend: str
    confined: bool
    guarantees: tuple[str, ...]
    writable: tuple[str, ...]
    closed: tuple[str, ...]  # in the workspace, where that is writable
    network: str
    risk: RiskAssessment | None
    parts: Part  # the verdict taken apart
    flip: Change | None  # one change after which the verdict is another
    stopped: tuple[Stopped, ...]  # what the sandbox would not let it do, as far as its words tell

    @property
    def word(self) -> RuleDecision:
        """The verdict as one word."""
        return decision(self.verdict)


def forecast_of(
    command: CommandRequest,
    policies: Policies,
    confinement: Confinement,
    risk: RiskAssessment | None,
    *,
    may_add_rules: bool = True,
) -> Forecast:
    """What `run` would do with this command at its first attempt. Nothing runs, no reviewer is asked."""
    here = PolicyCircumstances(
        policy=policies.approval,
        sandbox=policies.sandbox,
        rules=policies.rules,
        backend_available=policies.backend_available,
        may_add_rules=may_add_rules,
        programs=policies.programs,
    )
    judged = as_judged(command)
    verdict = here.verdict(judged)
    change = flip(judged, here)
    if change is not None and change.decide == "allow" and change.prefix and risk and risk.risk_level == "high":
        change = None  # what a reviewer is not offered either
    bypasses = isinstance(verdict, Allow) and verdict.bypass_sandbox
    plan = confinement.plan(command, (ESCALATE,) if bypasses else ())
    return Forecast(
        verdict=verdict,
        approval=policies.name,
        sandbox=type(policies.sandbox).__name__,
        backend=plan.backend,
        confined=plan.confined,
        guarantees=plan.guarantees,
        writable=plan.permissions.open_places,
        closed=tuple([place for place in plan.permissions.closed_places if lies_below(place, policies.workspace)]),
        network=plan.permissions.network,
        risk=risk,
        parts=explanation_tree(judged, here),
        flip=change,
        stopped=would_be_stopped(risk.facts, plan.permissions) if risk else (),
    )


def forecast_json(forecast: Forecast) -> dict[str, Any]:
    """What `check --json` prints."""
    return {
        "verdict": forecast.word,
        "because": plain(forecast.verdict.because),
        "reason": getattr(forecast.verdict, "reason", ""),
        "sandbox": {
            "backend": forecast.backend,
            "confined": forecast.confined,
            "guarantees": list(forecast.guarantees),
            "writable": list(forecast.writable),
            "closed": list(forecast.closed),
            "network": forecast.network,
        },
        "risk": risk_json(forecast.risk) if forecast.risk else None,
        "effects": plain(forecast.risk.facts) if forecast.risk else [],
        "parts": plain(forecast.parts),
        "flip": plain(forecast.flip.but(without=None)) if forecast.flip else None,
        "stopped": plain(forecast.stopped),
    }
