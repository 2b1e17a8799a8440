"""What holds for a thread, between the words of the wire and those of a session."""

from __future__ import annotations

from sandgate.protocol.operations_wire import approval_policy_of
from sandgate.protocol.permissions import DangerFullAccess, ExternalSandbox, Granular, ReadOnly, WorkspaceWrite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.permissions import ApprovalPolicy, SandboxPolicy

    Json = dict[str, Any]


def approval_on_wire(policy: ApprovalPolicy) -> Any:
    """A session's approval policy. `on-failure` is gone from the wire; what is left of it there is `on-request`."""
    if isinstance(policy, Granular):
        return {"granular": policy.fields()}
    return "on-request" if policy == "on-failure" else policy


def asked_approval(now: ApprovalPolicy, asked: Any) -> ApprovalPolicy | None:
    """What a client asks for instead of what holds; None: what it asks for is how it was told of that."""
    return None if asked in (None, now, approval_on_wire(now)) else approval_policy_of(asked)


def sandbox_on_wire(policy: SandboxPolicy) -> Json:
    """A session's sandbox policy, as threads have it."""
    match policy:
        case DangerFullAccess():
            return {"type": "dangerFullAccess"}
        case ExternalSandbox(network_access=network):
            return {"type": "externalSandbox", "networkAccess": "enabled" if network else "restricted"}
        case ReadOnly(network_access=network):
            return {"type": "readOnly", "networkAccess": network}
        case WorkspaceWrite():
            return {
                "type": "workspaceWrite",
                "writableRoots": list(policy.writable_roots),
                "networkAccess": policy.network_access,
                "excludeTmpdirEnvVar": policy.exclude_tmpdir_env_var,
                "excludeSlashTmp": policy.exclude_slash_tmp,
            }


def asked_sandbox(now: SandboxPolicy, asked: Json | None) -> SandboxPolicy | None:
    """What a client asks for instead of what holds; None: it asks for that.

    What it does not say of a policy of the same kind stays as it is; of another kind, it is off.
    """
    if asked is None:
        return None
    shown = sandbox_on_wire(now)
    known = shown if shown["type"] == asked["type"] else {}
    wanted = _sandbox({**known, **asked})
    return None if wanted == now else wanted


def sandbox_asked_for(asked: Json | None) -> SandboxPolicy | None:
    """The policy that a client names for a single command; None: it names none."""
    return None if asked is None else _sandbox(asked)


def _sandbox(asked: Json) -> SandboxPolicy:
    network = asked.get("networkAccess") in (True, "enabled")
    match asked["type"]:
        case "dangerFullAccess":
            return DangerFullAccess()
        case "externalSandbox":
            return ExternalSandbox(network_access=network)
        case "readOnly":
            return ReadOnly(network_access=network)
        case _:
            return WorkspaceWrite(
                tuple(asked.get("writableRoots") or ()),
                network_access=network,
                exclude_tmpdir_env_var=bool(asked.get("excludeTmpdirEnvVar")),
                exclude_slash_tmp=bool(asked.get("excludeSlashTmp")),
            )
