"""Which directory a project is, by a marker in it such as `.git`."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

OTHERS_MAY_WRITE = 0o002


def project_root(cwd: str, markers: Iterable[str]) -> str:
    """The nearest directory from absolute `cwd` upwards that holds a marker; `cwd` itself when none does."""
    directory = cwd
    wanted = tuple(marker for marker in markers if marker)
    while True:
        if any(is_marked(directory, marker) for marker in wanted):
            return directory
        above = os.path.dirname(directory)
        if above == directory:
            return cwd
        directory = above


def is_marked(directory: str, marker: str) -> bool:
    """Whether it holds the marker, be that a link to nowhere.

    Where every user may make an entry, as in /tmp, one that another user has made says nothing: it would decide for all
    who work below it.
    """
    try:
        found = os.lstat(os.path.join(directory, marker))
        return found.st_uid == os.geteuid() or not os.stat(directory).st_mode & OTHERS_MAY_WRITE
    except (OSError, ValueError):
        return False
