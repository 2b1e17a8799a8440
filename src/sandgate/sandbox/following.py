"""Resolves a path and remembers every symbolic link on the way, in one pass.

Asking for the canonical path first and looking for links afterwards leaves a moment in between, and a second program
that swaps a directory for a link at that moment. Here each component is looked at once: what the answer
rests on is what the answer reports.
"""

from __future__ import annotations

import stat

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable

LINKS_MAX = 40  # as the kernel's own limit, path_resolution(7)


class Followed(Record):
    """Where a path led."""

    real: str  # canonical
    links: tuple[str, ...] = ()  # each with a canonical directory part, in the order they were met


def resolve_links(
    path: str, lstat: Callable[[str], os.stat_result | None], target_of: Callable[[str], str | None]
) -> Followed | None:
    """Resolves absolute `path`; None when it does not exist, may not be looked at, or has too many links."""
    pending = path.split("/")[::-1]
    here = ""
    links: list[str] = []
    while pending:
        part = pending.pop()
        if part in ("", "."):
            continue
        if part == "..":
            here = here.rpartition("/")[0]
            continue
        found = lstat(f"{here}/{part}")
        if found is None:
            return None
        if not stat.S_ISLNK(found.st_mode):
            here = f"{here}/{part}"
            continue
        links.append(f"{here}/{part}")
        target = target_of(links[-1])
        if target is None or len(links) > LINKS_MAX:
            return None
        if target.startswith("/"):
            here = ""
        pending += target.split("/")[::-1]
    return Followed(here or "/", tuple(links))
