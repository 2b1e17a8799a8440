"""Where the model works and what it may do there, as it is told.

Names of directories are other people's text: a value is escaped, so that none can end its element, begin another or
break a line. Before a later turn only what changed is told, to keep what was sent before byte for byte.
"""

from __future__ import annotations

from sandgate.display import visible
from sandgate.protocol.items import user_message
from sandgate.protocol.permissions import DangerFullAccess, ExternalSandbox, Granular, ReadOnly, WorkspaceWrite
from sandgate.record import Record, never_reached
from sandgate.session.synthetic_messages import ENVIRONMENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from sandgate.protocol.items import Message
    from sandgate.protocol.permissions import ApprovalMode, ApprovalPolicy, SandboxPolicy

    SandboxMode = Literal["read-only", "workspace-write", "danger-full-access"]


class TurnEnvironment(Record):
    """As of one turn. What is "" or None is not known, and not said."""

    cwd: str = ""
    approval_policy: ApprovalMode | Literal[""] = ""
    sandbox_mode: SandboxMode | Literal[""] = ""
    network_access: bool | None = None
    writable_roots: tuple[str, ...] = ()  # beyond the working directory and the temporary directories
    shell: str = ""  # its name, as `bash`
    current_date: str = ""  # 2025-10-31
    timezone: str = ""  # Europe/Zurich


def surroundings(
    cwd: str, approval: ApprovalPolicy, sandbox: SandboxPolicy, *, shell: str = "", current_date: str, timezone: str
) -> TurnEnvironment:
    """What is told of these policies; a sandbox around Sandgate counts as none of ours, but for the network."""
    mode, network, roots = _confinement(sandbox)
    asks: ApprovalMode = "on-request" if isinstance(approval, Granular) else approval
    return TurnEnvironment(cwd, asks, mode, network, roots, shell, current_date, timezone)


def environment_context(now: TurnEnvironment) -> Message:
    """Everything that is known."""
    shell = _element("shell", now.shell)
    return _message([*_place(now), *_asking(now), *_sandbox(now), *shell, *_date(now), *_timezone(now)])


def environment_update(before: TurnEnvironment, now: TurnEnvironment) -> Message | None:
    """Only what changed, the sandbox as a whole; None when nothing did. The shell is not compared."""
    lines = [
        line
        for tell in (_place, _asking, _sandbox, _date, _timezone)
        if tell(before) != tell(now)
        for line in tell(now)
    ]
    return _message(lines) if lines else None


def _message(lines: list[str]) -> Message:
    return user_message("\n".join((f"<{ENVIRONMENT}>", *lines, f"</{ENVIRONMENT}>")))


def _place(now: TurnEnvironment) -> list[str]:
    return _element("cwd", now.cwd)


def _asking(now: TurnEnvironment) -> list[str]:
    return _element("approval_policy", now.approval_policy)


def _sandbox(now: TurnEnvironment) -> list[str]:
    network = "" if now.network_access is None else "enabled" if now.network_access else "restricted"
    lines = _element("sandbox_mode", now.sandbox_mode) + _element("network_access", network)
    if now.sandbox_mode == "workspace-write" and now.writable_roots:
        roots = [f"    <root>{_escaped(root)}</root>" for root in now.writable_roots]
        lines += ["  <writable_roots>", *roots, "  </writable_roots>"]
    return lines


def _date(now: TurnEnvironment) -> list[str]:
    return _element("current_date", now.current_date)


def _timezone(now: TurnEnvironment) -> list[str]:
    return _element("timezone", now.timezone)


def _element(name: str, value: str) -> list[str]:
    return [f"  <{name}>{_escaped(value)}</{name}>"] if value else []


def _escaped(value: str) -> str:
    return visible(value).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _confinement(sandbox: SandboxPolicy) -> tuple[SandboxMode, bool, tuple[str, ...]]:
    match sandbox:
        case ReadOnly():
            return "read-only", sandbox.network_access, ()
        case WorkspaceWrite():
            return "workspace-write", sandbox.network_access, sandbox.writable_roots
        case DangerFullAccess():
            return "danger-full-access", True, ()
        case ExternalSandbox():
            return "danger-full-access", sandbox.network_access, ()
        case _:
            return never_reached(sandbox)
