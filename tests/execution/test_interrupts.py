"""Twin of `execution/interrupts.py`."""

import os
import select
import signal
import threading
from pathlib import Path

import pytest

from sandgate.execution.interrupts import InterruptsHeld


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupt_from_before_the_wait_is_raised_by_the_wait_and_only_once() -> None:
    with InterruptsHeld() as held:
        interrupt()
        with pytest.raises(KeyboardInterrupt):
            held.wait(select.poll(), 0)
        assert held.wait(select.poll(), 0) == []


def interrupt_once_asleep(pid: int) -> None:
    while b") S " not in Path(f"/proc/self/task/{pid}/stat").read_bytes():
        os.sched_yield()
    interrupt()


def test_an_interrupt_during_the_wait_ends_it() -> None:
    with InterruptsHeld() as held:
        thread = threading.Thread(target=interrupt_once_asleep, args=(os.getpid(),))
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            held.wait(select.poll(), 20_000)
    thread.join()


def test_an_interrupt_after_the_last_wait_is_the_callers() -> None:
    with pytest.raises(KeyboardInterrupt), InterruptsHeld():
        interrupt()


def fail_after_an_interrupt() -> None:
    interrupt()
    raise LookupError


def test_it_does_not_cover_up_an_error() -> None:
    with pytest.raises(LookupError), InterruptsHeld():
        fail_after_an_interrupt()


def test_in_another_thread_nothing_is_changed() -> None:
    seen: list[object] = []

    def look() -> None:
        with InterruptsHeld() as held:
            seen.append(signal.getsignal(signal.SIGINT))
            seen.append(held.wait(select.poll(), 0))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler, []]
