"""A caller who waits reads by himself, and loses nothing to the pump by it."""

from __future__ import annotations

import os
import threading

from sandgate.terminals.changes import Changes
from sandgate.terminals.direct_reading import Bell, Seat
from support.process.waiting import none_left_open, open_descriptors, wait_until
from support.terminal.terminal_stage import LIMIT_MS, Stage, sees

LIMIT_S = LIMIT_MS / 1000
LINES = 2_000


def test_output_ends_the_wait() -> None:
    ours, theirs = os.pipe()
    os.write(theirs, b"x")
    assert Seat(ours).wait(Changes(), 0, LIMIT_S)
    os.close(ours)
    os.close(theirs)


def test_a_change_ends_it_also_one_that_came_before() -> None:
    ours, theirs = os.pipe()
    changes = Changes()
    thread = threading.Thread(target=changes.happened)
    seen = changes.count
    thread.start()
    assert not Seat(ours).wait(changes, seen, LIMIT_S)
    thread.join()
    assert changes.count == 1
    os.close(ours)
    os.close(theirs)


def test_the_end_of_the_time_ends_it() -> None:
    ours, theirs = os.pipe()
    assert not Seat(ours).wait(Changes(), 0, 0.01)
    os.close(ours)
    os.close(theirs)


def test_one_wake_up_too_many_does_not_stay() -> None:
    """Required: a ring for a wait that is over ends at most one more wait early."""
    ours, theirs = os.pipe()
    changes, seat = Changes(), Seat(ours)
    thread = threading.Thread(target=changes.happened)
    thread.start()
    seat.wait(changes, 0, LIMIT_S)
    thread.join()
    seat.wait(changes, 1, 0.01)
    os.write(theirs, b"x")
    assert seat.wait(changes, 1, LIMIT_S)
    os.close(ours)
    os.close(theirs)


def test_a_bell_is_closed_when_nobody_can_ring_it_any_more() -> None:
    before = open_descriptors()
    changes = Changes()
    bell = Bell()
    changes.wake_on(0, bell)
    del bell
    assert open_descriptors() != before
    changes.happened()
    assert none_left_open(before)


def test_the_pump_reads_again_when_nobody_comes_back(stage: Stage) -> None:
    """Required: events and other callers do not depend on one who has left."""
    terminal = stage.start("echo first; read x; echo second; read x", tty=True)
    sees(terminal, "first\r\n")
    for _ in range(3):
        terminal.wait_for([b"never"], timeout_ms=1)
    terminal.write(b"\n")
    assert wait_until(lambda: b"second" in terminal.read(0).data)


def test_readers_and_the_pump_together_read_every_line_once_and_in_order(stage: Stage) -> None:
    """Required: several callers wait, one of them reads, the pump takes over in between."""
    terminal = stage.start(f"for i in $(seq {LINES}); do echo line $i; done; read x", tty=True)
    readers = [threading.Thread(target=sees, args=(terminal, f"line {LINES}\r\n")) for _ in range(4)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(LIMIT_S)
    expected = b"".join(b"line %d\r\n" % number for number in range(1, LINES + 1))
    assert terminal.read().data == expected
    terminal.write(b"\n")
    assert terminal.wait_exit(LIMIT_MS) == 0


def test_an_exit_wakes_whoever_reads_here(stage: Stage) -> None:
    terminal = stage.start("read x; exit 4", tty=True)
    ended: list[int | None] = []
    waiter = threading.Thread(target=lambda: ended.append(terminal.wait_exit(LIMIT_MS)))
    watcher = threading.Thread(target=lambda: terminal.wait_for(["never"], timeout_ms=LIMIT_MS))
    waiter.start()
    watcher.start()
    terminal.write(b"\n")
    waiter.join(LIMIT_S)
    watcher.join(LIMIT_S)
    assert ended == [4]
    assert not watcher.is_alive()
