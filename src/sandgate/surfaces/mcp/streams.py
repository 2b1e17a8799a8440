"""Standard input and output are taken out of everybody's reach before they carry a protocol."""

from __future__ import annotations

import os
from fcntl import F_DUPFD_CLOEXEC, fcntl

from sandgate.errors import RequestError


def take_standard_streams() -> tuple[int, int]:
    """Private descriptors of what was 0 and 1. Afterwards 0 is empty and 1 is standard error.

    Nothing that prints, and no command that is started, can put a word into the protocol from then on. To be called
    before an event loop exists: its own descriptors would land where a closed standard stream left room.
    """
    try:
        incoming = fcntl(0, F_DUPFD_CLOEXEC, 3)
        outgoing = fcntl(1, F_DUPFD_CLOEXEC, 3)
    except OSError as problem:
        raise RequestError("cannot talk to a client", why="standard input or output is closed") from problem
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # nobody listens to standard error
        os.dup2(nothing, 1)
    if nothing > 2:
        os.close(nothing)
    return incoming, outgoing
