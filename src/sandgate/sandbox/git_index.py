"""Which submodules a repository's index names: gitformat-index(5), versions 2 to 4, also split ones.

Only entries of mode 160000 (gitlinks) are wanted, in a file that may have a hundred thousand others. So the file is
searched for that mode, and only what stands around a hit is read as an entry.
"""

from __future__ import annotations

import os

SIGNATURE = b"DIRC"
HEADER_BYTES = 12
MODE = b"\x00\x00\xe0\x00"  # 0o160000, big endian
MODE_AT = 24  # in an entry, behind the times, the device and the inode
HASH_AT = 40
HASH_BYTES = (20, 32)  # SHA-1, SHA-256
EXTENDED = 0x4000  # in the flags: two more bytes of them follow
NAME_BITS = 0x0FFF  # in the flags: the length of the name, or this for all longer ones
NAME_BYTES_MAX = 4096
SPELLED_OUT = (b"\0\0\0\2", b"\0\0\0\3")  # versions in which every name stands there as a whole
SPARSE = b"sdir\0\0\0"  # an extension: an entry may be a whole directory
NAMES_MAX = 65_536  # places of one index that are looked at for one path
GITLINKS_MAX = 4096  # looked at in one index; more are no repository's, but an attacker's who wants to keep us busy
PART_BYTES_MAX = 255  # NAME_MAX; of a longer one there is no directory
BAD_PARTS = frozenset((b"", b".", b"..", b".git"))


def gitlinks(index: bytes) -> list[str]:
    """The paths of all gitlinks, relative to the working tree. Damaged files: what can be read of them."""
    if index[:4] != SIGNATURE or len(index) < HEADER_BYTES or MODE not in index:
        return []
    version = int.from_bytes(index[4:8], "big")
    found = _in_compressed(index) if version == 4 else _in_plain(index)
    return [bytes(name).decode("utf-8", "surrogateescape") for name in dict.fromkeys(found) if _is_below(name)]


def is_split(index: bytes) -> bool:
    """Whether most entries lie in another file, `sharedindex.*` beside this one."""
    return b"link\x00\x00\x00" in index


def may_hold(index: bytes, path: str) -> bool:
    """Whether the index has `path` (relative to the working tree) or something below it, or cannot be asked.

    True for the forms that do not spell every name out: version 4, split and sparse ones.
    """
    name = os.fsencode(path)
    if not index:
        return False
    if index[:4] != SIGNATURE or index[4:8] not in SPELLED_OUT or is_split(index) or SPARSE in index:
        return True
    at = index.find(name, HEADER_BYTES)
    for _ in range(NAMES_MAX):
        if at < 0:
            return False
        if index[at + len(name) : at + len(name) + 1] in (b"\0", b"/") and _begins_name(index, at):
            return True
        at = index.find(name, at + 1)
    return True


def _begins_name(index: bytes, at: int) -> bool:
    """Whether the flags in front of it, which may be twice as long, tell the length of a name that begins there."""
    length = min(index.find(b"\0", at) - at, NAME_BITS)
    return any(int.from_bytes(index[at - back : at - back + 2], "big") & NAME_BITS == length for back in (2, 4))


def _in_plain(index: bytes) -> list[bytes]:
    """Versions 2 and 3: entries begin at multiples of eight bytes behind the header."""
    found = []
    at = index.find(MODE, HEADER_BYTES + MODE_AT)
    for _ in range(GITLINKS_MAX):
        if at < 0:
            break
        start = at - MODE_AT
        if (start - HEADER_BYTES) % 8 == 0:
            found += [name for size in HASH_BYTES if (name := _name_at(index, start, size)) is not None]
        at = index.find(MODE, at + 1)
    return found


def _name_at(index: bytes, start: int, hash_bytes: int) -> bytes | None:
    flags_at = start + HASH_AT + hash_bytes
    flags = int.from_bytes(index[flags_at : flags_at + 2], "big")
    begin = flags_at + (4 if flags & EXTENDED else 2)
    end = index.find(b"\0", begin, begin + NAME_BYTES_MAX)
    length = flags & NAME_BITS
    fits = end > begin and (end - begin == length or (length == NAME_BITS and end - begin > length))
    return index[begin:end] if fits else None


def _in_compressed(index: bytes) -> list[bytes]:
    """Version 4: a name tells how much of the one before it goes, so every entry is read."""
    best: list[bytes] = []
    for size in HASH_BYTES:
        found, complete = _compressed_names(index, HASH_AT + size)
        if complete:
            return found
        best = max(best, found, key=len)
    return best


def _compressed_names(index: bytes, flags_offset: int) -> tuple[list[bytes], bool]:
    """The gitlinks' names, and whether all entries were read."""
    found: list[bytes] = []
    name, start = b"", HEADER_BYTES
    for _ in range(int.from_bytes(index[8:12], "big")):
        flags_at = start + flags_offset
        begin = flags_at + (4 if int.from_bytes(index[flags_at : flags_at + 2], "big") & EXTENDED else 2)
        strip, begin = offset_number(index, begin)
        end = index.find(b"\0", begin, begin + NAME_BYTES_MAX)
        if end < 0 or strip > len(name) or len(name) > NAME_BYTES_MAX or len(found) == GITLINKS_MAX:
            return found, False
        name = name[: len(name) - strip] + index[begin:end]
        if index[start + MODE_AT : start + MODE_AT + 4] == MODE:
            found.append(name)
        start = end + 1
    return found, True


def offset_number(data: bytes, at: int) -> tuple[int, int]:
    """A number as in pack files' OFS_DELTA, and where it ends."""
    value = -1
    while at < len(data):
        byte = data[at]
        at += 1
        value = ((value + 1) << 7) | (byte & 0x7F)
        if not byte & 0x80:
            break
    return max(value, 0), at


def _is_below(name: bytes) -> bool:
    parts = name.lower().split(b"/")
    return BAD_PARTS.isdisjoint(parts) and max(map(len, parts)) <= PART_BYTES_MAX
