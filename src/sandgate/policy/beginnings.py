"""Command lines that begin a git repository where they stand, and use git for nothing else.

`git init` makes what git obeys from then on, so `.git` is a name that must not come to exist. Made by git itself, with
nothing said about what goes into it, it holds no orders; so it is let be, and looked at afterwards. Only lines of
nothing but git, since whatever else runs beside it could write there before anybody looks. Pure.
"""

from __future__ import annotations

from sandgate.commandline.split import segments
from sandgate.places.git import INIT

COMMANDS_MAX = 16  # of one line
_GIT = frozenset(("git", "/usr/bin/git", "/usr/local/bin/git", "/bin/git"))
_QUIET = frozenset(("-q", "--quiet", "."))
_BRANCH = frozenset(("-b", "--initial-branch"))
# What follows such a start every day, and writes nothing in a git directory that git would obey.
_AFTERWARDS = frozenset(("add", "branch", "commit", "diff", "log", "ls-files", "rev-parse", "show", "status", "tag"))
_OWN_NAMES = frozenset(("user.name", "user.email"))


def begins_repository(argv: tuple[str, ...]) -> bool:
    """Whether the line makes a repository of its own directory, and surely runs git alone."""
    if not any(INIT in word for word in argv):
        return False
    what = segments(argv)
    assigning = what.script is not None and any(each.assignments for each in what.script.commands)
    if not what.plain or assigning or len(what.commands) > COMMANDS_MAX:
        return False
    return any(map(_is_init, what.commands)) and all(_is_init(each) or _is_use(each) for each in what.commands)


def _is_init(argv: tuple[str, ...]) -> bool:
    """Of the directory itself, with git's own content."""
    if len(argv) < 2 or argv[0] not in _GIT or argv[1] != INIT:
        return False
    words = iter(argv[2:])
    for word in words:
        if word in _BRANCH:
            next(words, None)
        elif word not in _QUIET and not word.startswith("--initial-branch="):
            return False
    return True


def _is_use(argv: tuple[str, ...]) -> bool:
    if len(argv) < 2 or argv[0] not in _GIT:
        return False
    if argv[1] == "config":
        return len(argv) == 4 and argv[2] in _OWN_NAMES
    return argv[1] in _AFTERWARDS and (argv[1] != "commit" or any(map(_gives_message, argv[2:])))


def _gives_message(word: str) -> bool:
    """Without one, an editor would be waited for."""
    return word.startswith("--message") or (word[:1] == "-" and word[1:2] != "-" and "m" in word)
