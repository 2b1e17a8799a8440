"""Finds what in a home runs by itself, where a root opens the home or a part of it."""

from __future__ import annotations

import os

from sandgate.sandbox.closing import Closing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandgate.sandbox.closing import FoundProtected
    from sandgate.sandbox.looking import Look

PLAIN_FIRSTS = ("Library", "bin", "go")  # what the names of the table begin with, where that is no dot


def home_code(root: str, homes: tuple[str, ...], look: Look) -> FoundProtected:
    """What lies strictly below canonical `root` of each home's start files and places for programs."""
    closing = Closing((root,), look)
    for home in homes:
        for name in _below(root, home):
            _close(f"{home}/{name}", home, closing)
    return closing.found()


def _below(root: str, home: str) -> Iterable[str]:
    """The table is long, and most roots have nothing to do with it: projects with names of their own."""
    above = root == home or home.startswith(root.rstrip("/") + "/")
    begin = root[len(home) + 1 :] + "/"
    if not above and not (root.startswith(home + "/") and (begin[0] == "." or begin.startswith(PLAIN_FIRSTS))):
        return ()
    from sandgate.places.home_startup import CLOSED_IN_HOME

    if above:
        return CLOSED_IN_HOME
    return [name for name in CLOSED_IN_HOME if name.startswith(begin)]


def _close(path: str, home: str, closing: Closing) -> None:
    """A link on the way is closed with what it leads to, as a mount below it would land elsewhere."""
    look = closing.look
    place = home
    for part in path[len(home) + 1 :].split("/"):
        place = f"{place}/{part}"
        if look.is_link(place):
            closing.protect(place, anchored=True, follows=True)
            return
        if not look.exists(place):
            closing.note_absent(path, anchored=os.path.dirname(path) == os.path.dirname(place))
            return
    closing.protect(path, anchored=True, follows=True)
