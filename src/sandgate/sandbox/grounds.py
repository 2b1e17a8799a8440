"""What an answer about the disk rests on: marks that show whether anything has changed."""

from __future__ import annotations

import stat

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable


class Grounds(Record):
    """What one answer rests on. Paths are absolute."""

    same: tuple[tuple[str, int, int, int], ...]  # path, device, inode, type: a directory on the way
    unchanged: tuple[tuple[str, int, int, int], ...]  # path, device, inode, change time in ns
    texts: tuple[tuple[str, int, bool, bytes | None], ...]  # path, bytes read, links followed, what was there


def marks_stand(
    same: Iterable[tuple[str, int, int, int]],
    unchanged: Iterable[tuple[str, int, int, int]],
    look: Callable[[str], os.stat_result | None],
) -> bool:
    """Whether everything still shows its mark to `look`, which is `os.lstat` or remembers what that said."""
    for path, device, inode, changed_ns in unchanged:
        now = look(path)
        if now is None or now.st_ctime_ns != changed_ns or now.st_ino != inode or now.st_dev != device:
            return False
    for path, device, inode, kind in same:
        now = look(path)
        if now is None or now.st_ino != inode or now.st_dev != device or stat.S_IFMT(now.st_mode) != kind:
            return False
    return True
