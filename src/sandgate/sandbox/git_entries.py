"""What an index that a command wrote would put on the disk: gitformat-index(5), read to the last entry.

Git takes its own index for trustworthy: a name such as `.git/hooks/post-checkout` in one is written there by the next
`git restore .`. So every name is looked at, and so is the sum at the end. What stands behind the entries can send git
to others (`IEOT`), to other trees (`TREE`) or past files (`UNTR`); all of that git makes again, so it is left out.
"""

from __future__ import annotations

import hashlib

from sandgate.sandbox.git_index import (
    EXTENDED,
    HASH_AT,
    HEADER_BYTES,
    MODE_AT,
    NAME_BITS,
    SIGNATURE,
    is_split,
    offset_number,
)

ENTRIES_MAX = 1_000_000  # of one index
MODES = frozenset((0o100644, 0o100755, 0o120000, 0o160000, 0o040000))
GITLINK = 0o160000
DIRECTORY = 0o040000
KEPT = (b"REUC", b"sdir")  # parts that cannot be made again
SHA1_BYTES, SHA256_BYTES = 20, 32
_NAMES = {SHA1_BYTES: "sha1", SHA256_BYTES: "sha256"}
_SPLIT = "it is split, and only a whole one is read (`git -c core.splitIndex=false` writes one)"
_BAD_PARTS = frozenset((b"", b".", b"..", b".git"))


class IndexEntries:
    """All entries: name and stage → mode and object; `damage` is why the index cannot be believed, else empty.

    `plain` is the index without what may say something else than its entries. `hash_bytes` is what the repository has:
    one index can say another thing to a reader of the other length, and git believes its sum unseen.
    """

    __slots__ = ("damage", "found", "plain")

    def __init__(self, index: bytes, hash_bytes: int = SHA1_BYTES) -> None:
        self.found: dict[tuple[bytes, int], tuple[int, bytes]] = {}  # name, stage → mode, object
        self.damage = "it is no index"
        self.plain = b""
        if _has_sum(index, hash_bytes):
            self.damage = self._read(index, hash_bytes)

    def gitlinks(self) -> set[bytes]:
        return {name for (name, _), (mode, _) in self.found.items() if mode == GITLINK}

    def directories(self) -> dict[bytes, str]:
        """What stands there as a whole (a sparse index): path, with a slash behind, and the name of its tree."""
        return {name: named.hex() for (name, _), (mode, named) in self.found.items() if mode == DIRECTORY}

    def _read(self, index: bytes, size: int) -> str:
        version, count = int.from_bytes(index[4:8], "big"), int.from_bytes(index[8:12], "big")
        if index[:4] != SIGNATURE or version not in (2, 3, 4) or count > ENTRIES_MAX:
            return "it is no index"
        end, at, name = len(index) - size, HEADER_BYTES, b""
        for _ in range(count):
            flags_at = at + HASH_AT + size
            flags = int.from_bytes(index[flags_at : flags_at + 2], "big")
            begin = flags_at + (4 if flags & EXTENDED else 2)
            if version == 4:
                strip, begin = offset_number(index, begin)
                if strip > len(name):
                    return "its names do not fit together"
            stop = index.find(b"\0", begin, end)
            if stop < 0 or (flags & EXTENDED and version == 2):
                return "it ends too early"
            name = name[: len(name) - strip] + index[begin:stop] if version == 4 else index[begin:stop]
            if len(name) & NAME_BITS != flags & NAME_BITS and not (len(name) > NAME_BITS == flags & NAME_BITS):
                return "its names do not fit together"
            mode = int.from_bytes(index[at + MODE_AT : at + MODE_AT + 4], "big")
            if not name and is_split(index):
                return _SPLIT
            if mode not in MODES or not _is_inside(name):
                return f"it has the entry `{name.decode('utf-8', 'replace')}`"
            self.found[name, flags >> 12 & 3] = mode, index[at + HASH_AT : flags_at]
            at = stop + 1 if version == 4 else at + ((stop - at + 8) & ~7)
        return self._rest(index, at, size)

    def _rest(self, index: bytes, at: int, size: int) -> str:
        """What is behind the entries: each part has a name, a length and so many bytes."""
        end, parts = len(index) - size, [index[:at]]
        while at < end:
            after = at + 8 + int.from_bytes(index[at + 4 : at + 8], "big")
            if index[at : at + 4] == b"link":
                return _SPLIT
            if index[at : at + 4] in KEPT:
                parts.append(index[at:after])
            at = after
        body = b"".join(parts)
        self.plain = body + hashlib.new(_NAMES[size], body, usedforsecurity=False).digest()
        return "" if at == end else "it ends too early"


def _has_sum(index: bytes, size: int) -> bool:
    """Zeros stand for a sum that was left out."""
    tail = index[-size:]
    return tail == bytes(size) or hashlib.new(_NAMES[size], index[:-size], usedforsecurity=False).digest() == tail


def _is_inside(name: bytes) -> bool:
    return _BAD_PARTS.isdisjoint(name.lower().removesuffix(b"/").split(b"/"))
