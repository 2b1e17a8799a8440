from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.errors import ConfigError
from sandgate.terminals.limits import DEFAULT_LIMITS, PREFIX, ExecLimits, exec_limits, with_background_limit
from support.suite.rows import every

YIELDS = (  # asked for; starting, writing, polling
    (None, 10_000, 250, 5_000),
    (0, 250, 250, 5_000),
    (250, 250, 250, 5_000),
    (29_999, 29_999, 29_999, 29_999),
    (120_000, 30_000, 30_000, 120_000),
    (10_000_000, 30_000, 30_000, 300_000),
    (-1, 250, 250, 5_000),
    (1e308, 30_000, 30_000, 300_000),
    (math.inf, 30_000, 30_000, 300_000),
    (-math.inf, 250, 250, 5_000),
    (math.nan, 10_000, 250, 5_000),
    (250.9, 250, 250, 5_000),
)


@pytest.mark.parametrize(("asked", "starting", "writing", "polling"), YIELDS)
def test_a_wait_is_brought_within_its_bounds(asked: float | None, starting: int, writing: int, polling: int) -> None:
    """Required: the table, also for numbers nobody should send."""
    limits = DEFAULT_LIMITS
    assert (
        limits.yield_for_exec(asked),
        limits.yield_for_write(asked, empty=False),
        limits.yield_for_write(asked, empty=True),
    ) == (starting, writing, polling)


@given(st.floats() | st.integers())
def test_every_number_gives_a_bounded_wait(asked: float) -> None:
    assert 250 <= DEFAULT_LIMITS.yield_for_exec(asked) <= 30_000
    assert 5_000 <= DEFAULT_LIMITS.yield_for_write(asked, empty=True) <= 300_000


def test_without_overrides_the_defaults_stand() -> None:
    assert exec_limits({"PATH": "/bin", "SANDGATE_HOME": "/x"}) is DEFAULT_LIMITS


def test_the_defaults_are_those_of_the_specification() -> None:
    """Required: in its order."""
    assert tuple(DEFAULT_LIMITS.fields().values()) == (
        *(250, 5_000, 30_000, 300_000, 10_000, 250, 10_000, 1_048_576, 262_144, 64, 60, 8, 1_000, 100_000),
        *(150, 100, 50, 100, 20, 100, 8_192, 10_000, 8_192, 24, 80, 128, 128, 256, 64),
    )


@every("field", DEFAULT_LIMITS.fields())
def test_every_limit_can_be_overridden(field: str) -> None:
    value = getattr(DEFAULT_LIMITS, field)
    same = exec_limits({PREFIX + field.upper(): str(value)})
    assert same == DEFAULT_LIMITS
    assert type(getattr(same, field)) is int


def test_overrides_change_exactly_what_they_name() -> None:
    environ = {f"{PREFIX}MAX_YIELD_MS": "60000", f"{PREFIX}DEFAULT_EXEC_YIELD_MS": "60000"}
    assert exec_limits(environ) == ExecLimits(max_yield_ms=60_000, default_exec_yield_ms=60_000)


@pytest.mark.parametrize(
    "text", ["", "-1", "+1", " 1", "1.5", "1e3", "1_000", "nan", "true", "0x10", "٣", "3600001", "9" * 5000]
)
def test_an_override_that_is_no_fitting_number_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"SANDGATE_EXEC_MAX_YIELD_MS.*whole number from 0 to 3600000") as caught:
        exec_limits({f"{PREFIX}MAX_YIELD_MS": text})
    assert len(caught.value.why) < 200


@pytest.mark.parametrize("name", ["MAX_YIELD", "max_yield_ms", "", "BUT", "YIELD_FOR_EXEC"])
def test_a_name_we_do_not_know_is_refused(name: str) -> None:
    """Our choice: a limit somebody believes in and nobody applies is worse than none."""
    with pytest.raises(ConfigError, match=f"`{PREFIX}{name}` is not the name of a limit"):
        exec_limits({PREFIX + name: "5"})


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"MAX_YIELD_MS": "5000"}, r"DEFAULT_EXEC_YIELD_MS` \(10000\) must not be more than .*MAX_YIELD_MS` \(5000\)"),
        ({"MIN_YIELD_MS": "300"}, r"MIN_YIELD_MS` \(300\) must not be more than .*DEFAULT_WRITE_YIELD_MS` \(250\)"),
        ({"MIN_EMPTY_YIELD_MS": "300001"}, r"must not be more than .*MAX_BACKGROUND_POLL_MS` \(300000\)"),
        ({"MAX_PROCESSES": "10"}, r"WARN_PROCESSES` \(60\) must not be more than .*MAX_PROCESSES` \(10\)"),
        ({"END_PROCESS_ID": "1010"}, "leave room for 10 processes"),
        ({"MIN_PROCESS_ID": "200000"}, "leave room for 0 processes"),
        ({"PROTECTED_RECENT": "64"}, "PROTECTED_RECENT` .*must be less than .*MAX_PROCESSES"),
    ],
)
def test_limits_that_contradict_each_other_are_refused(environ: dict[str, str], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        exec_limits({PREFIX + name: text for name, text in environ.items()})


def test_one_error_names_all_that_is_wrong() -> None:
    with pytest.raises(ConfigError) as caught:
        exec_limits({f"{PREFIX}READ_CHUNK_BYTES": "0", f"{PREFIX}TERMINAL_ROWS": "x", f"{PREFIX}ROWS": "1"})
    assert [fault.split("`")[1] for fault in caught.value.why.split("; ")] == [
        "SANDGATE_EXEC_READ_CHUNK_BYTES",
        "SANDGATE_EXEC_ROWS",
        "SANDGATE_EXEC_TERMINAL_ROWS",
    ]
    assert "SANDGATE_EXEC_TERMINAL_ROWS" in caught.value.hint


@pytest.mark.parametrize(("configured", "applied"), [(0, 5_000), (-5, 5_000), (600_000, 600_000), (10**12, 3_600_000)])
def test_the_configured_longest_poll_never_falls_below_the_shortest(configured: int, applied: int) -> None:
    limits = with_background_limit(DEFAULT_LIMITS, configured)
    assert limits.yield_for_write(1e9, empty=True) == applied
