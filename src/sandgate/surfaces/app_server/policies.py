"""What holds for a thread, between the words of the wire and those of a session."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Json = dict[str, Any]

KINDS = {
    "read-only": "readOnly",
    "workspace-write": "workspaceWrite",
    "danger-full-access": "dangerFullAccess",
    "external-sandbox": "externalSandbox",
}


def approval_on_wire(policy: object) -> object:
    """A session's approval policy. `on-failure` is gone from the wire; what is left of it there is `on-request`."""
    return "on-request" if policy == "on-failure" else policy


def sandbox_on_wire(policy: Mapping[str, Any]) -> Json:
    """A session's sandbox policy, in the core form, as threads have it."""
    kind = KINDS[str(policy.get("mode") or policy.get("type"))]
    network = policy.get("network_access", False)
    if kind == "dangerFullAccess":
        return {"type": kind}
    if kind == "externalSandbox":
        return {"type": kind, "networkAccess": "enabled" if network in (True, "enabled") else "restricted"}
    shown: Json = {"type": kind, "networkAccess": network in (True, "enabled", "on")}
    if kind == "workspaceWrite":
        shown["writableRoots"] = list(policy.get("writable_roots", ()))
        shown["excludeTmpdirEnvVar"] = bool(policy.get("exclude_tmpdir_env_var", False))
        shown["excludeSlashTmp"] = bool(policy.get("exclude_slash_tmp", False))
    return shown
