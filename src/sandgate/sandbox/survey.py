"""Asks the disk what `policy.effective` needs to decide, where no earlier command's answer holds (`facts.py`).

It decides nothing itself, except to refuse a path that cannot be trusted: a root or a grant that is reached through
a symbolic link which a confined command could have planted.
"""

from __future__ import annotations

import os

from sandgate.errors import ConfinementError, DirectoryMissing
from sandgate.policy.effective import WorkspaceFacts
from sandgate.protocol.environment import STATE_VARIABLE
from sandgate.protocol.permissions import ReadOnly, WorkspaceWrite, values_of
from sandgate.sandbox.closing import FoundProtected
from sandgate.sandbox.enclosing_repository import repository_around
from sandgate.sandbox.git_config import named_by_environment
from sandgate.sandbox.home_code import home_code
from sandgate.sandbox.own_code import OWN_CODE, own_places
from sandgate.sandbox.protected import protected_in
from sandgate.sandbox.roots import at_or_below, existing_directory, own_state
from sandgate.sandbox.secrets import secrets_of
from sandgate.sandbox.sockets import socket_places
from sandgate.sandbox.workplaces import Whereabouts, workplaces
from sandgate.sandbox.workspace_question import CACHE_VARIABLE, GIT_VARIABLES, SOCKET_VARIABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sandgate.protocol.permissions import SandboxPolicy
    from sandgate.sandbox.home import Closed
    from sandgate.sandbox.looking import Look
    from sandgate.sandbox.memory import Moment
    from sandgate.sandbox.own_code import OwnCode
    from sandgate.sandbox.protection import Protection
    from sandgate.sandbox.roots import OwnState
    from sandgate.sandbox.sockets import SocketPlaces as SocketPlaces
    from sandgate.sandbox.workplaces import Workplaces
    from sandgate.sandbox.workspace_question import WorkspaceQuestion


def survey(question: WorkspaceQuestion, moment: Moment) -> tuple[WorkspaceFacts, bool]:
    """The answer, and whether it would hold for as long as what was looked at has not changed.

    Raises `ConfinementError` when a named path leads through a link that a confined command could have made, when the
    way to `policy_cwd` has a link on it, or when protected files cannot all be found; `DirectoryMissing` when there is
    no `policy_cwd`.
    """
    policy, policy_cwd, protection = question.policy, question.policy_cwd, question.protection
    uid, private_tmp, grants, environ = question.uid, question.private_tmp, question.grants, question.variables
    cwd = moment.recall(("cwd", policy_cwd), lambda look: existing_directory(policy_cwd, look))
    if cwd is None:
        raise _missing_directory(policy_cwd)
    if not isinstance(policy, ReadOnly | WorkspaceWrite):
        return WorkspaceFacts(cwd=cwd, uid=uid), False
    if cwd != policy_cwd:
        raise _led_astray(policy_cwd, cwd)

    asked = {name: environ.get(name, "") for name in SOCKET_VARIABLES}
    written = (*_written(policy, question.extra_roots), *values_of(grants, "write_root"))
    of_places = cwd, uid, isinstance(policy, WorkspaceWrite), asked["HOME"], asked["TMPDIR"], written, grants
    whereabouts = Whereabouts(*of_places, private_tmp is not None, environ.get("PATH", ""), protection.broad_workspace)
    places = moment.recall(whereabouts, lambda look: workplaces(whereabouts, look))
    state = _state(moment, question.state_directory, environ.get(STATE_VARIABLE, ""), places.homes)
    own = _own(moment, environ.get(CACHE_VARIABLE, ""), places.homes)
    kept = (cwd, *places.homes, *places.named, *places.scratch)
    sockets = _sockets(moment, asked, kept, places.homes, question)
    settings = named_by_environment(*(environ.get(name, "") for name in GIT_VARIABLES))
    secrets = _secrets(moment, places, cwd, uid, environ.get("PATH", ""), question.configured, settings)
    protected = _protected(places, protection, moment, settings)
    kept_in_tmp = _kept_in_tmp(places, own) if private_tmp is not None else ()
    facts = moment.derive(
        ("facts", uid, private_tmp, question.scratch),
        (cwd, places, state, own, sockets, secrets, *protected),
        lambda: _facts(cwd, uid, places, state, own, sockets, secrets, protected).but(
            private_tmp=private_tmp, scratch=question.scratch, kept_in_tmp=kept_in_tmp
        ),
    )
    return facts, not any(one.linked for one in protected)  # the other names of a file are looked for each time


