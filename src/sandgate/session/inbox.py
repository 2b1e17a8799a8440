"""The questions of one session that are open: told as events, answered by id, gone with their turn.

The questions of sub-agents come here too, under the sub-agent's name; so there is one place for a whole tree. Only the
approval's own id always says which question is meant. A call may be asked about several times, a turn even more often,
and a sub-agent's calls may be called as ours are: such a name counts as long as nothing else was ever meant by it, so
that an answer that comes late approves nothing its giver has not seen.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque

from sandgate.commandline.summary import summaries_json
from sandgate.protocol.decisions import Decision
from sandgate.protocol.events import ApplyPatchApprovalRequest, ApprovalResolved, ExecApprovalRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.protocol.events import EventMessage

    Tell = Callable[[str, EventMessage], object]
    Delegate = Mapping[str, str]
    Answerer = Callable[[ApprovalRequest, Delegate | None], Awaitable[Decision]]

TURNS_MAX = 64  # that are over and still known to be; what they began has long ended when they are forgotten
TURN_OVER = "the turn ended before anybody answered"
ASKED_TWICE = "a question with this id is open already"


class SessionInbox:
    """Belongs to one event loop. `tell` is called with a turn's id and what happened.

    `answerer` is asked as well, where there is one, and told which sub-agent asks; the first answer counts,
    from either.
    """

    def __init__(self, tell: Tell, answerer: Answerer | None = None) -> None:
        self._tell = tell
        self._answerer = answerer
        self._open: dict[str, _Open] = {}
        self._over: deque[str] = deque(maxlen=TURNS_MAX)
        self._names: dict[str, Counter[str]] = {}  # by turn: what its questions so far can be called by

    async def ask(self, request: ApprovalRequest, *, turn_id: str, delegate: Delegate | None = None) -> Decision:
        """Waits for the answer; cancelled, it takes the question back."""
        if turn_id in self._over:  # of a tool that could not be ended in time
            return Decision(request.stage, "denied", "none", reason=TURN_OVER)
        if request.request_id in self._open:
            return Decision(request.stage, "denied", "none", reason=ASKED_TWICE)
        question = _Open(request, turn_id, delegate)
        self._open[request.request_id] = question
        self._names.setdefault(turn_id, Counter()).update(question.names)
        self._tell(turn_id, _told(request, turn_id, delegate))
        decision = Decision(request.stage, "abort", "none", reason=TURN_OVER)
        asking = None if self._answerer is None else asyncio.ensure_future(self._asked(self._answerer, question))
        try:
            decision = await question.answer
            return decision
        finally:
            if asking is not None:
                asking.cancel()
            del self._open[request.request_id]
            resolved = ApprovalResolved(request.request_id, request.call_id, decision.decision, decision.source)
            self._tell(turn_id, resolved)

    async def _asked(self, answerer: Answerer, question: _Open) -> None:
        try:
            decision = await answerer(question.request, question.delegate)
        except Exception as problem:  # a reviewer that fails to answer has not approved
            decision = Decision(question.request.stage, "denied", "none", reason=f"nobody could be asked: {problem!r}")
        if not question.answer.done():
            question.answer.set_result(decision)

    def answer(self, name: str, decision: Decision) -> bool:
        """`name`: the approval's id; its call's or its turn's where that was never the name of another question.

        A call's id stands for the stage that the decision is about. The first answer counts. False when there is no
        such question.
        """
        found = self._open.get(name) or self._named(name, decision)
        if found is None or found.answer.done():
            return False
        found.answer.set_result(decision.but(stage=found.request.stage))
        return True

    def drop(self, turn_id: str) -> None:
        """The turn is over: its questions are refused, and those that still come."""
        self._names.pop(turn_id, None)
        if turn_id not in self._over:
            self._over.append(turn_id)
        for question in self._open.values():
            if question.turn_id == turn_id and not question.answer.done():
                question.answer.set_result(Decision(question.request.stage, "denied", "none", reason=TURN_OVER))

    def _named(self, name: str, decision: Decision) -> _Open | None:
        for wanted in (_of_call(name, decision.stage), name):
            meant = [each for each in self._open.values() if wanted in each.names]
            if len(meant) == 1 and self._names[meant[0].turn_id][wanted] == 1:
                return meant[0]
        return None


class _Open:
    """One question."""

    def __init__(self, request: ApprovalRequest, turn_id: str, delegate: Delegate | None) -> None:
        self.request = request
        self.turn_id = turn_id
        self.delegate = delegate
        of_call = () if delegate is not None else (_of_call(request.call_id, request.stage),)
        self.names = (*of_call, turn_id)
        self.answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()


def _of_call(call_id: str, stage: str) -> str:
    return f"{stage} {call_id}"


def _told(
    request: ApprovalRequest, turn_id: str, delegate: Delegate | None
) -> ApplyPatchApprovalRequest | ExecApprovalRequest:
    if request.changes:
        return ApplyPatchApprovalRequest(request.call_id, request.request_id, turn_id, request, delegate)
    parsed = summaries_json(request.command.argv)
    return ExecApprovalRequest(request.call_id, request.request_id, turn_id, request, delegate, parsed)
