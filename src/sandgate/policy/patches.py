"""May this patch be applied: unasked, after a question, or not at all?

A patch says beforehand what it will touch, so it is judged by its paths. A path is *contained*
when the permissions let a command write there: the entry nearest to it is a writable root. Approval of the policy is
no promise that the write succeeds; a contained patch still runs in the sandbox, because a path may lead elsewhere
than it reads. Whoever knows where it leads says so in `resolved`, and then both have to be contained. Pure.
"""

from __future__ import annotations

import posixpath

from sandgate.display import visible
from sandgate.places.run_later import ending_form
from sandgate.policy.effective import KERNEL_DIRECTORIES, lies_below
from sandgate.protocol.permissions import Grant, Granular, ReadOnly, confines
from sandgate.protocol.verdicts import Allow, Ask, Because, Forbid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sandgate.protocol.patches import FileChange
    from sandgate.protocol.permissions import ApprovalPolicy, EffectivePermissions, SandboxPolicy
    from sandgate.protocol.verdicts import RuleDecision, Verdict

EMPTY_PATCH = "empty patch"
BLOCKED_BY_READ_ONLY = "writing is blocked by the read-only sandbox, and nobody may be asked"
OUTSIDE_OF_PROJECT = "writing outside of the project, and nobody may be asked"
PROTECTED_PLACE = "writing to a protected place, and nobody may be asked"

NAMED_PATHS_MAX = 3  # in a reason
SHOWN_PATH_CHARS_MAX = 120  # of each


def patch_verdict(
    changes: tuple[FileChange, ...],
    *,
    approval: ApprovalPolicy,
    sandbox: SandboxPolicy,
    permissions: EffectivePermissions,
    backend_available: bool,
    resolved: Mapping[str, str] | None = None,
) -> Verdict:
    """What policy says about a patch. `resolved`: where touched paths lead, as far as somebody looked."""
    if not changes:
        return Forbid(EMPTY_PATCH, _because("forbid", EMPTY_PATCH))
    if approval == "untrusted":
        return Ask(_because("ask", "policy untrusted: every patch is asked about"))
    outside = _not_contained(changes, permissions, resolved or {})
    if not outside or approval == "on-failure":
        if not confines(sandbox):
            return Allow(_because("allow", "nothing is confined under this sandbox policy"))
        if backend_available:
            return Allow(_because("allow", _why_allowed(outside)))
    if approval == "never" or (isinstance(approval, Granular) and not approval.sandbox_approval):
        reason = _why_not(outside, sandbox, permissions, resolved or {})
        return Forbid(reason, _because("forbid", reason))
    if not outside:
        return Ask(_because("ask", "no usable sandbox backend"), "no sandbox can hold the patch to its files")
    return Ask(_because("ask", "writes where the sandbox does not allow it"), f"writes to {_named(outside)}")


def touched_paths(changes: Iterable[FileChange]) -> tuple[str, ...]:
    """Every path a patch writes, creates or removes, move targets included, each once."""
    paths = [path for change in changes for path in (change.path, change.move_path) if path is not None]
    return tuple(dict.fromkeys(paths))


def blocked_directories(changes: Iterable[FileChange], permissions: EffectivePermissions) -> tuple[Grant, ...]:
    """The grants with which every path of the patch would be contained.

    A directory outside is granted as a whole, because a file is replaced through its directory. What is protected
    inside a root is granted by itself, and so is what lies where no directory can be made writable.
    """
    needed = needed_grants(changes, permissions, {}).values()
    roots = [grant.value for grant in needed if grant.kind == "write_root"]
    return tuple(grant for grant in dict.fromkeys(needed) if not any(lies_below(grant.value, root) for root in roots))


def needed_grants(
    changes: Iterable[FileChange], permissions: EffectivePermissions, resolved: Mapping[str, str]
) -> dict[str, Grant]:
    """Every path of the patch that is not contained, and the grant with which it would be; `resolved` as above."""
    nearest = _Nearest(permissions)
    needed = {}
    for path in _not_contained(changes, permissions, resolved):
        directory = posixpath.dirname(path)
        alone = nearest.closed(path) or not _grantable(directory)
        needed[path] = Grant("write_path", path) if alone else Grant("write_root", directory)
    return needed


