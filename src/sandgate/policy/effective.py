"""What one command may touch, in concrete paths: policy + facts about the workspace + grants.

Pure. Everything that had to be looked up on a disk arrives in `WorkspaceFacts`; the answer is the same for every
backend. Three ideas carry it:

* the most specific entry wins, so a protected name overrides the root above it and a root named by hand
  overrides the protected name it stands on;
* only what somebody *named* (configuration, a flag, a grant) may re-open something; what is writable merely
  because the command happens to start there never does;
* the directory that counts is the policy's, never the one a model chose for its command.
"""

from __future__ import annotations

import posixpath

from sandgate.errors import ConfinementError
from sandgate.places.run_later import ending_form
from sandgate.protocol.permissions import (
    DangerFullAccess,
    EffectivePermissions,
    ExternalSandbox,
    PrivateTmp,
    ReadOnly,
    WorkspaceWrite,
    values_of,
)
from sandgate.record import Record, never_reached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sandgate.protocol.permissions import Grant, NetworkMode, SandboxPolicy

# File systems of the kernel's own. A writable view of them would undo the sandbox, so no root may lie there.
KERNEL_DIRECTORIES = ("/proc", "/sys", "/dev")
DRAFTS_MAX = 8  # git directories of one command; further ones stay closed


class WorkspaceFacts(Record):
    """What the disk says about one policy directory. Gathered by `sandbox.facts`; every path canonical."""

    cwd: str  # the policy's working directory
    tmpdir: str | None = None  # $TMPDIR; None when unset, relative, missing or not trustworthy
    slash_tmp: str | None = None  # /tmp; None when it is no directory
    home: str | None = None
    uid: int = 0
    resolved: Mapping[str, str] = {}  # roots and grants as written → canonical; a missing root is left out
    protected: tuple[str, ...] = ()  # existing protected paths below any candidate root
    companions: tuple[str, ...] = ()  # git directories of a linked worktree, writable together with the directory
    drafts: tuple[str, ...] = ()  # git directories among the protected that a command may change in a draft
    judged: tuple[str, ...] = ()  # files among the protected and absent whose content can be judged when a command ends
    anchored: tuple[str, ...] = ()  # protected, absent or hidden paths whose parents must stay where they are
    absent: tuple[str, ...] = ()  # protected names that do not exist
    overfull: tuple[str, ...] = ()  # roots with more to protect than a view has mounts for: closed, but for `spared`
    spared: tuple[str, ...] = ()  # directories in them that stay writable with them
    crowded: tuple[str, ...] = ()  # what is closed as a whole because it holds too many protected names
    secrets: tuple[str, ...] = ()  # existing files and directories that hold credentials
    copies: tuple[tuple[str, bytes], ...] = ()  # of files in `secrets`: what they hold beside these
    unknown: tuple[str, ...] = ()  # existing entries of homes that nobody knows to be harmless
    sealed: tuple[str, ...] = ()  # our own state: hidden, and nothing opens it
    own: tuple[str, ...] = ()  # our own code, there or not: closed below every root, and nothing opens it
    shared: tuple[str, ...] = ()  # the same, but what lies inside may be named and opened
    unmade: tuple[str, ...] = ()  # our own state that does not exist; the first missing name of each is in `absent`
    sockets: tuple[str, ...] = ()  # directories full of sockets, and listening sockets elsewhere
    openings: tuple[str, ...] = ()  # harmless paths below what is closed that ordinary programs need
    notes: tuple[str, ...] = ()  # sentences for the person: what could not be protected
    case_insensitive: bool = False  # the workspace's file system ignores case
    private_tmp: str | None = None  # the directory for a /tmp of the project's own; "": in memory; None: the host's
    scratch: str = ""  # such a directory where nothing can lie at /tmp instead
    kept_in_tmp: tuple[str, ...] = ()  # homes and our own code, where they lie below /tmp


