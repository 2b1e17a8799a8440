"""What is told while questions come and go."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandgate.approvals.ledger import events as news
from sandgate.approvals.ledger.events import Advised, Asked, Damaged, Decided, follow
from sandgate.approvals.ledger.ledger import KEPT_S, Ledger
from support.approval.asking import ASKED_AT, EXPIRES_AT, ID, Clock, question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.approvals.ledger.events import Event
    from sandgate.approvals.ledger.pending import Resolution
    from sandgate.kernel.inotify import DirectoryWatch

OTHER = "1" * 16
WAIT_SECONDS = 20


class Following:
    """A reader on a thread of its own, who can leave."""

    def __init__(self, ledger: Ledger) -> None:
        self._mine, listener = os.pipe()
        self.events: list[Event] = []
        self._more = threading.Condition()
        self._thread = threading.Thread(target=self._read, args=(ledger, listener))
        self._thread.start()

    def _read(self, ledger: Ledger, listener: int) -> None:
        for event in follow(ledger, listener):
            with self._more:
                self.events.append(event)
                self._more.notify()
        os.close(listener)

    def hears(self, count: int) -> list[Event]:
        with self._more:
            assert self._more.wait_for(lambda: len(self.events) >= count, WAIT_SECONDS), self.events
            return self.events[:count]

    def leaves(self) -> None:
        os.close(self._mine)
        self._thread.join(WAIT_SECONDS)
        assert not self._thread.is_alive()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(tmp_path: Path, clock: Clock) -> Iterator[Ledger]:
    (tmp_path / "ledger").mkdir(mode=0o700)
    opened = Ledger(str(tmp_path / "ledger"), now=clock)
    yield opened
    opened.close()


def resolve(ledger: Ledger, approval_id: str = ID, decision: str = "approve") -> Resolution:
    return ledger.resolve(approval_id, decision, by="client", digest=question(approval_id).digest)


@pytest.fixture(params=["told", "looking again"])
def following(ledger: Ledger, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Following]:
    """With the kernel's help, and without."""

    def not_to_be_had(_self: Ledger) -> DirectoryWatch:
        raise OSError("no inotify instances left")

    if request.param != "told":
        monkeypatch.setattr(Ledger, "watch", not_to_be_had)
        monkeypatch.setattr(news, "LOOK_AGAIN_MS", 5)
    ledger.ask(question(OTHER))
    reader = Following(ledger)
    yield reader
    reader.leaves()


def test_open_questions_come_first_and_then_what_happens(ledger: Ledger, following: Following) -> None:
    assert following.hears(1) == [Asked(question(OTHER))]
    ledger.ask(question())
    assert following.hears(2)[1:] == [Asked(question())]
    answer = resolve(ledger)
    assert following.hears(3)[2:] == [Decided(question(), answer)]
    refused = resolve(ledger, OTHER, "deny")
    assert following.hears(4)[3:] == [Decided(question(OTHER), refused)]


def test_the_end_of_the_reader_ends_the_watch(following: Following) -> None:
    """Required: a pipe that nobody reads keeps no process."""
    following.hears(1)


def test_what_was_over_before_is_no_news_and_nothing_is_told_twice(ledger: Ledger, clock: Clock) -> None:
    ledger.ask(question())
    resolve(ledger)
    ledger.ask(question("2" * 16, expires_at=ASKED_AT + 2))
    clock.at = ASKED_AT + 3
    watched = news._News(ledger)
    assert watched.since_last() == []
    ledger.ask(question(OTHER))
    assert watched.since_last() == [Asked(question(OTHER))]
    assert watched.since_last() == []
    ledger.sweep(EXPIRES_AT + KEPT_S + 1)
    assert watched.since_last() == []
    assert not watched._told


def test_a_question_answered_between_two_looks_is_told_with_its_answer(ledger: Ledger) -> None:
    watched = news._News(ledger)
    assert watched.since_last() == []
    ledger.ask(question())
    answer = resolve(ledger)
    assert watched.since_last() == [Asked(question()), Decided(question(), answer)]


def test_what_is_damaged_is_told_once(ledger: Ledger, tmp_path: Path) -> None:
    watched = news._News(ledger)
    assert watched.since_last() == []
    ledger.ask(question())
    assert watched.since_last() == [Asked(question())]
    (tmp_path / "ledger" / f"{ID}.answer").write_text("approve")
    (tmp_path / "ledger" / f"{OTHER}.question").write_text("?")
    found = watched.since_last()
    assert [type(event) for event in found] == [Damaged, Damaged]
    assert {event.approval_id for event in found if isinstance(event, Damaged)} == {ID, OTHER}
    assert watched.since_last() == []


def test_words_about_an_open_question_are_told_once(ledger: Ledger) -> None:
    ledger.ask(question())
    reader = Following(ledger)
    assert reader.hears(1) == [Asked(question())]
    ledger.advise(ID, ("Risk: HIGH",))
    assert reader.hears(2)[1] == Advised(question(), ("Risk: HIGH",))
    standing = resolve(ledger)
    assert reader.hears(3)[2] == Decided(question(), standing)
    reader.leaves()