class _Nearest:
    """Looks for the entry of the permissions that is nearest to a path."""

    def __init__(self, permissions: EffectivePermissions) -> None:
        self._any_case = permissions.case_insensitive
        self._open = frozenset(permissions.writable)
        shut = (
            *permissions.read_only,
            *permissions.absent,
            *permissions.hidden,
            *permissions.reopened,
            *permissions.judged,
        )
        self._closed = frozenset(map(self._key, shut))
        tmp = permissions.private_tmp
        self._shown = tmp.shown if tmp is not None else ()  # read-only for lying beside what was named, no more

    def writable(self, path: str) -> bool:
        """Whether that entry is a writable root."""
        for place in _upwards(path):
            if self._is_closed(place):
                return False
            if place in self._open:
                return True
        return False

    def closed(self, path: str) -> bool:
        """Whether some entry closes the path, so that opening its directory would open more than was asked for."""
        return any(self._is_closed(place) and place not in self._shown for place in _upwards(path))

    def _is_closed(self, place: str) -> bool:
        key = self._key(place)
        return key in self._closed or ending_form(key) in self._closed

    def _key(self, path: str) -> str:
        return path.casefold() if self._any_case else path


def _not_contained(
    changes: Iterable[FileChange], permissions: EffectivePermissions, resolved: Mapping[str, str]
) -> tuple[str, ...]:
    if not permissions.confined:
        return ()
    nearest = _Nearest(permissions)
    outside = []
    for written in touched_paths(changes):
        path = _normalised(written)
        leads_to = _normalised(resolved.get(written, written))
        if not (nearest.writable(path) and nearest.writable(leads_to)):
            outside.append(path)
    return tuple(dict.fromkeys(outside))


def _normalised(path: str) -> str:
    """Without `.` and `..`, and with one slash in front: POSIX lets two mean something else, Linux does not."""
    return "/" + posixpath.normpath(path).lstrip("/") if path.startswith("/") else path


def _upwards(path: str) -> Iterable[str]:
    """The path and the directories above it; of one that is not absolute, nothing."""
    if not path.startswith("/"):
        return
    while path != "/":
        yield path
        path = posixpath.dirname(path)
    yield path


def _grantable(directory: str) -> bool:
    """Whether a directory can be made writable at all in the sandbox."""
    if not directory.startswith("/") or directory == "/":
        return False
    return not any(directory == area or lies_below(directory, area) for area in KERNEL_DIRECTORIES)


def _why_not(
    outside: tuple[str, ...], sandbox: SandboxPolicy, permissions: EffectivePermissions, resolved: Mapping[str, str]
) -> str:
    if isinstance(sandbox, ReadOnly):
        return BLOCKED_BY_READ_ONLY
    nearest = _Nearest(permissions)
    places = {*outside, *(_normalised(resolved.get(path, path)) for path in outside)}
    closed = [place for place in places if not nearest.writable(place)]
    inside = [place for place in closed if any(lies_below(place, root) for root in permissions.writable)]
    return PROTECTED_PLACE if closed == inside != [] and all(map(nearest.closed, inside)) else OUTSIDE_OF_PROJECT


def _why_allowed(outside: tuple[str, ...]) -> str:
    if outside:
        return "policy on-failure: the sandbox decides first"
    return "every path is inside a writable directory; runs in the sandbox"


def _because(verdict: RuleDecision, detail: str) -> tuple[Because, ...]:
    return (Because(("apply_patch",), verdict, "policy", detail),)


def _named(paths: tuple[str, ...]) -> str:
    shown = ", ".join(f"`{visible(path, limit=SHOWN_PATH_CHARS_MAX)}`" for path in paths[:NAMED_PATHS_MAX])
    more = len(paths) - NAMED_PATHS_MAX
    return f"{shown}{f' and {more} more' if more > 0 else ''}, outside of what it may write"
