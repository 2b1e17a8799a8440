"""Why a question is asked, for people: the row of the policy's table, or the rule and where it stands."""

from __future__ import annotations

from sandgate.policy.lengths import echoed
from sandgate.protocol.verdicts import Allow, Ask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.gate.contracts import Confining
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.permissions import Grant
    from sandgate.protocol.verdicts import Verdict


def only_reads(verdict: Verdict) -> bool:
    """Whether policy vouches for every part of the command: no program of it changes anything."""
    return (
        isinstance(verdict, Allow)
        and bool(verdict.because)
        and all(each.source == "safe-list" for each in verdict.because)
    )


def why_asked(verdict: Verdict) -> str:
    """The first part of the command that asks, and what makes it ask; empty where the verdict has no parts."""
    asking = [each for each in verdict.because if each.verdict == "ask"] if isinstance(verdict, Ask) else []
    if not asking:
        return ""
    first = asking[0]
    about = f"`{echoed(first.segment)}`: " if len(verdict.because) > 1 else ""
    more = f" (and {len(asking) - 1} more)" if len(asking) > 1 else ""
    return f"{about}{first.detail}{more}"


def with_named(
    verdict: Verdict, command: CommandRequest, confinement: Confining, closed: Callable[[Grant], str]
) -> Verdict:
    """The verdict, and where it asks, what a yes gives because the command itself names it.

    Nothing of it where a rule has `closed` a place of it.
    """
    if not isinstance(verdict, Ask) or verdict.grants:
        return verdict
    from sandgate.gate.foreseen_removals import foreseen_removals

    grants = foreseen_removals(command, confinement)
    return verdict if any(map(closed, grants)) else verdict.but(grants=grants)
