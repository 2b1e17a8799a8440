"""What a command says it will remove or change, so that one question can offer all of it.

A sandbox refuses step by step: the files in a directory first, the directory itself only when those are gone. Who is
asked once a step learns nothing from the later questions that the command line did not say at once. Paths are taken as
they are written; where they do not fit what was refused, nothing is concluded from them. Pure.
"""

from __future__ import annotations

from posixpath import dirname, join, normpath

from sandgate.commandline import segments
from sandgate.commandline.invocation import everything_run
from sandgate.commandline.words import program_name
from sandgate.places import git
from sandgate.policy.common_places import homes_of, is_common
from sandgate.protocol.permissions import Grant
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.protocol.denials import Denial

PATHS_MAX = 256  # looked at in one command line
SHARED_MIN = 2  # directories below one that was named that make the named one the better grant
HOME_SPELLINGS = ("~", "$HOME", "${HOME}")
_GLOB = frozenset("*?[{$`")
_CHANGES = ("write", "create", "delete", "rename", "metadata")


class ChangedTargets(Record):
    """Absolute paths. `removed`: a path and everything below it goes; `inside`: something of what lies there goes;
    `moved`: named as what goes elsewhere."""

    named: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    homes: tuple[str, ...] = ()
    workspaces: tuple[str, ...] = ()  # nothing above one, and no home, is offered because the command names it

    def common(self, place: str) -> bool:
        return is_common(place, homes=self.homes, workspaces=self.workspaces)


def targets_of(command: CommandRequest | ConfinedCommand, workspace: str) -> ChangedTargets:
    """What the words of the command name. `workspace` is the policy's directory, wherever the command starts."""
    commands = everything_run(segments(command.argv)).commands
    bases = [command.cwd, *(join(command.cwd, argv[1]) for argv in commands if argv[0] == "cd" and len(argv) == 2)]
    named: dict[str, None] = {}
    removed: dict[str, None] = {}
    inside: dict[str, None] = {}
    moved: dict[str, None] = {}
    homes = homes_of(command.env)
    for argv in commands:
        removes, moves = _removes_trees(argv), _moved_words(argv)
        for word in argv[1:PATHS_MAX]:
            if not word or word[0] == "-" or len(named) > PATHS_MAX:
                continue
            for base in bases:
                place, whole = _place(normpath(join(base, _at_home(word, homes))))
                (named if not removes else removed if whole else inside)[place] = None
                if not whole and not removes:  # a program that is told `*` without a shell means just that
                    named[normpath(join(base, word))] = None
                if word in moves:
                    moved[place] = None
    gone = tuple(removed), tuple(inside), tuple(moved)
    return ChangedTargets(tuple(named), *gone, homes, (workspace, command.cwd))


def widened(denials: tuple[Denial, ...], targets: ChangedTargets) -> tuple[Grant, ...]:
    """The grants that the whole command takes, of which these denials are the first steps."""
    each = [grant for denial in denials for grant in (*_needed_for(denial, targets), *denial.also)]
    return _gathered(tuple(dict.fromkeys(each)), targets)


def _needed_for(denial: Denial, targets: ChangedTargets) -> tuple[Grant, ...]:
    """The grants that the whole command takes, where this denial is only its first step; else the denial's own."""
    grant, path = denial.grant, denial.path
    if grant is None or path is None:
        return () if grant is None else (grant,)
    if grant.kind not in ("write_root", "write_path") or denial.operation not in _CHANGES:
        return (grant,)
    for place in targets.removed:
        if path.startswith(place + "/") and not targets.common(place):
            above = dirname(place)
            return (Grant("write_root", place if targets.common(above) else above), *_protected_below(place, path))
    for place in targets.inside:
        if path.startswith(place + "/") and not targets.common(place):
            return (Grant("write_root", place), *_protected_below(place, path))
    together = git.opened_together(path, renamed=denial.operation == "rename")
    return tuple(grant if place == grant.value else _opening(place) for place in together) or (grant,)


def _opening(place: str) -> Grant:
    """A git directory is opened with what is made in it, but for what is code; a file of settings as it is."""
    return Grant("write_path" if place.rpartition("/")[2] in git.CODE else "write_root", place)


def _protected_below(place: str, path: str) -> tuple[Grant, ...]:
    """What protects itself again once `place` is writable: a name with a dot in front, and what is code in `.git`."""
    at = place
    for part in path[len(place) + 1 :].split("/"):
        at = f"{at}/{part}"
        if part[:1] == ".":
            code = [name for name in git.CODE if part == git.DIRECTORY]
            return tuple(Grant("write_path", each) for each in (at, *(f"{at}/{name}" for name in code)))
    return ()


def _gathered(grants: tuple[Grant, ...], targets: ChangedTargets) -> tuple[Grant, ...]:
    """Several directories below one that the command names become that one."""
    for place in targets.named:
        below = [each for each in grants if each.kind == "write_root" and each.value.startswith(place + "/")]
        if len(below) >= SHARED_MIN and dirname(place) != "/" and not targets.common(place):
            grants = tuple(dict.fromkeys(Grant("write_root", place) if each in below else each for each in grants))
    return grants


def _at_home(word: str, homes: tuple[str, ...]) -> str:
    """The word as a shell would have it that puts the home in front."""
    spelled = next((each for each in HOME_SPELLINGS if word.startswith(f"{each}/")), "")
    return f"{homes[0]}{word[len(spelled) :]}" if spelled and homes else word


def _removes_trees(argv: tuple[str, ...]) -> bool:
    flags = [word for word in argv[1:] if word[:1] == "-"]
    short = "".join([word[1:] for word in flags if word[:2] != "--"])
    return program_name(argv[0]) == "rm" and ("r" in short or "R" in short or "--recursive" in flags)


def _moved_words(argv: tuple[str, ...]) -> tuple[str, ...]:
    """What `mv` takes away: all but the last word, or all where an option says where to."""
    if program_name(argv[0]) != "mv":
        return ()
    words = tuple([word for word in argv[1:] if word[:1] != "-"])
    aimed = any(word[:2] == "-t" or word.startswith("--target") for word in argv[1:])
    return words if aimed else words[:-1]


def _place(path: str) -> tuple[str, bool]:
    """The path, and True; or the directory in front of its first part that a shell replaces."""
    parts = path.split("/")
    at = next((at for at, part in enumerate(parts) if not _GLOB.isdisjoint(part)), None)
    return (path, True) if at is None else ("/".join(parts[:at]) or "/", False)
