"""Commands that can destroy more than they should, recognised however they are dressed.

The list is short on purpose: a prompt for every delete teaches people to say yes. It looks at everything a
command line runs, through wrappers and inside scripts we could not fully read, because a match may only ever
make a verdict stricter.
"""

from __future__ import annotations

from sandgate.commandline.split import segments
from sandgate.commandline.words import program_name
from sandgate.commandline.wrappers import STARTERS
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.commandline.split import Segments

    Argv = tuple[str, ...]


class Danger(Record):
    """Which command, and what is dangerous about it."""

    argv: Argv
    why: str


NONE_SPARED: frozenset[Argv] = frozenset()
# The function of `danger_checks` that says what is dangerous about a command of this program.
_CHECKS = {
    "rm": "rm",
    "find": "find",
    "chmod": "recursive_on_root",
    "chown": "recursive_on_root",
    "chgrp": "recursive_on_root",
    "dd": "dd",
    "tee": "onto_disk",
    "cp": "onto_disk",
    "mv": "mv",
    "git": "git",
    "kill": "kill",
    "crontab": "crontab",
    "wipefs": "wipefs",
    "shred": "overwrites_files",
    "srm": "overwrites_files",
    "mke2fs": "makes_file_system",
    "mkswap": "overwrites_disk",
    "blkdiscard": "erases_disk",
    "shutdown": "stops_machine",
    "reboot": "stops_machine",
    "halt": "stops_machine",
    "poweroff": "stops_machine",
}


def find_danger(what: Segments, spared: frozenset[Argv] = NONE_SPARED) -> Danger | None:
    """The first dangerous thing a command line does, or None. `spared`: commands of it that are none, as is known."""
    if what.script is None and (not what.argv or program_name(what.argv[0]) not in STARTERS):
        why = danger_of(what.argv) if what.argv and what.argv not in spared else ""
        return Danger(what.argv, why) if why else None
    from sandgate.policy.danger_in_company import find_in_company

    return find_in_company(what, spared)


def dangerous_segments(what: Segments, danger: Danger | None, spared: frozenset[Argv]) -> list[bool]:
    """Which segments are dangerous by themselves; the last one stands for a danger of the line as a whole."""
    if danger is None:
        return [False] * len(what.commands)
    if len(what.commands) == 1:
        return [True]
    found = {command: find_danger(segments(command), spared) is not None for command in dict.fromkeys(what.commands)}
    each = [found[command] for command in what.commands]
    return each if any(each) else [*each[:-1], True]


def danger_of(argv: Argv) -> str:
    """What is dangerous about one simple command itself; empty when nothing is."""
    name = program_name(argv[0])
    if name in _CHECKS:
        from sandgate.policy import danger_checks

        why: str = getattr(danger_checks, _CHECKS[name])(argv[1:])
        return why
    if name.startswith("mkfs"):
        return "makes a new file system"
    if argv[0][:1] in ("$", "`") and any(word in ("-rf", "-fr") for word in argv[1:]):
        return "a program we cannot name is told to delete recursively"
    return ""
