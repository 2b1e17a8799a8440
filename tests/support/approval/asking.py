"""Questions for tests of the ledger of approvals."""

from __future__ import annotations

from sandgate.approvals.ledger.pending import PendingApproval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ID = "00c0ffee00c0ffee"
ASKED_AT, EXPIRES_AT = 1_000_000.0, 1_000_300.0


def question(approval_id: str = ID, **changes: Any) -> PendingApproval:
    """One question, with whatever is different about it."""
    values: dict[str, Any] = {
        "principal": "default",
        "tool": "exec_command",
        "call_digest": "0" * 64,
        "stage": "first",
        "message": "Allow Sandgate to run `make`?",
        "choices": (("approve", "Yes"), ("deny", "No")),
        "details": {"cwd": "/repo"},
        "asked_at": ASKED_AT,
        "expires_at": EXPIRES_AT,
    }
    return PendingApproval(**{"approval_id": approval_id, **values, **changes})


class Clock:
    """Stands still until it is told."""

    def __init__(self, at: float = ASKED_AT + 1) -> None:
        self.at = at

    def __call__(self) -> float:
        return self.at
