"""Output taken piece by piece, and read by offset, compared with a model that keeps everything."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.terminals.output import Output, OutputPiece, Taken, unfinished

PIECES = st.lists(st.one_of(st.binary(max_size=12), st.text(max_size=4).map(str.encode)), max_size=12)
CAPACITY = st.integers(min_value=0, max_value=24)
TAKE = None  # among things to do: take, instead of adding bytes
PLENTY = 1_000_000


def output(capacity: int = PLENTY) -> Output:
    return Output(pending_bytes=capacity, transcript_bytes=capacity)


def ends(data: bytes, capacity: int) -> tuple[bytes, int]:
    """What is kept of `data`, and how much is not: the rule in one line."""
    if len(data) <= capacity:
        return data, 0
    head = capacity // 2
    return data[:head] + data[len(data) - (capacity - head) :], len(data) - capacity


@given(st.lists(st.one_of(st.none(), st.binary(max_size=12)), max_size=20), CAPACITY)
def test_each_take_has_what_came_since_the_last_one(steps: list[bytes | None], capacity: int) -> None:
    made, pending = output(capacity), b""
    for step in [*steps, TAKE]:
        if step is not None:
            made.add(step)
            pending += step
            assert made.pending_bytes == len(pending)
            continue
        taken = made.take()
        assert (taken.joined(), taken.omitted_bytes) == ends(pending, capacity)
        assert taken.total_bytes == len(pending)
        pending = b""


@given(PIECES, CAPACITY, st.integers(-3, 150))
def test_a_reader_gets_everything_kept_from_its_offset_on(parts: list[bytes], capacity: int, offset: int) -> None:
    made, whole = output(capacity), b"".join(parts)
    for part in parts:
        made.add(part)
    start = min(max(offset, 0), len(whole))
    head, tail_start = capacity // 2, max(capacity // 2, len(whole) - (capacity - capacity // 2))
    before, behind = whole[start:head], whole[max(start, tail_start) :]
    omitted = len(whole) - start - len(before) - len(behind)
    assert made.read(offset) == OutputPiece(
        before + behind, start, len(whole), omitted, gap_at=len(before) if omitted else 0
    )


@given(st.integers(1, 60), CAPACITY, st.integers(0, 60))
def test_every_byte_of_a_piece_knows_its_offset(size: int, capacity: int, offset: int) -> None:
    made, whole = output(capacity), bytes(range(size))
    made.add(whole)
    piece = made.read(offset)
    assert [piece.offset_of(place + 1) for place in range(len(piece.data))] == [byte + 1 for byte in piece.data]


@given(PIECES, st.lists(st.integers(1, 5), min_size=2, max_size=2))
def test_two_readers_at_their_own_pace_both_see_everything(parts: list[bytes], paces: list[int]) -> None:
    """Required: reading takes nothing from anybody."""
    made = output()
    seen, at = [b"", b""], [0, 0]

    def catch_up(reader: int) -> None:
        piece = made.read(at[reader])
        seen[reader] += piece.data
        at[reader] = piece.end

    for number, part in enumerate(parts):
        made.add(part)
        for reader, pace in enumerate(paces):
            if number % pace == 0:
                catch_up(reader)
        made.take()
    for reader in (0, 1):
        catch_up(reader)
    assert seen == [b"".join(parts)] * 2


@given(st.text(max_size=40), st.lists(st.integers(1, 9), max_size=30), st.integers(8, 400))
def test_no_character_is_ever_torn_between_two_takes(text: str, sizes: list[int], capacity: int) -> None:
    """Required: every answer decodes by itself, wherever the reader's pieces were cut."""
    data = text.encode()
    made = output(max(capacity, len(data)))
    answers = []
    for size in sizes:
        made.add(data[:size])
        data = data[size:]
        answers.append(made.take(whole_characters=True).joined().decode())
    made.add(data)
    answers.append(made.take().joined().decode())
    assert "".join(answers) == text


