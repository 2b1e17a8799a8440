"""What became of one turn, as an exit code that a script can rely on.

A command of the model that fails is the model's business and no failure. A refusal counts when the turn stopped there:
when nothing that came after it ran, the work was not done, whatever the last message says.
"""

from __future__ import annotations

from sandgate.protocol import events as told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.events import Event, EventMessage
    from sandgate.protocol.review import ReviewOutput

DONE, FAILED, REFUSED, LIMIT, CANNOT, INTERRUPTED = 0, 1, 77, 124, 125, 130
LIMIT_CODES = ("usage_limit_reached",)  # codes of our errors that are a limit and no failure
APPROVED = ("approved", "approved_for_session", "approved_with_amendment")


class TurnOutcome:
    """Follows one turn. `over`: nothing more will come of it."""

    def __init__(self) -> None:
        self.over = False
        self.completed = False
        self.last_message: str | None = None
        self.review: ReviewOutput | None = None
        self._code = CANNOT  # until something ends the turn
        self._refused_calls: set[str] = set()
        self._stopped_by_refusal = False
        self._stop_wanted = False  # an answer was to end the turn
        self._kept = False  # patches were to be taken back, and were not

    @property
    def code(self) -> int:
        """See above; 125 while nothing has ended the turn."""
        return self._code

    def follow(self, event: Event, turn: str) -> None:
        """One more event of the session; `turn` is the id of the one that counts."""
        self._note(event.msg)
        if event.id == turn and not self.over:
            self._end(event.msg)

    def _note(self, message: EventMessage) -> None:
        match message:
            case told.AgentMessage():
                self.last_message = message.message
            case told.ExitedReviewMode():
                self.review = message.review_output
            case told.ApprovalResolved():
                self._answered(message)
            case told.UndoCompleted():
                self._kept = not message.success
            case told.ExecCommandEnd() if message.status == "declined":
                self._refuse(message.call_id)
            case told.PatchApplyEnd() if message.status == "declined":
                self._refuse(message.call_id)
            case told.McpToolCallEnd() if message.declined:
                self._refuse(message.call_id)
            case told.ExecCommandEnd() | told.PatchApplyEnd() | told.McpToolCallEnd():
                if message.call_id not in self._refused_calls:  # what a refused retry left behind is no progress
                    self._stopped_by_refusal = False

    def _answered(self, answer: told.ApprovalResolved) -> None:
        if answer.decision in APPROVED:
            self._refused_calls.discard(answer.call_id)
            return
        self._refuse(answer.call_id)
        self._stop_wanted = self._stop_wanted or answer.decision == "abort"

    def _refuse(self, call: str) -> None:
        self._refused_calls.add(call)
        self._stopped_by_refusal = True

    def _end(self, message: EventMessage) -> None:
        match message:
            case told.TaskComplete():
                self.completed = True
                self.last_message = message.last_agent_message or self.last_message
                self._code = FAILED if self._kept else REFUSED if self._stopped_by_refusal else DONE
            case told.Failed():
                self._code = LIMIT if message.code in LIMIT_CODES else FAILED
            case told.TurnAborted(reason="interrupted"):
                self._code = REFUSED if self._stop_wanted else INTERRUPTED
            case told.TurnAborted(reason="budget_limited"):
                self._code = LIMIT
            case told.TurnAborted():
                self._code = FAILED
            case _:
                return
        self.over = True
