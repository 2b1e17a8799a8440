"""`find` that runs commands on what it finds, each of which only reads."""

from __future__ import annotations

from sandgate.commandline.words import program_name
from sandgate.policy.secret_names import LISTERS, finds_everything, is_searcher, names_secret, seeks_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.commandline.bashwords import Certainty

    Argv = tuple[str, ...]
    Sure = tuple[Certainty, ...]

_EXECS_MAX = 16  # of one `find`; each is looked at with all that stands before it


def without_exec(
    argv: Argv, sure: Sure | None, is_safe: Callable[[Argv, Sure], bool]
) -> tuple[Argv, Sure | None] | None:
    """`find` without its `-exec … ;` parts, when each runs a command that only reads."""
    if "-files0-from" in argv or argv.count("-exec") + argv.count("-execdir") > _EXECS_MAX:
        return None  # starting points out of a file may begin with a dash
    words: list[str] = []
    certain: list[Certainty] = []
    at = 0
    while at < len(argv):
        if argv[at] not in ("-exec", "-execdir"):
            words.append(argv[at])
            certain.append("exact" if sure is None else sure[at])
            at += 1
            continue
        end = at + 1
        while end < len(argv) and not _ends_exec(argv, end):
            end += 1
        inner = argv[at + 1 : end]
        if (seeks_secrets(argv[1:at]) or any(names_secret(word) for word in argv[1:at])) and not (
            inner and program_name(inner[0]) in LISTERS
        ):
            return None
        if finds_everything(argv[1:at]) and inner and not _lists(program_name(inner[0])):
            return None
        # Each path begins as its starting point does, and no starting point begins with a dash.
        known: list[Certainty] = ["expanded" if "{}" in word else "exact" for word in inner]
        given = sure is None or sure[at:end].count("exact") == end - at
        if end == len(argv) or not given or not is_safe(inner, tuple(known)):
            return None
        at = end + 1
    return tuple(words), None if sure is None else tuple(certain)


def _lists(name: str) -> bool:
    """Whether a program shows no more of a file than its name, or lines that were asked for."""
    return name in LISTERS or is_searcher(name)


def _ends_exec(argv: Argv, at: int) -> bool:
    """`;`, or the `+` directly behind `{}`; any other `+` is an argument like those behind it (POSIX, find)."""
    return argv[at] == ";" or argv[at - 1 : at + 1] == ("{}", "+")
