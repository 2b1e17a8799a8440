"""Was it us? Turns what the enforcing layer recorded into denials, each with the smallest grant that removes it.

A record decides: one refusal that the host would have allowed means "denied", whatever the exit code; a layer that
watched to the end and recorded nothing means "not denied", whatever the output says. Only where nothing watched
do words in the output count, and the answer then says that it is not certain. Reads of hidden files are the one
thing no layer records; a failing command that names such a file next to a permission error is believed.
"""

from __future__ import annotations

import os

from sandgate.display import visible
from sandgate.places import git
from sandgate.places.home import entry_of
from sandgate.places.secrets import kept_in_home, named_for_secrets
from sandgate.policy.common_places import homes_of, is_common
from sandgate.protocol.denials import Denial, DenialReport
from sandgate.protocol.permissions import Grant
from sandgate.sandbox.closed_entries import is_closed
from sandgate.sandbox.printed_paths import path_in, spelled_lines
from sandgate.sandbox.refused_changes import CHANGES, MAKES_DIRECTORIES, SCRATCH, RefusedChanges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandgate.protocol.confinement import AttemptOutcome, ConfinedCommand
    from sandgate.protocol.denials import Refused
    from sandgate.protocol.permissions import EffectivePermissions

DENIALS_MAX = 64  # listed in one report; the rest is counted
TEXT_CHARS_MAX = 1 << 20  # of output looked at by the heuristic
SHARED_PARENT_MIN = 4  # new names in one directory that make the directory the better grant
PLAIN_NAME_CHARS_MIN = 6  # a shorter name without a dot in front is an ordinary word

_NOWHERE: frozenset[str] = frozenset()
# Calls that make a new name by opening it; unless exclusive, a file put there beforehand satisfies them.
_OPENS = frozenset(("open", "openat", "openat2", "creat"))
_KERNEL_AREAS = ("/proc/", "/sys/", "/dev/")
_LOOPBACKS = ("127.", "[::1]:")
_PERMISSION_WORDS = ("permission denied", "operation not permitted", "eacces")
_NO_KEY = "no private key found"  # ssh-keygen(1), of a public one: the other lies beside it
_ABSENCE_WORDS = ("no such file", "not found", "enoent", "does not exist", "cannot find", _NO_KEY)
_DENIAL_WORDS = (
    "operation not permitted",
    "permission denied",
    "read-only file system",
    "seccomp",
    "sandbox",
    "landlock",
    "failed to write file",
)
_NETWORK_WORDS = (
    "could not resolve host",
    "name or service not known",
    "network is unreachable",
    "temporary failure in name resolution",
)
_BAD_SYSTEM_CALL_EXIT = 128 + 31  # a shell's report of SIGSYS
_NAME_CHARS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")


OURS = "it belongs to Sandgate itself or to the Python that runs it; for packages, make a virtual environment"
YOURSELF = "do it yourself, outside the sandbox"
NAME_SERVER_PORT = ":53"  # a name is looked up; which address it leads to is decided there
ANY_HOST = Grant("host", "*")


def explain(plan: ConfinedCommand, outcome: AttemptOutcome, text: str | None = None) -> DenialReport:
    """The verdict on one attempt. `text` is its output; None takes what the outcome captured.

    An outcome without a result is one of a command that runs: what was refused so far.
    """
    if not plan.confined:
        return DenialReport("not_denied")
    if outcome.result is None:
        return _so_far(plan, outcome)
    needed, spared = _parted(outcome.refused, plan)
    denials = _recorded(needed, plan)
    did_without = tuple(_recorded(spared, plan)[:DENIALS_MAX])
    shown, omitted = denials[:DENIALS_MAX], max(0, len(denials) - DENIALS_MAX) + outcome.refused_omitted
    failed = outcome.result.termination == "exited" and outcome.result.exit_code != 0
    if failed:
        if text is None:
            text = outcome.result.aggregated[-TEXT_CHARS_MAX:].decode("utf-8", "replace")
        recorded = [denial.path for denial in denials if denial.path]
        told = [visible(each.path) for each in outcome.refused if each.path]
        shown += [each for each in _hidden_reads(text, plan, told) if _innermost(each.path or "", recorded) is None]
    decisive = any(_decides(refused, failed) for refused in needed)
    if decisive or any(denial.layer == "heuristic" for denial in shown):
        return DenialReport("denied", tuple(shown), omitted, did_without)
    if outcome.reported:
        return DenialReport("not_denied", tuple(shown), omitted, did_without)
    if outcome.refused_omitted:
        return DenialReport("unknown", tuple(shown), omitted, did_without)
    if failed and (guess := _guess(text or "", outcome.result.exit_code, plan.permissions)):
        return DenialReport("denied", (*shown, guess), omitted, did_without)
    return DenialReport("unknown", tuple(shown), omitted, did_without)


