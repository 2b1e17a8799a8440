"""Names that programs take beside a file to write it safely, told by the names alone. Pure.

The same as the names of native/grants.c: `.note.swp`, `note~`, `#note#`, `note-journal` of `note`; not `.profile` of
`profile`, nor `.bash_login` of `bash`.
"""

from __future__ import annotations

import posixpath

_MARKS = ".#~"


def lie_beside(one: str, other: str) -> bool:
    """Whether both are entries of one directory."""
    return posixpath.dirname(one) == posixpath.dirname(other)


def looks_like(path: str, original: str) -> bool:
    """Whether what `path` is called is made from the name of `original`."""
    name, like = posixpath.basename(path), posixpath.basename(original)
    begins_with_dot = name.startswith(".") and not name.startswith(".#")
    hidden_then = begins_with_dot and not like.startswith(".")
    name, like = name.lstrip(_MARKS), like.lstrip(".")
    if not name.startswith(like):
        return False
    rest = name[len(like) :]
    if (begins_with_dot and rest.startswith("_")) or (hidden_then and not rest):
        return False
    return not _is_letter(rest[:1])


def extends_name(path: str, made: str) -> bool:
    """`base.db-journal` of `base.db`; of what begins with a dot nothing, since there more than one name is obeyed."""
    if not path.startswith(made) or path == made or not lie_beside(path, made):
        return False
    following = path[len(made)]
    return not (_is_letter(following) or _is_digit(following)) and not posixpath.basename(made).startswith(".")


def is_behind_dot(path: str, root: str) -> bool:
    """Whether a name on the way from `root` to `path` begins with a dot."""
    return "/." in path[len(root.rstrip("/")) :]


def _is_letter(letter: str) -> bool:
    return letter.isascii() and letter.isalpha()


def _is_digit(letter: str) -> bool:
    return letter.isascii() and letter.isdigit()
