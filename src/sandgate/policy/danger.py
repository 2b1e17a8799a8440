"""What is dangerous about one simple command itself."""

from __future__ import annotations

from sandgate.commandline.words import program_name
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
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
    "kill": "signals_everything",
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
