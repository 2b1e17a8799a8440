"""What a git directory is, and which one a `.git` file names: gitrepository-layout(5), git-worktree(1).

Any program may have written such a file. What it names is only believed as far as `protected.py` says.
"""

from __future__ import annotations

import os

from sandgate.sandbox.listing import join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.sandbox.looking import Look

POINTER_BYTES_MAX = 4096  # of a `.git` pointer file


def looks_like_git_directory(path: str, look: Look) -> bool:
    """What git itself checks before it takes a directory for a repository."""
    return look.exists(join(path, "HEAD")) and all(look.is_directory(join(path, name)) for name in ("objects", "refs"))


def pointed_to(pointer: str, look: Look) -> str | None:
    """The git directory a `.git` file names; None when the file is no proper pointer."""
    text = _first_bytes(pointer, look)
    if not text.startswith("gitdir:"):
        return None
    path = _named_in(os.path.dirname(pointer), text[len("gitdir:") :], look)
    return path if path and look.is_directory(path) else None


def common_directory(git_directory: str, look: Look) -> str:
    """Where a linked worktree keeps objects, references, hooks and configuration."""
    path = _named_in(git_directory, _first_bytes(join(git_directory, "commondir"), look), look)
    return path if path and look.is_directory(path) else git_directory


def points_back(git_directory: str, pointer: str, look: Look) -> bool:
    """Whether the git directory agrees that it belongs here; any program can write a pointer *to* something."""
    return _named_in(git_directory, _first_bytes(join(git_directory, "gitdir"), look), look) == pointer


def _named_in(directory: str, text: str, look: Look) -> str | None:
    """The canonical path that `text`, which any program may have written, names from `directory`."""
    name = text.strip()
    return look.real(join(directory, name)) if name and "\0" not in name else None


def _first_bytes(path: str, look: Look) -> str:
    return look.text(path, POINTER_BYTES_MAX, follows=False)
