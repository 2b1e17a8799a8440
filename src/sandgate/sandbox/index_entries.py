"""What an index says of the files of a working tree: gitformat-index(5), versions 2 and 3, with SHA-1.

For whoever wants to know whether the tree is as the index says. Forms that do not spell every entry out are none here.
"""

from __future__ import annotations

import hashlib
from struct import Struct

from sandgate.record import Record
from sandgate.sandbox.git_index import EXTENDED, HEADER_BYTES, SIGNATURE, SPARSE, SPELLED_OUT, is_split

ENTRIES_MAX = 50_000  # of one index
_SUM_BYTES = 20
_ENTRY = Struct(">10I20sH")  # ctime, mtime, dev, ino, mode, uid, gid, size, name of the content, flags
_STAGE, _ASSUMED = 0x3000, 0x8000  # in the flags: one side of a conflict, not looked at
_TREE = b"TREE"


class IndexEntry(Record):
    """One file as git saw it last."""

    path: bytes
    mode: int
    blob: bytes
    size: int
    changed: tuple[int, int, int, int]  # ctime and mtime, seconds and nanoseconds


class UnreadIndex(Exception):
    """Of another form, damaged, amid a conflict, or with entries that are not to be compared with the tree."""


def index_entries(index: bytes) -> list[IndexEntry]:
    """All entries, in their order. Raises UnreadIndex."""
    _check(index)
    count, at = int.from_bytes(index[8:12], "big"), HEADER_BYTES
    if count > ENTRIES_MAX:
        raise UnreadIndex
    found = []
    for _ in range(count):
        entry, at = _entry(index, at)
        found.append(entry)
    return found


def staged_tree(index: bytes) -> bytes:
    """The name of the tree that a commit of this index would have, where git has noted it; else nothing."""
    at = index.find(_TREE, HEADER_BYTES)
    while at >= 0:
        end = at + 8 + int.from_bytes(index[at + 4 : at + 8], "big")
        root = index[at + 8 : end]  # an empty path, NUL, how many entries, how many subtrees, newline, the name
        counts, newline, rest = root[1:].partition(b"\n")
        if _ends_extension(index, end) and root[:1] == b"\0" and newline and counts.split(b" ")[0].isdigit():
            return rest[:_SUM_BYTES] if counts.split(b" ")[0] == index_count(index) else b""
        at = index.find(_TREE, at + 1)
    return b""


def index_count(index: bytes) -> bytes:
    """How many entries there are, in decimal digits."""
    return b"%d" % int.from_bytes(index[8:12], "big")


def _check(index: bytes) -> None:
    sound = index[:4] == SIGNATURE and index[4:8] in SPELLED_OUT and not is_split(index) and SPARSE not in index
    body, sum_ = index[:-_SUM_BYTES], index[-_SUM_BYTES:]
    if not sound or hashlib.sha1(body, usedforsecurity=False).digest() != sum_:
        raise UnreadIndex


def _entry(index: bytes, at: int) -> tuple[IndexEntry, int]:
    if at + _ENTRY.size > len(index):
        raise UnreadIndex
    *stat, blob, flags = _ENTRY.unpack_from(index, at)
    if flags & (_STAGE | _ASSUMED | EXTENDED):
        raise UnreadIndex
    begin = at + _ENTRY.size
    end = index.find(b"\0", begin)
    if end < 0:
        raise UnreadIndex
    entry = IndexEntry(index[begin:end], stat[6], blob, stat[9], (stat[0], stat[1], stat[2], stat[3]))
    return entry, at + (end - at + 8) // 8 * 8  # filled up with one to eight NUL


def _ends_extension(index: bytes, end: int) -> bool:
    """Whether another extension, or the sum, begins at `end`."""
    return end == len(index) - _SUM_BYTES or (end < len(index) - _SUM_BYTES and index[end : end + 4].isalnum())