def _parted(refusals: Iterable[Refused], plan: ConfinedCommand) -> tuple[list[Refused], list[Refused]]:
    """What the command may have needed, and the writes that programs do without."""
    needed: list[Refused] = []
    spared: list[Refused] = []
    for each in refusals:
        writes = each.path is not None and each.operation in CHANGES
        (spared if writes and _is_spared(each.path or "", plan) else needed).append(each)
    return needed, spared


def _is_spared(path: str, plan: ConfinedCommand) -> bool:
    from sandgate.places.dispensable import is_dispensable

    return is_dispensable(path, plan.env.get("HOME", ""), " ".join(plan.argv))


def _so_far(plan: ConfinedCommand, outcome: AttemptOutcome) -> DenialReport:
    """Of a command that still runs; what it may cope with is told only when it has not."""
    needed, _ = _parted(outcome.refused, plan)
    denials = _recorded([each for each in needed if _decides(each, failed=False)], plan)
    omitted = max(0, len(denials) - DENIALS_MAX) + outcome.refused_omitted
    return DenialReport("denied" if denials else "not_denied", tuple(denials[:DENIALS_MAX]), omitted)


def _decides(refused: Refused, failed: bool) -> bool:
    """Whether this refusal alone means "denied".

    Many programs ask for a local port only to learn whether there is IPv6; one that then goes on and succeeds was
    denied nothing it needed. So do many with a call that the filter answers itself: they know another way.
    """
    asked_idly = refused.operation == "bind" and (refused.address or "").startswith(_LOOPBACKS) and not failed
    knew_another_way = refused.operation == "other" and not failed
    return refused.host_allows and not asked_idly and not knew_another_way


def _recorded(refusals: Iterable[Refused], plan: ConfinedCommand) -> list[Denial]:
    """One denial per distinct thing refused, in order of first appearance."""
    distinct: dict[tuple[str, str, str | None, str | None], Refused] = {}
    for refused in refusals:
        call = refused.syscall if refused.operation == "other" else ""
        distinct.setdefault((refused.operation, call, refused.path, refused.address), refused)
    if plan.carries_calls:
        changes = RefusedChanges(plan)
        denials = [
            _as_carried(_denial(each, plan.permissions, _NOWHERE), changes.grants(each)) for each in distinct.values()
        ]
    else:
        crowded = _crowded_directories(distinct.values(), plan)
        denials = [_of_tree(_denial(refused, plan.permissions, crowded), plan) for refused in distinct.values()]
    # Under Landlock a command has no loopback of its own: with the network on it can serve, and be reached.
    return [_with_own_servers(each) for each in denials] if plan.backend == "landlock" else denials


def _as_carried(denial: Denial, grants: tuple[Grant, ...] | None) -> Denial:
    """With what a supervisor would carry out instead of what a view would have to open; None: the view it is."""
    if grants is None or denial.why == OURS:
        return denial
    return denial.but(grant=grants[0] if grants else None, also=grants[1:], why="" if grants else denial.why)


def _denial(refused: Refused, permissions: EffectivePermissions, crowded: frozenset[str]) -> Denial:
    if refused.operation == "other":
        return _never_granted(refused)
    ours = refused.path is not None and _innermost(refused.path, permissions.ours) is not None
    grant = _grant_for(refused, permissions, crowded) if refused.host_allows and not ours else None
    own_words = OURS if ours and refused.operation != "read" else ""
    return Denial(
        operation=refused.operation,
        path=refused.path,
        address=refused.address,
        syscall=refused.syscall,
        errno=refused.errno,
        layer=refused.layer,
        program=refused.program,
        grant=grant,
        what=refused.what,
        why=own_words or ("" if grant is not None else _nothing_smaller(refused, permissions)),
    )


def _of_tree(denial: Denial, plan: ConfinedCommand) -> Denial:
    """The same, with all that its command needs to remove a whole directory."""
    if denial.operation != "delete" or denial.path is None or denial.grant is None or denial.grant.kind != "write_root":
        return denial
    from sandgate.sandbox.removed_trees import removed_tree

    around = _parent(removed_tree(denial.path, plan))
    if is_common(around, homes=homes_of(plan.env), workspaces=(plan.cwd,)):
        return denial
    return denial.but(grant=Grant("write_root", around))


