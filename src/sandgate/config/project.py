"""Which project a directory belongs to, and whether the user trusts it.

Git is never run here: a repository can make Git run programs. A linked worktree counts as its main checkout, but
only when the main checkout agrees: the pointer file `.git` lies in the directory that wants to be trusted, so it
is believed only if the repository it points to points back.
"""

from __future__ import annotations

import os

from sandgate.config.paths import DIRECTORY_NAME
from sandgate.sandbox.project_roots import is_marked as is_marked
from sandgate.sandbox.project_roots import project_root as project_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    Trust = Literal["trusted", "untrusted", "unknown"]

POINTER_BYTES_MAX = 8192  # a path and a word


def project_directories(root: str, cwd: str, *, home: str | None, own: str | None) -> tuple[str, ...]:
    """Every existing `.sandgate` from the root down to `cwd`, without the user's own."""
    steps = [cwd]
    while steps[-1] != root:
        steps.append(os.path.dirname(steps[-1]))
    theirs = {os.path.realpath(path) for path in (own, home and os.path.join(home, DIRECTORY_NAME)) if path}
    found = (os.path.join(step, DIRECTORY_NAME) for step in reversed(steps))
    return tuple(path for path in found if _exists(path) and os.path.realpath(path) not in theirs)


def project_entry(
    cwd: str, root: str, projects: Mapping[str, Mapping[str, object]]
) -> tuple[Mapping[str, object], str]:
    """What the user said about this project: by its directory, its root, or its main checkout; {} when nothing.

    And the directory that this is about. `cwd` and `root` are canonical; the user's spelling of a path need not be.
    """
    if not projects:
        return {}, root
    known: dict[str, Mapping[str, object]] = {}
    for path, entry in projects.items():
        real = os.path.realpath(path)
        if trust_of(known.get(real, {})) != "untrusted":  # of two spellings, the stricter word counts
            known[real] = entry
    repository = project_root(cwd, (".git",))
    main = main_checkout(repository)
    for place, about in ((cwd, cwd), (root, root), (repository, repository), (main, repository)):
        if place in known and "trust_level" in known[place]:
            return known[place], about
    return {}, root


def trust_of(entry: Mapping[str, object]) -> Trust:
    """What an entry says; saying nothing is `unknown`."""
    match entry.get("trust_level"):
        case "trusted":
            return "trusted"
        case "untrusted":
            return "untrusted"
        case _:
            return "unknown"


def main_checkout(worktree: str) -> str | None:
    """The main checkout of a linked worktree; None when this is none, or the main checkout does not know it."""
    pointer = os.path.join(worktree, ".git")
    text = _first_line(pointer)
    if not text.startswith("gitdir:"):
        return None
    private = os.path.realpath(os.path.join(worktree, text.removeprefix("gitdir:").strip()))
    shelf = os.path.dirname(private)  # <main>/.git/worktrees
    common = os.path.dirname(shelf)
    if os.path.basename(shelf) != "worktrees" or os.path.basename(common) != ".git":
        return None
    back = _first_line(os.path.join(private, "gitdir"))
    if not back or os.path.realpath(os.path.join(private, back)) != os.path.realpath(pointer):
        return None
    return os.path.dirname(common)


def _first_line(path: str) -> str:
    """The first line of a small regular file; "" when there is none to read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        content = os.read(descriptor, POINTER_BYTES_MAX)
    except OSError:
        return ""
    finally:
        os.close(descriptor)
    line = os.fsdecode(content).partition("\n")[0].strip()
    return "" if "\0" in line else line


def _exists(path: str) -> bool:
    try:
        os.lstat(path)
    except (OSError, ValueError):
        return False
    return True
