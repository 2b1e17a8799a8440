"""The helper's sources, and what is said where it cannot be made of them."""

from __future__ import annotations

import os

from sandgate.errors import BackendUnavailable

PROGRAM = "sandgate-exec"
STAMP_SUFFIX = ".built-from"
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_FNV_PRIME, _LOW_64 = 0x100000001B3, (1 << 64) - 1


def looks_of(sources: str) -> str:
    """Says of every source how large and how old it is, in one number."""
    with os.scandir(sources) as entries:
        seen = {entry.name: entry.stat() for entry in entries if entry.name.endswith((".c", ".h"))}
    number = len(seen)
    for name in sorted(seen):  # FNV-1a, over whole numbers
        number = ((number ^ seen[name].st_mtime_ns ^ seen[name].st_size << 40) * _FNV_PRIME) & _LOW_64
    return f"{number:016x}"


def unavailable(why: str, hint: str) -> BackendUnavailable:
    """Says why there is no helper."""
    return BackendUnavailable("cannot build the helper `sandgate-exec`", why=why, hint=hint)
