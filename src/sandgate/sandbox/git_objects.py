"""Whether an object that a command left has the name it deserves: gitformat-loose(5), gitformat-pack(5).

Git does not look again at what it has under a name, and a later fetch passes over what is there already. An object
under another one's name would so take the place of what a person fetches.
"""

from __future__ import annotations

import hashlib
import re
import zlib

from sandgate.record import Record

OBJECT_BYTES_MAX = 256 << 20  # of one, unpacked
PACK_BYTES_MAX = 512 << 20  # of one
UNPACKED_BYTES_MAX = 512 << 20  # of all objects in one pack, held in memory
PACK_OBJECTS_MAX = 500_000
_CHUNK_BYTES = 1 << 14  # of a packed object at once; most are shorter
_HEADER = re.compile(rb"(blob|tree|commit|tag) (\d{1,12})\0")
_SUMS = {40: "sha1", 64: "sha256", 20: "sha1", 32: "sha256"}
_TRACKED = frozenset((0o100000, 0o120000, 0o040000))  # types of a file, a link, a directory
_TYPE_BITS, _DIRECTORY = 0o170000, 0o040000
_OCTAL = frozenset(b"01234567")
_TYPES = {1: b"commit", 2: b"tree", 3: b"blob", 4: b"tag"}
_OFFSET_DELTA, _NAMED_DELTA = 6, 7
_INDEX_BEGIN = b"\xfftOc\0\0\0\2"
_FAR = 0x80000000


class Checked(Record):
    """What was looked at. `gitlinks` are the names that its trees give to submodules."""

    is_sound: bool
    gitlinks: frozenset[bytes] = frozenset()
    unpacked_bytes: int = 0
    leading: tuple[tuple[str, bytes, bytes], ...] = ()  # its commits, trees and tags: name, type, content


UNSOUND = Checked(False)


