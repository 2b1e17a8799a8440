"""What `git reset --hard` goes back to, where the words of its line surely say so.

Only uncommitted work is lost by it, and whether there is any is asked of the disk. So nothing may come before it in the
line that puts work into the tree (`git stash pop`), or leads it to another repository. Pure.
"""

from __future__ import annotations

from sandgate.commandline.words import program_name
from sandgate.policy.safety import is_safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.commandline.split import Segments

    Argv = tuple[str, ...]

REVISION_CHARS_MAX = 250
HEAD = "HEAD"
_HARD, _QUIET = "--hard", ("-q", "--quiet")
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-~^@{}")


def reset_to(arguments: Argv) -> str:
    """The revision of a `git reset --hard`, given what stands behind `reset`; "" where it is another command."""
    words = [word for word in arguments if word not in _QUIET]
    if _HARD not in words:
        return ""
    words.remove(_HARD)
    revision = words[0] if words else HEAD
    named = len(words) <= 1 and _NAME.issuperset(revision) and revision[:1] not in ("", "-")
    return revision if named and len(revision) <= REVISION_CHARS_MAX else ""


def stands_alone(what: Segments) -> bool:
    """Whether all other commands of the line leave the working tree alone: they read, fetch or change the directory."""
    return what.plain and all(map(_leaves_the_tree, what.commands))


def may_turn(what: Segments) -> bool:
    """Whether the line itself may have a revision mean another commit: it fetches, or resets more than once."""
    return len([argv for argv in what.commands if argv[0] != "cd" and not is_safe(argv)]) > 1


def _leaves_the_tree(argv: Argv) -> bool:
    if argv[0] == "cd" or is_safe(argv):
        return True
    return program_name(argv[0]) == "git" and (argv[1:2] == ("fetch",) or (argv[1:2] == ("reset",) and _HARD in argv))
