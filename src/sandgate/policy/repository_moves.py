"""Command lines of nothing but git that fetch, move or take away submodules and linked worktrees.

The `.git` file of such a place leads git to its settings, so no command may make, change or remove one. Git itself
must, and does nothing else with it; so for these lines it is let be, and looked at afterwards. Only subcommands that
run no hooks, since those may run what other commands wrote. Pure.
"""

from __future__ import annotations

import posixpath

from sandgate.commandline.split import segments
from sandgate.places.git import DIRECTORY, may_move_repositories
from sandgate.policy.effective import lies_below
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.protocol.permissions import EffectivePermissions

COMMANDS_MAX = 16  # of one line
_GIT = frozenset(("git", "/usr/bin/git", "/usr/local/bin/git", "/bin/git"))
_SHELLS = frozenset(f"{place}{name}" for place in ("", "/bin/", "/usr/bin/") for name in ("bash", "sh"))
_LOCAL = "protocol.file.allow=always"  # the one setting that people give: a submodule from this machine
_BESIDE = frozenset(("add", "branch", "diff", "log", "ls-files", "rev-parse", "show", "status"))
_SUBMODULE = frozenset(("add", "init", "status", "summary", "sync", "set-url", "set-branch"))
_WORKTREE = frozenset(("list", "lock", "prune", "unlock"))
_UPDATE = frozenset((
    "--init", "--recursive", "--remote", "--force", "-f", "--quiet", "-q", "--checkout", "--merge", "--rebase",
    "--no-fetch", "-N", "--progress", "--recommend-shallow", "--no-recommend-shallow", "--single-branch",
    "--no-single-branch", "--",
))  # fmt: skip
_UPDATE_VALUES = ("--depth", "--jobs", "-j")
_TAKING = frozenset((
    "-f", "--force", "-ff", "-q", "--quiet", "-r", "-rf", "-fr", "-k", "-v", "--all", "--ignore-unmatch", "--",
))  # fmt: skip


class Moves(Record):
    """What the line does. Paths normal and absolute."""

    taken: tuple[str, ...] = ()  # what goes away or moves, as far as it is, or holds, such a place
    takes_all: bool = False  # every submodule
    fetches: bool = False  # submodules that are not there get their `.git`


NOTHING = Moves()


def moves_of(argv: tuple[str, ...], cwd: str) -> Moves:
    """`NOTHING` for lines that do none of this, or may run anything but git; `cwd` is canonical."""
    if not may_move_repositories(argv):
        return NOTHING
    what = segments(argv)
    assigning = what.script is not None and any(each.assignments for each in what.script.commands)
    starts = _GIT if what.script is None else _SHELLS
    if not what.plain or assigning or len(what.commands) > COMMANDS_MAX or argv[0] not in starts:
        return NOTHING
    found = NOTHING
    for words in what.commands:
        if words[:1] == ("cd",) and len(words) == 2 and words[1][:1] != "-":
            cwd = _joined(cwd, words[1])
            continue
        moves = _of_git(words, cwd)
        if moves is None:
            return NOTHING
        found = Moves((*found.taken, *moves.taken), found.takes_all or moves.takes_all, found.fetches or moves.fetches)
    return found


def lifted(
    permissions: EffectivePermissions, moves: Moves, is_directory: Callable[[str], bool]
) -> EffectivePermissions:
    """The permissions without what stands in the way of `moves`; what was lifted stands in `lifted`. A whole git
    directory of a submodule does not: git takes none away."""
    closed = (*permissions.read_only, *permissions.absent)
    roots = permissions.open_places
    places = [path.rpartition("/")[0] for path in closed if path.endswith(f"/{DIRECTORY}")]
    places = [place for place in places if place not in roots and f"{place}/{DIRECTORY}" not in permissions.drafts]
    wanted = [place for place in places if moves.takes_all or _is_at_or_below_any(place, moves.taken)]
    wanted = [place for place in wanted if not is_directory(f"{place}/{DIRECTORY}")]
    wanted += [path for path in moves.taken if any(_is_at_or_below_any(place, (path,)) for place in wanted)]
    wanted = [place for place in wanted if not any(_is_at_or_below_any(root, (place,)) for root in roots)]
    gone = {path for path in (*closed, *permissions.pinned) if _is_at_or_below_any(path, wanted)}
    if moves.fetches:
        made = [place for place in places if f"{place}/{DIRECTORY}" in permissions.absent]
        gone |= {f"{place}/{DIRECTORY}" for place in made}
        gone |= {path for path in permissions.absent if _is_above_any(path, made)}
    gone.difference_update(permissions.drafts)
    if not gone:
        return permissions
    return permissions.but(
        writable=tuple([path for path in permissions.writable if path not in gone]),
        pinned=tuple([path for path in permissions.pinned if path not in gone]),
        read_only=tuple([path for path in permissions.read_only if path not in gone]),
        absent=tuple([path for path in permissions.absent if path not in gone]),
        lifted=tuple([path for path in closed if path in gone]),
    )


def _of_git(words: tuple[str, ...], cwd: str) -> Moves | None:
    """None for what is no such use of git."""
    if not words or words[0] not in _GIT:
        return None
    rest = words[1:]
    while rest[:1] in (("-c",), ("-C",)) and len(rest) > 2:
        if rest[0] == "-c" and rest[1] != _LOCAL:
            return None
        cwd, rest = _joined(cwd, rest[1]) if rest[0] == "-C" else cwd, rest[2:]
    if rest[:2] in (("submodule", "-q"), ("submodule", "--quiet")):
        rest = (rest[0], *rest[2:])
    match rest:
        case ("worktree", "remove", *operands) if (taken := _operands(operands)) is not None:
            return Moves(tuple(_joined(cwd, path) for path in taken))
        case ("worktree", "move", *operands) | ("mv", *operands) if (taken := _operands(operands)) is not None:
            return Moves(tuple(_joined(cwd, path) for path in taken[:-1]))
        case ("rm", *operands) if (taken := _operands(operands)) is not None:
            return Moves(tuple(_joined(cwd, path) for path in taken))
        case ("submodule", "deinit", *operands) if (taken := _operands(operands)) is not None:
            return Moves(tuple(_joined(cwd, path) for path in taken), takes_all="--all" in operands)
        case ("submodule", "update", *operands) if _is_update(operands):
            return Moves(fetches=True)
        case ("worktree", verb, *_) if verb in _WORKTREE:
            return NOTHING
        case ("submodule", verb, *_) if verb in _SUBMODULE:
            return NOTHING
        case (verb, *_) if verb in _BESIDE:
            return NOTHING
    return None


def _operands(words: list[str]) -> list[str] | None:
    """None where there is an option that is not known."""
    if any(word[:1] == "-" and word not in _TAKING for word in words):
        return None
    return [word for word in words if word[:1] != "-"]


def _is_update(words: list[str]) -> bool:
    rest = iter(words)
    for word in rest:
        if word in _UPDATE_VALUES:
            next(rest, None)
        elif word[:1] == "-" and word not in _UPDATE and not word.startswith(("--depth=", "--jobs=")):
            return False
    return True


def _joined(directory: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(directory, path))


def _is_at_or_below_any(path: str, places: tuple[str, ...] | list[str]) -> bool:
    return any(path == place or lies_below(path, place) for place in places)


def _is_above_any(path: str, places: list[str]) -> bool:
    return any(path == place or lies_below(place, path) for place in places)
