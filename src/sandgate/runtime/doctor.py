"""What this host can enforce, what is chosen and why, what is lost and how to get it; and whether it holds."""

from __future__ import annotations

from sandgate.display import one_line
from sandgate.errors import BackendUnavailable, ConfinementError
from sandgate.kernel.call_groups import NEWEST_KNOWN, refused_groups
from sandgate.record import Record
from sandgate.sandbox.probe import probe_host
from sandgate.sandbox.select import losses, namespace_hint, select_backend, why_no_namespaces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.runtime.runtime import Runtime
    from sandgate.sandbox.canary import CanaryResult
    from sandgate.sandbox.capabilities import HostCapabilities

EXAMPLES_SHOWN = 3  # of the tables, when they contradict themselves
ROOT_WARNING = "commands run as root: an ordinary user is safer, the process limit and file permissions bind it"


class RefusedCalls(Record):
    """A group of system calls that no confined command can make."""

    name: str
    why: str
    error: str  # what it answers: EPERM, or ENOSYS where programs then take another way
    calls: tuple[str, ...]


class Diagnosis(Record):
    """Everything `sandgate doctor` says."""

    host: HostCapabilities
    wish: str  # the configured backend
    backend: str | None  # None: nothing here can confine
    why: str  # why not namespaces; "" when they work
    hint: str  # what would make them work
    lost: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    canaries: tuple[CanaryResult, ...] | None = None  # None: not attacked
    refused_calls: tuple[RefusedCalls, ...] = ()  # empty where nothing is confined
    newest_call: int = NEWEST_KNOWN  # system calls above this number are unknown, and answer ENOSYS
    tmp: str | None = ""  # the directory here that commands have for scratch files; "": the host's; None: none runs
    closed_entries: tuple[str, ...] | None = None  # of the home, canonical; None: nothing is confined

    @property
    def broken(self) -> bool:
        """An attack got through."""
        return any(not canary.held for canary in self.canaries or ())

    @property
    def good(self) -> bool:
        """Commands can be confined here, and nothing that was tried got out."""
        return self.backend is not None and not self.broken


def diagnose(runtime: Runtime, *, attack: bool) -> Diagnosis:
    """Probe the host with real trials; with `attack`, run the canaries against the chosen backend.

    Attacked are the tables of the risk assessor too: by their own examples.
    """
    wish = runtime.settings.backend
    host = probe_host(work_directory=runtime.directory)
    why = why_no_namespaces(host)
    try:
        backend = select_backend(wish, host)
    except BackendUnavailable as none:
        return Diagnosis(host, wish, None, none.why, none.hint, warnings=runtime.rule_warnings)
    canaries = None
    if attack and backend != "none":
        from sandgate.sandbox.canary import run_canaries

        canaries = run_canaries(backend, helper=host.helper)
    tmp, closed, refused = _places(runtime)
    return Diagnosis(
        host=host,
        wish=wish,
        backend=backend,
        why=why,
        hint=namespace_hint(host),
        tmp=tmp,
        closed_entries=closed,
        lost=losses(backend, host),
        warnings=(
            *((ROOT_WARNING,) if host.is_real_root else ()),
            *refused,
            *runtime.rule_warnings,
            *(_contradictions() if attack else ()),
        ),
        canaries=canaries,
        refused_calls=_refused_calls(backend) if backend != "none" else (),
    )


def _places(runtime: Runtime) -> tuple[str | None, tuple[str, ...] | None, tuple[str, ...]]:
    """Where commands here have their /tmp and what of the home is closed; or why none is run here, as in a home."""
    confinement = runtime.confinement
    try:
        return confinement.scratch_place(), confinement.closed_entries(), ()
    except ConfinementError as refused:
        return None, None, (f"commands are refused here: {refused}; {refused.hint}",)


def _refused_calls(backend: str) -> tuple[RefusedCalls, ...]:
    groups = refused_groups(namespaces=backend == "namespace")
    return tuple([RefusedCalls(group.name, group.why, group.answer, group.calls) for group in groups])


def _contradictions() -> tuple[str, ...]:
    from sandgate.assessment.examples import contradicted

    wrong = contradicted()
    shown = ", ".join(f"`{one_line(example)}`" for example in wrong[:EXAMPLES_SHOWN])
    return (f"{len(wrong)} examples of the risk tables are rated otherwise: {shown}",) if wrong else ()
