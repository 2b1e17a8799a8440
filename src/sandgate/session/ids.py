"""Names of sessions and turns: UUIDs of version 7 (RFC 9562), which sort by the time they were made."""

from __future__ import annotations

import os
import time

TIME_BITS, RANDOM_BYTES = 48, 10
VERSION, VARIANT = 0x7, 0b10


def new_id() -> str:
    """A fresh one, as text in the usual form."""
    stamp = time.time_ns() // 1_000_000 & (1 << TIME_BITS) - 1
    random = int.from_bytes(os.urandom(RANDOM_BYTES))
    upper = stamp << 16 | VERSION << 12 | random >> 68
    lower = VARIANT << 62 | random & (1 << 62) - 1
    text = f"{upper:016x}{lower:016x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
