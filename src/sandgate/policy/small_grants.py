"""The fewest grants with which a refused change, and the rest of what its command is about, can be carried out.

Asked while the call waits (`gate/held_questions.py`) and when the command has failed (`sandbox/refused_changes.py`).

A call says little: `sed -i` on a note asks for a file of a random name beside it. What the command's own words name
says the rest, and is offered at once, so that one intent is one question. The smallest offer is a name; a whole
directory is offered last, where the command named it or several names in it were given already, and never where start
files, keys, programs or much else lie. Pure.
"""

from __future__ import annotations

from posixpath import basename, dirname

from sandgate.commandline import segments
from sandgate.commandline.invocation import everything_run
from sandgate.commandline.words import program_name
from sandgate.places import git
from sandgate.places.workspaces import search_path, why_no_workspace
from sandgate.policy.common_places import homes_of
from sandgate.policy.targets import targets_of
from sandgate.protocol.implied_grants import implies
from sandgate.protocol.names_beside import lie_beside, looks_like
from sandgate.protocol.permissions import Grant
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.policy.targets import ChangedTargets
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.protocol.held_calls import HeldCall
    from sandgate.protocol.permissions import EffectivePermissions

ENTRIES_BEFORE_ROOT = 2  # names in one directory that were given one by one before the directory is offered
MADE_BESIDE = {"ssh-keygen": (".pub",)}  # what a program makes beside the file that it is told to make
# Programs that write the new content of a file beside it, and how the names of their own begin; "": in any way.
EDITS_BESIDE = {"sed": "sed", "perl": "", "vim": "", "vi": "", "ex": "", "nvim": "", "emacs": "", "ln": "Cu"}
JOURNALLED = ("sqlite3",)  # what they make is written with files beside it
# Programs that take away what is in the place of what they make.
REMOVES_FIRST = ("mv", "cp", "install", "ln", "ld", "as", "ar", "tar", "unzip", "rsync", "patch")
# Programs that do the same to everything they are told: one question is about all of it.
ALIKE = ("touch", "mkdir", "rmdir", "rm", "unlink", "chmod", "tee", "shred")
ALIKE_MAX = 8  # names that are offered with the first of them
LOCK = ".lock"  # git, and others in its manner: the new content, before it is renamed onto the file
_MAKING = ("create", "bind")
_MAKING_DIRECTORIES = ("mkdir", "mkdirat")
_KERNEL_AREAS = ("/proc/", "/sys/", "/dev/")


class HeldIntent(Record):
    """What is known about one command whose calls are held."""

    targets: ChangedTargets
    permissions: EffectivePermissions
    programs: tuple[str, ...]  # directories in which programs are looked for
    makes: tuple[str, ...]  # paths that the command's words say it makes, beside those that are named
    alike: tuple[tuple[str, tuple[str, ...]], ...]  # of a program in `ALIKE`, all that one call of it names
    exists: Callable[[str], bool]
    is_file: Callable[[str], bool]  # or a link

    def also(self, other: HeldIntent) -> HeldIntent:
        """With what the words of another one say, too."""
        ours, theirs = self.targets, other.targets
        named = tuple(dict.fromkeys((*ours.named, *theirs.named)))
        removed = tuple(dict.fromkeys((*ours.removed, *theirs.removed)))
        moved = tuple(dict.fromkeys((*ours.moved, *theirs.moved)))
        makes = tuple(dict.fromkeys((*self.makes, *other.makes)))
        alike = tuple(dict.fromkeys((*self.alike, *other.alike)))
        return self.but(targets=ours.but(named=named, removed=removed, moved=moved), makes=makes, alike=alike)


def intent_of(
    command: CommandRequest | ConfinedCommand,
    permissions: EffectivePermissions,
    *,
    exists: Callable[[str], bool],
    is_file: Callable[[str], bool],
) -> HeldIntent:
    """`exists`: whether there is anything of that absolute path; `is_file`: whether it is a plain file or a link."""
    targets = targets_of(command, command.cwd)
    home = homes_of(command.env)
    more = tuple([each for word in command.argv for each in _written_inside(word, home)])
    named = tuple(dict.fromkeys((*targets.named, *more)))
    targets = targets.but(named=named, workspaces=(command.cwd, *permissions.open_places))
    programs = search_path(command.env.get("PATH", ""))
    makes = _made_beside(command)
    return HeldIntent(targets, permissions, programs, makes, _alike(command), exists, is_file)