def effective_permissions(
    policy: SandboxPolicy,
    facts: WorkspaceFacts,
    *,
    extra_roots: Iterable[str] = (),
    grants: tuple[Grant, ...] = (),
) -> EffectivePermissions:
    """The permissions of one command. Raises `ConfinementError` when a named root cannot be confined."""
    if isinstance(policy, DangerFullAccess) or any(grant.kind == "escalate" for grant in grants):
        return EffectivePermissions(network="on", confined=False)
    network = network_mode(policy, grants)
    if isinstance(policy, ExternalSandbox):
        return EffectivePermissions(network=network, confined=False)
    configured = _named_roots(policy, facts, extra_roots)
    granted = _resolved(facts, values_of(grants, "write_root") + values_of(grants, "write_path"))
    named = tuple(dict.fromkeys((*configured, *granted)))
    _refuse_unconfinable(named, (*facts.sealed, *facts.own), facts.shared)
    opened = {*named, *_resolved(facts, values_of(grants, "read_path"))}
    reachable = _unsealed(_resolved(facts, values_of(grants, "unix_socket")), facts.sealed)
    tmp = _private_tmp(facts, (*opened, *reachable))
    facts = _outside_tmp(facts, tmp)
    secrets = [path for path in facts.secrets if path not in opened]
    others = _unknown(policy, facts, tmp).difference(opened) | set(facts.sockets).difference(opened, reachable)
    hidden = {*secrets, *others, *facts.sealed}
    _refuse_unenterable(facts.cwd, hidden, (*secrets, *facts.sealed), opened)
    closed = {*facts.protected, *secrets, *facts.sealed}.difference(named)
    followed = [root for root in _implied_roots(policy, facts, tmp) if root not in hidden]
    implied = [root for root in followed if _may_follow(root, closed, named)]
    scratch = [facts.scratch] if facts.scratch and implied and not _excludes_tmp(policy) else []
    shared = facts.companions if facts.cwd in implied else ()
    roots = _with_spared((*configured, *implied, *(path for path in shared if path not in closed), *scratch), facts)
    wanted = _unsealed((facts.cwd, *facts.openings, *opened.difference(named)), facts.sealed)
    reopened = _shallow_first((*_those_below(wanted, hidden), *(tmp.shown if tmp else ())))
    roots = _with_granted(granted, roots, hidden, reopened, [path for path in facts.protected if path not in named])
    changeable = _Changeable(roots, hidden, reopened)
    protected = _protected(facts, named, roots, changeable)
    drafts = _drafts(facts, (*protected, *shared), named)
    protected, absent, judged = _closed(facts, protected, _absent(facts, named, changeable), drafts)
    fixed = frozenset((*protected, *absent, *hidden))
    pins = _pins(fixed.intersection(facts.anchored), roots, {*protected, *hidden}, tmp).difference(absent, roots)
    return EffectivePermissions(
        writable=_shallow_first({*roots, *pins}.difference(facts.overfull)),
        read_only=_shallow_first(protected),
        drafts=drafts,
        judged=judged,
        absent=tuple(absent),
        hidden=_shallow_first(hidden),
        copies=tuple([copy for copy in facts.copies if copy[0] in hidden]) if facts.copies else (),
        sealed=facts.sealed,
        own=tuple(path for path in (*facts.own, *facts.shared) if changeable(path)),
        reopened=tuple(path for path in reopened if path not in roots),
        sockets=tuple(reachable),
        hosts=tuple(host for host in values_of(grants, "host") if ":" in host) if network == "off" else (),
        network=network,
        case_insensitive=facts.case_insensitive,
        pinned=_shallow_first(pins),
        private_tmp=tmp,
        scratch="".join(scratch),
        ours=(*facts.own, *facts.unmade),
    )


def _with_spared(roots: tuple[str, ...], facts: WorkspaceFacts) -> tuple[str, ...]:
    """The roots, and what stays writable in those with more to protect than a view has mounts for."""
    overfull = frozenset(facts.overfull).intersection(roots)
    return _shallow_first((*roots, *(path for path in facts.spared if path.rpartition("/")[0] in overfull)))


def _drafts(facts: WorkspaceFacts, closed: Iterable[str], named: tuple[str, ...]) -> tuple[str, ...]:
    """The outermost git directories in which nothing was named."""
    found: list[str] = []
    if not facts.drafts or facts.case_insensitive:
        return ()
    for path in _shallow_first({*facts.drafts}.intersection(closed)):
        is_free = not any(place == path or lies_below(place, path) for place in named)
        if is_free and not _below_any(path, found) and len(found) < DRAFTS_MAX:
            found.append(path)
    return tuple(found)


def _outside(paths: list[str], drafts: tuple[str, ...], more: tuple[str, ...] = ()) -> list[str]:
    """Those that are in no draft, and `more`: whatever lies in one is looked at before it is carried over."""
    inside = tuple([f"{path}/" for path in drafts])
    return [*(path for path in paths if path not in drafts and not path.startswith(inside)), *more] if drafts else paths


def _protected(
    facts: WorkspaceFacts, named: tuple[str, ...], roots: tuple[str, ...], changeable: _Changeable
) -> list[str]:
    """What exists and is to stay as it is: the names, and roots with too many of them."""
    found = [path for path in facts.protected if path not in named and changeable(path)]
    return [*found, *filter(roots.__contains__, facts.overfull)]


