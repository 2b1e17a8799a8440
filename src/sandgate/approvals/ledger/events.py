"""What happens in a ledger, as it happens: each new question once, and each answer to one that was told.

Rests on looking at the directory, never on what a notification says: a lost one costs a moment, not an event.
"""

from __future__ import annotations

import select

from sandgate.approvals.ledger.ledger import LOOK_AGAIN_MS
from sandgate.errors import ApprovalsUnusable
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandgate.approvals.ledger.ledger import Ledger
    from sandgate.approvals.ledger.pending import PendingApproval, Resolution
    from sandgate.kernel.inotify import DirectoryWatch

_GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL


class Asked(Record):
    """A question that waits for its answer, or was answered since we looked last."""

    approval: PendingApproval


class Advised(Record):
    """Words about a question that was told before and is still open."""

    approval: PendingApproval
    lines: tuple[str, ...]


class Decided(Record):
    """The answer to a question that was told before."""

    approval: PendingApproval
    resolution: Resolution


class Damaged(Record):
    """A question or an answer that cannot be read, and counts for nothing."""

    approval_id: str
    why: str


if TYPE_CHECKING:
    Event = Asked | Advised | Decided | Damaged


def follow(ledger: Ledger, listener: int) -> Iterator[Event]:
    """The open questions, and then everything that happens, until the reader of descriptor `listener` is gone."""
    watch = _watch(ledger)
    poller = select.poll()
    poller.register(listener, 0)  # a hang-up is reported without being asked for
    if watch is not None:
        poller.register(watch.fileno(), select.POLLIN)
    news = _News(ledger)
    try:
        while True:
            yield from news.since_last()
            ready = dict(poller.poll(LOOK_AGAIN_MS if watch is None else None))
            if ready.get(listener, 0) & _GONE:
                return
            if watch is not None:
                watch.drain()
    finally:
        if watch is not None:
            watch.close()


def _watch(ledger: Ledger) -> DirectoryWatch | None:
    try:
        return ledger.watch()
    except OSError:
        return None


class _News:
    """Remembers what was told already."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._told: dict[str, PendingApproval] = {}  # and not answered
        self._advised: set[str] = set()  # questions whose words were told
        self._done: frozenset[str] | None = None  # None: nothing was looked at yet

    def since_last(self) -> list[Event]:
        asked, answered = self._ledger.survey()
        events: list[Event] = []
        if self._done is None:  # what was over before we came is no news
            still_open = {approval.approval_id for approval in self._ledger.pending()}
            self._done = asked - still_open
        done = set(self._done & asked)
        for approval in self._in_order(asked - done - self._told.keys(), events, done):
            self._told[approval.approval_id] = approval
            events.append(Asked(approval))
        for approval_id in sorted((self._told.keys() - answered - self._advised) & self._ledger.advised()):
            self._advised.add(approval_id)
            if lines := self._ledger.advice(approval_id):
                events.append(Advised(self._told[approval_id], lines))
        for approval_id in sorted(self._told.keys() & answered):
            events.append(self._decided(self._told.pop(approval_id)))
            done.add(approval_id)
        for approval_id in self._told.keys() - asked:  # swept
            del self._told[approval_id]
        self._done = frozenset(done)
        self._advised &= self._told.keys()
        return events

    def _in_order(self, fresh: frozenset[str], events: list[Event], done: set[str]) -> list[PendingApproval]:
        found = []
        for approval_id in sorted(fresh):
            try:
                approval = self._ledger.get(approval_id)
            except ApprovalsUnusable as problem:
                events.append(Damaged(approval_id, str(problem)))
                done.add(approval_id)
                continue
            if approval is not None:
                found.append(approval)
        return sorted(found, key=lambda approval: approval.asked_at)

    def _decided(self, approval: PendingApproval) -> Event:
        try:
            resolution = self._ledger.resolution(approval.approval_id)
        except ApprovalsUnusable as problem:
            return Damaged(approval.approval_id, str(problem))
        if resolution is None:
            return Damaged(approval.approval_id, "its answer has gone")
        return Decided(approval, resolution)
