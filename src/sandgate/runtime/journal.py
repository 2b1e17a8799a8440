"""Writes down who allowed what, for every session, and lets a person overrule an automatic reviewer.

The journal is opened when the first question is asked, so a session without questions never touches it.
"""

from __future__ import annotations

from sandgate.errors import RequestError, SandgateError
from sandgate.protocol.decisions import Decision
from sandgate.protocol.trace import Notice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from sandgate.approvals.journal import DecisionJournal
    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.protocol.trace import Recorder

    WriteDown = Callable[[ApprovalRequest, Decision], Decision]
    Json = dict[str, Any]

SHORT_DIGEST = 12  # characters of an action's digest that people are shown; fewer may name several
UNWRITTEN = (
    "it was approved, but the approval could not be written down ({problem}), so it does not count; make the state "
    "directory writable, or set `approvals.require_record = false`"
)
OVERRULED = ("denied", "timed_out", "abort")


def written_down(environ: Mapping[str, str], tell: Recorder, *, required: bool) -> WriteDown:
    """What writes an answer into the journal and says what it counts for: an approval that is not written is a no.

    Unless not `required`, which the user's configuration says; then it is told of and counts all the same.
    """
    opened: list[DecisionJournal] = []

    def write_down(request: ApprovalRequest, decision: Decision) -> Decision:
        try:
            if not opened:
                opened.append(_journal(environ))
            opened[0].write(request, decision)
        except (SandgateError, OSError) as problem:
            if required and decision.approved:
                return Decision(request.stage, "denied", "none", reason=UNWRITTEN.format(problem=problem))
            tell(Notice("warning", f"this decision could not be written down: {problem}"))
        return decision

    return write_down


def _journal(environ: Mapping[str, str]) -> DecisionJournal:
    from sandgate.approvals.journal import DecisionJournal

    return DecisionJournal(lambda: _state(environ))


def _state(environ: Mapping[str, str]) -> str:
    from sandgate.config.state_directory import ensured_state

    return ensured_state(environ)


def decisions(environ: Mapping[str, str]) -> Iterator[Json]:
    """Everything that was decided, oldest first."""
    from sandgate.approvals.journal import entries

    return entries(_state(environ))


def override(environ: Mapping[str, str], action: str) -> tuple[Json, bool]:
    """Let one refused action through, once: its last entry, and False when that was said already.

    `action` is its digest, or the beginning of it. Raises RequestError when no automatic refusal, or more than one
    action, has it.
    """
    from sandgate.approvals.overrides import Overrides

    named = [line for line in decisions(environ) if str(line.get("action", "")).startswith(action)]
    refused = {
        line["action"]: line
        for line in named
        if line.get("source") == "automated_reviewer" and line.get("decision") in OVERRULED
    }
    if len(action) < SHORT_DIGEST or len(refused) != 1:
        if len(action) < SHORT_DIGEST:
            why = f"an action is named by at least {SHORT_DIGEST} characters"
        else:
            why = "it names more than one" if refused else "the automatic reviewer refused no action of that name"
        raise RequestError(f"cannot override `{action}`", why=why, hint="`sandgate approvals log` lists them")
    (line,) = refused.values()
    return line, Overrides(_state(environ)).allow_once(line["action"])
