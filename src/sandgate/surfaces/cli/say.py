"""What the program itself says: facts on stderr, data on stdout, straight to the descriptors.

A reader that went away is no reason to fail: what Sandgate says is lost then, the command's result is not.
"""

from __future__ import annotations

import os

from sandgate.display import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.errors import SandgateError

STDOUT, STDERR = 1, 2


def fact(text: str) -> None:
    """One line on stderr."""
    write(STDERR, f"sandgate: {visible(text)}\n")


def error(problem: SandgateError) -> None:
    """What happened and why on one line, what to do on the next."""
    fact(str(problem))
    for line in problem.hint.splitlines():
        write(STDERR, f"sandgate: hint: {visible(line)}\n")


def out(text: str) -> None:
    """Data on stdout."""
    write(STDOUT, text)


def write(descriptor: int, text: str) -> None:
    """Write everything; a closed or full descriptor loses it silently, there is nowhere left to say so."""
    data = text.encode("utf-8", "backslashreplace")
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        return
