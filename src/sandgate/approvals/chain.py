"""Asks the reviewers in order until one answers; nobody there means no.

What was approved for the session answers first and is never asked about again. Questions that arrive at the
same time are put one after the other, in the order they came; when a question's turn comes, an answer given
meanwhile to the same command for the session answers it too. Where everybody who answers can hold several
questions at once, only those about the same command wait for each other.
"""

from __future__ import annotations

from _thread import allocate_lock

from sandgate.approvals.keys import keys_of
from sandgate.protocol.decisions import Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Callable, Hashable
    from typing import Protocol

    from sandgate.approvals.store import ApprovalStore
    from sandgate.protocol.decisions import ApprovalRequest

    class Reviewer(Protocol):
        """Somebody or something that can answer. None passes the question on to the next one."""

        def review(self, request: ApprovalRequest) -> Decision | None: ...


NO_REVIEWER = (
    "no reviewer is attached: nobody is at a terminal and no --answer is left; "
    "allow the command with a rule, or run it where a person can be asked"
)


class ReviewerChain:
    """Session approvals, then each reviewer, then refusal."""

    def __init__(self, store: ApprovalStore, reviewers: tuple[Reviewer, ...], *, side_by_side: bool = False) -> None:
        self._store = store
        self._reviewers = reviewers
        self.side_by_side = side_by_side
        self._queue = Queue()

    def review(self, request: ApprovalRequest, announce: Callable[[], None]) -> Decision:
        """The decision; never None, never an exception for a missing answer.

        `announce` is called once, only if somebody is really going to be asked.
        """
        return self._remembered(request) or self._queue.in_turn(
            lambda: self._ask(request, announce), lane=keys_of(request) if self.side_by_side else ()
        )

    @property
    def waiting(self) -> int:
        """Questions that are being asked or wait for their turn."""
        return self._queue.length

    def _remembered(self, request: ApprovalRequest) -> Decision | None:
        if not self._store.covers(keys_of(request), request.grants):
            return None
        return Decision(request.stage, "approved_for_session", "cache", request.grants)

    def _ask(self, request: ApprovalRequest, announce: Callable[[], None]) -> Decision:
        if (answered := self._remembered(request)) is not None:
            return answered
        announce()
        for reviewer in self._reviewers:
            decision = reviewer.review(request)
            if decision is not None:
                return self._kept(request, decision)
        return Decision(request.stage, "denied", "none", reason=NO_REVIEWER)

    def _kept(self, request: ApprovalRequest, decision: Decision) -> Decision:
        if decision.decision == "approved_for_session":
            for key in keys_of(request):
                self._store.remember(key, decision.grants)
        return decision


class Queue:
    """Lets callers of one lane through one at a time, strictly in the order they arrived."""

    def __init__(self) -> None:
        self._guard = allocate_lock()
        self._lanes: dict[Hashable, list[LockType]] = {}

    @property
    def length(self) -> int:
        """Callers inside or waiting."""
        with self._guard:
            return sum(map(len, self._lanes.values()))

    def in_turn(self, ask: Callable[[], Decision], *, lane: Hashable = ()) -> Decision:
        """Wait for our turn, ask, let the next one through; also when asking fails."""
        gate = allocate_lock()
        gate.acquire()
        with self._guard:
            waiting = self._lanes.setdefault(lane, [])
            waiting.append(gate)
            first = len(waiting) == 1
        if not first:
            gate.acquire()
        try:
            return ask()
        finally:
            self._next(lane)

    def _next(self, lane: Hashable) -> None:
        with self._guard:
            waiting = self._lanes[lane]
            waiting.pop(0)
            if waiting:
                waiting[0].release()
            else:
                del self._lanes[lane]
