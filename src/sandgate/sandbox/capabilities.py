"""What a host offers for confining commands. Facts as values; `probe` gathers them, `select` judges them."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.protocol.confinement import SetupFailure

# Files below /proc/sys that decide whether namespaces can be made, or weaken what surrounds them.
SYSCTLS = (
    "user/max_user_namespaces",
    "kernel/unprivileged_userns_clone",
    "kernel/apparmor_restrict_unprivileged_userns",
    "kernel/yama/ptrace_scope",
    "kernel/io_uring_disabled",
)


class Trial(Record):
    """One sandbox really built around `true`: the layers it had, or where building it stopped."""

    layers: tuple[str, ...] = ()
    failure: SetupFailure | None = None

    @property
    def works(self) -> bool:
        return bool(self.layers) and self.failure is None


class HostCapabilities(Record):
    """Everything `doctor` shows and `select` looks at. A trial that is None was not made."""

    kernel: str = ""  # release
    machine: str = ""
    container: str = ""  # "docker", "podman", …; "" when there is no sign of one
    wsl: int = 0  # 1 or 2 under Windows; 0 elsewhere
    uid: int = 0  # effective
    initial_namespace: bool = True  # our uid map is the machine's own, so uid 0 is the real root
    sysctls: Mapping[str, str] = {}  # out of SYSCTLS; a missing one does not exist here
    helper: str | None = None  # path of `sandgate-exec`
    helper_why: str = ""  # why there is none
    namespace: Trial | None = None
    landlock: Trial | None = None
    landlock_abi: int = 0  # 0: no Landlock
    bwrap: str | None = None  # path of a system bubblewrap that may be used
    bwrap_version: str = ""
    bwrap_failure: str = ""  # what it said when it could not build a sandbox; "" when it could
    cgroup: str = ""  # "v1", "v2", "hybrid" or "none"
    cgroup_delegated: bool = False  # we may make control groups of our own

    @property
    def is_real_root(self) -> bool:
        return self.uid == 0 and self.initial_namespace