def _never_granted(refused: Refused) -> Denial:
    """A call that the filter answers itself, whatever the place."""
    from sandgate.sandbox.refused_calls import what, why

    return Denial(
        operation="other",
        path=refused.path,
        syscall=refused.syscall,
        errno=refused.errno,
        layer=refused.layer,
        program=refused.program,
        what=what(refused),
        why=why(refused),
    )


def _grant_for(refused: Refused, permissions: EffectivePermissions, crowded: frozenset[str]) -> Grant | None:
    match refused.operation:
        case "write" | "create" | "delete" | "rename" | "metadata" if refused.path is not None:
            return _write_grant(refused, refused.path, permissions, crowded)
        case "connect":
            return _connection_grant(refused.address)
        case "read" if refused.path is not None:
            return _read_grant(refused.path, permissions)
        case _:
            return None


def _write_grant(
    refused: Refused, path: str, permissions: EffectivePermissions, crowded: frozenset[str]
) -> Grant | None:
    protected = _innermost(
        path, (*permissions.read_only, *permissions.absent, *permissions.judged), permissions.case_insensitive
    )
    if protected is not None:
        is_own = _innermost(path, permissions.own, permissions.case_insensitive) is not None
        return None if is_own else Grant("write_path", _least_of(protected, refused, path, permissions))
    covered = _innermost(path, (*permissions.hidden, *permissions.reopened))
    if path.startswith(_KERNEL_AREAS):
        return None
    if covered in permissions.hidden:
        return _grant_in_closed(refused, path, permissions)
    parent = _parent(path)
    by_name = refused.operation in ("write", "metadata") or (
        refused.operation == "create"
        and refused.syscall in _OPENS
        and not refused.exclusive
        and parent not in (*crowded, *SCRATCH)
    )
    if by_name:
        return Grant("write_path", path) if path != "/" else None
    return Grant("write_root", parent) if parent != "/" else None


def _grant_in_closed(refused: Refused, path: str, permissions: EffectivePermissions) -> Grant | None:
    """A file by its name, where it is closed only since no list knows it. Nothing that would open the directory around
    it, in which secrets may lie."""
    opens = refused.operation == "create" and refused.syscall in _OPENS and not refused.exclusive
    by_name = opens or refused.operation in ("write", "metadata")
    sealed = _innermost(path, (*permissions.sealed, *permissions.own)) is not None
    is_made = refused.syscall in MAKES_DIRECTORIES  # for the next run, and all that is in it is that run's
    found = Grant("write_root" if is_made else "write_path", path) if is_made or by_name else None
    return None if sealed or _is_secret(path) else found


def _nothing_smaller(refused: Refused, permissions: EffectivePermissions) -> str:
    """What to do instead about a change in a closed place that only a much wider freedom would allow; else ""."""
    path = refused.path
    if refused.operation not in CHANGES or path is None or not refused.host_allows:
        return ""
    closed = _innermost(path, (*permissions.hidden, *permissions.reopened))
    if closed not in permissions.hidden or _innermost(path, (*permissions.sealed, *permissions.own)) is not None:
        return ""
    if _is_secret(path):
        return f"it lies among secrets: {YOURSELF}"
    return f"nothing smaller than all of {_parent(path)} allows it: {YOURSELF}" if path == closed else ""


def _is_secret(path: str) -> bool:
    """Whether a closed path is more than not known."""
    _, dot, inner = path.partition("/.")
    return not dot or kept_in_home(f".{inner}") or named_for_secrets(path.rpartition("/")[2])


def _least_of(protected: str, refused: Refused, path: str, permissions: EffectivePermissions) -> str:
    """What has to be opened of a protected place. What is code in a git directory stays closed when that is opened."""
    if refused.operation in ("write", "metadata") and protected in permissions.read_only:
        return path  # it exists
    code = [f"{protected}/{name}" for name in git.CODE] if protected.endswith("/" + git.DIRECTORY) else []
    return _innermost(path, code) or protected


def _read_grant(path: str, permissions: EffectivePermissions) -> Grant | None:
    return Grant("read_path", path) if _innermost(path, permissions.sealed) is None else None


def _connection_grant(address: str | None) -> Grant | None:
    if address is None or address.endswith(NAME_SERVER_PORT) or ":" not in address:
        return ANY_HOST  # the address that will be wanted is not known yet
    if address.startswith("unix:"):
        path = address.removeprefix("unix:")
        return Grant("unix_socket", path) if path.startswith("/") else None
    return Grant("host", address)


