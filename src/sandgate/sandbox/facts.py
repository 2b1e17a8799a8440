"""Looks at the disk once per command and reports what `policy.effective` needs to decide.

It decides nothing itself, except to refuse a path that cannot be trusted: a root or a grant that is reached through
a symbolic link which a confined command could have planted.
"""

from __future__ import annotations

import os

from sandgate.errors import DirectoryMissing
from sandgate.policy.effective import WorkspaceFacts
from sandgate.protocol.permissions import ReadOnly, WorkspaceWrite
from sandgate.sandbox.aliases import aliases_of
from sandgate.sandbox.own_code import OWN_CODE
from sandgate.sandbox.protected import Protection, protected_in
from sandgate.sandbox.roots import (
    existing_directory,
    granted,
    homes_of,
    resolved_grants,
    resolved_roots,
    scratch_directory,
)
from sandgate.sandbox.secrets import secrets_of
from sandgate.sandbox.sockets import socket_places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sandgate.protocol.permissions import Grant, SandboxPolicy
    from sandgate.sandbox.protected import Found

SLASH_TMP = "/tmp"


def workspace_facts(
    policy: SandboxPolicy,
    *,
    policy_cwd: str,
    environ: Mapping[str, str],
    state_directory: str,
    extra_roots: Iterable[str] = (),
    grants: tuple[Grant, ...] = (),
    protection: Protection | None = None,
    opened_secrets: Iterable[str] = (),
    more_secrets: Iterable[str] = (),
) -> WorkspaceFacts:
    """What the disk says. `environ` is Sandgate's own environment, not the command's.

    Raises `ConfinementError` when a named path leads through a link that a confined command could have made,
    or when protected files cannot all be found; `DirectoryMissing` when there is no `policy_cwd`.
    """
    cwd = existing_directory(policy_cwd)
    if cwd is None:
        raise DirectoryMissing(
            f"cannot enter the directory `{policy_cwd}`", why="there is no such directory", hint="choose another one"
        )
    uid = os.geteuid()
    if not isinstance(policy, ReadOnly | WorkspaceWrite):
        return WorkspaceFacts(cwd=cwd, uid=uid)

    slash_tmp = existing_directory(SLASH_TMP)
    homes = homes_of(environ, uid)
    tmpdir = scratch_directory(environ.get("TMPDIR", ""), shared=slash_tmp, homes=homes)
    writes = isinstance(policy, WorkspaceWrite)
    written = [*policy.writable_roots, *extra_roots] if isinstance(policy, WorkspaceWrite) else []
    roots = resolved_roots([*written, *granted(grants, "write_root")], (cwd, slash_tmp, tmpdir))
    resolved = roots | resolved_grants(grants)
    named = [*roots.values(), *(resolved[path] for path in granted(grants, "write_path") if path in resolved)]

    workplaces = [path for path in dict.fromkeys(named) if os.path.isdir(path)]
    workplaces += [cwd] if writes and cwd not in ("/", *workplaces) else []
    scratch = [path for path in dict.fromkeys((tmpdir, slash_tmp)) if writes and path and path not in workplaces]
    found = _protected(workplaces, scratch, protection or Protection())
    sealed, missing_state = _own_state(state_directory)
    places = socket_places(environ, homes=homes, keep=_and_above([cwd, *homes, *named, *scratch]), uid=uid)
    return WorkspaceFacts(
        cwd=cwd,
        tmpdir=tmpdir,
        slash_tmp=slash_tmp,
        home=homes[0] if homes else None,
        uid=uid,
        resolved=resolved,
        protected=_joined((one.protected for one in found), OWN_CODE.present),
        companions=_joined(one.companions for one in found),
        anchored=_joined((one.anchored for one in found), OWN_CODE.present, OWN_CODE.absent, sealed, missing_state),
        absent=_joined((one.absent for one in found), OWN_CODE.absent, missing_state),
        secrets=_secrets(homes, uid, opened_secrets, more_secrets),
        sealed=sealed,
        sockets=places.covered,
        openings=places.openings,
        case_insensitive=any(one.ignores_case for one in found),
    )


def _secrets(homes: list[str], uid: int, opened: Iterable[str], more: Iterable[str]) -> tuple[str, ...]:
    allowed = frozenset(os.path.realpath(path) for path in opened)
    known_homes: list[str | None] = [*homes] or [None]
    found = [path for home in known_homes for path in secrets_of(home, uid=uid, opened=allowed)]
    found += [real for path in more if os.path.lexists(real := os.path.realpath(path))]
    return tuple(dict.fromkeys(found))


def _protected(workplaces: list[str], scratch: list[str], protection: Protection) -> list[Found]:
    found = [protected_in(root, protection, walk=True) for root in workplaces]
    found += [protected_in(root, protection, walk=False) for root in scratch]
    companions = dict.fromkeys(path for one in found for path in one.companions)
    linked = dict.fromkeys(path for one in found for path in one.linked)
    if linked:
        aliases = aliases_of(linked, dict.fromkeys([*workplaces, *companions, *scratch]))
        found.append(found[0].but(protected=aliases, absent=(), anchored=(), companions=(), linked=()))
    return found


def _joined(groups: Iterable[tuple[str, ...]], *more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for group in (*groups, *more) for path in group))


def _own_state(directory: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Sandgate's state directory as (existing,), or as (missing,): nobody may make one for us either."""
    real = os.path.realpath(directory)
    return ((real,), ()) if os.path.lexists(real) else ((), (real,))


def _and_above(paths: Iterable[str]) -> set[str]:
    places = set()
    for path in paths:
        while path not in places:
            places.add(path)
            path = os.path.dirname(path)
    return places
