"""Says to root what no layer records: inside the namespaces root is one user among others, and the only one there is.

Files of others can be neither made, taken over nor changed there as root could outside; the kernel says "Invalid
argument" or "Permission denied", as to any user. What the command said about it counts, so this is a hint and no
denial.
"""

from __future__ import annotations

import os

from sandgate.display import visible
from sandgate.protocol.permissions import PATH_CHARS_MAX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandgate.protocol.confinement import ConfinedCommand

LINES_MAX = 256  # of what a command said last
WORDS_MAX = 32  # of a line, and as many parts of one, looked at as paths
NO_OTHERS = "in the sandbox there is no other user to give files to (for archives: `tar --no-same-owner`)"
AS_ANYBODY = "belongs to user {owner}, and in the sandbox root may do with it what anybody may"
WITHOUT = "`-s danger-full-access` has no sandbox"
_GIVING = ("ownership", "chown", "group of", "chgrp")
_NOT_THERE = "invalid argument"
_REFUSED = ("permission denied", "operation not permitted")
_AROUND = "\"'`:,()[]\u2018\u2019\u201c\u201d"


def others_files(plan: ConfinedCommand, output: bytes) -> str | None:
    """One line about a command of root's that failed; None where nothing of others shows in what it said."""
    if plan.backend != "namespace" or os.geteuid() != 0:
        return None
    for line in output.decode("utf-8", "surrogateescape").splitlines()[-LINES_MAX:]:
        lowered = line.lower()
        if _NOT_THERE in lowered and any(word in lowered for word in _GIVING):
            return f"{NO_OTHERS}; {WITHOUT}"
        if any(words in lowered for words in _REFUSED):
            for path in _paths_in(line, plan.cwd):
                if not _is_hidden(path, plan) and (found := _of_another(path)) is not None:
                    return f"`{visible(found[0])}` {AS_ANYBODY.format(owner=found[1])}; {WITHOUT}"
    return None


def _paths_in(line: str, cwd: str) -> Iterator[str]:
    for word in (*line.split()[:WORDS_MAX], *line.split(": ")[:WORDS_MAX]):  # names may have blanks
        name = word.strip(_AROUND)
        if name and len(name) <= PATH_CHARS_MAX and "\0" not in name:
            yield os.path.join(cwd, name)


def _is_hidden(path: str, plan: ConfinedCommand) -> bool:
    """Whether the command may not know what is there: it could ask us by what it says."""
    places = {place for name in (path, os.path.dirname(path)) for place in (name, os.path.realpath(name))}
    return any(f"{place}/".startswith(f"{hidden}/") for place in places for hidden in plan.permissions.hidden)


def _of_another(path: str) -> tuple[str, int] | None:
    """The path, or the directory in which it would be made, and its owner; None where we own it or nothing is there."""
    for place in (path, os.path.dirname(path)):
        try:
            owner = os.lstat(place).st_uid
        except OSError:
            continue
        return (place, owner) if owner != 0 else None
    return None
