"""What an answer counts for: an approval that cannot be written into the journal counts for nothing.

The journal is opened with the first answer, so a session without questions never touches it.
"""

from __future__ import annotations

from sandgate.approvals.journal import DecisionJournal
from sandgate.errors import SandgateError
from sandgate.protocol.decisions import Decision
from sandgate.protocol.trace import Notice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.decisions import ApprovalRequest, Attempt
    from sandgate.protocol.trace import Recorder

    WriteDown = Callable[[ApprovalRequest, Decision], Decision]
UNWRITTEN = (
    "it was approved, but the approval could not be written down ({problem}), so it does not count; make the state "
    "directory writable, or set `approvals.require_record = false`"
)


def written_down(state: Callable[[], str], tell: Recorder, *, required: bool) -> WriteDown:
    """What writes an answer into the journal and says what it counts for: an approval that is not written is a no.

    Unless not `required`, which the user's configuration says; then it is told of and counts all the same. `state`
    makes the state directory and names it.
    """
    journal = DecisionJournal(state)

    def write_down(request: ApprovalRequest, decision: Decision) -> Decision:
        try:
            journal.write(request, decision)
        except (SandgateError, OSError) as problem:
            if required and decision.approved:
                return Decision(request.stage, "denied", "none", reason=UNWRITTEN.format(problem=problem))
            tell(Notice("warning", f"this decision could not be written down: {problem}"))
        return decision

    return write_down


def write_performed(
    state: Callable[[], str], tell: Recorder, call_id: str, command: CommandRequest, attempt: Attempt
) -> None:
    """Writes down what was carried out on the word of an answer. It is done by then: a failure is told, no more."""
    try:
        DecisionJournal(state).write_performed(call_id, command, attempt)
    except (SandgateError, OSError) as problem:
        tell(Notice("warning", f"what was carried out for the command could not be written down: {problem}"))
