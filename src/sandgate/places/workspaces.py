"""Which directories are no workspace: what a person or the machine runs unasked lies in them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# hier(7), file-hierarchy(7)
SYSTEM_PROGRAMS = ("/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin")


def why_no_workspace(root: str, homes: Iterable[str], programs: Iterable[str]) -> str:
    """Why canonical `root` should not be writable as a whole; empty when nothing speaks against it.

    `homes` are canonical, `programs` the absolute directories in which a shell looks for programs.
    """
    if root == "/":
        return "it is the whole file system"
    below = root + "/"
    for home in homes:
        if root == home:
            return "it is your home directory, with all that starts by itself, and your keys"
        if home.startswith(below):
            return "your home directory lies in it, with all that starts by itself, and your keys"
    for place in (*programs, *SYSTEM_PROGRAMS):
        if root == place:
            return "your shell finds programs there"
    if any(place.startswith(below) for place in SYSTEM_PROGRAMS):
        return "the programs of this machine lie in it"
    return ""


def search_path(value: str) -> tuple[str, ...]:
    """The absolute directories of `$PATH`."""
    return tuple([each.rstrip("/") for each in value.split(":") if each[:1] == "/" and each.rstrip("/")])
