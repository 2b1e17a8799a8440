"""What `sandgate doctor` says: what this host can enforce, and what that means for commands in this session."""

from __future__ import annotations

from sandgate.display import one_line
from sandgate.errors import ConfinementError
from sandgate.sandbox.diagnosis import Diagnosis as Diagnosis
from sandgate.sandbox.diagnosis import RefusedCalls as RefusedCalls
from sandgate.sandbox.diagnosis import diagnose_host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.errors import SandgateError
    from sandgate.runtime.runtime import Runtime

EXAMPLES_SHOWN = 3  # of the tables, when they contradict themselves


def diagnose(runtime: Runtime, *, attack: bool) -> Diagnosis:
    """Probe the host with real trials; with `attack`, run the canaries against the chosen backend.

    Attacked are the tables of the risk assessor too: by their own examples.
    """
    found = diagnose_host(runtime.settings.backend, directory=runtime.directory, attack=attack)
    if found.backend is None:
        return found.but(warnings=runtime.rule_warnings)
    tmp, closed, refused = _places(runtime)
    contradictions = _contradictions() if attack else ()
    warnings = (*found.warnings, *refused, *runtime.rule_warnings, *contradictions)
    return found.but(tmp=tmp, closed_entries=closed, warnings=warnings)


def diagnose_without_settings(problem: SandgateError, *, directory: str, attack: bool) -> Diagnosis:
    """What holds where the settings or rules cannot be used, and `problem` says why."""
    found = diagnose_host("auto", directory=directory, attack=attack)
    hint = f"; {problem.hint}" if problem.hint else ""
    return found.but(tmp=None, unusable=f"{problem}{hint}")


def _places(runtime: Runtime) -> tuple[str | None, tuple[str, ...] | None, tuple[str, ...]]:
    """Where commands here have their /tmp and what of the home is closed; or why none is run here, as in a home."""
    confinement = runtime.confinement
    try:
        return confinement.scratch_place(), confinement.closed_entries(), ()
    except ConfinementError as refused:
        return None, None, (f"commands are refused here: {refused}; {refused.hint}",)


def _contradictions() -> tuple[str, ...]:
    from sandgate.assessment.examples import contradicted

    wrong = contradicted()
    shown = ", ".join(f"`{one_line(example)}`" for example in wrong[:EXAMPLES_SHOWN])
    return (f"{len(wrong)} examples of the risk tables are rated otherwise: {shown}",) if wrong else ()
