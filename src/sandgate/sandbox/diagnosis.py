"""What this host can enforce, what is chosen and why, what is lost and how to get it; and whether it holds."""

from __future__ import annotations

from sandgate.errors import BackendUnavailable
from sandgate.kernel.call_groups import NEWEST_KNOWN, refused_groups
from sandgate.record import Record
from sandgate.sandbox.probe import probe_host
from sandgate.sandbox.select import losses, namespace_hint, select_backend, why_no_namespaces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.sandbox.canary import CanaryResult
    from sandgate.sandbox.capabilities import HostCapabilities
    from sandgate.sandbox.select import BackendWish

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
    unusable: str = ""  # settings or rules that cannot be used: nothing runs here, whatever the host could do

    @property
    def broken(self) -> bool:
        """An attack got through."""
        return any(not canary.held for canary in self.canaries or ())

    @property
    def good(self) -> bool:
        """Commands can be confined here, and nothing that was tried got out."""
        return self.backend is not None and not self.broken and not self.unusable


def diagnose_host(wish: BackendWish, *, directory: str, attack: bool) -> Diagnosis:
    """Probe the host with real trials, for a session in `directory`; with `attack`, run the canaries.

    Where nothing can confine no other warning is given.
    """
    host = probe_host(work_directory=directory)
    why = why_no_namespaces(host)
    try:
        backend = select_backend(wish, host)
    except BackendUnavailable as none:
        return Diagnosis(host, wish, None, none.why, none.hint)
    canaries = None
    if attack and backend != "none":
        from sandgate.sandbox.canary import run_canaries

        canaries = run_canaries(backend, helper=host.helper)
    return Diagnosis(
        host=host,
        wish=wish,
        backend=backend,
        why=why,
        hint=namespace_hint(host),
        lost=losses(backend, host),
        warnings=(ROOT_WARNING,) if host.is_real_root else (),
        canaries=canaries,
        refused_calls=_refused_calls(backend) if backend != "none" else (),
    )


def _refused_calls(backend: str) -> tuple[RefusedCalls, ...]:
    groups = refused_groups(namespaces=backend == "namespace")
    return tuple([RefusedCalls(group.name, group.why, group.answer, group.calls) for group in groups])
