"""Which backend confines commands on this host, and why not a better one. Pure over `HostCapabilities`.

The order is namespaces, then Landlock, then nothing: a command that cannot be confined as asked does not run.
Backends are never mixed and never exchanged silently.
"""

from __future__ import annotations

from sandgate.errors import BackendUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from sandgate.protocol.confinement import SetupFailure
    from sandgate.protocol.permissions import BackendName
    from sandgate.sandbox.capabilities import HostCapabilities

    BackendWish = BackendName | Literal["auto"]

_REFUSED = ("EPERM", "EACCES", "ENOSPC", "ENOSYS", "EINVAL")

# Steps of the helper that fail because of the host. All others speak of one path or one command, and then another
# backend would only hide what is wrong.
HOST_STEPS = (
    "start the helper",
    "make user namespace",
    "make namespaces",
    "join namespaces",
    "open /proc",
    "write /proc",
    "unshare network",
    "bring up loopback",
    "make mounts private",
    "make read-only",
    "mount tmpfs",
    "mount /proc",
    "mount /dev",
    "mount node",
    "limit user namespaces",
    "drop privileges",
    "seccomp",
    "landlock",
)

APPARMOR_PROFILE = """\
abi <abi/4.0>,
include <tunables/global>
profile sandgate-exec {helper} flags=(unconfined) {{
  userns,
  include if exists <local/sandgate-exec>
}}
"""
APPARMOR_PROFILE_PATH = "/etc/apparmor.d/sandgate-exec"

LANDLOCK_LOSSES = (
    "git directories have no drafts: `.git` stays read-only, so `git commit` asks",
    "other processes stay visible (their command lines, not their memory)",
    "a command's children are found and ended by their session, not by a namespace",
    "a writable directory with protected names is opened entry by entry, and new entries are made by the supervisor",
    "a program made at a call that was answered cannot be run in a directory with something hidden, such as the home",
    "where somebody is asked at refused calls, each open of a file is looked at by the supervisor, and takes longer",
    "effects cannot be previewed",
    "a name that cannot be looked up is told by its server's address",
    "an address of a network that a command wants to bind is not asked about at the call, but afterwards",
    "not told when refused: priorities and limits of other processes, and messages that name where they go",
    "`/tmp` is the host's; only `$TMPDIR` leads to a directory of the project's own",
    "its path may be too long for sockets in it, which Python's multiprocessing managers and forkserver make",
    "settings with secrets among them are closed as a whole: git goes on without the person's, cargo and others fail",
    "caches of the home are read-only; there are no layers of the project's own over them",
    "while the network is off there is no loopback either: a server on 127.0.0.1 cannot start, nor be reached",
    "an empty or refused port is not told with who serves another, and no port can be shown",
)


def select_backend(wish: BackendWish, host: HostCapabilities) -> BackendName:
    """The backend that works here. Raises `BackendUnavailable` with the reason and the remedy."""
    if wish == "none":
        return "none"
    if wish in ("auto", "namespace") and host.namespace is not None and host.namespace.works:
        return "namespace"
    if wish in ("auto", "landlock") and host.landlock is not None and host.landlock.works:
        return "landlock"
    name = "at all" if wish == "auto" else f"with the backend `{wish}`"
    raise BackendUnavailable(
        f"cannot confine commands on this host {name}", why="; ".join(_reasons(wish, host)), hint=namespace_hint(host)
    )


def speaks_of_the_host(failure: SetupFailure) -> bool:
    """Whether every command here would meet this failure, so that another backend may be looked for."""
    return failure.step.startswith(HOST_STEPS)


def why_no_namespaces(host: HostCapabilities) -> str:
    """One sentence; "" when namespaces work or were not tried."""
    if host.helper is None:
        return host.helper_why or "the helper program is missing"
    trial = host.namespace
    if trial is None or trial.works:
        return ""
    if trial.failure is None:
        return "the trial command reported no active layer"
    cause = _cause(host)
    step = f"building a sandbox stopped at `{trial.failure.step}` with {trial.failure.errno}"
    return f"{step}: {cause}" if cause else step


