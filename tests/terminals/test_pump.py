"""One thread for many descriptors: none waits for another, and one that fails harms nobody."""

from __future__ import annotations

import os
import sys
import threading
from select import EPOLLIN, EPOLLOUT
from time import monotonic

import pytest

from sandgate.terminals.pump import Pump
from support.process.waiting import LIMIT_S, none_left_open, open_descriptors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sandgate.terminals.pump import Handler

    Pipe = tuple[int, int]

MANY = 200


@pytest.fixture
def pump() -> Iterator[Pump]:
    made = Pump()
    yield made
    made.close()


@pytest.fixture
def pipes(pump: Pump) -> Iterator[list[Pipe]]:
    made = [os.pipe() for _ in range(MANY)]
    yield made
    for pair in made:
        for fd in pair:
            pump.forget(fd)
            os.close(fd)


@pytest.fixture
def complaints(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was reported as a mistake of a handler."""
    told: list[str] = []
    monkeypatch.setattr(sys, "excepthook", lambda _kind, problem, _where: told.append(str(problem)))
    return told


def caught_up(pump: Pump) -> None:
    """Returns when the thread has handled what was ready before this call, and what was due."""
    passed = threading.Event()
    pump.at(monotonic(), passed.set)
    assert passed.wait(LIMIT_S)


def reads(fd: int, *then: Callable[[], object]) -> Handler:
    """A handler that takes a byte and does what follows."""

    def handle(_events: int) -> None:
        os.read(fd, 1)
        for each in then:
            each()

    return handle


def broken(_events: int) -> None:
    raise ValueError("broken on purpose")


def test_every_one_of_many_descriptors_is_handled(pump: Pump, pipes: list[Pipe]) -> None:
    arrived: dict[int, bytes] = {}
    complete = threading.Event()

    def reader(number: int, fd: int) -> None:
        def handle(_events: int) -> None:
            arrived[number] = arrived.get(number, b"") + os.read(fd, 100)
            if sum(map(len, arrived.values())) == 2 * MANY:
                complete.set()

        pump.watch(fd, handle)

    for number, (fd, _) in enumerate(pipes):
        reader(number, fd)
    for word in (b"a", b"b"):
        for _, fd in pipes:
            os.write(fd, word)
    assert complete.wait(LIMIT_S)
    assert arrived == dict.fromkeys(range(MANY), b"ab")


def test_handlers_run_on_one_thread_that_is_not_the_callers(pump: Pump, pipes: list[Pipe]) -> None:
    threads: set[int] = set()
    for read_end, write_end in pipes[:20]:
        pump.watch(read_end, reads(read_end, lambda: threads.add(threading.get_ident())))
        os.write(write_end, b".")
    caught_up(pump)
    pump.at(monotonic(), lambda: threads.add(threading.get_ident()))
    caught_up(pump)
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_a_handler_that_raises_is_dropped_and_reported_and_the_others_go_on(
    pump: Pump, pipes: list[Pipe], complaints: list[str]
) -> None:
    """Required: somebody else's bytes must keep moving."""
    (bad, to_bad), (good, to_good) = pipes[:2]
    arrived = threading.Event()
    pump.watch(bad, broken)
    os.write(to_bad, b"still there, and nobody reads it")
    caught_up(pump)
    pump.watch(good, reads(good, arrived.set))
    os.write(to_good, b".")
    assert arrived.wait(LIMIT_S)
    assert complaints == ["broken on purpose"]


def test_a_handler_that_fails_after_its_descriptor_was_closed_takes_nobody_along(
    pump: Pump, complaints: list[str]
) -> None:
    fd, other = os.pipe()

    def handle(_events: int) -> None:
        os.close(fd)
        raise ValueError("broken on purpose")

    pump.watch(fd, handle)
    os.write(other, b".")
    caught_up(pump)
    os.close(other)
    assert complaints == ["broken on purpose"]


def test_a_descriptor_that_lost_its_handler_can_be_watched_again(
    pump: Pump, pipes: list[Pipe], complaints: list[str]
) -> None:
    (fd, other), again = pipes[0], threading.Event()
    pump.watch(fd, broken)
    os.write(other, b".")
    caught_up(pump)
    pump.watch(fd, reads(fd, again.set))
    assert again.wait(LIMIT_S)
    assert len(complaints) == 1


def test_what_is_due_happens_in_order_of_time_whatever_the_order_of_asking(pump: Pump) -> None:
    happened: list[str] = []
    done = threading.Event()
    now = monotonic()
    pump.at(now + 0.06, lambda: happened.append("last"))
    pump.at(now + 0.06, done.set)
    pump.at(now + 0.02, lambda: happened.append("first"))
    pump.at(now + 0.04, lambda: happened.append("second"))
    pump.at(now + 0.04, lambda: happened.append("third"))
    assert done.wait(LIMIT_S)
    assert happened == ["first", "second", "third", "last"]
    assert monotonic() - now >= 0.06


def test_an_earlier_moment_wakes_a_thread_that_sleeps_for_a_later_one(pump: Pump) -> None:
    """Required: otherwise a kill asked for now would come an hour late."""
    early = threading.Event()
    pump.at(monotonic() + 3_600, lambda: None)
    caught_up(pump)
    pump.at(monotonic() + 0.01, early.set)
    assert early.wait(LIMIT_S)


def test_an_action_may_ask_for_the_next_one(pump: Pump) -> None:
    done = threading.Event()
    moments: list[float] = []

    def again() -> None:
        moments.append(monotonic())
        if len(moments) < 3:
            pump.at(monotonic() + 0.005, again)
        else:
            done.set()

    pump.at(monotonic(), again)
    assert done.wait(LIMIT_S)
    assert len(moments) == 3


def test_an_action_that_raises_is_reported_and_the_next_one_happens(pump: Pump, complaints: list[str]) -> None:
    now = monotonic()
    pump.at(now, lambda: broken(0))
    caught_up(pump)
    assert complaints == ["broken on purpose"]


def test_what_was_forgotten_is_not_handled_any_more(pump: Pump, pipes: list[Pipe]) -> None:
    fd, other = pipes[0]
    events: list[int] = []
    pump.watch(fd, events.append)
    pump.forget(fd)
    pump.forget(fd)
    os.write(other, b".")
    caught_up(pump)
    assert events == []


def test_a_handler_that_is_forgotten_by_another_one_of_the_same_batch_is_not_called(
    pump: Pump, pipes: list[Pipe]
) -> None:
    """Both are ready before the thread looks; whoever comes first sends the other away."""
    (one, to_one), (two, to_two) = pipes[:2]
    called: list[int] = []

    def first(fd: int, other: int) -> None:
        called.append(fd)
        pump.forget(other)
        pump.forget(fd)

    def arrange() -> None:
        for write_end in (to_one, to_two):
            os.write(write_end, b".")
        pump.watch(one, lambda _events: first(one, two))
        pump.watch(two, lambda _events: first(two, one))

    pump.at(monotonic(), arrange)
    caught_up(pump)
    caught_up(pump)
    assert len(called) == 1


def test_a_number_that_is_used_again_gets_no_news_of_its_former_owner(pump: Pump) -> None:
    """Required: a handler acts on what it is told; news for a closed pipe must not reach the next one of its number."""
    spare = [os.pipe() for _ in range(2)]
    news: list[str] = []
    replaced: list[int] = []

    def replace(fd: int, other: int) -> None:
        pump.forget(fd)
        pump.forget(other)
        os.close(other)
        read_end, write_end = os.pipe()
        assert read_end == other
        replaced.append(write_end)
        pump.watch(read_end, lambda _events: news.append("for the new owner"))

    def arrange() -> None:
        for _, write_end in spare:
            os.write(write_end, b".")
        (one, _), (two, _) = spare
        pump.watch(one, lambda _events: replace(one, two))
        pump.watch(two, lambda _events: replace(two, one))

    pump.at(monotonic(), arrange)
    caught_up(pump)
    caught_up(pump)
    assert (len(replaced), news) == (1, [])
    for read_end, _ in spare:
        pump.forget(read_end)
        os.close(read_end)
    for fd in (replaced[0], *(write_end for _, write_end in spare)):
        os.close(fd)


def test_change_says_which_events_count(pump: Pump, pipes: list[Pipe]) -> None:
    _, fd = pipes[0]
    seen: list[int] = []
    writable = threading.Event()

    def handle(events: int) -> None:
        seen.append(events)
        pump.change(fd, EPOLLIN)
        writable.set()

    pump.watch(fd, handle)
    caught_up(pump)
    assert seen == []
    pump.change(fd, EPOLLIN | EPOLLOUT)
    assert writable.wait(LIMIT_S)
    caught_up(pump)
    assert seen == [EPOLLOUT]
    pump.change(10_000, EPOLLIN)  # nobody's: nothing happens


def test_closing_ends_the_thread_and_lets_its_descriptors_go() -> None:
    before = open_descriptors()
    pump = Pump()
    fd, other = os.pipe()
    pump.watch(fd, lambda _events: None)
    caught_up(pump)
    pump.close()
    pump.close()
    os.close(fd)
    os.close(other)
    assert none_left_open(before)


def test_closing_waits_for_the_handler_that_runs(pipes: list[Pipe]) -> None:
    pump = Pump()
    fd, other = pipes[0]
    begun, may_end = threading.Event(), threading.Event()
    ended: list[bool] = []

    def handle(_events: int) -> None:
        begun.set()
        ended.append(may_end.wait(LIMIT_S))
        pump.forget(fd)

    pump.watch(fd, handle)
    os.write(other, b".")
    assert begun.wait(LIMIT_S)
    closer = threading.Thread(target=pump.close)
    closer.start()
    may_end.set()
    closer.join(LIMIT_S)
    assert ended == [True]


def test_a_closed_pump_takes_nothing_new_and_still_lets_go(pipes: list[Pipe]) -> None:
    """Whoever lives longer than the pump must be able to clear up."""
    pump = Pump()
    fd, _ = pipes[0]
    pump.watch(fd, lambda _events: None)
    pump.close()
    pump.change(fd, EPOLLIN | EPOLLOUT)
    pump.forget(fd)
    with pytest.raises(AssertionError, match="closed"):
        pump.watch(fd, lambda _events: None)
    with pytest.raises(AssertionError, match="closed"):
        pump.at(0.0, lambda: None)


def test_a_pump_that_never_ran_is_closed_without_a_word() -> None:
    Pump().close()


def test_a_handler_may_close_the_pump(pipes: list[Pipe]) -> None:
    pump = Pump()
    fd, other = pipes[0]
    closed = threading.Event()
    pump.watch(fd, reads(fd, pump.close, closed.set))
    os.write(other, b".")
    assert closed.wait(LIMIT_S)


def test_what_cannot_be_watched_is_not_remembered(pump: Pump, pipes: list[Pipe], tmp_path: os.PathLike[str]) -> None:
    """A plain file has no readiness; after the refusal its number is as free as before."""
    fd = os.open(os.path.join(tmp_path, "file"), os.O_CREAT | os.O_RDWR)
    try:
        with pytest.raises(PermissionError):
            pump.watch(fd, lambda _events: None)
        pump.forget(fd)
        os.dup2(pipes[0][0], fd)
        arrived = threading.Event()
        pump.watch(fd, reads(fd, arrived.set))
        os.write(pipes[0][1], b".")
        assert arrived.wait(LIMIT_S)
        pump.forget(fd)
    finally:
        os.close(fd)
