"""A question about a command that waits can be taken back, from any thread."""

from __future__ import annotations

import select

from sandgate.execution.asking import AskedMeanwhile, asked_now


def is_readable(descriptor: int) -> bool:
    return bool(select.select([descriptor], [], [], 0)[0])


def test_a_thread_knows_the_question_that_it_puts_and_only_within_it() -> None:
    assert asked_now() is None
    with AskedMeanwhile() as asking:
        assert asked_now() is asking
    assert asked_now() is None


def test_taking_it_back_is_heard_once_by_each_also_afterwards() -> None:
    heard: list[str] = []
    with AskedMeanwhile() as asking:
        descriptor = asking.descriptor()
        asking.when_withdrawn(lambda: heard.append("before"))
        assert (asking.withdrawn, is_readable(descriptor)) == (False, False)
        asking.withdraw()
        asking.withdraw()
        asking.when_withdrawn(lambda: heard.append("after"))
        assert (asking.withdrawn, is_readable(descriptor)) == (True, True)
    assert heard == ["before", "after"]


def test_a_descriptor_that_is_asked_for_late_is_readable_at_once() -> None:
    with AskedMeanwhile() as asking:
        asking.withdraw()
        assert is_readable(asking.descriptor())


def test_the_screen_is_asked_for_and_given_back() -> None:
    told: list[bool] = []

    def screen(taken: bool) -> bool:
        told.append(taken)
        return False

    with AskedMeanwhile(screen) as asking:
        assert asking.take_screen() is False
        asking.give_back_screen()
    assert told == [True, False]