def _with_own_servers(denial: Denial) -> Denial:
    grant = denial.grant
    if grant is None or grant.kind != "host":
        return denial
    here = denial.operation == "bind" or grant.value.startswith(_LOOPBACKS)
    return denial.but(grant=ANY_HOST) if here else denial


def _crowded_directories(refusals: Iterable[Refused], plan: ConfinedCommand) -> frozenset[str]:
    """Directories in which several new names were wanted, less those that are never opened for that."""
    counts: dict[str, int] = {}
    for refused in refusals:
        if refused.operation == "create" and refused.path is not None and refused.host_allows:
            parent = _parent(refused.path)
            counts[parent] = counts.get(parent, 0) + 1
    homes, workspaces = homes_of(plan.env), (plan.cwd, *plan.permissions.writable)
    return frozenset(
        parent
        for parent, count in counts.items()
        if count >= SHARED_PARENT_MIN and not is_common(parent, homes=homes, workspaces=workspaces)
    )


def _hidden_reads(text: str, plan: ConfinedCommand, told: Iterable[str] = ()) -> list[Denial]:
    """What a failing command says it could not read, where something is closed. In a closed directory nothing is
    found; so that counts only where there is something on the host. A line about a path in `told`, whose refusal is on
    record, says nothing more.
    """
    permissions, homes = plan.permissions, homes_of(plan.env)
    places = {visible(path): path for path in permissions.hidden}
    shown = tuple(places)
    found: dict[str, None] = {}
    for line in spelled_lines(text, permissions.hidden):
        lowered = line.lower()
        if not any(word in lowered for word in (*_PERMISSION_WORDS, *_ABSENCE_WORDS)):
            continue
        if any(_stands_alone(line, path) for path in told):
            continue
        refused = any(word in lowered for word in _PERMISSION_WORDS)
        for name in _named(line, shown):
            full = path_in(line, name, places[name]).removesuffix(".pub" if _NO_KEY in lowered else "")
            if refused or (is_closed(full, permissions) and os.path.lexists(full)):
                found[_entry(full, places[name], homes)] = None
    likely = Denial("read", errno="EACCES", certain=False, layer="heuristic")
    return [likely.but(path=path, grant=_read_grant(path, permissions)) for path in sorted(found)]


def _entry(full: str, path: str, homes: Iterable[str]) -> str:
    """The smallest place that is opened as one and has `full`; `path` is what is closed there."""
    for home in homes:
        if full.startswith(home + "/"):
            entry = f"{home}/{entry_of(full[len(home) + 1 :])}"
            return entry if entry.startswith(path) else path
    return path


def _named(line: str, paths: tuple[str, ...]) -> list[str]:
    """Which of `paths` a line speaks of: those it has in full, else those whose telling name it has."""
    in_full = [path for path in paths if _stands_alone(line, path)]
    return in_full or [
        path for path in paths if _is_telling(name := path.rpartition("/")[2]) and _stands_alone(line, name)
    ]


def _is_telling(name: str) -> bool:
    """Whether it is no ordinary word."""
    return name.startswith(".") or len(name) >= PLAIN_NAME_CHARS_MIN


def _stands_alone(line: str, words: str) -> bool:
    start = line.find(words)
    while start >= 0:
        end = start + len(words)
        before, after = line[start - 1 : start], line[end : end + 1]
        if before not in _NAME_CHARS and after not in _NAME_CHARS:
            return True
        start = line.find(words, end)
    return False


def _guess(text: str, exit_code: int, permissions: EffectivePermissions) -> Denial | None:
    """What the words suggest where nothing watched."""
    lowered = text[-TEXT_CHARS_MAX:].lower()
    if any(word in lowered for word in _DENIAL_WORDS):
        return Denial("other", certain=False, layer="heuristic")
    if permissions.network == "off" and any(word in lowered for word in _NETWORK_WORDS):
        return Denial("connect", certain=False, layer="heuristic", grant=Grant("host", "*"))
    if exit_code == _BAD_SYSTEM_CALL_EXIT:
        return Denial("other", errno="ENOSYS", certain=False, layer="heuristic")
    return None


def _innermost(path: str, places: Iterable[str], case_insensitive: bool = False) -> str | None:
    """The deepest of `places` that is `path` or lies above it."""
    fold = str.lower if case_insensitive else str
    wanted = fold(path)
    above = [place for place in places if wanted == fold(place) or wanted.startswith(fold(place) + "/")]
    return max(above, key=len, default=None)


def _parent(path: str) -> str:
    return path.rpartition("/")[0] or "/"
