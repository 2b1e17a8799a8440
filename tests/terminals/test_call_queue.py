"""Calls on one command, one after the other."""

from __future__ import annotations

import threading

from sandgate.terminals.call_queue import CallQueue
from sandgate.terminals.waiting import drive
from support.process.waiting import LIMIT_S

CALLERS = 8


def is_next(turns: CallQueue, turn: object) -> bool:
    """Whether this turn may begin without waiting."""
    try:
        next(turns.wait(turn))
    except StopIteration:
        return True
    return False


def test_turns_come_in_the_order_of_entering() -> None:
    turns = CallQueue()
    places = [turns.enter() for _ in range(3)]
    assert [is_next(turns, each) for each in places] == [True, False, False]
    turns.leave(places[0])
    assert [is_next(turns, each) for each in places[1:]] == [True, False]


def test_who_gives_up_waiting_lets_the_others_move_up() -> None:
    turns = CallQueue()
    first, impatient, last = turns.enter(), turns.enter(), turns.enter()
    turns.leave(impatient)
    turns.leave(impatient)
    assert not is_next(turns, last)
    turns.leave(first)
    assert is_next(turns, last)


def test_callers_on_threads_never_meet_and_never_overtake() -> None:
    """Required: every caller sees the ones before him gone, in their order."""
    turns = CallQueue()
    inside: list[int] = []
    served: list[int] = []
    met: list[tuple[int, ...]] = []
    places = [turns.enter() for _ in range(CALLERS)]

    def call(number: int) -> None:
        drive(turns.wait(places[number]))
        inside.append(number)
        met.append(tuple(inside))
        inside.remove(number)
        served.append(number)
        turns.leave(places[number])

    # The last comes first to the door.
    threads = [threading.Thread(target=call, args=(number,), daemon=True) for number in reversed(range(CALLERS))]
    for each in threads:
        each.start()
    for each in threads:
        each.join(LIMIT_S)
    assert served == list(range(CALLERS))
    assert met == [(number,) for number in range(CALLERS)]


def test_a_waiting_caller_is_woken_by_the_one_before() -> None:
    turns = CallQueue()
    first, second = turns.enter(), turns.enter()
    waiting = turns.wait(second)
    wait = next(waiting)
    woken = threading.Event()
    assert wait.changes.wake_on(wait.seen, woken.set)
    turns.leave(first)
    assert woken.is_set()
