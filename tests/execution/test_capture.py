"""Twin of `execution/capture.py`."""

import tracemalloc
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.execution.capture import Capture, HeadTail, shares

chunks = st.lists(st.binary(max_size=40), max_size=20)


def kept_of(data: bytes, capacity_bytes: int) -> bytes:
    """The rule in one line: everything, or the first half and the last half."""
    head = capacity_bytes // 2
    return data if len(data) <= capacity_bytes else data[:head] + data[len(data) - (capacity_bytes - head) :]


@given(chunks, st.integers(min_value=0, max_value=60))
def test_any_chunks_leave_the_first_and_last_bytes_and_a_count_of_the_rest(parts: list[bytes], capacity: int) -> None:
    buffer = HeadTail(capacity)
    for part in parts:
        buffer.add(part)
    whole = b"".join(parts)
    assert (buffer.kept(), buffer.omitted_bytes) == (kept_of(whole, capacity), max(0, len(whole) - capacity))


def test_a_cut_may_fall_inside_a_character() -> None:
    buffer = HeadTail(3)
    buffer.add("äöü".encode())
    assert buffer.kept() == b"\xc3" + "ü".encode()


def test_streams_that_fit_are_merged_in_order_of_arrival() -> None:
    capture = Capture(64)
    for stream, data in (("stdout", b"1"), ("stderr", b"2"), ("stdout", b"3")):
        capture.add("stdout" if stream == "stdout" else "stderr", data)
    assert (capture.stdout.kept(), capture.stderr.kept(), capture.aggregated()) == (b"13", b"2", b"123")


def test_exactly_full_still_fits() -> None:
    capture = Capture(4)
    capture.add("stderr", b"ab")
    capture.add("stdout", b"cd")
    assert capture.aggregated() == b"abcd"


@pytest.mark.parametrize(
    ("out", "err", "shared"),
    [
        (100, 100, (30, 60)),  # a third and two thirds
        (100, 10, (80, 10)),  # a short stderr gives its room away
        (10, 100, (10, 80)),  # and so does a short stdout
        (40, 50, (40, 50)),  # everything fits
        (0, 100, (0, 90)),
    ],
)
def test_streams_over_the_cap_share_it_by_thirds(out: int, err: int, shared: tuple[int, int]) -> None:
    """Required."""
    assert shares(out, err, 90) == shared


def test_over_the_cap_the_aggregate_keeps_both_ends_of_both_streams() -> None:
    """Our choice: the reference keeps the beginnings only."""
    capture = Capture(12)
    capture.add("stderr", b"e" * 50 + b"E")
    capture.add("stdout", b"o" * 50 + b"O")
    assert capture.aggregated() == b"oooO" + b"eeeeeeeE"


def test_memory_stays_bounded_however_much_is_added() -> None:
    block = b"x" * 65_536
    capture = Capture()
    tracemalloc.start()
    try:
        for _ in range(800):
            capture.add("stdout", block)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 5 * 1024 * 1024
    assert capture.stdout.omitted_bytes == 800 * 65_536 - 1024 * 1024


@given(chunks)
def test_arrival_order_is_kept_whatever_the_sizes(parts: list[bytes]) -> None:
    capture = Capture(10_000)
    for turn, part in enumerate(parts):
        capture.add("stdout" if turn % 2 else "stderr", part)
    assert capture.aggregated() == list(accumulate([b"", *parts]))[-1]


@pytest.mark.parametrize(
    ("capacity", "pieces", "kept", "omitted"),
    [
        (10, ["0123456789", "ab"], "01234789ab", 2),
        (10, ["0123456789", "ABCDEFGHIJK"], "01234GHIJK", 11),
        (1, ["abc"], "c", 2),
        (0, ["abc"], "", 3),
        (10, ["01", "234", "567", "89", "a"], "012346789a", 1),
    ],
)
def test_the_worked_examples_of_the_specification_hold(
    capacity: int, pieces: list[str], kept: str, omitted: int
) -> None:
    """Required."""
    buffer = HeadTail(capacity)
    for piece in pieces:
        buffer.add(piece.encode())
    assert (buffer.kept().decode(), buffer.omitted_bytes) == (kept, omitted)


@given(chunks, chunks, st.integers(min_value=0, max_value=60))
def test_a_drained_buffer_starts_again_as_new(first: list[bytes], second: list[bytes], capacity: int) -> None:
    buffer = HeadTail(capacity)
    for part in first:
        buffer.add(part)
    head, tail, omitted = buffer.drain()
    assert (head + tail, omitted) == (kept_of(b"".join(first), capacity), max(0, len(b"".join(first)) - capacity))
    for part in second:
        buffer.add(part)
    assert (buffer.kept(), buffer.total_bytes) == (kept_of(b"".join(second), capacity), len(b"".join(second)))


@given(chunks, st.integers(min_value=0, max_value=60), st.integers(min_value=0, max_value=900))
def test_a_reader_gets_everything_from_its_offset_on_or_is_told_how_much_is_missing(
    parts: list[bytes], capacity: int, offset: int
) -> None:
    buffer = HeadTail(capacity)
    for part in parts:
        buffer.add(part)
    whole = b"".join(parts)
    offset = min(offset, len(whole))
    head_end, tail_start = capacity // 2, max(len(whole) - (capacity - capacity // 2), capacity // 2)
    wanted = [at for at in range(offset, len(whole)) if at < head_end or at >= tail_start]
    data, missing = buffer.since(offset)
    assert data == bytes(whole[at] for at in wanted)
    assert missing == len(whole) - offset - len(data)