def _led_astray(policy_cwd: str, cwd: str) -> ConfinementError:
    """It was canonical when the session was opened."""
    return ConfinementError(
        f"the session's directory `{policy_cwd}` is another one now",
        why=f"a link on the way to it leads to `{cwd}`, and a confined command may have put it there",
        hint="open a session in the directory that is meant",
    )


def _missing_directory(path: str) -> DirectoryMissing:
    what = f"cannot enter the directory `{path}`"
    return DirectoryMissing(what, why="there is no such directory", hint="choose another one")


def _written(policy: SandboxPolicy, more: tuple[str, ...]) -> tuple[str, ...]:
    return (*policy.writable_roots, *more) if isinstance(policy, WorkspaceWrite) else ()


def _kept_in_tmp(places: Workplaces, own: OwnCode) -> tuple[str, ...]:
    """What every command needs and may lie below /tmp, by accident or in tests."""
    above = f"{places.slash_tmp}/"
    needed = (*places.homes, *OWN_CODE.present, *OWN_CODE.loaded, *own.present)
    return tuple(path for path in needed if path.startswith(above))


def _facts(
    cwd: str,
    uid: int,
    places: Workplaces,
    state: OwnState,
    own: OwnCode,
    sockets: SocketPlaces,
    secrets: Closed,
    protected: list[FoundProtected],
) -> WorkspaceFacts:
    # A directory on PATH in the workspace itself decides about every program; one name less there would not help.
    first = [path for path in OWN_CODE.found_first if not at_or_below(path, (cwd,))]
    present, absent = (*OWN_CODE.present, *own.present), (*OWN_CODE.absent, *own.absent, *first)
    return WorkspaceFacts(
        cwd=cwd,
        tmpdir=places.tmpdir,
        slash_tmp=places.slash_tmp,
        home=places.homes[0] if places.homes else None,
        uid=uid,
        resolved=dict(places.resolved),
        protected=_joined((one.protected for one in protected), present, state.steps),
        companions=_joined(one.companions for one in protected),
        drafts=_joined(one.drafts for one in protected),
        judged=_joined(one.judged for one in protected),
        anchored=_joined(
            (one.anchored for one in protected),
            *(present, OWN_CODE.absent, state.present, state.absent, state.steps),
            sockets.covered,  # moved together with its parent, one would not be found under its name the next time
        ),
        absent=_joined((one.absent for one in protected), absent, state.absent),
        overfull=tuple(root for root, one in zip(places.directories, protected, strict=False) if one.overfull),
        spared=_joined(one.spared for one in protected),
        crowded=_joined(
            (one.covered for one in protected),
            *((root,) for root, one in zip(places.directories, protected, strict=False) if one.overfull),
        ),
        secrets=secrets.known,
        copies=secrets.copies,
        unknown=secrets.unknown,
        sealed=state.present,
        own=tuple(path for path in (*present, *absent) if path not in OWN_CODE.shared),
        shared=OWN_CODE.shared,
        unmade=state.missing,
        sockets=sockets.covered,
        openings=(*sockets.openings, *secrets.openings),
        notes=_joined((one.notes for one in protected), _exposed(places), _missing(places)),
        case_insensitive=any(one.ignores_case for one in protected),
    )


def _missing(places: Workplaces) -> tuple[str, ...]:
    return tuple(
        f"the writable root `{path}` does not exist, so nothing can be written there" for path in places.missing
    )


def _exposed(places: Workplaces) -> tuple[str, ...]:
    """One sentence a directory that our next start takes modules from and that no protection can close: people work
    there."""
    return tuple(
        f"`{path}` is where Python looks for modules of Sandgate, too (PYTHONPATH or a `.pth` file), and commands may "
        "change it: what they put there runs at the next start"
        for path in OWN_CODE.loaded
        if at_or_below(path, places.directories)
    )


def _state(moment: Moment, directory: str, state_home: str, homes: tuple[str, ...]) -> OwnState:
    key = ("state", directory, state_home, homes)
    return moment.recall(key, lambda look: own_state(directory, state_home, homes, look))


def _own(moment: Moment, cache_home: str, homes: tuple[str, ...]) -> OwnCode:
    return moment.recall(("own", cache_home, homes), lambda look: own_places(homes, cache_home, look))


