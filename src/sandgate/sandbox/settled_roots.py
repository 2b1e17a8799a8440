"""Where the further roots of a session lead: to where they led when they were looked up first, or nowhere.

A root may lie in the workspace of another session, whose commands can put a link in its place. What a person wrote in
the settings may well be a link, too, so it is followed once.
"""

from __future__ import annotations

from sandgate.errors import ConfinementError
from sandgate.protocol.permissions import WorkspaceWrite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.protocol.permissions import SandboxPolicy


class SettledRoots:
    """Of one session. Threads may share it."""

    def __init__(self) -> None:
        self._led_to: dict[str, str] = {}  # as written → canonical

    def check(self, policy: SandboxPolicy, resolved: Mapping[str, str]) -> None:
        """`resolved` as `WorkspaceFacts` has it. Raises ConfinementError."""
        for root in policy.writable_roots if isinstance(policy, WorkspaceWrite) else ():
            now = resolved.get(root)
            if now is not None and (first := self._led_to.setdefault(root, now)) != now:
                raise ConfinementError(
                    f"cannot make `{root}` writable inside the sandbox",
                    why=f"it led to `{first}` when this session began, and leads to `{now}` now",
                    hint="open a session for the directory that is meant",
                )
