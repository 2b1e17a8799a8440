"""A transcript as bytes: its lines, what kind each is, and where the last summary begins.

Most of a long transcript need not be looked at to go on from it. A summary replaces all that was said before it, so it
is looked for from the end; and a line of ours says in its first bytes what it is.
"""

from __future__ import annotations

import json
import os
import re
import sys

from sandgate.session.transcript_lines import (
    COMPACTED,
    EVENT_MSG,
    LINE_BYTES_MAX,
    CompactedLine,
    Malformed,
    as_line,
    typed_first,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

CHUNK_BYTES = 1 << 18
# As `transcript_lines.line_bytes` begins a line. Lines of others are read the long way.
_OURS = re.compile(rb'\{"timestamp":"[^"\\]{1,40}","ordinal":(\d{1,15}),"type":"([a-z_]{1,40})","payload":(?=\{)')
_SUMMARY = f'"type":"{COMPACTED}"'.encode()
_HEAD_BYTES_MAX = 200  # of a line of ours, up to its payload


def lines(descriptor: int, limit_bytes: int | None = None) -> Iterator[bytes | None]:
    """Lines without their ends, from where the descriptor stands; None for each that is longer than LINE_BYTES_MAX.

    `limit_bytes`: only so many bytes are read; the rest stays for the next reader.
    """
    held: list[bytes] = []
    size = 0
    left = sys.maxsize if limit_bytes is None else limit_bytes
    while chunk := os.read(descriptor, min(CHUNK_BYTES, left)):
        left -= len(chunk)
        if b"\n" not in chunk:
            size += len(chunk)
            held = [*held, chunk] if size <= LINE_BYTES_MAX else []
            continue
        first, *others = chunk.split(b"\n")
        size += len(first)
        yield b"".join((*held, first)) if size <= LINE_BYTES_MAX else None
        last = others.pop()
        yield from others
        held, size = [last], len(last)
    if size:
        yield b"".join(held) if size <= LINE_BYTES_MAX else None


def parts(line: bytes) -> tuple[int, str, bytes]:
    """The ordinal of a line (-1 for none), its type, and its payload as JSON. Raises Malformed.

    The payload of a line of ours was not looked at yet, and may be damaged.
    """
    ours = _OURS.match(line)
    if ours is not None and line.endswith(b"}}"):
        return int(ours[1]), ours[2].decode(), line[ours.end() : -1]
    value = json_object(line)
    kind, payload, ordinal = value.get("type"), value.get("payload"), value.get("ordinal")
    if not isinstance(kind, str) or not isinstance(payload, dict):
        raise Malformed("it has no type or no payload")
    if kind == EVENT_MSG and "type" in payload:
        payload = typed_first(payload)
    number = ordinal if isinstance(ordinal, int) and 0 <= ordinal < 1 << 53 else -1
    return number, kind, json.dumps(payload, separators=(",", ":")).encode()


def json_object(data: bytes) -> dict[str, Any]:
    """The JSON object. Raises Malformed."""
    try:
        text = data.decode().strip()
        found, end = _scan(text)
    except RecursionError:
        raise Malformed("it is nested too deeply") from None
    except ValueError:
        raise Malformed("it is no JSON") from None
    if end != len(text):
        raise Malformed("something follows its JSON")
    if not isinstance(found, dict):
        raise Malformed("it is no object")
    return found


_scan = json.JSONDecoder().raw_decode


def last_summary_at(descriptor: int) -> int:
    """Where the last line begins that replaces the whole history before it; 0 where none is found.

    Only lines of ours are looked at: in a file of others there may be one all the same. Leaves the descriptor
    anywhere.
    """
    end = os.fstat(descriptor).st_size
    while end > 0:
        begin = max(0, end - CHUNK_BYTES)
        chunk = os.pread(descriptor, end - begin + len(_SUMMARY) - 1, begin)
        place = len(chunk)
        while (place := chunk.rfind(_SUMMARY, 0, place)) >= 0:
            found = _line_begin(descriptor, begin + place)
            if found is not None and _replaces_all(descriptor, found):
                return found
        end = begin
    return 0


def _line_begin(descriptor: int, place: int) -> int | None:
    """Where the line of ours begins that says its type at `place`; None: that is something else."""
    first = max(0, place - _HEAD_BYTES_MAX)
    before = os.pread(descriptor, place - first + _HEAD_BYTES_MAX, first)
    begin = before.rfind(b"\n", 0, place - first) + 1
    if not begin and first:
        return None
    ours = _OURS.match(before, begin)
    # Its type stands where it was found, and not in what follows.
    return first + begin if ours is not None and ours.start(2) == place - first + len(b'"type":"') else None


def _replaces_all(descriptor: int, begin: int) -> bool:
    os.lseek(descriptor, begin, os.SEEK_SET)
    line = next(lines(descriptor), None)
    if line is None:
        return False
    try:
        _, kind, payload = parts(line)
        found = as_line(kind, json_object(payload))
    except Malformed:
        return False
    return isinstance(found, CompactedLine) and found.replacement is not None
