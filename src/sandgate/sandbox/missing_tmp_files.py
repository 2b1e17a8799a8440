"""Says why a file in /tmp was not there for a command, whose /tmp is the project's own."""

from __future__ import annotations

import os
from os.path import normpath

from sandgate.display import visible
from sandgate.protocol.permissions import PATH_CHARS_MAX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandgate.protocol.decisions import Passage
    from sandgate.protocol.permissions import PrivateTmp

WORDS_MAX = 256  # looked at in one command
_ENDS = frozenset(" \t\n\r\"'`;|&<>()=,{}[]*?$\\")


def unseen_in(passage: Passage) -> str:
    """The sentence for the last run of a passage, or nothing; one that lived on is taken for failed."""
    last = passage.attempts[-1] if passage.attempts else None
    if last is None or (last.result is not None and last.result.exit_code == 0):
        return ""
    return unseen_in_tmp(passage.command.argv, last.permissions.private_tmp)


def unseen_in_tmp(argv: tuple[str, ...], tmp: PrivateTmp | None) -> str:
    """One line about the first path of a failed command that the host's /tmp has and the project's has not."""
    if tmp is None:
        return ""
    for path in _paths_in(argv, tmp.at):
        if tmp.holds(path) and os.path.lexists(path) and not (tmp.source and os.path.lexists(tmp.on_host(path))):
            own = f" (here `{visible(tmp.source)}`)" if tmp.source else ""
            return (
                f"`{visible(path)}` is not there for commands: their `{tmp.at}` is the project's own{own}. Copy it "
                f"into the workspace, name its directory with `--add-dir`, or share with `-c 'sandbox.tmp=\"shared\"'`"
            )
    return ""


def _paths_in(argv: tuple[str, ...], at: str) -> Iterator[str]:
    seen = 0
    for word in argv:
        start = word.find(at + "/")
        while start >= 0 and seen < WORDS_MAX:
            seen += 1
            end = start
            while end < len(word) and end - start < PATH_CHARS_MAX and word[end] not in _ENDS:
                end += 1
            if start == 0 or word[start - 1] in _ENDS:
                yield normpath(word[start:end])
            start = word.find(at + "/", end)
