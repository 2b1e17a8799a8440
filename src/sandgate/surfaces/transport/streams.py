"""Standard input and output are taken out of reach of all other code before they carry a protocol."""

from __future__ import annotations

import os
from errno import EBADF
from fcntl import F_DUPFD_CLOEXEC, F_GETFL, fcntl

from sandgate.errors import RequestError


def take_standard_streams() -> tuple[int, int]:
    """Private descriptors of what was 0 and 1. Afterwards 0 is empty and 1 is standard error.

    Nothing that prints, and no command that is started, can put a word into the protocol from then on. To be called
    before an event loop exists: its own descriptors would land where a closed standard stream left room.
    """
    try:
        incoming = _taken(0, useless=os.O_WRONLY)
        outgoing = _taken(1, useless=os.O_RDONLY)
    except OSError as problem:
        raise RequestError("cannot talk to a client", why="standard input or output is closed") from problem
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # standard error is closed
        os.dup2(nothing, 1)
    if nothing > 2:
        os.close(nothing)
    return incoming, outgoing


def _taken(number: int, *, useless: int) -> int:
    """A duplicate; OSError where the number is closed, or open the wrong way round, which is how `start` fills it."""
    if fcntl(number, F_GETFL) & os.O_ACCMODE == useless:
        raise OSError(EBADF, os.strerror(EBADF))
    return fcntl(number, F_DUPFD_CLOEXEC, 3)
