"""Looks at the disk once per command and reports what `policy.effective` needs to decide.

It decides nothing itself, except to refuse a path that cannot be trusted: a root or a grant that is reached through
a symbolic link which a confined command could have planted.
"""

from __future__ import annotations

import os
import sys

from sandgate.errors import ConfinementError
from sandgate.policy.effective import WorkspaceFacts
from sandgate.protocol.permissions import ReadOnly, WorkspaceWrite
from sandgate.sandbox.following import follow
from sandgate.sandbox.protected import Protection, aliases_of, protected_in
from sandgate.sandbox.secrets import secrets_of
from sandgate.sandbox.sockets import socket_places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sandgate.protocol.permissions import Grant, SandboxPolicy
    from sandgate.sandbox.protected import Found

SLASH_TMP = "/tmp"
# At the root of a clone: what the helper is compiled from, and what a person starts.
HELPER_SOURCES = "native"
STARTER = "sandgate"


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
    or when protected files cannot all be found.
    """
    cwd = os.path.realpath(policy_cwd)
    uid = os.geteuid()
    if not isinstance(policy, ReadOnly | WorkspaceWrite):
        return WorkspaceFacts(cwd=cwd, uid=uid)

    slash_tmp = _directory(SLASH_TMP)
    tmpdir = _trusted_directory(environ.get("TMPDIR", ""), slash_tmp)
    homes = _homes(environ, uid)
    written = [*policy.writable_roots, *extra_roots] if isinstance(policy, WorkspaceWrite) else []
    resolved = _resolved_roots([*written, *_granted(grants, "write_root")], (cwd, slash_tmp, tmpdir))
    named = dict.fromkeys(resolved.values())
    resolved |= _resolved_grants(grants)
    named |= dict.fromkeys(resolved[path] for path in _granted(grants, "write_path") if path in resolved)

    workplaces = [path for path in named if os.path.isdir(path)]
    if isinstance(policy, WorkspaceWrite) and cwd != "/":
        workplaces.append(cwd)
    scratch = [path for path in dict.fromkeys((tmpdir, slash_tmp)) if path and path not in workplaces]
    found = _protected(workplaces, scratch, protection or Protection())
    sealed, missing_state = _own_state(state_directory)
    places = socket_places(environ, homes=homes, keep=_and_above([cwd, *homes, *named, *scratch]), uid=uid)
    opened = frozenset(os.path.realpath(path) for path in opened_secrets)
    known_homes: list[str | None] = [*homes] or [None]
    secrets = [path for home in known_homes for path in secrets_of(home, uid=uid, opened=opened)]
    secrets += [real for path in more_secrets if os.path.lexists(real := os.path.realpath(path))]
    own_code = _own_code()
    return WorkspaceFacts(
        cwd=cwd,
        tmpdir=tmpdir,
        slash_tmp=slash_tmp,
        home=homes[0] if homes else None,
        uid=uid,
        resolved=resolved,
        protected=_joined((one.protected for one in found), own_code),
        companions=_joined(one.companions for one in found),
        anchored=_joined((one.anchored for one in found), own_code, sealed, missing_state),
        absent=_joined((one.absent for one in found), missing_state),
        secrets=tuple(dict.fromkeys(secrets)),
        sealed=sealed,
        sockets=places.covered,
        openings=places.openings,
        case_insensitive=any(one.ignores_case for one in found),
    )


def _protected(workplaces: list[str], scratch: list[str], protection: Protection) -> list[Found]:
    found = [protected_in(root, protection, walk=True) for root in workplaces]
    found += [protected_in(root, protection, walk=False) for root in scratch]
    companions = dict.fromkeys(path for one in found for path in one.companions)
    linked = dict.fromkeys(path for one in found for path in one.linked)
    if linked:
        aliases = aliases_of(linked, dict.fromkeys([*workplaces, *companions, *scratch]))
        found.append(found[0].but(protected=aliases, absent=(), anchored=(), companions=(), linked=()))
    return found


def _trusted_directory(path: str, shared: str | None) -> str | None:
    """As `_directory`, but None when the way there leads through a link that anybody could have made in /tmp."""
    found = follow(path) if path.startswith("/") else None
    if found is None or not os.path.isdir(found.real):
        return None
    planted = shared is not None and any(_at_or_below(link, [shared]) for link in found.links)
    return None if planted else found.real


def _joined(groups: Iterable[tuple[str, ...]], *more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for group in (*groups, *more) for path in group))


def _own_code() -> tuple[str, ...]:
    """Everything we run ourselves at the next start: the package, its virtual environment, and in a clone the rest."""
    package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    code = [package]
    if sys.prefix != sys.base_prefix:
        code.append(os.path.realpath(sys.prefix))
    clone = os.path.dirname(os.path.dirname(package))
    if os.path.isdir(os.path.join(clone, HELPER_SOURCES)):
        code += filter(os.path.lexists, (os.path.join(clone, name) for name in (HELPER_SOURCES, STARTER)))
    return tuple(code)


def _own_state(directory: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Sandgate's state directory as (existing,), or as (missing,): nobody may make one for us either."""
    real = os.path.realpath(directory)
    return ((real,), ()) if os.path.lexists(real) else ((), (real,))


