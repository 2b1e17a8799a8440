"""A long text with its middle cut out at line ends, marker included in the budget.

For prose that is kept across a compaction. What tools print is cut by `tools.truncation`, which keeps exact halves.
"""

from __future__ import annotations

from sandgate.tools.truncation import token_estimate

_TRIES = 4  # the marker says how much is cut, and its own length decides that; each try can only shorten it


def without_middle(text: str, max_bytes: int) -> str:
    """`text` in at most `max_bytes` of UTF-8; the marker alone where not even that fits."""
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) <= max_bytes:
        return text
    cut_tokens = token_estimate(len(raw))
    for _ in range(_TRIES):
        marker = _marker(cut_tokens)
        head, tail = _ends(raw, max_bytes - len(marker))
        cut_tokens = token_estimate(len(raw) - len(head) - len(tail))
        if len(_marker(cut_tokens)) == len(marker):
            break
    return (head + _marker(cut_tokens) + tail).decode("utf-8", "surrogatepass")


def _marker(cut_tokens: int) -> bytes:
    return f"…{cut_tokens} tokens truncated…".encode()


def _ends(raw: bytes, budget: int) -> tuple[bytes, bytes]:
    """What is kept before and behind the cut: whole lines, unless a long one would waste more than half the room."""
    if budget <= 0:
        return b"", b""
    end = budget // 2
    line_end = raw.rfind(b"\n", 0, end) + 1
    end = line_end if line_end >= end / 2 else _start_of_character(raw, end, -1)
    room = budget - budget // 2
    start = len(raw) - room
    line_start = raw.find(b"\n", start - 1) + 1  # what fits may begin a line as it is
    start = line_start if 0 < line_start <= start + room / 2 else _start_of_character(raw, start, 1)
    return raw[:end], raw[start:]


def _start_of_character(raw: bytes, at: int, step: int) -> int:
    while 0 < at < len(raw) and raw[at] & 0xC0 == 0x80:
        at += step
    return at
