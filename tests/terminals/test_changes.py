"""A count that wakes whoever waits for it, from many threads at once."""

from __future__ import annotations

import threading
from time import monotonic

from sandgate.terminals.changes import Changes
from support.process.waiting import LIMIT_S, wait_until

STEPS = 3_000
WAITERS = 4


def test_no_step_is_ever_slept_through() -> None:
    """Required: two parties hand a ball to and fro; one lost wake-up and they would wait for ever."""
    there, back = Changes(), Changes()
    returned: list[int] = []

    def answer() -> None:
        for step in range(STEPS):
            if not there.wait(step, LIMIT_S):
                return
            back.happened()
            returned.append(step)

    other = threading.Thread(target=answer)
    other.start()
    for step in range(STEPS):
        there.happened()
        assert back.wait(step, LIMIT_S), f"nobody woke us at step {step}"
    other.join()
    assert returned == list(range(STEPS))


def test_everybody_sees_the_last_of_many_steps() -> None:
    """Required: however many wait and however fast things happen, each of them gets to the end."""
    changes = Changes()
    arrived = []

    def follow() -> None:
        seen = 0
        while seen < STEPS and changes.wait(seen, LIMIT_S):
            seen = changes.count
        arrived.append(seen)

    followers = [threading.Thread(target=follow) for _ in range(WAITERS)]
    for each in followers:
        each.start()
    for _ in range(STEPS):
        changes.happened()
    for each in followers:
        each.join()
    assert arrived == [STEPS] * WAITERS


def test_steps_of_many_threads_are_all_counted() -> None:
    changes = Changes()

    def step() -> None:
        for _ in range(STEPS):
            changes.happened()

    threads = [threading.Thread(target=step) for _ in range(WAITERS)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert changes.count == STEPS * WAITERS


def test_what_happened_before_the_waiting_lets_through_at_once() -> None:
    changes = Changes()
    seen = changes.count
    changes.happened()
    assert changes.wait(seen, LIMIT_S)
    assert not changes.wake_on(seen, lambda: None)


def test_a_wait_ends_with_its_time_and_leaves_nobody_behind() -> None:
    changes = Changes()
    before = monotonic()
    assert not changes.wait(0, 0.02)
    assert monotonic() - before >= 0.02
    assert changes._waiting == []


def test_no_time_at_all_is_a_look() -> None:
    changes = Changes()
    assert not changes.wait(0, 0)
    assert not changes.wait(0, -1)
    changes.happened()
    assert changes.wait(0, 0)


def test_a_waker_is_called_once_and_not_after_it_was_forgotten() -> None:
    changes = Changes()
    calls: list[str] = []

    def stays() -> None:
        calls.append("stays")

    def leaves() -> None:
        calls.append("leaves")

    assert changes.wake_on(0, stays)
    assert changes.wake_on(0, leaves)
    changes.forget(leaves)
    changes.forget(leaves)
    changes.happened()
    changes.happened()
    assert calls == ["stays"]


def test_a_waker_may_look_for_the_next_step_itself() -> None:
    """Required: an event loop does so on the thread that brings the news; it must find the lock open."""
    changes = Changes()
    counts: list[int] = []

    def again() -> None:
        counts.append(changes.count)
        if len(counts) < 3:
            changes.wake_on(changes.count, again)

    changes.wake_on(0, again)
    for _ in range(5):
        changes.happened()
    assert counts == [1, 2, 3]


def test_giving_up_while_it_happens_harms_nobody() -> None:
    """Waiters whose time is up at the very moment of a step: neither an error nor a leftover."""
    changes = Changes()
    stop = threading.Event()
    failures: list[BaseException] = []

    def give_up() -> None:
        try:
            while not stop.is_set():
                changes.wait(changes.count, 0.000_01)
        except BaseException as problem:
            failures.append(problem)

    threads = [threading.Thread(target=give_up) for _ in range(WAITERS)]
    for each in threads:
        each.start()
    try:
        for _ in range(STEPS):
            changes.happened()
    finally:
        stop.set()
        for each in threads:
            each.join()
    assert failures == []
    assert wait_until(lambda: changes._waiting == [])
