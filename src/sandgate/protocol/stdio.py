"""The three streams of a governed command, as descriptors of ours."""

from __future__ import annotations

from sandgate.record import Record

__all__ = ["CAPTURED", "Stdio"]


class Stdio(Record):
    """`stdin` is handed to the command as it is, None is empty input. What it writes is always captured; `stdout`
    and `stderr` also get it at once, unless they are None."""

    stdin: int | None = None
    stdout: int | None = None
    stderr: int | None = None
    tells_refusals: bool = False  # to the recorder, while the command runs; not for one that has a terminal of its own


CAPTURED = Stdio()
