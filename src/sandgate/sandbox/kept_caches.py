"""What projects keep in caches of their own: a list of it, and how it is removed."""

from __future__ import annotations

import os

from sandgate.record import Record
from sandgate.sandbox.cache_layers import Layers, kept_layers, remove
from sandgate.sandbox.private_tmp import DIRECTORY_NAME, named_place, place_name


class KeptCache(Record):
    """What commands of `project` wrote over `place`; both canonical paths, or a digest of one that is very long."""

    project: str
    place: str
    bytes: int  # on the disk
    files: int
    complete: bool  # everything was counted: `sandbox.cache_layers` has limits for how many files, and how deep
    used_s: float  # when the project's last session began to use it, since the epoch


class ClearedCaches(Record):
    """What became of an order to clear: canonical project paths."""

    removed: tuple[str, ...]
    in_use: tuple[str, ...]  # by a command that runs; nothing of them was removed


def kept_caches(state: str | None) -> tuple[KeptCache, ...]:
    """Those of all projects whose directories lie in `state`; none where there is no such place."""
    return tuple(
        KeptCache(
            named_place(layer.project),
            named_place(layer.place),
            layer.size.bytes,
            layer.size.files,
            layer.size.known,
            layer.used_s,
        )
        for layer in (kept_layers(state) if state else ())
    )


def clear_caches(state: str | None, project: str | None) -> ClearedCaches:
    """Removes the caches of the canonical `project`, or of all projects for None. Raises OSError."""
    names = {layer.project for layer in kept_layers(state)} if state else set()
    if project is not None:
        names &= {place_name(project)}
    removed: list[str] = []
    in_use: list[str] = []
    for name in sorted(names):
        layers = Layers(os.path.join(state or "", DIRECTORY_NAME, name, DIRECTORY_NAME))
        (removed if remove(layers.path) == "removed" else in_use).append(named_place(name))
    return ClearedCaches(tuple(removed), tuple(in_use))
