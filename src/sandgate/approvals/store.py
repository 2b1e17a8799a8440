"""What was approved for the session. In memory only, gone with the session.

An entry says which grants were given to exactly one command; a later question is covered when it asks for no
more than that. Thread-safe without locks: each operation is one dictionary access.
"""

from __future__ import annotations

from sandgate.protocol.permissions import ESCALATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from sandgate.protocol.decisions import ApprovalKey
    from sandgate.protocol.permissions import Grant

ENTRIES_MAX = 4096  # commands remembered in one session; further ones are simply asked about again


class ApprovalStore:
    """Session approvals: remember, recall, list, revoke."""

    def __init__(self) -> None:
        self._given: dict[ApprovalKey, frozenset[Grant]] = {}

    def remember(self, key: ApprovalKey, grants: tuple[Grant, ...]) -> None:
        """Add grants to what this command may have until the session ends."""
        if key in self._given or len(self._given) < ENTRIES_MAX:
            self._given[key] = self._given.get(key, frozenset()) | frozenset(grants)

    def recall(self, key: ApprovalKey) -> tuple[Grant, ...] | None:
        """The grants this command was given for the session; None when it was never approved."""
        given = self._given.get(key)
        return None if given is None else tuple(sorted(given, key=lambda grant: (grant.kind, grant.value)))

    def recall_all(self, keys: Collection[ApprovalKey]) -> tuple[Grant, ...] | None:
        """The grants given to all of these together; None when one of them was never approved."""
        given = [self.recall(key) for key in keys]
        if any(grants is None for grants in given):
            return None
        return tuple(dict.fromkeys(grant for grants in given for grant in grants or ()))

    def covers(self, keys: Collection[ApprovalKey], wanted: tuple[Grant, ...]) -> bool:
        """Whether asking for `wanted` would repeat questions that were answered for the session."""
        given = self.recall_all(keys)
        return given is not None and (ESCALATE in given or set(wanted) <= set(given))

    def revoke(self, key: ApprovalKey) -> bool:
        """Forget one command; False when it was not there."""
        return self._given.pop(key, None) is not None

    def clear(self) -> None:
        """Forget everything, as when the sandbox policy of the session changes."""
        self._given.clear()

    def entries(self) -> tuple[tuple[ApprovalKey, frozenset[Grant]], ...]:
        """Everything remembered, oldest first."""
        return tuple(self._given.items())
