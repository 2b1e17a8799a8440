"""Commands that read what has no end, or print without one."""

from __future__ import annotations

from sandgate.commandline.words import program_name, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    Argv = tuple[str, ...]

ENDLESS = frozenset(("/dev/zero", "/dev/urandom", "/dev/random", "/dev/full"))
CUTTING = frozenset(words_of("head timeout dd"))  # with one of these in the line it ends
_ABOUT_FILES = frozenset(words_of("ls dir vdir stat file test [ [[ echo printf find realpath readlink basename dirname "
                                  "namei getfacl lsattr cmp cd"))  # fmt: skip
_LIMITS = {"od": ("-N", "--read-bytes"), "xxd": ("-l", "-len"), "hexdump": ("-n", "--length"), "hd": ("-n",)}


def never_ends(argv: Argv) -> bool:
    """Whether this command by itself goes on until somebody stops it, or reads what has no end."""
    name = program_name(argv[0]) if argv else ""
    if name == "yes":
        return "--help" not in argv and "--version" not in argv
    if name in _ABOUT_FILES or name in CUTTING or ENDLESS.isdisjoint(argv):
        return False
    limits = _LIMITS.get(name, ())
    return not (limits and any(word.startswith(limits) for word in argv))
