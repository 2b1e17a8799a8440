"""Which of two sandbox policies leaves a command less freedom."""

from __future__ import annotations

from sandgate.protocol.permissions import DangerFullAccess, WorkspaceWrite, sandbox_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.permissions import SandboxPolicy

MODES = ("read-only", "workspace-write", "external-sandbox", "danger-full-access")  # tightest first


def confines_no_less(policy: SandboxPolicy, base: SandboxPolicy) -> bool:
    """Whether a command may do nothing under `policy` that it may not do under `base`, in the same directory."""
    if _rank(policy) > _rank(base) or (has_network(policy) and not has_network(base)):
        return False
    if isinstance(policy, WorkspaceWrite) and isinstance(base, WorkspaceWrite):
        excludes = (not base.exclude_tmpdir_env_var or policy.exclude_tmpdir_env_var) and (
            not base.exclude_slash_tmp or policy.exclude_slash_tmp
        )
        return excludes and set(policy.writable_roots) <= set(base.writable_roots)
    return True


def has_network(policy: SandboxPolicy) -> bool:
    """Whether its commands reach the network. An outer sandbox decides itself; what it is told is what it does."""
    return isinstance(policy, DangerFullAccess) or policy.network_access


def _rank(policy: SandboxPolicy) -> int:
    return MODES.index(sandbox_mode(policy))
