"""What answers the questions of one session: what was approved for it, its reviewers, and the record of answers.

All are made when something is asked or approved for the first time: most commands of most sessions need none.
"""

from __future__ import annotations

from _thread import allocate_lock

from sandgate.protocol.permissions import ESCALATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from sandgate.approvals.chain import Queue, Reviewer, ReviewerChain
    from sandgate.approvals.store import ApprovalStore
    from sandgate.approvals.written_answers import WriteDown
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.protocol.decisions import ApprovalKey, ApprovalRequest, Attempt, Decision
    from sandgate.protocol.permissions import Grant
    from sandgate.protocol.trace import Recorder

    Closed = Callable[[Grant], str]
    WritePerformed = Callable[[str, CommandRequest, Attempt], None]


MAKING = ("create", "bind", "rename")  # operations that can bring a new name; a link's is a creation, too
POLICIES_MAX = 16  # of one session, whose approvals are kept beside those in force; the oldest are asked about again


class SessionAnswers:
    """Threads may share it. `side_by_side`: the reviewers hold several questions at once."""

    def __init__(
        self,
        reviewers: tuple[Reviewer, ...] = (),
        *,
        side_by_side: bool = False,
        write_performed: WritePerformed = lambda _call_id, _command, _attempt: None,
    ) -> None:
        """`write_performed` keeps what was carried out for a run on the word of these answers."""
        self.reviewers = reviewers
        self._write_performed = write_performed
        self.side_by_side = side_by_side
        self._making = allocate_lock()
        self._store: ApprovalStore | None = None
        self._chain: ReviewerChain | None = None
        self._queue: Queue | None = None
        self._stores: dict[Hashable, ApprovalStore | None] = {}  # of policies that do not hold now

    def hold(self, reviewers: tuple[Reviewer, ...], *, under: Hashable, left: Hashable) -> None:
        """Others answer from now on, under another policy; what was approved under the one that is `left` waits."""
        with self._making:
            self._stores[left] = self._store
            while len(self._stores) > POLICIES_MAX:
                del self._stores[next(iter(self._stores))]
            self._store = self._stores.pop(under, None)
            self.reviewers, self._chain = reviewers, None

    @property
    def nothing_approved(self) -> bool:
        """Whether nothing holds for the session."""
        return self._store is None or self._store.empty

    def keys_for(self, command: CommandRequest, keys: tuple[ApprovalKey, ...]) -> tuple[ApprovalKey, ...]:
        """Under what approvals of a command are found; `keys` where it has its own. None while nothing is approved."""
        if self.nothing_approved:
            return ()
        from sandgate.approvals.keys import key_of

        return keys or (key_of(command),)

    @property
    def store(self) -> ApprovalStore:
        """What was approved for the session."""
        with self._making:
            if self._store is None:
                from sandgate.approvals.store import ApprovalStore

                self._store = ApprovalStore()
            return self._store

    @property
    def places(self) -> tuple[Grant, ...]:
        """What all commands of the session have been given, path by path."""
        return () if self._store is None else self._store.places.given()

    def write_performed(self, call_id: str, command: CommandRequest, attempt: Attempt) -> None:
        """Keeps what was carried out for a run. What that made at a place that was given for the session belongs to its
        commands from now on."""
        if self._store is not None:
            done = [each for each in attempt.performed if each.operation in MAKING and not each.error]
            self._store.places.note_made([each.other_path or each.path for each in done])
        self._write_performed(call_id, command, attempt)

    def planned_places(self, closed: Closed = lambda _: "") -> tuple[Grant, ...]:
        """What plans are made with because it was given for the session after a failure, whichever command's."""
        return () if self._store is None else tuple([each for each in self._store.places.planned() if not closed(each)])

    def with_planned(self, grants: tuple[Grant, ...], closed: Closed = lambda _: "") -> tuple[Grant, ...]:
        """What a run is planned with: its own grants, and those places where it is confined at all."""
        places = self.planned_places(closed)
        return tuple(dict.fromkeys((*grants, *places))) if places and ESCALATE not in grants else grants

    def with_places(self, plan: ConfinedCommand, closed: Closed = lambda _: "") -> ConfinedCommand:
        """The plan with what was given for the session, path by path, whichever command wants it; without what a rule
        has `closed` since."""
        carried = () if self._store is None else self._store.places.carried()
        if not (given := tuple([grant for grant in carried if not closed(grant)])):
            return plan
        from sandgate.sandbox.carried_grants import with_standing

        return with_standing(plan, given)

    @property
    def chain(self) -> ReviewerChain:
        """Who is asked, in order."""
        store = self.store
        with self._making:
            if self._chain is None:
                from sandgate.approvals.chain import ReviewerChain

                self._chain = ReviewerChain(store, self.reviewers, side_by_side=self.side_by_side, queue=self._queue)
                self._queue = self._chain.queue
            return self._chain


class WrittenAnswers:
    """Writes an answer down, and says what it counts for; made with the first answer. Threads may share it."""

    def __init__(self, state: Callable[[], str], tell: Recorder, *, required: bool) -> None:
        """`state` makes the state directory and names it."""
        self._state, self._tell, self._required = state, tell, required
        self._making = allocate_lock()
        self._write_down: WriteDown | None = None

    def __call__(self, request: ApprovalRequest, decision: Decision) -> Decision:
        with self._making:
            if self._write_down is None:
                from sandgate.approvals.written_answers import written_down

                self._write_down = written_down(self._state, self._tell, required=self._required)
        return self._write_down(request, decision)

    def performed(self, call_id: str, command: CommandRequest, attempt: Attempt) -> None:
        """Writes down what was carried out for a run."""
        from sandgate.approvals.written_answers import write_performed

        write_performed(self._state, self._tell, call_id, command, attempt)
