"""Whole numbers in a row, each in a fixed number of bytes: the heads of packets, and descriptors that are passed on.

It stands in for `struct`, whose extension module a Python that keeps it in a file loads in the time of some hundred
looks at the disk, on the path of every command.
"""

from __future__ import annotations

import sys

DESCRIPTOR_BYTES = 4  # an int of C


class NumberRow:
    """The unsigned numbers of one layout, little endian."""

    __slots__ = ("_sizes", "size")

    def __init__(self, *sizes: int) -> None:
        self._sizes = sizes
        self.size = sum(sizes)

    def pack(self, *numbers: int) -> bytes:
        """Raises OverflowError where one does not fit, ValueError where there are more or fewer."""
        return b"".join([each.to_bytes(size, "little") for each, size in zip(numbers, self._sizes, strict=True)])

    def unpack(self, data: bytes) -> tuple[int, ...]:
        """Raises ValueError unless they are all there is."""
        if len(data) != self.size:
            raise ValueError(f"{len(data)} bytes instead of {self.size}")
        return self.unpack_from(data)

    def unpack_from(self, data: bytes) -> tuple[int, ...]:
        """Those that it begins with. Raises ValueError when it is cut short."""
        if len(data) < self.size:
            raise ValueError(f"{len(data)} bytes instead of {self.size}")
        numbers, start = [], 0
        for size in self._sizes:
            numbers.append(int.from_bytes(data[start : start + size], "little"))
            start += size
        return tuple(numbers)


def packed_descriptors(*descriptors: int) -> bytes:
    """As SCM_RIGHTS takes them, unix(7)."""
    return b"".join([each.to_bytes(DESCRIPTOR_BYTES, sys.byteorder) for each in descriptors])


def unpacked_descriptors(content: bytes) -> tuple[int, ...]:
    """Every whole one in it."""
    starts = range(0, len(content) - DESCRIPTOR_BYTES + 1, DESCRIPTOR_BYTES)
    return tuple([int.from_bytes(content[at : at + DESCRIPTOR_BYTES], sys.byteorder) for at in starts])
