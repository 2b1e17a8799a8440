"""The questions of one session that are open: told as events, answered by id, gone with their turn.

The questions of sub-agents come here too, under the name of who asks; so there is one place for a whole tree.
"""

from __future__ import annotations

import asyncio

from sandgate.protocol.decisions import Decision
from sandgate.protocol.events import ApplyPatchApprovalRequest, ApprovalResolved, ExecApprovalRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.protocol.events import EventMessage

    Tell = Callable[[str, EventMessage], object]
    Answerer = Callable[[ApprovalRequest], Awaitable[Decision]]

TURN_OVER = "the turn ended before anybody answered"
ASKED_TWICE = "a question with this id is open already"


class Inbox:
    """Belongs to one event loop. `tell` is called with a turn's id and what happened.

    `answerer` is asked as well, where there is one; the first answer counts, whoever gives it.
    """

    def __init__(self, tell: Tell, answerer: Answerer | None = None) -> None:
        self._tell = tell
        self._answerer = answerer
        self._open: dict[str, _Open] = {}

    async def ask(
        self, request: ApprovalRequest, *, turn_id: str, delegate: Mapping[str, str] | None = None
    ) -> Decision:
        """Waits for the answer; cancelled, it takes the question back."""
        if request.request_id in self._open:
            return Decision(request.stage, "denied", "none", reason=ASKED_TWICE)
        kind = ApplyPatchApprovalRequest if request.changes else ExecApprovalRequest
        question = _Open(request, turn_id)
        self._open[request.request_id] = question
        self._tell(turn_id, kind(request.call_id, request.request_id, turn_id, request, delegate))
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
            decision = await answerer(question.request)
        except Exception as problem:  # who fails to answer has not approved
            decision = Decision(question.request.stage, "denied", "none", reason=f"nobody could be asked: {problem!r}")
        if not question.answer.done():
            question.answer.set_result(decision)

    def answer(self, name: str, decision: Decision) -> bool:
        """`name`: the approval's id, its call's, or its turn's where one question is open. The first answer counts.

        False when there is no such question.
        """
        found = self._named(name)
        if found is None or found.answer.done():
            return False
        found.answer.set_result(decision.but(stage=found.request.stage))
        return True

    def drop(self, turn_id: str) -> None:
        """The turn is over: its questions are refused."""
        for question in self._open.values():
            if question.turn_id == turn_id and not question.answer.done():
                question.answer.set_result(Decision(question.request.stage, "denied", "none", reason=TURN_OVER))

    def _named(self, name: str) -> _Open | None:
        if name in self._open:
            return self._open[name]
        for meant in (
            [each for each in self._open.values() if each.request.call_id == name],
            [each for each in self._open.values() if each.turn_id == name],
        ):
            if len(meant) == 1:
                return meant[0]
        return None


class _Open:
    """One question."""

    def __init__(self, request: ApprovalRequest, turn_id: str) -> None:
        self.request = request
        self.turn_id = turn_id
        self.answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
