"""What every way of confining a command has in common: it turns a command and its permissions into a plan.

A backend is a value; it starts nothing. `execution` carries the plan out.
"""

from __future__ import annotations

from sandgate.protocol.confinement import Limits
from sandgate.sandbox.socket_variables import without_socket_variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.confinement import ConfinedCommand, ReportMode
    from sandgate.protocol.permissions import BackendName, EffectivePermissions

    class Backend(Protocol):
        """One way of confining commands."""

        @property
        def kind(self) -> BackendName: ...

        def confine(
            self,
            command: CommandRequest,
            permissions: EffectivePermissions,
            *,
            limits: Limits = ...,
            report: ReportMode = ...,
        ) -> ConfinedCommand:
            """A plan that enforces `permissions`; raises `ConfinementError` when this backend cannot."""
            ...


DEFAULT_LIMITS = Limits()
SANDBOX_VARIABLE = "SANDGATE_SANDBOX"
# `git status` rewrites the index when it can and does without when it cannot: a denial that is no news.
QUIETING = {"GIT_OPTIONAL_LOCKS": "0"}
# Programs look for news of themselves beside their work, and fail at it without a network. Each variable is a program's
# own switch: of npm and what is built with its `update-notifier`, of pip, Deno, GitHub's `gh`, Homebrew, HashiCorp's
# tools, PowerShell, .NET, Next.js and Yarn.
WITHOUT_NEWS = {
    "npm_config_update_notifier": "false",
    "NO_UPDATE_NOTIFIER": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "DENO_NO_UPDATE_CHECK": "1",
    "GH_NO_UPDATE_NOTIFIER": "1",
    "HOMEBREW_NO_AUTO_UPDATE": "1",
    "CHECKPOINT_DISABLE": "1",
    "POWERSHELL_UPDATECHECK": "Off",
    "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
    "NEXT_TELEMETRY_DISABLED": "1",
    "YARN_ENABLE_TELEMETRY": "0",
}
# Where no host can be reached, trying again for a minute is a minute lost.
WITHOUT_RETRIES = {"npm_config_fetch_retries": "0", "PIP_RETRIES": "0"}
SCRATCH_VARIABLES = ("TMPDIR", "TMP", "TEMP")
NETWORK_VARIABLES = ("SANDGATE_SANDBOX_NETWORK_DISABLED", "CODEX_SANDBOX_NETWORK_DISABLED")


def confined_environment(
    command: CommandRequest, permissions: EffectivePermissions, kind: BackendName
) -> dict[str, str]:
    """The command's environment without pointers to host sockets, and with the marks that say it is confined."""
    env = without_socket_variables(command.env, permissions.sockets)
    env |= scratch_variables(env, permissions) | dict(command.set_variables)
    quieting = QUIETING
    if permissions.network == "off":
        quieting = QUIETING | WITHOUT_NEWS | ({} if permissions.hosts else WITHOUT_RETRIES)
    return quieting | env | {SANDBOX_VARIABLE: kind} | network_marks(permissions)


def scratch_variables(env: Mapping[str, str], permissions: EffectivePermissions) -> dict[str, str]:
    """What leads to the directory for scratch files, where that is the project's own.

    A variable that names a writable place stays: policy or a grant opened that. So does one that is not set, where /tmp
    will do.
    """
    tmp = permissions.private_tmp
    place = permissions.scratch or (tmp.at if tmp is not None and tmp.at in permissions.writable else "")
    if not place:
        return {}
    foreign = [name for name in SCRATCH_VARIABLES if name in env and not _is_open(env[name], permissions)]
    return dict.fromkeys(["TMPDIR", *foreign] if permissions.scratch else foreign, place)


def _is_open(path: str, permissions: EffectivePermissions) -> bool:
    own = (permissions.private_tmp.at,) if permissions.private_tmp is not None else ("/tmp",)
    roots = [root for root in permissions.open_places if root not in own]
    return any(path == root or path.startswith(root + "/") for root in roots)


def network_marks(permissions: EffectivePermissions) -> dict[str, str]:
    """Programs that would wait for a network find out that there is none."""
    return dict.fromkeys(NETWORK_VARIABLES, "1") if permissions.network == "off" else {}
