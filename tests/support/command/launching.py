"""Every row of the table of launchers, with `rm x` where it says that the command stands."""

from __future__ import annotations

from sandgate.commandline.launcher_rows import LAUNCHERS


def _row(place: str) -> tuple[str, ...]:
    if place in ("joined", "each"):
        return ("rm x",)
    if place == "skip1":
        return ("one", "rm", "x")
    if place == "behind":
        return ("--", "rm", "x")
    if place[:1] != "-":
        return ("rm", "x")
    return (place.removesuffix("…"), *(("rm", "x") if place.endswith("…") else ("rm x",)))


EVERY_LAUNCHED = [
    (program, *sub, *_row(place))
    for program, rows in sorted(LAUNCHERS.items())
    for sub, places in rows
    for place in places
    if place != "self"
]