def namespace_hint(host: HostCapabilities) -> str:
    """What would make namespaces work here; "" when nothing is wrong or nothing is known to help."""
    if host.wsl == 1:
        return "convert the distribution to WSL 2: `wsl --set-version NAME 2`"
    if host.helper is None:
        return "install a C compiler (`cc`), or a Sandgate package that carries the helper"
    if host.namespace is None or host.namespace.works:
        return ""
    if _sysctl(host, "user/max_user_namespaces") == "0":
        return "`sysctl user.max_user_namespaces=15000` as root"
    if _sysctl(host, "kernel/unprivileged_userns_clone") == "0" and host.uid != 0:
        return "`sysctl kernel.unprivileged_userns_clone=1` as root"
    if _sysctl(host, "kernel/apparmor_restrict_unprivileged_userns") == "1" and not host.is_real_root:
        profile = APPARMOR_PROFILE.format(helper=host.helper)
        return f"as root, write this to `{APPARMOR_PROFILE_PATH}` and run `apparmor_parser -r` on it:\n{profile}"
    if host.container:
        return (
            "let the container make user namespaces: `docker run --security-opt seccomp=unconfined "
            "--security-opt apparmor=unconfined --security-opt systempaths=unconfined`, or for Kubernetes a pod "
            "with `procMount: Unmasked`, `hostUsers: false` and its own seccomp profile"
        )
    return ""


def losses(kind: BackendName, host: HostCapabilities) -> tuple[str, ...]:
    """What the chosen backend cannot do that the default one could, in words for `doctor`."""
    if kind == "landlock":
        watching = host.landlock is not None and "notify" in host.landlock.layers
        return LANDLOCK_LOSSES if watching else (*LANDLOCK_LOSSES, "denials are guessed from the command's output")
    trial = host.namespace
    if kind == "namespace" and trial is not None and trial.works and "notify" not in trial.layers:
        return ("denials are guessed from the command's output", "protected names that do not exist can be created")
    return ()


def _reasons(wish: BackendWish, host: HostCapabilities) -> list[str]:
    reasons = []
    if wish in ("auto", "namespace"):
        reasons.append(f"namespaces: {why_no_namespaces(host) or 'not tried'}")
    if wish in ("auto", "landlock"):
        reasons.append(f"Landlock: {_why_no_landlock(host)}")
    if wish == "bwrap":
        reasons.append(f"bubblewrap: {host.bwrap_failure or 'it is found but not used by this version'}")
    return reasons


def _why_no_landlock(host: HostCapabilities) -> str:
    if host.landlock_abi == 0:
        return "the kernel has none, or it was not enabled at boot (`lsm=landlock,…`)"
    if host.landlock is None or host.landlock.failure is None:
        return "not tried"
    return f"building a sandbox stopped at `{host.landlock.failure.step}` with {host.landlock.failure.errno}"


def _cause(host: HostCapabilities) -> str:
    """What is known to be behind a refusal."""
    failure = host.namespace.failure if host.namespace else None
    if failure is None or failure.errno not in _REFUSED:
        return ""
    if host.wsl == 1:
        return "WSL 1 has no namespaces"
    if _sysctl(host, "user/max_user_namespaces") == "0":
        return "`user.max_user_namespaces` is 0"
    if _sysctl(host, "kernel/unprivileged_userns_clone") == "0" and host.uid != 0:
        return "`kernel.unprivileged_userns_clone` is 0"
    if _sysctl(host, "kernel/apparmor_restrict_unprivileged_userns") == "1" and not host.is_real_root:
        return "AppArmor lets only programs with a profile of their own make user namespaces"
    return f"the container ({host.container}) forbids it" if host.container else ""


def _sysctl(host: HostCapabilities, name: str) -> str:
    return host.sysctls.get(name, "")