@given(st.text(min_size=1, max_size=20), st.integers(1, 60), st.integers(8, 24))
def test_a_character_that_goes_on_is_held_back_wherever_the_buffer_cuts(text: str, size: int, capacity: int) -> None:
    """Required: also across the place where head and tail meet, and behind a gap."""
    data = text.encode()
    made = output(capacity)
    made.add(data[:size])
    taken = made.take(whole_characters=True)
    begun = len(unfinished(data[:size]))
    assert made.pending_bytes == begun
    assert taken.total_bytes == len(data[:size]) - begun
    if not taken.omitted_bytes:
        assert taken.joined() == data[: len(data[:size]) - begun]


@pytest.mark.parametrize(
    ("data", "held"),
    [
        (b"", b""),
        (b"abc", b""),
        ("aé".encode(), b""),
        ("aé".encode()[:-1], b"\xc3"),
        ("€".encode()[:1], b"\xe2"),
        ("€".encode()[:2], b"\xe2\x82"),
        ("𝄞".encode()[:3], b"\xf0\x9d\x84"),
        (b"\xff", b""),  # never the beginning of a character
        (b"\x82\x82\x82", b""),
        (b"\x82\x82\x82\x82", b""),
        (b"\xf8\x88", b""),
    ],
)
def test_only_the_beginning_of_a_character_is_held_back(data: bytes, held: bytes) -> None:
    assert unfinished(data) == held


@given(st.binary(max_size=20))
def test_what_is_held_back_is_at_most_three_bytes_from_the_end(data: bytes) -> None:
    held = unfinished(data)
    assert len(held) <= 3
    assert data.endswith(held)


def test_what_never_becomes_a_character_comes_out_with_the_next_take() -> None:
    """Required: holding back must not hide bytes; only the end of the output is ever in question."""
    made = output()
    made.add(b"a\xe2\x82")
    assert made.take(whole_characters=True) == Taken(head=b"a")
    made.add(b"b")
    assert made.take(whole_characters=True).joined() == b"\xe2\x82b"


def test_the_transcript_has_it_all_whatever_was_taken() -> None:
    made = output()
    for word in (b"one ", b"two ", b"three"):
        made.add(word)
        made.take()
    assert made.transcript() == b"one two three"
    assert (made.total_bytes, made.pending_bytes) == (13, 0)


def test_a_long_life_is_kept_by_its_ends_and_the_gap_is_counted() -> None:
    made = output(10)
    made.add(b"0123456789")
    made.take()
    made.add(b"ABCDEFGHIJK")
    assert made.transcript() == b"01234GHIJK"
    assert made.omitted_bytes == 11
    assert made.take() == Taken(b"ABCDE", b"GHIJK", 1)


def test_listeners_get_each_piece_as_it_was_read_and_in_their_order() -> None:
    made = output(4)
    heard: list[tuple[int, bytes]] = []
    made.listeners = (lambda data: heard.append((1, data)), lambda data: heard.append((2, data)))
    made.add(b"longer than the buffer")
    made.add(b"!")
    assert heard == [(1, b"longer than the buffer"), (2, b"longer than the buffer"), (1, b"!"), (2, b"!")]


def test_takers_on_many_threads_share_everything_and_lose_nothing() -> None:
    """Required: one writer, and callers on whatever threads; each byte is taken once."""
    made, total = output(), 2_000
    taken: list[list[bytes]] = [[], []]
    finished = threading.Event()

    def take(number: int) -> None:
        while not finished.is_set():
            taken[number].append(made.take().joined())

    takers = [threading.Thread(target=take, args=(number,)) for number in range(2)]
    for each in takers:
        each.start()
    for number in range(total):
        made.add(bytes([number % 251]))
    finished.set()
    for each in takers:
        each.join()
    left = made.take().joined()
    assert sum(len(part) for parts in taken for part in parts) + len(left) == total
    assert made.read(0).data == bytes(number % 251 for number in range(total))


def test_the_place_of_the_first_byte_not_taken_is_known_while_more_arrives() -> None:
    """Required: whoever waits for a pattern begins there; a byte too early would be old output, one too late a miss."""
    made = output()
    finished = threading.Event()

    def print_on() -> None:
        while not finished.is_set():
            made.add(b"12345678")

    printing = threading.Thread(target=print_on)
    printing.start()
    taken, wrong = 0, []
    for _ in range(5_000):
        if made.taken_bytes != taken:
            wrong.append((made.taken_bytes, taken))
        taken += made.take().total_bytes
    finished.set()
    printing.join()
    assert wrong == []