def _closed(
    facts: WorkspaceFacts, protected: list[str], absent: list[str], drafts: tuple[str, ...]
) -> tuple[list[str], list[str], tuple[str, ...]]:
    """What of these is closed, there or not, and what need not be, since it is looked at when the command is over."""
    judged: tuple[str, ...] = ()
    if facts.judged and not facts.case_insensitive:
        judged = tuple(sorted({*facts.judged}.intersection((*protected, *absent))))
        protected = [path for path in protected if path not in judged]
        absent = [path for path in absent if path not in judged]
    return _outside(protected, drafts, drafts), _outside(absent, drafts), judged


def _absent(facts: WorkspaceFacts, named: tuple[str, ...], changeable: _Changeable) -> list[str]:
    lifted = {*named, *map(ending_form, named)}
    return [path for path in facts.absent if path not in lifted and changeable(path)]


def _private_tmp(facts: WorkspaceFacts, named: tuple[str, ...]) -> PrivateTmp | None:
    """None where it is the host's: so wanted, or /tmp itself was named, or is where we work."""
    at = facts.slash_tmp
    if facts.private_tmp is None or at is None or facts.cwd == at:
        return None
    if any(path == at or lies_below(at, path) for path in named):
        return None
    shown = {
        f"{at}/{path[len(at) + 1 :].partition('/')[0]}"
        for path in (facts.cwd, *named, *facts.companions, *facts.kept_in_tmp)
        if lies_below(path, at)
    }
    return PrivateTmp(at, facts.private_tmp, tuple(sorted(shown)))


def _outside_tmp(facts: WorkspaceFacts, tmp: PrivateTmp | None) -> WorkspaceFacts:
    """Without what is out of sight in the host's /tmp: there is nothing to cover or to protect."""
    if tmp is None:
        return facts
    lists = {
        name: tmp.without_held(getattr(facts, name))
        for name in ("protected", "absent", "anchored", "secrets", "unknown", "sockets", "openings", "own", "shared")
    }
    return facts.but(**lists)


def _with_granted(
    granted: list[str], roots: tuple[str, ...], hidden: set[str], reopened: tuple[str, ...], protected: list[str]
) -> tuple[str, ...]:
    """Inside a root a grant only lifts a protection: a mount would keep the file from being replaced."""
    for path in _shallow_first(granted):
        if not _Changeable(roots, hidden, reopened, protected)(path):
            roots = _shallow_first((*roots, path))
    return roots


class _Changeable:
    """Whether a path below the roots could be changed if nothing protected it: it is neither covered nor read-only."""

    def __init__(
        self, roots: tuple[str, ...], hidden: set[str], reopened: tuple[str, ...], protected: Iterable[str] = ()
    ) -> None:
        closed = dict.fromkeys((*hidden, *protected), False)
        self._answers = dict.fromkeys(reopened, False) | dict.fromkeys(roots, True) | closed

    def __call__(self, path: str) -> bool:
        directory = path.rpartition("/")[0] or "/"
        inside = self._answers.get(directory)
        return self._answers.get(path, True) and (self._inside(directory) if inside is None else inside)

    def _inside(self, directory: str) -> bool:
        """Whether something directly in `directory` can be changed; remembered, as most names share a few."""
        unknown = []
        while directory not in self._answers and directory != "/":  # no recursion: anybody may name a deep path
            unknown.append(directory)
            directory = directory.rpartition("/")[0] or "/"
        answer = self._answers.get(directory, False)
        self._answers.update(dict.fromkeys(unknown, answer))
        return answer


def lies_below(path: str, directory: str) -> bool:
    """Whether canonical `path` is strictly inside canonical `directory`."""
    return path.startswith(directory if directory == "/" else directory + "/") and path != directory


def _resolved(facts: WorkspaceFacts, paths: Iterable[str]) -> list[str]:
    return [facts.resolved[path] for path in paths if path in facts.resolved]


def _unsealed(paths: Iterable[str], sealed: tuple[str, ...]) -> list[str]:
    inside = _those_below(wanted := [*paths], sealed)
    return [path for path in wanted if path not in sealed and path not in inside]


def network_mode(policy: SandboxPolicy, grants: tuple[Grant, ...]) -> NetworkMode:
    """Whether a command with these grants gets the host's network; nothing on the disk changes that."""
    allowed = isinstance(policy, DangerFullAccess) or policy.network_access or "*" in values_of(grants, "host")
    return "on" if allowed else "off"


def _named_roots(
    policy: ReadOnly | WorkspaceWrite, facts: WorkspaceFacts, extra_roots: Iterable[str]
) -> tuple[str, ...]:
    """Roots somebody configured; like a grant, they may re-open what is protected or hidden."""
    match policy:
        case WorkspaceWrite(writable_roots=written):
            return tuple(dict.fromkeys(_resolved(facts, (*written, *extra_roots))))
        case ReadOnly():
            return ()  # "write nothing" is not weakened by a list of directories, only by a grant
        case _:
            return tuple(never_reached(policy))


