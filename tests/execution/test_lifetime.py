"""Twin of `execution/lifetime.py`. Times are milliseconds here."""

from sandgate.execution.lifetime import DRAIN_MS, INTERRUPT_GRACE_MS, KILL_WAIT_MS, Lifetime
from sandgate.protocol.commands import NS_PER_MS

LIMIT_MS = 100


def at(ms: float) -> int:
    return int(ms * NS_PER_MS)


def life(timeout_ms: int | None = LIMIT_MS, kill_grace_ms: int = 0) -> Lifetime:
    return Lifetime(now_ns=0, timeout_ms=timeout_ms, kill_grace_ms=kill_grace_ms)


def test_without_a_limit_there_is_nothing_to_wake_up_for() -> None:
    lifetime = life(timeout_ms=None)
    assert (lifetime.wait_ms(at(10**9)), lifetime.due(at(10**9)), lifetime.stopped_by) == (None, "wait", None)


def test_the_wait_is_rounded_up_so_that_the_limit_has_passed_after_it() -> None:
    assert (life().wait_ms(at(0)), life().wait_ms(at(99.5)), life().wait_ms(at(101))) == (100, 1, 0)


def test_at_the_limit_the_command_is_killed_at_once_by_default() -> None:
    lifetime = life()
    assert [lifetime.due(at(99)), lifetime.due(at(100)), lifetime.due(at(101))] == ["wait", "kill", "wait"]
    assert lifetime.stopped_by == "timed_out"


def test_with_a_grace_it_is_asked_first() -> None:
    lifetime = life(kill_grace_ms=50)
    assert [lifetime.due(at(ms)) for ms in (100, 149, 150)] == ["terminate", "wait", "kill"]


def test_a_process_that_survives_the_kill_is_abandoned() -> None:
    lifetime = life()
    lifetime.due(at(100))
    assert [lifetime.due(at(99 + KILL_WAIT_MS)), lifetime.due(at(100 + KILL_WAIT_MS))] == ["wait", "abandon"]
    assert lifetime.abandoned


def test_cancelling_kills_and_says_so_also_when_the_limit_passes_later() -> None:
    lifetime = life()
    assert (lifetime.cancelled(at(10)), lifetime.due(at(LIMIT_MS)), lifetime.stopped_by) == (
        "kill",
        "wait",
        "cancelled",
    )


def test_the_first_interrupt_asks_and_the_second_kills() -> None:
    lifetime = life(timeout_ms=None)
    assert (lifetime.interrupted(at(0)), lifetime.interrupted(at(1))) == ("interrupt", "kill")
    assert lifetime.stopped_by == "interrupted"


def test_an_interrupted_command_that_does_not_end_is_killed_after_the_grace() -> None:
    lifetime = life(timeout_ms=None)
    lifetime.interrupted(at(0))
    assert lifetime.due(at(INTERRUPT_GRACE_MS)) == "kill"


def test_a_third_interrupt_leaves_even_an_unkillable_process() -> None:
    lifetime = life(timeout_ms=None)
    assert [lifetime.interrupted(at(ms)) for ms in range(3)] == ["interrupt", "kill", "abandon"]


def test_after_the_end_the_pipes_have_one_deadline_and_the_time_limit_has_none() -> None:
    lifetime = life()
    lifetime.ended(at(99))
    assert [lifetime.due(at(100)), lifetime.due(at(98 + DRAIN_MS)), lifetime.due(at(99 + DRAIN_MS))] == [
        "wait",
        "wait",
        "stop_reading",
    ]
    assert (lifetime.stopped_by, lifetime.abandoned, lifetime.wait_ms(at(0))) == (None, False, None)


def test_a_slow_reader_of_ours_gets_all_the_time_it_needs_after_a_natural_end() -> None:
    lifetime = life()
    lifetime.ended(at(0))
    lifetime.delivering(at(DRAIN_MS - 1))
    assert (lifetime.due(at(DRAIN_MS)), lifetime.due(at(2 * DRAIN_MS - 1))) == ("wait", "stop_reading")


def test_a_slow_reader_gets_no_extra_time_after_a_stop() -> None:
    lifetime = life()
    lifetime.due(at(100))
    lifetime.ended(at(100))
    lifetime.delivering(at(200))
    assert (lifetime.due(at(100 + DRAIN_MS)), lifetime.abandoned) == ("abandon", True)


def test_an_interrupt_or_a_cancellation_during_the_drain_ends_it_without_changing_how_the_command_ended() -> None:
    for stop in (Lifetime.interrupted, Lifetime.cancelled):
        lifetime = life()
        lifetime.ended(at(1))
        assert (stop(lifetime, at(2)), lifetime.abandoned, lifetime.stopped_by) == ("abandon", True, None)
