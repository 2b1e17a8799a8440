"""Which directory a command was told to remove, where something in it was refused first.

A directory goes last: a grant of it alone leads one step further, and then the one around it is lacking. The command's
own words say what it is after.
"""

from __future__ import annotations

import os
from os.path import basename, dirname, join, normpath

from sandgate.commandline.split import segments
from sandgate.policy.common_places import homes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.confinement import ConfinedCommand

REMOVERS = ("rm", "find")
WORDS_MAX = 512  # of one command, that are looked at


def removed_tree(path: str, plan: ConfinedCommand) -> str:
    """The outermost directory above canonical `path` that the command's words have removed; "" when none is told."""
    above = [place for place in _named(plan) if path.startswith(f"{place}/")]
    return min(above, key=len, default="")


def _named(plan: ConfinedCommand) -> list[str]:
    split = segments(plan.argv)
    commands = [command.argv for command in split.script.commands] if split.script is not None else split.commands
    words = [word for argv in commands if argv and basename(argv[0]) in REMOVERS for word in argv[1:]]
    home = next(iter(homes_of(plan.env)), "")
    return [_canonical(word, plan.cwd, home) for word in words[:WORDS_MAX] if word[:1] != "-"]


def _canonical(word: str, cwd: str, home: str) -> str:
    """The entry itself, if it is a link: that is what is removed."""
    named = join(home, word[2:]) if home and word.startswith("~/") else word
    place = normpath(join(cwd, named))
    return join(os.path.realpath(dirname(place)), basename(place))