def checked_object(name: str, packed: bytes, unpacked_max: int = OBJECT_BYTES_MAX) -> Checked:
    """`name`: the hexadecimal digits it lies under; `packed`: the file; `unpacked_max`: bytes, at least one."""
    try:
        unpacked = zlib.decompressobj()
        content = unpacked.decompress(packed, min(unpacked_max, OBJECT_BYTES_MAX))
    except zlib.error:
        return UNSOUND
    header = _HEADER.match(content)
    if header is None or not unpacked.eof or int(header[2]) != len(content) - header.end():
        return UNSOUND
    if hashlib.new(_SUMS[len(name)], content, usedforsecurity=False).hexdigest() != name:
        return UNSOUND
    body = content[header.end() :]
    links = gitlinks_of(body, len(name) // 2) if header[1] == b"tree" else frozenset()
    return Checked(True, links, len(content), () if header[1] == b"blob" else ((name, header[1], body),))


class TreeEntry(Record):
    """One line of a tree."""

    name: bytes
    mode: bytes
    is_gitlink: bool
    is_tree: bool
    points_to: str  # hexadecimal digits


def tree_entries(tree: bytes, size: int) -> list[TreeEntry]:
    """What a tree has; `size` is that of a hash in bytes.

    To git each mode is a submodule's that is no file's, link's or directory's, however it is written (`canon_mode`).
    """
    found, at = [], 0
    while at < len(tree):
        end = tree.find(b"\0", at)
        if end < 0:
            break
        mode, _, name = tree[at:end].partition(b" ")
        at = end + 1 + size
        kind = _type_of(mode)
        found.append(TreeEntry(name, mode, kind not in _TRACKED, kind == _DIRECTORY, tree[end + 1 : at].hex()))
    return found


def gitlinks_of(tree: bytes, size: int) -> frozenset[bytes]:
    """The names under which a tree has submodules; `size` is that of a hash in bytes."""
    return frozenset([entry.name for entry in tree_entries(tree, size) if entry.is_gitlink])


def _type_of(mode: bytes) -> int:
    """As git reads it; 0 where it is no octal number."""
    return int(mode or b"0", 8) & _TYPE_BITS if _OCTAL.issuperset(mode) else 0


def checked_pack(pack: bytes, index: bytes, unpacked_max: int = UNPACKED_BYTES_MAX) -> Checked:
    """A pack and its index, version 2 both: each object is unpacked, and the index must name them rightly."""
    for size in (20, 32):
        if hashlib.new(_SUMS[size], pack[:-size], usedforsecurity=False).digest() == pack[-size:]:
            try:
                return _Pack(pack, size, min(unpacked_max, UNPACKED_BYTES_MAX)).checked(index)
            except (zlib.error, IndexError, KeyError, ValueError):
                return UNSOUND
    return UNSOUND


class _Pack:
    def __init__(self, pack: bytes, size: int, unpacked_max: int) -> None:
        self.pack = pack
        self.size = size
        self.left = unpacked_max
        self.at: dict[int, tuple[bytes, bytes]] = {}  # offset → type, content
        self.named: dict[bytes, int] = {}  # name → offset
        self.sums: dict[int, int] = {}  # offset → CRC-32 of the packed form
        self.waiting: dict[bytes, list[tuple[int, bytes]]] = {}  # what rests on an object that comes later

    def checked(self, index: bytes) -> Checked:
        pack, count = self.pack, int.from_bytes(self.pack[8:12], "big")
        if pack[:8] != b"PACK\0\0\0\2" or count > PACK_OBJECTS_MAX or len(pack) > PACK_BYTES_MAX:
            return UNSOUND
        at = 12
        for _ in range(count):
            at = self._read(at)
        if at != len(pack) - self.size or len(self.named) != count or self.waiting or not self._is_index(index, count):
            return UNSOUND
        trees = (gitlinks_of(content, self.size) for kind, content in self.at.values() if kind == b"tree")
        unpacked = sum(len(content) for _, content in self.at.values())
        leading = [(name.hex(), *self.at[at]) for name, at in self.named.items() if self.at[at][0] != b"blob"]
        return Checked(True, frozenset(name for names in trees for name in names), unpacked, tuple(leading))

    def _read(self, start: int) -> int:
        """The object at `start`; where the next one begins."""
        kind, at = self.pack[start] >> 4 & 7, start
        while self.pack[at] & 0x80:
            at += 1
        at += 1
        base: int | bytes | None = None
        if kind == _OFFSET_DELTA:
            back, at = self._distance(at)
            base = start - back
        elif kind == _NAMED_DELTA:
            base, at = self.pack[at : at + self.size], at + self.size
        content, end = self._unpacked(at)
        self.sums[start] = zlib.crc32(memoryview(self.pack)[start:end])
        if isinstance(base, bytes) and base not in self.named:
            self.waiting.setdefault(base, []).append((start, content))
        elif base is not None:
            self._add(start, *self._patched(self.named[base] if isinstance(base, bytes) else base, content))
        else:
            self._add(start, _TYPES[kind], content)
        return end

    def _unpacked(self, at: int) -> tuple[bytes, int]:
        """What begins at `at`, and where it ends. In pieces, since each call copies what it did not need."""
        unpacking, parts, left = zlib.decompressobj(), [], max(1, self.left)
        while not unpacking.eof:
            piece = self.pack[at : at + _CHUNK_BYTES]
            parts.append(unpacking.decompress(piece, left))
            left -= len(parts[-1])
            if not piece or (left <= 0 and not unpacking.eof):
                raise ValueError
            at += len(piece)
        return b"".join(parts), at - len(unpacking.unused_data)

    def _distance(self, at: int) -> tuple[int, int]:
        value = self.pack[at] & 0x7F
        while self.pack[at] & 0x80:
            at += 1
            value = ((value + 1) << 7) | (self.pack[at] & 0x7F)
        return value, at + 1

    def _add(self, start: int, kind: bytes, content: bytes) -> None:
        """And what waited for it."""
        pending = [(start, kind, content)]
        while pending:
            offset, kind, content = pending.pop()
            self.left -= len(content)
            if self.left < 0:
                raise ValueError
            header = b"%s %d\0" % (kind, len(content))
            name = hashlib.new(_SUMS[self.size], header + content, usedforsecurity=False).digest()
            self.at[offset], self.named[name] = (kind, content), offset
            for waiting, delta in self.waiting.pop(name, ()):
                pending.append((waiting, *self._patched(offset, delta)))

    def _patched(self, base: int, delta: bytes) -> tuple[bytes, bytes]:
        kind, source = self.at[base]
        length, at = _length(delta, 0)
        wanted, at = _length(delta, at)
        if length != len(source) or wanted > self.left:
            raise ValueError
        parts: list[bytes] = []
        while at < len(delta):
            part, at = _step(source, delta, at)
            parts.append(part)
        content = b"".join(parts)
        if len(content) != wanted:
            raise ValueError
        return kind, content

    def _is_index(self, index: bytes, count: int) -> bool:
        size, names_at = self.size, 8 + 1024
        sums_at, offsets_at = names_at + count * size, names_at + count * (size + 4)
        far_at, tail = offsets_at + count * 4, len(index) - 2 * size
        names = sorted(self.named)
        told = b"".join(names)
        if (
            index[:8] != _INDEX_BEGIN
            or index[names_at:sums_at] != told
            or index[tail : tail + size] != self.pack[-size:]
        ):
            return False
        if hashlib.new(_SUMS[size], index[:-size], usedforsecurity=False).digest() != index[-size:]:
            return False
        offsets = [self.named[name] for name in names]
        far = [offset for offset in offsets if offset >= _FAR]
        if far or tail != far_at:  # a pack of 2 GiB is too large anyway
            return False
        counts = _fan_out(names)
        return (
            index[8:names_at] == b"".join(each.to_bytes(4, "big") for each in counts)
            and index[sums_at:offsets_at] == b"".join(self.sums[offset].to_bytes(4, "big") for offset in offsets)
            and index[offsets_at:far_at] == b"".join(offset.to_bytes(4, "big") for offset in offsets)
        )


def _fan_out(names: list[bytes]) -> list[int]:
    counts = [0] * 256
    for name in names:
        counts[name[0]] += 1
    for first in range(1, 256):
        counts[first] += counts[first - 1]
    return counts


def _length(delta: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = delta[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at


def _step(source: bytes, delta: bytes, at: int) -> tuple[bytes, int]:
    """One instruction of a delta: bytes to copy or to take as they are."""
    order = delta[at]
    at += 1
    if not order:
        raise ValueError
    if not order & 0x80:
        return delta[at : at + order], at + order
    numbers = [0] * 7
    for bit in range(7):
        if order & 1 << bit:
            numbers[bit] = delta[at]
            at += 1
    offset = int.from_bytes(bytes(numbers[:4]), "little")
    length = int.from_bytes(bytes(numbers[4:]), "little") or 0x10000
    if offset + length > len(source):
        raise ValueError
    return source[offset : offset + length], at
