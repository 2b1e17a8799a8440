"""What policy says about a command before a reviewer is asked."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from sandgate.protocol.permissions import Grant

    VerdictSource = Literal["safe-list", "danger-list", "rule", "policy", "unparsed"]
    RuleDecision = Literal["allow", "ask", "forbid"]


class Because(Record):
    """Why one segment of a command got its verdict."""

    segment: tuple[str, ...]
    verdict: RuleDecision
    source: VerdictSource
    detail: str


class Allow(Record):
    """Runs unasked. `bypass_sandbox` only when every segment has a rule that says so."""

    because: tuple[Because, ...] = ()
    bypass_sandbox: bool = False


class Ask(Record):
    """A reviewer decides. `reason` is empty when the heuristic alone asks."""

    because: tuple[Because, ...] = ()
    reason: str = ""
    grants: tuple[Grant, ...] = ()  # what it needs beyond the policy, where that is known beforehand


class Forbid(Record):
    """Refused without asking a reviewer."""

    reason: str
    because: tuple[Because, ...] = ()
    by: Literal["policy", "rule"] = "policy"


Verdict = Allow | Ask | Forbid
