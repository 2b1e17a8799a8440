"""What an answer about the disk rests on: marks that show whether anything has changed."""

from __future__ import annotations

from sandgate.record import Record


class Grounds(Record):
    """What one answer rests on. Paths are absolute."""

    same: tuple[tuple[str, int, int, int], ...]  # path, device, inode, type: a directory on the way
    unchanged: tuple[tuple[str, int, int, int], ...]  # path, device, inode, change time in ns
    texts: tuple[tuple[str, int, bool, bytes | None], ...]  # path, bytes read, links followed, what was there
