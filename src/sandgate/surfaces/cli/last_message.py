"""`--output-last-message`: a file for what a model said last.

The model's commands may change the directory this file lies in, and the text is the model's. So the file is opened
before anything runs and written through that descriptor: no link that is put in its place meanwhile leads the text
anywhere else. A link that an earlier run left where commands may write is not followed out of there either.
"""

from __future__ import annotations

import os

from sandgate.display import visible
from sandgate.errors import RequestError, SandgateError
from sandgate.protocol.wire import sendable


class LastMessageFile:
    """Open from the start. `write` replaces what the file held; without it nothing changes."""

    def __init__(self, path: str, writable: tuple[str, ...]) -> None:
        """`writable`: directories where commands may write. Raises RequestError when the file cannot be written."""
        self._path = path
        target, same = _target(path, writable)
        # Without blocking: a pipe without a reader would hold us for ever.
        flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK | same
        try:
            self._descriptor = os.open(target, flags, 0o644)
        except OSError as problem:
            raise RequestError(f"cannot write `{visible(path)}`", why=str(problem.strerror)) from problem
        os.set_blocking(self._descriptor, True)

    def close(self) -> None:
        """Once."""
        os.close(self._descriptor)

    def write(self, text: str) -> None:
        """The text alone, without a line end. Raises SandgateError."""
        data = str(sendable(text)).encode("utf-8")
        try:
            if os.path.isfile(f"/proc/self/fd/{self._descriptor}"):
                os.ftruncate(self._descriptor, 0)
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError as problem:
            raise SandgateError(f"cannot write `{visible(self._path)}`", why=str(problem.strerror)) from problem


def _target(path: str, writable: tuple[str, ...]) -> tuple[str, int]:
    """What to open, and a flag that keeps it that. Raises RequestError for a link that leads out of such a place."""
    given, real = os.path.abspath(path), os.path.realpath(path)
    named = os.path.join(os.path.realpath(os.path.dirname(given)), os.path.basename(given))
    places = {each for place in writable for each in (os.path.abspath(place), os.path.realpath(place))}
    around = [place for place in places if _is_below(given, place) or _is_below(named, place)]
    if not around:
        return path, 0  # no command can have made what lies there
    for place in around:
        if not _is_below(real, os.path.realpath(place)):
            raise RequestError(
                f"`{visible(path)}` is a link that leads out of a place where commands may write",
                why=f"it leads to `{visible(real)}`, and a command may have made it",
                hint="remove it, or name another file",
            )
    return real, os.O_NOFOLLOW


def _is_below(path: str, directory: str) -> bool:
    return path.startswith(directory.rstrip("/") + "/")