def _sockets(
    moment: Moment, asked: Mapping[str, str], kept: tuple[str, ...], homes: tuple[str, ...], question: WorkspaceQuestion
) -> SocketPlaces:
    uid, listening, is_private = question.uid, question.listening, question.private_tmp is not None

    def ask(look: Look) -> SocketPlaces:
        keep = _and_above(kept)
        return socket_places(asked, look, homes=homes, keep=keep, uid=uid, listening=listening, private_tmp=is_private)

    return moment.recall(("sockets", kept, homes, uid, listening, is_private, *asked.values()), ask)


def _secrets(
    moment: Moment,
    places: Workplaces,
    cwd: str,
    uid: int,
    path: str,
    configured: tuple[tuple[str, ...], tuple[str, ...]],
    settings: tuple[str, ...],
) -> Closed:
    homes, kept = places.homes, (cwd, *places.directories)
    opened, more = configured

    def ask(look: Look) -> Closed:
        allowed = frozenset(look.real(place) for place in opened)
        closed = secrets_of(homes, look, uid=uid, opened=allowed, path=path, kept=kept, settings=settings)
        asked = [real for place in more if look.exists(real := look.real(place))]
        # What is in a directory that keeps us out cannot be known, and a command that may write there could open it.
        locked = [place for place in look.locked if at_or_below(os.path.dirname(place), homes)]
        return closed.but(
            known=tuple(dict.fromkeys((*closed.known, *asked, *locked))),
            openings=tuple(place for place in closed.openings if not at_or_below(place, asked)),
            copies=tuple(copy for copy in closed.copies if not at_or_below(copy[0], (*asked, *locked))),
        )

    return moment.recall(("secrets", homes, uid, path, kept, opened, more, settings), ask)


def _protected(
    places: Workplaces, protection: Protection, moment: Moment, settings: tuple[str, ...]
) -> list[FoundProtected]:
    found = [_protected_in(root, protection, moment, walk=True) for root in places.directories]
    found.append(_reached(found, places, protection, moment, settings))
    found += [_home_code(root, places.homes, moment) for root in places.directories]
    found += [_protected_in(root, protection, moment, walk=False) for root in places.scratch]
    linked = dict.fromkeys(path for one in found for path in one.linked)
    if linked:
        companions = dict.fromkeys(path for one in found for path in one.companions)
        tops = (*places.directories, *places.scratch)
        from sandgate.sandbox.aliases import other_names

        others, unsure = other_names(linked, tops, tuple(companions))
        found.append(FoundProtected(protected=others, notes=_with_other_names(unsure)))
    return found


def _with_other_names(unsure: tuple[str, ...]) -> tuple[str, ...]:
    if not unsure:
        return ()
    more = f" (and {len(unsure) - 1} more)" if len(unsure) > 1 else ""
    return (f"`{unsure[0]}`{more} has hard links that were not found: commands can change it by another name",)


def _protected_in(root: str, protection: Protection, moment: Moment, *, walk: bool) -> FoundProtected:
    key = ("protected", root, protection, walk)
    return moment.recall(key, lambda look: protected_in(root, protection, look, walk=walk))


def _home_code(root: str, homes: tuple[str, ...], moment: Moment) -> FoundProtected:
    return moment.recall(("home code", root, homes), lambda look: home_code(root, homes, look))


def _reached(
    found: list[FoundProtected], places: Workplaces, protection: Protection, moment: Moment, settings: tuple[str, ...]
) -> FoundProtected:
    roots, homes, mode = places.directories, places.homes, protection.git
    repositories = tuple(one for each in found for one in each.repositories)
    key = ("reached", roots, repositories, mode, homes, settings)

    def ask(look: Look) -> FoundProtected:
        if not repositories and not any(repository_around(root, look) for root in roots):
            return FoundProtected()
        from sandgate.sandbox.git_reach import reached

        return reached(roots, repositories, mode, homes, look, settings=settings)

    return moment.recall(key, ask)


def _joined(groups: Iterable[tuple[str, ...]], *more: tuple[str, ...]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for group in (*groups, *more):
        found |= dict.fromkeys(group)
    return tuple(found)


def _and_above(paths: Iterable[str]) -> set[str]:
    places = set()
    for path in paths:
        while path not in places:
            places.add(path)
            path = os.path.dirname(path)
    return places
