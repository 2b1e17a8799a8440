"""Which file a command's first word names, by the command's own PATH.

execvp(3) would search *our* PATH; the command brings its own environment, and an empty or relative entry of its
PATH counts from its own directory. Nothing is executed here.
"""

from __future__ import annotations

import errno
import os
import stat

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_PATH = "/bin:/usr/bin"  # confstr(_CS_PATH) of glibc, for an environment without PATH


class FoundProgram(Record):
    """The file to execute, or why there is none: `errno` is 0 or the code execvp(3) would have given."""

    path: str
    errno: int = 0


def find_program(word: str, *, env: Mapping[str, str], cwd: str) -> FoundProgram:
    """The program `word` names; a word with a slash is a path, relative to `cwd`."""
    if "/" in word:
        return FoundProgram(word)
    blame = errno.ENOENT
    for directory in env.get("PATH", DEFAULT_PATH).split(":"):
        candidate = os.path.join(cwd, directory, word)
        found = _executable(candidate)
        if found == 0:
            return FoundProgram(candidate)
        if found == errno.EACCES:
            blame = errno.EACCES
    return FoundProgram(word, blame)


def _executable(path: str) -> int:
    try:
        regular = stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return errno.ENOENT
    return 0 if regular and os.access(path, os.X_OK) else errno.EACCES
