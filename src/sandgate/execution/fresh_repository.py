"""Whether a git directory is as `git init` makes it: nothing in it is obeyed, loaded or leads elsewhere.

Looked at after a command that was let begin a repository (`policy.beginnings`). What is not known is not fresh.
"""

from __future__ import annotations

import os
import stat

from sandgate.places.git import CODE

CONFIG_BYTES_MAX = 4096
ENTRIES_MAX = 256  # of a directory of hooks
SAMPLE = ".sample"
# Directories of `CODE` that may lie there with nothing in them; templates of older versions of git have `branches`.
_EMPTY = ("remotes", "branches", "modules", "worktrees")
_KEYS = {
    "core": frozenset(
        (
            "repositoryformatversion",
            "filemode",
            "bare",
            "logallrefupdates",
            "symlinks",
            "ignorecase",
            "precomposeunicode",
        )
    ),
    "extensions": frozenset(("objectformat", "refstorage")),
    "user": frozenset(("name", "email")),
}


def is_fresh(directory: str) -> bool:
    """Of a `.git`, be it there or not."""
    if not os.path.lexists(directory):
        return True
    try:
        return _is_directory(directory) and _holds_no_orders(directory)
    except OSError:
        return False


def _holds_no_orders(directory: str) -> bool:
    for name in ("info", "objects", "objects/info", "refs", "hooks"):
        path = f"{directory}/{name}"
        if os.path.lexists(path) and not _is_directory(path):
            return False
    others = [name for name in CODE if name not in ("hooks", "config", *_EMPTY)]
    return (
        not any(os.path.lexists(f"{directory}/{name}") for name in (*others, "rebase-merge"))
        and all(_is_empty(f"{directory}/{name}") for name in _EMPTY)
        and _has_samples_alone(f"{directory}/hooks")
        and _is_plain(f"{directory}/config")
    )


def _is_directory(path: str) -> bool:
    return stat.S_ISDIR(os.lstat(path).st_mode)


def _is_empty(path: str) -> bool:
    return not os.path.lexists(path) or (_is_directory(path) and not os.listdir(path))


def _has_samples_alone(hooks: str) -> bool:
    if not os.path.lexists(hooks):
        return True
    names = os.listdir(hooks)
    return len(names) <= ENTRIES_MAX and all(name.endswith(SAMPLE) for name in names)


def _is_plain(config: str) -> bool:
    """Whether it says of each known key what it says, one a line, and nothing else."""
    descriptor = os.open(config, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        content = os.read(descriptor, CONFIG_BYTES_MAX + 1) if is_file else b""
    finally:
        os.close(descriptor)
    if not content or len(content) > CONFIG_BYTES_MAX:
        return False
    keys: frozenset[str] = frozenset()
    for line in content.decode("utf-8", "replace").splitlines():
        written = line.strip()
        if written.startswith("["):
            keys = _KEYS.get(written[1:-1], frozenset()) if written.endswith("]") else frozenset()
            if not keys:
                return False
        elif written.partition("=")[0].strip().lower() not in keys or written.endswith("\\"):
            return False
    return True
