"""The fallback backend: Landlock and seccomp, for hosts without user namespaces or without the helper program.

Landlock grants whole directories and takes nothing back, so permissions become an allow-list: around everything
hidden its siblings are shown, and in a writable root each directory without a closed name in it is opened. The
rest of the writable ground, each root's own top level above all, carries no rule; there the supervisor
(`kernel.supervise`) carries calls out by hand.

The list travels in `ConfinedCommand.mounts`: `read` is a rule for looking, listing and executing, `write` one for
everything; there is no base view below it, and no order.
"""

from __future__ import annotations

import os
import posixpath

from sandgate.errors import ConfinementError
from sandgate.protocol.confinement import ConfinedCommand, Mount
from sandgate.sandbox.backend import DEFAULT_LIMITS, confined_environment
from sandgate.sandbox.git_config import IN_HOME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.confinement import Limits, ReportMode
    from sandgate.protocol.permissions import BackendName, EffectivePermissions

    Listing = Callable[[str], Iterable[tuple[str, bool]]]  # a directory's entries: name, is a directory itself

RULES_MAX = 4096  # rules of one plan; each costs a command about 10 µs before it starts
GIT_SETTINGS, NO_SETTINGS = "GIT_CONFIG_GLOBAL", "/dev/null"  # git(1)
DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx")  # harmless, and everywhere expected

GUARANTEES = (
    "no-write-outside-roots",
    "no-metadata-changes",
    "protected-names",
    "missing-protected-names",
    "secrets-hidden",
    "host-sockets-hidden",
    "tree-kill",
    "no-new-privs",
)


class LandlockBackend:
    """Plans for `kernel.launcher`."""

    kind: BackendName = "landlock"

    def confine(
        self,
        command: CommandRequest,
        permissions: EffectivePermissions,
        *,
        limits: Limits = DEFAULT_LIMITS,
        report: ReportMode = "report",
    ) -> ConfinedCommand:
        """A plan, or `ConfinementError` for permissions that need too many rules."""
        return ConfinedCommand(
            backend=self.kind,
            argv=command.argv,
            cwd=os.path.realpath(command.cwd),
            env=confined_environment(command, permissions, self.kind) | _without_closed_settings(command, permissions),
            permissions=permissions,
            mounts=rules_of(permissions, listing=list_directory),
            report=report,
            limits=limits,
            tty=command.tty,
            guarantees=guarantees(permissions, report),
        )


def _without_closed_settings(command: CommandRequest, permissions: EffectivePermissions) -> dict[str, str]:
    """What has git go on without the person's settings, where a secret closes them.

    access(2) knows nothing of Landlock, so git takes them for readable, and fails as it reads.
    """
    home = command.env.get("HOME", "")
    said = command.env.get(GIT_SETTINGS, "")
    files = [said] if said else [f"{home}/{name}" for name in IN_HOME] if home else []
    hidden = frozenset(permissions.hidden)
    return {GIT_SETTINGS: NO_SETTINGS} if any(os.path.realpath(file) in hidden for file in files) else {}


def guarantees(permissions: EffectivePermissions, report: ReportMode) -> tuple[str, ...]:
    """What a plan promises.

    Not `process-isolation`: other processes' command lines stay visible. `tree-kill` holds while Sandgate lives;
    when it is killed outright, the rest of a command runs on inside its rules and can make no file any more.
    """
    promised = list(GUARANTEES)
    if permissions.network == "off":
        promised.append("network-off")
    if report == "report":
        promised += ["exact-denials", "held-calls"]
    return tuple(promised)


def rules_of(permissions: EffectivePermissions, *, listing: Listing) -> tuple[Mount, ...]:
    """The allow-list for `permissions`. Raises `ConfinementError` over `RULES_MAX`."""
    shown = _around("/", closed=(*permissions.hidden, "/dev"), listing=listing, files=True)
    closed = (*permissions.read_only, *permissions.absent, *permissions.hidden)
    reopened = _opened_again(permissions, listing)
    rules = {path: Mount("read", path) for path in (*_bounded(shown), *_bounded(reopened))}
    for root in _outermost(permissions.writable, closed):
        barriers = [path for path in closed if path != root]
        for path in _bounded(_around(root, closed=barriers, listing=listing, files=False)):
            rules[path] = Mount("write", path)
    for name in DEVICES:
        rules[f"/dev/{name}"] = Mount("write", f"/dev/{name}")
    if len(rules) > RULES_MAX:
        raise _too_many()
    return tuple(rules.values())


def _opened_again(permissions: EffectivePermissions, listing: Listing) -> Iterator[str]:
    """What is shown below something hidden, less what is hidden again in it."""
    hidden = permissions.hidden
    for path in (*permissions.reopened, *permissions.writable):
        if any(path.startswith(place + "/") for place in hidden):
            yield from _around(path, closed=[one for one in hidden if one != path], listing=listing, files=True)


def _outermost(roots: Iterable[str], closed: Iterable[str]) -> list[str]:
    """The roots that no other root opens already; those beyond something closed are among them, but nothing closed."""
    opens = dict.fromkeys(roots, True) | dict.fromkeys(closed, False)
    return [root for root in roots if opens[root] and not _is_open_above(root, opens)]


def _is_open_above(path: str, opens: dict[str, bool]) -> bool:
    while path != "/":
        path = posixpath.dirname(path)
        if path in opens:
            return opens[path]
    return False


def list_directory(path: str) -> list[tuple[str, bool]]:
    """Entries of a directory that can carry a rule: no symbolic links. Unreadable: none, so nothing is granted."""
    try:
        with os.scandir(path) as entries:
            return [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries if not entry.is_symlink()]
    except OSError:
        return []


def _around(root: str, *, closed: Collection[str], listing: Listing, files: bool) -> Iterator[str]:
    """The largest directories at or below `root` with nothing closed in them, and with `files` the files between."""
    below = root.rstrip("/") + "/"
    above_closed: set[str] = set()
    for path in closed:
        while path.startswith(below) and path != root:
            path = posixpath.dirname(path)
            above_closed.add(path)
    return _walk(root, frozenset(closed), above_closed, listing, files)


def _walk(path: str, closed: frozenset[str], above: set[str], listing: Listing, files: bool) -> Iterator[str]:
    if path in closed:
        return
    if path not in above:
        yield path
        return
    for name, is_directory in listing(path):
        child = posixpath.join(path, name)
        if is_directory:
            yield from _walk(child, closed, above, listing, files)
        elif files and child not in closed:
            yield child


def _bounded(paths: Iterable[str]) -> list[str]:
    found = []
    for path in paths:
        found.append(path)
        if len(found) > RULES_MAX:
            raise _too_many()
    return found


def _too_many() -> ConfinementError:
    return ConfinementError(
        f"cannot confine with more than {RULES_MAX} Landlock rules",
        why="around each hidden or protected path, everything beside it needs a rule of its own",
        hint="hide whole directories instead of single files, or use the `namespace` backend",
    )
