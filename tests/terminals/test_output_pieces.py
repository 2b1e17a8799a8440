"""Pieces of output that tear no character apart."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.terminals.output_pieces import Splitter

MIXED = st.one_of(st.binary(max_size=60), st.text(max_size=30).map(lambda text: text.encode("utf-8", "surrogatepass")))


@pytest.mark.parametrize(
    ("max_bytes", "data", "pieces"),
    [
        (5, b"hello", [b"hello"]),
        (5, b"hello world", [b"hello", b" worl", b"d"]),
        (3, "ééé".encode(), ["é".encode()] * 3),
        (8192, b"\xffabc", [b"\xff", b"abc"]),
        (8192, b"abc\xff\xfeabc", [b"abc", b"\xff", b"\xfe", b"abc"]),
        (2, "€".encode(), [b"\xe2", b"\x82", b"\xac"]),  # no room for it: our choice is to go on
    ],
)
def test_pieces_end_where_characters_do(max_bytes: int, data: bytes, pieces: list[bytes]) -> None:
    splitter = Splitter(max_bytes)
    assert splitter.feed(data) + splitter.flush() == pieces


def test_an_unfinished_character_waits_for_its_end() -> None:
    splitter = Splitter()
    first, second, third = (bytes([byte]) for byte in "€".encode())
    assert splitter.feed(b"a" + first) == [b"a"]
    assert splitter.feed(second) == []
    assert splitter.feed(third + b"b") == ["€b".encode()]
    assert splitter.flush() == []


def test_what_never_ends_comes_out_at_the_end() -> None:
    splitter = Splitter()
    assert splitter.feed(b"\xf0\x9f\x98") == []
    assert splitter.flush() == [b"\xf0", b"\x9f", b"\x98"]
    assert splitter.flush() == []


@given(st.lists(MIXED, max_size=8), st.integers(4, 40))
def test_nothing_is_lost_and_every_piece_is_whole(parts: list[bytes], max_bytes: int) -> None:
    splitter = Splitter(max_bytes)
    live = [piece for part in parts for piece in splitter.feed(part)]
    pieces = live + splitter.flush()
    everything = b"".join(parts)
    assert b"".join(pieces) == everything
    assert len(everything) - len(b"".join(live)) <= 3
    assert all(0 < len(piece) <= max_bytes for piece in pieces)
    assert all(len(piece) == 1 or piece.decode() for piece in pieces)


@given(st.text(max_size=200), st.lists(st.integers(0, 600), max_size=6), st.integers(4, 30))
def test_text_is_never_torn_wherever_it_is_cut(text: str, cuts: list[int], max_bytes: int) -> None:
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return  # a lone surrogate is no text
    splitter = Splitter(max_bytes)
    bounds = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    pieces = [piece for a, b in pairwise(bounds) for piece in splitter.feed(data[a:b])]
    assert "".join(piece.decode() for piece in pieces) == text


def test_a_piece_needs_room() -> None:
    with pytest.raises(ValueError, match="at least one byte"):
        Splitter(0)
