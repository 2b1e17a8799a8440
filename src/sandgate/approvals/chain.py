"""Asks the reviewers in order until one answers; no reviewer there means no.

What was approved for the session answers first and is never asked about again. Questions that arrive at the
same time are put one after the other, in the order they came; when a question's turn comes, an answer given
meanwhile may answer it too: one for the session, a rule that was saved, and a no to the very same question.
Where every reviewer can hold several questions at once, only those about the same command wait for each other.
"""

from __future__ import annotations

from _thread import allocate_lock

from sandgate.approvals.keys import keys_of, other_wish
from sandgate.approvals.places import is_about_places
from sandgate.protocol.decisions import Decision
from sandgate.protocol.permissions import ESCALATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from typing import Protocol

    from sandgate.approvals.store import ApprovalStore
    from sandgate.protocol.bindings import Binding
    from sandgate.protocol.decisions import ApprovalKey, ApprovalRequest
    from sandgate.protocol.permissions import Grant

    class Reviewer(Protocol):
        """A person, a program or a model that can answer. None passes the question on to the next reviewer."""

        def review(self, request: ApprovalRequest) -> Decision | None: ...


_NOBODY_HERE = "no reviewer is attached: nobody is at a terminal and no --answer is left; "
NO_REVIEWER = (
    f"{_NOBODY_HERE}`--answer approve` says yes once, "
    "`sandgate rules add -- COMMAND` for good, and `-a on-failure` asks only about what is dangerous or a rule's"
)
NO_REVIEWER_OF_PATCH = (
    f"{_NOBODY_HERE}`--answer approve` says yes once, and `-a on-failure` asks only where the sandbox refuses"
)
# It ran already: no rule, and no other policy, gives what the sandbox refused.
NO_REVIEWER_AFTERWARDS = f"{_NOBODY_HERE}each `--answer approve` says yes to one question, and is used up by it"


class ReviewerChain:
    """Session approvals, then each reviewer, then refusal."""

    def __init__(
        self,
        store: ApprovalStore,
        reviewers: tuple[Reviewer, ...],
        *,
        side_by_side: bool = False,
        queue: Queue | None = None,
    ) -> None:
        """`queue`: of a chain that this one follows; its questions are not over yet."""
        self._store = store
        self._reviewers = reviewers
        self.side_by_side = side_by_side
        self.queue = queue or Queue()

    def review(
        self,
        request: ApprovalRequest,
        announce: Callable[[], None],
        settled: Callable[[], Decision | None] = lambda: None,
        written: Callable[[Decision], Decision] = lambda decision: decision,
    ) -> Decision:
        """The decision; never None, never an exception for a missing answer.

        `announce` is called once, only if a reviewer is really going to be asked. `settled` says, when the question's
        turn has come, whether it needs no answer any more. `written` keeps an answer, and says what it comes to.
        """
        remembered = self._remembered(request)
        if remembered is not None:
            return remembered
        lane = keys_of(request) if self.side_by_side else ()
        return self.queue.in_turn(
            lambda: self._ask(request, announce, settled, written), lane=lane, same=_matter_of(request)
        )

    @property
    def waiting(self) -> int:
        """Questions that are being asked or wait for their turn."""
        return self.queue.length

    def _remembered(self, request: ApprovalRequest) -> Decision | None:
        if request.stage == "held":  # what this command was given to begin with was not enough
            covered = self._store.places.covers(request.grants, request.held)
            return Decision("held", "approved_for_session", "cache", request.grants) if covered else None
        keys = keys_of(request)
        found = self._recalled(request, keys, everything=request.stage == "initial")
        # Asked for with another wish: an approval outside the sandbox includes the run inside, and never the reverse.
        return found or self._recalled(request, other_wish(keys), everything=False)

    def _recalled(
        self, request: ApprovalRequest, keys: tuple[ApprovalKey, ...], *, everything: bool
    ) -> Decision | None:
        """What earlier answers decide. `everything` they gave is given at once, or it would be missed one by one."""
        passage = _passage_of(request)
        seen = _seen(request)
        if not self._store.covers(keys, request.grants, passage, request.held, seen):
            return None
        given = self._store.use(keys, request.grants, passage, seen)
        if given is None:
            return None
        return Decision(
            request.stage,
            "approved_for_session",
            "cache",
            given if everything else tuple(dict.fromkeys(_given_for(grant, given) for grant in request.grants)),
        )

    def _ask(
        self,
        request: ApprovalRequest,
        announce: Callable[[], None],
        settled: Callable[[], Decision | None],
        written: Callable[[Decision], Decision],
    ) -> Decision:
        answered = self._remembered(request) or settled()
        if answered is not None:
            return answered
        announce()
        for reviewer in self._reviewers:
            decision = reviewer.review(request)
            if decision is not None:
                return self._kept(request, written(decision))
        return written(Decision(request.stage, "denied", "none", reason=_no_reviewer(request)))

    def _kept(self, request: ApprovalRequest, decision: Decision) -> Decision:
        if decision.decision == "approved_for_session" and decision.source != "automated_reviewer":
            until = None
            if decision.until:
                from sandgate.policy.rules.model import instant

                until = instant(decision.until)
            if request.stage == "held":
                if decision.uses is None:  # else it is for this command alone
                    self._store.places.remember(decision.grants, until=until)
                return decision
            if decision.uses is None and is_about_places(request, decision.grants):
                self._store.places.remember(decision.grants, until=until, planned=True)
            passage = _passage_of(request)
            for key in keys_of(request):
                self._store.remember(
                    key,
                    decision.grants,
                    until=until,
                    uses=decision.uses,
                    passage=passage,
                    binding=tied_to(request, decision),
                )
        return decision


