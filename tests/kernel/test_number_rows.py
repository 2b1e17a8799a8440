"""Numbers in a row are those of `struct`, without it."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.kernel.number_rows import NumberRow, packed_descriptors, unpacked_descriptors

ROW, SAME = NumberRow(2, 4, 8), struct.Struct("<HIQ")
DESCRIPTORS = st.lists(st.integers(0, (1 << 31) - 1), max_size=6)


@given(st.integers(0, (1 << 16) - 1), st.integers(0, (1 << 32) - 1), st.integers(0, (1 << 64) - 1), st.binary())
def test_a_row_is_packed_and_unpacked_as_struct_does(small: int, middle: int, large: int, behind: bytes) -> None:
    packed = ROW.pack(small, middle, large)
    assert packed == SAME.pack(small, middle, large)
    assert ROW.unpack(packed) == ROW.unpack_from(packed + behind) == (small, middle, large)
    assert ROW.size == SAME.size


@pytest.mark.parametrize("data", [b"", b"\0" * (ROW.size - 1)])
def test_what_is_cut_short_is_no_row(data: bytes) -> None:
    with pytest.raises(ValueError, match="instead of"):
        ROW.unpack_from(data)
    with pytest.raises(ValueError, match="instead of"):
        ROW.unpack(data)


def test_what_is_longer_is_no_row_by_itself() -> None:
    with pytest.raises(ValueError, match="instead of"):
        ROW.unpack(b"\0" * (ROW.size + 1))


def test_what_does_not_fit_is_not_packed() -> None:
    with pytest.raises(OverflowError):
        ROW.pack(1 << 16, 0, 0)
    with pytest.raises(ValueError, match="argument 2"):
        ROW.pack(1, 2)


@given(DESCRIPTORS)
def test_descriptors_are_ints_of_c(descriptors: list[int]) -> None:
    packed = packed_descriptors(*descriptors)
    assert packed == struct.pack(f"={len(descriptors)}i", *descriptors)
    assert unpacked_descriptors(packed + b"\0\0") == tuple(descriptors)