def _refuse_unconfinable(roots: tuple[str, ...], sealed: tuple[str, ...], shared: tuple[str, ...]) -> None:
    for root in roots:
        _refuse_root(root, sealed, shared)


def _refuse_root(root: str, sealed: tuple[str, ...], shared: tuple[str, ...]) -> None:
    if root == "/" or _is_kernels(root):
        raise ConfinementError(
            f"cannot make `{root}` writable inside the sandbox",
            why="the whole disk and the kernel's own file systems stay read-only while a command is confined",
            hint="name the directory the command needs, or choose `danger-full-access`",
        )
    if root in sealed or root in shared or _below_any(root, sealed):
        raise ConfinementError(
            f"cannot make `{root}` writable inside the sandbox",
            why="it belongs to Sandgate itself or to the Python that runs it, and a command that can change it can "
            "change its own limits",
            hint="run the command without the sandbox, or Sandgate from another place",
        )


def _refuse_unenterable(cwd: str, hidden: set[str], closed: tuple[str, ...], opened: set[str]) -> None:
    if cwd in opened or any(lies_below(cwd, path) for path in opened):
        return
    if cwd in hidden or _below_any(cwd, closed):
        raise ConfinementError(
            f"cannot work in `{cwd}`",
            why="the directory is among those that confined commands may not read",
            hint="work elsewhere, or name the directory as a writable root",
        )


def _excludes_tmp(policy: SandboxPolicy) -> bool:
    """Whether /tmp is not to be written."""
    return not isinstance(policy, WorkspaceWrite) or policy.exclude_slash_tmp


def _implied_roots(policy: ReadOnly | WorkspaceWrite, facts: WorkspaceFacts, tmp: PrivateTmp | None) -> list[str]:
    """Roots that follow from where we are; nobody named them.

    Where /tmp is the project's own, so is what `$TMPDIR` leads to, unless only that may be written.
    """
    if isinstance(policy, ReadOnly):
        return []
    roots = [facts.cwd]
    own = (tmp is not None or facts.scratch) and not policy.exclude_slash_tmp
    if facts.tmpdir and not policy.exclude_tmpdir_env_var and not own:
        roots.append(facts.tmpdir)
    if facts.slash_tmp and not policy.exclude_slash_tmp:
        roots.append(facts.slash_tmp)
    return roots


def _unknown(policy: ReadOnly | WorkspaceWrite, facts: WorkspaceFacts, tmp: PrivateTmp | None) -> set[str]:
    """Entries of homes that stay closed; where somebody works, it is open."""
    return set(facts.unknown).difference((facts.cwd, *_implied_roots(policy, facts, tmp), *facts.companions))


def _may_follow(root: str, closed: set[str], named: tuple[str, ...]) -> bool:
    """Whether an implied root becomes writable: it stops at everything protected that was not named."""
    if root == "/" or _is_kernels(root):
        return False
    for place in (root, *_ancestors(root)):  # the first that decides is the most specific
        if place in named:
            return True
        if place in closed or posixpath.basename(place) == ".git":
            return False
    return True


def _pins(anchored: Iterable[str], roots: tuple[str, ...], closed: set[str], tmp: PrivateTmp | None) -> set[str]:
    """The directories between a root and an anchored path.

    A mount point cannot be renamed: bound onto themselves, they cannot be moved away together with what they
    contain to make room for an impostor.
    """
    tops = frozenset(roots).difference((tmp.at,) if tmp else ())
    pins: set[str] = set()
    seen: set[str] = set()
    for path in anchored:
        for place in _ancestors(path):
            if place in seen:  # and so is all above it
                break
            seen.add(place)
            nearest = next((above for above in _ancestors(place) if above in closed or above in tops), "")
            if place not in closed and nearest and nearest not in closed:
                pins.add(place)
    return pins


def _shallow_first(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(paths), key=lambda path: (path.count("/"), path)))


def _below_any(path: str, directories: Iterable[str]) -> bool:
    return bool(_those_below((path,), directories))


def _those_below(paths: Iterable[str], directories: Iterable[str]) -> list[str]:
    """Of the paths those that `lies_below` one of the directories: each way down is spelled once."""
    ways = tuple([each if each == "/" else f"{each}/" for each in directories])
    return [path for path in paths if path.startswith(ways) and path != "/"]


def _is_kernels(path: str) -> bool:
    return path != "/dev/shm" and any(
        path == area or (lies_below(path, area) and not lies_below(path, "/dev/shm")) for area in KERNEL_DIRECTORIES
    )


def _ancestors(path: str) -> Iterable[str]:
    while path != "/":
        path = path.rpartition("/")[0] or "/"
        yield path