def _no_reviewer(request: ApprovalRequest) -> str:
    """Why nobody answered, and what would help; no rule speaks of a patch."""
    if request.stage != "initial":
        return NO_REVIEWER_AFTERWARDS
    return NO_REVIEWER_OF_PATCH if request.changes else NO_REVIEWER


def tied_to(request: ApprovalRequest, decision: Decision) -> Binding | None:
    """What has to stay as it is for an answer for the session to hold. Outside the sandbox no file may change."""
    if request.binding is None:
        return None
    return request.binding.lasting(
        changing=decision.changing and request.may_change and ESCALATE not in decision.grants
    )


def _seen(request: ApprovalRequest) -> Callable[[], Binding] | None:
    binding = request.binding
    return None if binding is None else lambda: binding


def _passage_of(request: ApprovalRequest) -> str:
    """What an answer that holds so many times is counted by: a command's whole passage, but each input by itself."""
    return request.request_id if request.keys and not request.changes else request.call_id


def _given_for(wanted: Grant, given: tuple[Grant, ...]) -> Grant:
    """What stands for `wanted` among what was given; nothing that was not, unless the sandbox itself was given up."""
    from sandgate.protocol.implied_grants import implies

    if wanted in given or ESCALATE in given:
        return wanted
    return next(grant for grant in given if implies(grant, wanted))


def _matter_of(request: ApprovalRequest) -> Hashable:
    """What makes two questions the same one."""
    return keys_of(request), request.stage, request.grants, request.held


class _Waiting:
    """One question in its lane."""

    def __init__(self, same: Hashable) -> None:
        self.same = same
        self.gate = allocate_lock()
        self.gate.acquire()
        self.answer: Decision | None = None  # a person's no to the same question, given while this one waited


class Queue:
    """Lets callers of one lane through one at a time, strictly in the order they arrived."""

    def __init__(self) -> None:
        self._guard = allocate_lock()
        self._lanes: dict[Hashable, list[_Waiting]] = {}

    @property
    def length(self) -> int:
        """Callers inside or waiting."""
        with self._guard:
            return sum(map(len, self._lanes.values()))

    def in_turn(self, ask: Callable[[], Decision], *, lane: Hashable = (), same: Hashable = None) -> Decision:
        """Wait for our turn, ask, let the next one through; also when asking fails.

        A person's no also answers those that wait with the `same` question; None is the same as nothing.
        """
        mine = _Waiting(same)
        with self._guard:
            waiting = self._lanes.setdefault(lane, [])
            waiting.append(mine)
            first = len(waiting) == 1
        if not first:
            mine.gate.acquire()
        try:
            if mine.answer is not None:
                return mine.answer
            decision = ask()
            self._spread(decision, mine, lane)
            return decision
        finally:
            self._next(lane)

    def _spread(self, decision: Decision, mine: _Waiting, lane: Hashable) -> None:
        if mine.same is None or decision.source != "user" or decision.decision not in ("denied", "abort"):
            return
        with self._guard:
            for other in self._lanes[lane]:
                if other is not mine and other.same == mine.same:
                    other.answer = decision.but(source="cache")

    def _next(self, lane: Hashable) -> None:
        with self._guard:
            waiting = self._lanes[lane]
            waiting.pop(0)
            if waiting:
                waiting[0].gate.release()
            else:
                del self._lanes[lane]
