"""Directories that hold too much to be opened because a command wanted several things in them.

Where much is wanted in one directory, the directory is the better grant: one line to read, and the next file is
covered. Not so for somebody's home, for the root of the disk and for what the workspace itself lies in. All kinds of
things lie there that the command never spoke of, so there each path is named by itself. Where only the directory
helps, as for removing a name from it, it is still what a denial asks for. Pure.
"""

from __future__ import annotations

from posixpath import dirname, normpath

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

HOMES = ("/home", "/Users")  # where people's directories are; each of them is common, and so are these
OF_ROOT = "/root"


def homes_of(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The home directory a command is given; empty where it has none to speak of."""
    home = environ.get("HOME", "")
    return (normpath(home),) if home[:1] == "/" else ()


def is_common(path: str, *, homes: Iterable[str] = (), workspaces: Iterable[str] = ()) -> bool:
    """Whether `path` is a home, or lies above one or above one of `workspaces`. All paths absolute and normal."""
    if path in ("/", OF_ROOT, *HOMES) or dirname(path) in HOMES:
        return True
    above = path + "/"
    return any(path == home or home.startswith(above) for home in homes) or any(
        place.startswith(above) for place in workspaces
    )