def _homes(environ: Mapping[str, str], uid: int) -> list[str]:
    """The home the environment names and the one the system knows: one variable must not uncover secrets."""
    import pwd

    try:
        known = pwd.getpwuid(uid).pw_dir
    except KeyError:
        known = ""
    homes = (_directory(path) for path in (environ.get("HOME", ""), known))
    return list(dict.fromkeys(home for home in homes if home and home != "/"))


def _directory(path: str) -> str | None:
    """The canonical form of an absolute, existing directory; None for anything else."""
    if not path.startswith("/"):
        return None
    real = os.path.realpath(path)
    return real if os.path.isdir(real) else None


def _resolved_roots(written: Iterable[str], implied: Iterable[str | None]) -> dict[str, str]:
    """Named roots as written → canonical. Missing ones are left out."""
    followed = {path: found for path in written if (found := follow(path)) is not None}
    roots = {root for root in (*(found.real for found in followed.values()), *implied) if root and root != "/"}
    for path, found in followed.items():
        link = next((link for link in found.links if _at_or_below(os.path.dirname(link), roots)), None)
        if link is not None:
            raise ConfinementError(
                f"cannot make `{path}` writable inside the sandbox",
                why=f"`{link}` is a symbolic link in a directory that confined commands can change",
                hint=f"name the directory itself: `{found.real}`, if that is what you mean",
            )
    return {path: found.real for path, found in followed.items()}


def _at_or_below(path: str, roots: Iterable[str]) -> bool:
    return any(path == root or path.startswith(root + "/") for root in roots)


def _resolved_grants(grants: tuple[Grant, ...]) -> dict[str, str]:
    """Granted paths → themselves. What was approved is the path that was shown, not where a link now leads."""
    resolved = {}
    for grant in grants:
        if grant.kind not in ("write_path", "read_path", "unix_socket", "write_root"):
            continue
        directory, name = os.path.split(os.path.normpath(grant.value))
        if os.path.realpath(directory) != directory:
            raise ConfinementError(
                f"cannot grant `{grant.value}`",
                why="a directory on the way to it is a symbolic link, so it may lead elsewhere by the time of use",
                hint=f"grant `{os.path.join(os.path.realpath(directory), name)}`, if that is what you mean",
            )
        if grant.kind == "write_path" or os.path.lexists(grant.value):
            resolved[grant.value] = os.path.join(directory, name)
    return resolved


def _granted(grants: tuple[Grant, ...], kind: str) -> list[str]:
    return [grant.value for grant in grants if grant.kind == kind]


def _and_above(paths: Iterable[str]) -> set[str]:
    places = set()
    for path in paths:
        while path not in places:
            places.add(path)
            path = os.path.dirname(path)
    return places
