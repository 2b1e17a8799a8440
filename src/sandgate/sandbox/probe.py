"""Looks at the host: what could confine a command here, found out by doing it.

Each look stands alone and is bounded, so that a fallback asks only what it needs and `doctor` asks everything. A
plain command asks nothing: its own start is the trial.
"""

from __future__ import annotations

import os

from sandgate.protocol.confinement import SetupFailure
from sandgate.sandbox.backends import find_helper
from sandgate.sandbox.capabilities import SYSCTLS, HostCapabilities, Trial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


TRIAL_LIMIT_MS = 2000
INITIAL_UID_MAP = ("0", "0", "4294967295")
# A file that exists only in such a container → its kind.
CONTAINER_SIGNS = (("/.dockerenv", "docker"), ("/run/.containerenv", "podman"))
_SMALL_FILE_BYTES = 4096


def probe_host(*, work_directory: str) -> HostCapabilities:
    """Everything, for `doctor` and for `select`; takes a few trial commands. Programs below `work_directory` are
    not trusted."""
    from sandgate.kernel.landlock import supported_abi

    helper, helper_why = find_helper()
    bwrap = find_bubblewrap(untrusted=(work_directory, "/tmp"))
    version, bwrap_failure = bubblewrap_trial(bwrap) if bwrap else ("", "there is no usable `bwrap` on PATH")
    abi = supported_abi()
    return host_facts().but(
        helper=helper,
        helper_why=helper_why,
        namespace=namespace_trial(helper) if helper else None,
        landlock=landlock_trial() if abi else None,
        landlock_abi=abi,
        bwrap=bwrap,
        bwrap_version=version,
        bwrap_failure=bwrap_failure,
        cgroup=_cgroup(),
        cgroup_delegated=_cgroup_delegated(),
    )


def host_facts() -> HostCapabilities:
    """What can be read without trying anything."""
    host = os.uname()
    return HostCapabilities(
        kernel=host.release,
        machine=host.machine,
        container=_container(),
        wsl=_wsl(host.release),
        uid=os.geteuid(),
        initial_namespace=tuple(_text("/proc/self/uid_map").split()) == INITIAL_UID_MAP,
        sysctls={name: value for name in SYSCTLS if (value := _text(f"/proc/sys/{name}").strip())},
    )


def namespace_trial(helper: str) -> Trial:
    """Builds one real sandbox with the helper, around `true`."""
    from sandgate.kernel.helper import probe

    found = probe(helper)
    return Trial(found.layers, found.failure)


def landlock_trial() -> Trial:
    """Builds one real sandbox with Landlock, around `true`."""
    from sandgate.errors import ConfinementError
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.permissions import EffectivePermissions
    from sandgate.sandbox.landlock import LandlockBackend
    from sandgate.sandbox.trial import run_to_end

    try:
        plan = LandlockBackend().confine(CommandRequest(("/bin/true",), "/", {}), EffectivePermissions())
        child = run_to_end(plan, helper=None, limit_ms=TRIAL_LIMIT_MS)
    except (ConfinementError, OSError) as problem:
        return Trial(failure=SetupFailure(str(problem), _errno_name(problem)))
    if child.failure is None and child.ended is None:
        return Trial(failure=SetupFailure("wait for a trial command", "ETIMEDOUT"))
    return Trial(child.layers, child.failure if isinstance(child.failure, SetupFailure) else None)


def find_bubblewrap(*, untrusted: Iterable[str]) -> str | None:
    """The first `bwrap` on PATH that no confined command can have put there."""
    places = tuple(os.path.realpath(path) for path in untrusted)
    for directory in os.get_exec_path():
        candidate = os.path.realpath(os.path.join(directory, "bwrap"))
        planted = any(candidate == place or candidate.startswith(place + "/") for place in places)
        if os.path.isabs(directory) and not planted and os.access(candidate, os.X_OK) and os.path.isfile(candidate):
            return candidate
    return None


def bubblewrap_trial(bwrap: str) -> tuple[str, str]:
    """Its version, and what it said when it could not build a sandbox ("" when it could)."""
    import subprocess

    build = [bwrap, "--unshare-user", "--unshare-net", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc"]
    try:
        said = subprocess.run([bwrap, "--version"], capture_output=True, text=True, timeout=TRIAL_LIMIT_MS / 1000)
        tried = subprocess.run(
            [*build, "--", "/bin/true"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TRIAL_LIMIT_MS / 1000,
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        return "", str(problem)
    version = said.stdout.strip().removeprefix("bubblewrap ")
    return version, "" if tried.returncode == 0 else tried.stderr.strip() or f"exit code {tried.returncode}"


def _container() -> str:
    for path, kind in CONTAINER_SIGNS:
        if os.path.lexists(path):
            return kind
    if os.environ.get("KUBERNETES_SERVICE_HOST"):
        return "kubernetes"
    named = os.environ.get("container", "")  # noqa: SIM112 - systemd-nspawn and lxc spell it like this
    return named if named.isidentifier() else ""


def _wsl(release: str) -> int:
    lowered = release.lower()
    if "microsoft" not in lowered:
        return 0
    return 2 if "wsl2" in lowered or os.path.isdir("/run/WSL") else 1


def _cgroup() -> str:
    if os.path.lexists("/sys/fs/cgroup/cgroup.controllers"):
        return "v2"
    if not os.path.isdir("/sys/fs/cgroup"):
        return "none"
    return "hybrid" if os.path.isdir("/sys/fs/cgroup/unified") else "v1"


def _cgroup_delegated() -> bool:
    """Whether our own version 2 group may get children."""
    for line in _text("/proc/self/cgroup").splitlines():
        number, _, path = line.partition("::")
        if number == "0":
            return os.access(f"/sys/fs/cgroup{path}", os.W_OK)
    return False


def _errno_name(problem: BaseException) -> str:
    import errno

    code = getattr(problem, "errno", None)
    return errno.errorcode.get(code, "EIO") if isinstance(code, int) else "ENOTSUP"


def _text(path: str) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return os.read(descriptor, _SMALL_FILE_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(descriptor)
