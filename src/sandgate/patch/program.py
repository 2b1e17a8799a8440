"""The program `apply_patch`, on the PATH of sandboxed commands: a patch from the argument or stdin, applied.

It confines nothing and asks no reviewer: it runs where a command runs, and the sandbox around that decides. So it has
no journal either (nowhere to keep one that the command could not forge): a kill -9 in the short time in which files
change hands is the one thing it cannot put right. Start-up is on the path of every call, so little is imported.
"""

from __future__ import annotations

import os
import sys

from sandgate.errors import PatchDoesNotFit, PatchError, PatchFailed
from sandgate.patch.apply import apply_plan
from sandgate.patch.disk_lookup import Tree
from sandgate.patch.parse import PATCH_CHARACTERS_MAX, parse_patch
from sandgate.patch.plan import plan_patch
from sandgate.patch.report import success_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from signal import SIGHUP, SIGTERM, signal
else:  # `signal` itself costs as much as all of ours
    from _signal import SIGHUP, SIGTERM, signal

SUCCESS, FAILURE, BAD_USAGE = 0, 1, 2
STDIN, STDOUT, STDERR = 0, 1, 2
PATCH_BYTES_MAX = 4 * PATCH_CHARACTERS_MAX  # UTF-8 needs no more
USAGE = "Usage: apply_patch PATCH\n       apply_patch < FILE     (the patch on standard input)\n"
_READ_BYTES = 1 << 20


def entry() -> None:
    """The whole program; leaves without the interpreter's own tidying up."""
    for ending in (SIGTERM, SIGHUP):
        signal(ending, _end)  # an exception, so that what was begun is taken back
    try:
        code = main(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else FAILURE
    os._exit(code)


def main(arguments: list[str]) -> int:
    """Applies one patch in the working directory; returns the exit code."""
    if len(arguments) > 1:
        _say(STDERR, "apply_patch takes one argument, the patch.\n" + USAGE)
        return BAD_USAGE
    try:
        text = os.fsencode(arguments[0]).decode("utf-8") if arguments else _from_stdin()
    except UnicodeDecodeError:
        _say(STDERR, "The patch is not valid UTF-8.\n")
        return FAILURE
    except OSError as problem:
        _say(STDERR, f"Failed to read the patch from standard input: {problem.strerror}\n")
        return FAILURE
    if not text:
        _say(STDERR, USAGE)
        return BAD_USAGE
    return _applied(text)


def _warn(warnings: tuple[str, ...]) -> None:
    if not warnings:
        return
    from sandgate.display import visible  # most patches have none

    _say(STDERR, "".join(f"warning: {visible(each)}\n" for each in warnings))


def _applied(text: str) -> int:
    try:
        plan = plan_patch(parse_patch(text), cwd=os.getcwd(), tree=Tree(), describe=False)
        apply_plan(plan, None)
        _warn(plan.warnings)
    except PatchError as problem:
        _say(STDERR, f"{problem.program_text}\n")
        return FAILURE
    except PatchDoesNotFit as problem:
        _say(STDERR, f"{problem.what}\n")
        return FAILURE
    except PatchFailed as problem:
        _say(STDERR, f"{problem.what}\n" + (f"{problem.why}\n" if problem.why else ""))
        return FAILURE
    except OSError as problem:
        _say(STDERR, f"Failed to apply the patch: {problem.strerror}\n")
        return FAILURE
    _say(STDOUT, success_text(plan))
    return SUCCESS


def _from_stdin() -> str:
    content = bytearray()
    while len(content) <= PATCH_BYTES_MAX and (piece := os.read(STDIN, _READ_BYTES)):
        content += piece
    return content.decode("utf-8")


def _say(descriptor: int, text: str) -> None:
    data = text.encode("utf-8", "surrogateescape")
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:  # no process reads what is printed; the files are what counts
        return


def _end(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)