def grants_for(held: HeldCall, intent: HeldIntent, given: tuple[Grant, ...]) -> tuple[Grant, ...] | None:
    """The offer; empty where nothing is to be given, None where that takes another run.

    `given`: what the command has been given so far.
    """
    refused = held.refused
    if not refused.host_allows or refused.operation in ("other", "read", "exec", "lock"):
        return ()
    if refused.operation == "connect":
        return _connection(refused.address)
    path = refused.path
    if path is None or any(is_closed_for_good(each, intent.permissions) for each in (path, held.other_path) if each):
        return ()
    if git.opened_together(path, renamed=refused.operation == "rename") or _is_of_bare(path, intent):
        return None  # what is code in it must stay closed, which only a view does
    if refused.syscall in _MAKING_DIRECTORIES and _is_unseen(path, intent.permissions):
        return None
    if target := _replaced(path, held, intent):
        return (Grant("write_path", target),)
    if git.bare_repository(path, intent.exists):
        return _by_name(path, held, intent, given)  # with its directory it would be opened together with all code
    if root := _whole_directory(path, held, intent, given):
        return (Grant("write_root", root),)
    own = _by_name(path, held, intent, given)
    more = [_with_it(each, held, intent, (*given, *own)) for each in _named_with(path, held, intent)]
    return tuple(dict.fromkeys((*own, *(grant for grants in more for grant in grants))))


def _named_with(path: str, held: HeldCall, intent: HeldIntent) -> tuple[str, ...]:
    """What the same call of the program names beside `path`, where its turn comes next."""
    if held.refused.operation == "rename":
        return ()
    program, exists = held.refused.program, intent.exists(path)
    named = next((names for each, names in intent.alike if each == program and path in names), ())
    rest = [each for each in named if each != path and intent.exists(each) is exists and _is_harmless(each, path)]
    permissions = intent.permissions
    return tuple([each for each in rest if not permissions.may_write(each) and not _is_unseen(each, permissions)])[
        :ALIKE_MAX
    ]


def _is_harmless(path: str, asked: str) -> bool:
    """Nothing that begins with a dot, as what programs obey does, but the directory that is spoken of anyway."""
    below = dirname(asked).rstrip("/") + "/"
    return "/." not in f"/{path.removeprefix(below)}"


def _with_it(path: str, held: HeldCall, intent: HeldIntent, given: tuple[Grant, ...]) -> tuple[Grant, ...]:
    """What the same call would be offered for `path` alone, as far as that is one name."""
    alone = intent.but(alike=())
    offer = grants_for(held.but(refused=held.refused.but(path=path)), alone, given) or ()
    return tuple([grant for grant in offer if grant.kind != "write_root" and not intent.targets.common(grant.value)])


def _is_of_bare(path: str, intent: HeldIntent) -> bool:
    """Whether it lies in a repository that has no other name than its own, beside what is code there."""
    directory = git.bare_repository(path, intent.exists)
    return bool(directory) and not git.is_code(path, directory)


def _by_name(path: str, held: HeldCall, intent: HeldIntent, given: tuple[Grant, ...]) -> tuple[Grant, ...]:
    operation, other = held.refused.operation, held.other_path
    if operation in _MAKING:
        if path in intent.targets.named and held.refused.program in JOURNALLED:
            return (Grant("write_path", path),)
        further = intent.makes if path in intent.targets.named else ()
        beside = [each for each in further if each.startswith(path) and not each.startswith(path + "/")]
        return tuple([Grant("new_entry", each) for each in (path, *beside) if each == path or not intent.exists(each)])
    if operation == "delete":
        replaces = held.refused.program in REMOVES_FIRST and intent.is_file(path) and is_destination(path, intent)
        back = (Grant("new_entry", path),) if replaces else ()
        return (Grant("remove", _removed_tree(path, intent)), *back)
    if operation == "metadata":
        return (Grant("metadata", path),)
    if operation == "rename":
        leaves = () if _may_remove(path, intent, given) else (Grant("remove", path),)
        arrives = Grant("write_path" if intent.exists(other) else "new_entry", other)
        return (*leaves, arrives) if other and not intent.permissions.may_write(other) else leaves
    return (Grant("write_path", path),)


def _may_remove(path: str, intent: HeldIntent, given: tuple[Grant, ...]) -> bool:
    """Whether it may do so already: in a place of its own, or since it made it."""
    return intent.permissions.may_write(path) or Grant("new_entry", path) in given


def is_destination(path: str, intent: HeldIntent) -> bool:
    """Named as such, not as what goes elsewhere; or by the directory it is in and the name of what comes there."""
    named = intent.targets.named
    if path in intent.targets.moved:
        return False
    return path in named or (dirname(path) in named and basename(path) in [basename(each) for each in named])


def _removed_tree(path: str, intent: HeldIntent) -> str:
    """What the command's words say goes, where this is the first step of it."""
    trees = [each for each in intent.targets.removed if path == each or path.startswith(each + "/")]
    return next((each for each in trees if not intent.targets.common(each)), path)


