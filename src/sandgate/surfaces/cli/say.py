"""What the program itself says: facts on stderr, data on stdout, straight to the descriptors.

A reader that went away is no reason to fail: what Sandgate says is lost then, the command's result is not.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.errors import SandgateError

STDOUT, STDERR = 1, 2
lost: list[OSError] = []  # why data on stdout could not be written; a reader that left is no reason


def fact(text: str) -> None:
    """One line on stderr."""
    from sandgate.display import visible

    write(STDERR, f"sandgate: {visible(text)}\n")


def error(problem: SandgateError) -> None:
    """What happened and why on one line, what to do on the next."""
    fact(str(problem))
    from sandgate.display import visible

    for line in problem.hint.splitlines():
        write(STDERR, f"sandgate: hint: {visible(line)}\n")


def out(text: str) -> None:
    """Data on stdout."""
    problem = write(STDOUT, text)
    if problem is not None and not isinstance(problem, BrokenPipeError):
        lost.append(problem)


def write(descriptor: int, text: str) -> OSError | None:
    """Write everything; the error that stopped it, if one did."""
    data = text.encode("utf-8", "backslashreplace")
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError as problem:
        return problem
    return None