def _replaced(path: str, held: HeldCall, intent: HeldIntent) -> str:
    """The file that is being replaced, where this is a step of it: a new name beside it, or the rename onto it."""
    operation, named = held.refused.operation, intent.targets.named
    if path in named or operation not in (*_MAKING, "rename"):
        return ""
    if operation == "rename":
        target = held.other_path
        return target if dirname(target) == dirname(path) and (target in named or path == target + LOCK) else ""
    if path.endswith(LOCK):
        return path.removesuffix(LOCK)
    beside = [each for each in named if lie_beside(each, path)]
    changed = [each for each in beside if intent.is_file(each) and _is_made_for(path, each, held.refused.program)]
    prepared = [each for each in beside if not intent.exists(each) and looks_like(path, each)]
    return next(iter((*changed, *prepared)), "")


def _is_made_for(path: str, target: str, program: str) -> bool:
    """Whether the new name is one under which `program` prepares what `target` will hold."""
    begins = EDITS_BESIDE.get(program.partition(".")[0])
    return looks_like(path, target) or (begins is not None and basename(path).startswith(begins))


def _whole_directory(path: str, held: HeldCall, intent: HeldIntent, given: tuple[Grant, ...]) -> str:
    """The directory to be offered instead of names in it; "" where there is none."""
    if held.refused.operation not in _MAKING:
        return ""
    wanted = Grant("new_entry", path)
    above = (
        []
        if path in intent.targets.named
        else [each for each in intent.targets.named if path.startswith(each.rstrip("/") + "/")]
    )
    for place in sorted(above, key=len, reverse=True):
        if intent.exists(place) and _may_be_root(place, intent) and implies(Grant("write_root", place), wanted):
            return place
    parent = dirname(path)
    names = [each for each in given if each.kind in ("new_entry", "write_path") and dirname(each.value) == parent]
    suffices = len(names) >= ENTRIES_BEFORE_ROOT and implies(Grant("write_root", parent), wanted)
    return parent if suffices and _may_be_root(parent, intent) else ""


def _may_be_root(place: str, intent: HeldIntent) -> bool:
    """No home, no place of programs, keys or start files, none that holds one, and nothing above a workspace."""
    homes, permissions = intent.targets.homes, intent.permissions
    if intent.targets.common(place) or dirname(place) == "/" or why_no_workspace(place, homes, intent.programs):
        return False
    if any(part[:1] == "." for part in place.split("/")):
        return False
    closed = (*permissions.hidden, *permissions.read_only, *permissions.own)
    inside = [each for each in closed if f"{each}/".startswith(f"{place}/") or f"{place}/".startswith(f"{each}/")]
    return not inside


def is_closed_for_good(path: str, permissions: EffectivePermissions) -> bool:
    """Our own state and code, and the kernel's."""
    if path.startswith(_KERNEL_AREAS) or path == "/":
        return True
    ours = (*permissions.own, *permissions.ours, *permissions.sealed)
    return any(path == each or path.startswith(each + "/") for each in ours)


def _is_unseen(path: str, permissions: EffectivePermissions) -> bool:
    """Whether the command would not find it there, once it is made: a closed place looks empty to it."""
    return any(path.startswith(each + "/") for each in permissions.hidden)


def _connection(address: str | None) -> tuple[Grant, ...]:
    if address is None or address.startswith("unix:@"):
        return ()
    if address.startswith("unix:"):
        return (Grant("unix_socket", address.removeprefix("unix:")),)
    return (Grant("host", address),)


def _written_inside(word: str, homes: tuple[str, ...]) -> tuple[str, ...]:
    """What a word names that is no path by itself: `PREFIX=/x`, `--target=~/x`, `~/x` for a program of its own."""
    _, _, value = word.rpartition("=")
    if value[:2] == "~/" and homes:
        return (homes[0] + value[1:].rstrip("/"),)
    return (value.rstrip("/"),) if value != word and value[:1] == "/" and value != "/" else ()


def _made_beside(command: CommandRequest | ConfinedCommand) -> tuple[str, ...]:
    """Of the program's own words alone: `mkdir ~/.ssh; ssh-keygen -f ~/.ssh/k` makes no `~/.ssh.pub`."""
    made: list[str] = []
    for argv in everything_run(segments(command.argv)).commands:
        endings = MADE_BESIDE.get(program_name(argv[0]) if argv else "", ())
        named = targets_of(command.but(argv=argv), command.cwd).named if endings else ()
        made += [place + ending for ending in endings for place in named]
    return tuple(made)


def _alike(command: CommandRequest | ConfinedCommand) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Only what a word names in full: a relative one is read from where the command began."""
    found = []
    for argv in everything_run(segments(command.argv)).commands:
        program = program_name(argv[0]) if argv else ""
        if program in ALIKE:
            its = targets_of(command.but(argv=argv), command.cwd)
            found.append((program, (*its.named, *its.removed)))
    return tuple([each for each in found if len(each[1]) > 1])
