"""Gives each command the drafts of its git directories: where what it does in `.git` goes until it ends.

A draft is the upper layer of an overlay over the real git directory. It lies in the project's own directory, which no
command sees, and is used by one command at a time: who has the lock (flock(2)) on the directory around it. When the
command and all it started are gone, what is harmless is carried over (`carrying.py`), and the draft is empty again. A
command that has changed nothing costs a look into an empty directory.
"""

from __future__ import annotations

import fcntl
import os
import time
from _thread import allocate_lock

from sandgate.execution.git_users import GitReaders, used
from sandgate.execution.planted_files import FILES_CLOCK
from sandgate.protocol.confinement import Overlay
from sandgate.protocol.denials import Refused
from sandgate.sandbox.private_tmp import DIRECTORY_FLAGS, OWN_MODE, place_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.execution.carrying import Carried
    from sandgate.protocol.confinement import AttemptOutcome, ConfinedCommand

AT_ONCE_MAX = 64  # drafts of one git directory in one project
TOLD_MAX = 16  # things that were not carried over, of one draft; the rest is counted
UNSET_TOLD_MAX = 3  # files of settings of one draft, whose settings are named
SETTING_CHARS_MAX = 100  # of a setting that is named
_MODE_BITS = 0o7777
_LOOKED_AT = frozenset(("index", "index.lock"))


def _at_fault(setting: str) -> str:
    """A setting by its name, which has a dot; else words about the file."""
    from sandgate.display import one_line

    shown = one_line(setting, limit=SETTING_CHARS_MAX)
    return f"only a person may change `{shown}`" if "." in setting else f"it has {shown}"


class DraftRoom:
    """The drafts of a session. `place`: the project's own directory, "" where there is none."""

    __slots__ = ("_free", "_guard", "_is_closed", "_last", "_place", "is_unusable")

    def __init__(self, place: Callable[[], str]) -> None:
        self._place = place
        self._free: dict[str, list[_Draft]] = {}  # by git directory, those of ours that no command uses now
        self._guard = allocate_lock()
        self._is_closed = False
        self._last: tuple[tuple[Overlay, ...], ...] = ()
        self.is_unusable = False  # the kernel takes none here

    def taken(self, plan: ConfinedCommand) -> tuple[ConfinedCommand, Drafts | GitReaders]:
        """The plan with a draft for each git directory that it wants one of, and these. What only reads gets none: then
        git directories are as closed to it as ever, which costs less."""
        wanted = plan.permissions.drafts
        if not wanted or self.is_unusable or plan.reads_only:
            return plan, GitReaders(wanted)
        drafts = Drafts(self, plan, [draft for real in wanted if (draft := self._one(real)) is not None])
        return plan.but(overlays=self._with(plan.overlays, drafts)), drafts

    def give_back(self, draft: _Draft) -> None:
        with self._guard:
            if self._is_closed:
                os.close(draft.held)
                return
            self._free.setdefault(draft.real, []).append(draft)

    def close(self) -> None:
        """Others may use them; what is in use goes with its command."""
        with self._guard:
            self._is_closed = True
            for drafts in self._free.values():
                for draft in drafts:
                    os.close(draft.held)
            self._free.clear()

    def _one(self, real: str) -> _Draft | None:
        with self._guard:
            self._is_closed = False  # a session that was closed may go on
            free = self._free.get(real)
            if free:
                return free.pop()
        try:
            return _made(self._place(), real)
        except OSError:
            return None

    def _with(self, others: tuple[Overlay, ...], drafts: Drafts) -> tuple[Overlay, ...]:
        """The same object for the same overlays: what a plan says of places is encoded once."""
        parts = (others, *((each.overlay,) for each in drafts.each))
        last = self._last
        if last[1:] != parts:
            last = self._last = (tuple(overlay for part in parts for overlay in part), *parts)
        return last[0]


class _Draft:
    """One draft of one git directory, ours until `held` is closed."""

    __slots__ = ("held", "overlay", "real")

    def __init__(self, real: str, overlay: Overlay, held: int) -> None:
        self.real = real
        self.overlay = overlay
        self.held = held


class Drafts:
    """Those of one command, from just before its start until it is over."""

    __slots__ = ("_began_ns", "_plan", "_readers", "_room", "_users", "each")

    def __init__(self, room: DraftRoom, plan: ConfinedCommand, each: list[_Draft]) -> None:
        self._room = room
        self._plan = plan
        self._users: list[int] = []  # the real directories, with the lock of those who have a draft of them
        self.each: list[_Draft] = []
        self._began_ns = max(map(_stamped_now, each), default=0)
        drafted = {draft.real for draft in each}
        self._readers = GitReaders(real for real in plan.permissions.drafts if real not in drafted)
        for draft in each:
            if (user := used(draft.real)) is None:
                room.give_back(draft)
            else:
                self.each.append(draft)
                self._users.append(user)

    def settled(self, outcome: AttemptOutcome) -> AttemptOutcome:
        """Everything inside is gone: what may be carried over is; the outcome also says what was not."""
        refused: list[Refused] = []
        said: list[str] = []
        for draft, user in zip(self.each, self._users, strict=True):
            if "brief_overlay" in outcome.layers and not os.path.isdir(f"{draft.overlay.work}/work"):
                self._room.is_unusable = True
                said.append(f"what was done in `{draft.real}` was not kept: `{draft.overlay.upper}` takes no overlay")
            elif not _is_empty(draft.overlay.upper):
                carried = self._carried(draft, user, _made_outside(outcome))
                refused += [
                    Refused(each.operation, "", path=f"{draft.real}/{each.path}")
                    for each in carried.unwanted[:TOLD_MAX]
                ]
                outcome = outcome.but(refused_omitted=outcome.refused_omitted + len(carried.unwanted[TOLD_MAX:]))
                said += [
                    f"what was set in `{draft.real}/{path}` was not kept: {_at_fault(key)}"
                    for path, key in carried.unset[:UNSET_TOLD_MAX]
                ]
                if carried.lost:
                    said.append(f"what was done in `{draft.real}` was not kept: {carried.lost}")
        self.release()
        if not refused and not said:
            return outcome
        return outcome.but(refused=(*outcome.refused, *refused), remarks=(*outcome.remarks, *said))

    def kept_back(self) -> tuple[str, ...]:
        """The git directories in which something was done so far that is not seen before it is carried over.

        That git looked at its files again is nothing of the kind.
        """
        return tuple([draft.real for draft in self.each if not _names_in(draft.overlay.upper) <= _LOOKED_AT])

    def release(self) -> None:
        """Without carrying anything over. May be repeated."""
        self._readers.release()
        for user in self._users:
            os.close(user)
        for draft in self.each:
            if _is_empty(draft.overlay.upper) or _is_cleared(draft.overlay.upper, draft.real):
                self._room.give_back(draft)
            else:
                os.close(draft.held)
        self._users, self.each = [], []

    def _carried(self, draft: _Draft, user: int, made: tuple[str, ...]) -> Carried:
        from sandgate.execution.carrying import Carried, carry_over
        from sandgate.execution.draft_judgement import Circumstances
        from sandgate.execution.held_tree import HeldTree

        if not _is_still(draft.real, user):
            return Carried(lost="it is another directory now")
        writable = (*self._plan.permissions.on_host().writable, *made)
        circumstances = Circumstances(self._began_ns, writable, lambda: _is_alone(user))
        try:
            return carry_over(draft.overlay.upper, HeldTree(user, draft.real), circumstances)
        except OSError as problem:
            return Carried(lost=f"{problem.strerror or problem}")


def _stamped_now(draft: _Draft) -> int:
    """The time that files get now. Their clock may be behind what some have already: since Linux 6.13 a file whose
    times were read gets a finer one, and no other an earlier one after that. So one of ours is stamped.
    """
    os.utime(draft.held)
    return max(time.clock_gettime_ns(FILES_CLOCK), os.fstat(draft.held).st_ctime_ns)


def _made_outside(outcome: AttemptOutcome) -> tuple[str, ...]:
    """What a held call of the command made on somebody's yes: it, and what is below it, is the command's work."""
    return tuple([call.path for call in outcome.performed if call.operation == "create" and not call.error])


def _made(place: str, real: str) -> _Draft | None:
    """A draft that no command uses; one that a crash has left is emptied first."""
    if not place:
        return None
    for number in range(AT_ONCE_MAX):
        around = os.path.join(os.path.dirname(place), f"draft-{number}-{place_name(real)}"[:255])
        upper, work = os.path.join(around, "upper"), os.path.join(around, "work")
        for directory in (around, upper, work):
            if not os.path.isdir(directory):
                os.mkdir(directory, OWN_MODE)
        held = os.open(around, DIRECTORY_FLAGS)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(held)
            continue
        if _is_empty(upper) or _is_cleared(upper, real):
            os.chmod(upper, os.stat(real).st_mode & _MODE_BITS)  # the command sees the git directory with this mode
            return _Draft(real, Overlay(real, upper, work), held)
        os.close(held)
    return None


def _is_alone(user: int) -> bool:
    try:
        fcntl.flock(user, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_still(real: str, user: int) -> bool:
    """Whether the path leads to the directory that we hold, with no link on the way."""
    from sandgate.kernel.beneath import open_canonical

    try:
        held = open_canonical(real, os.O_PATH | os.O_DIRECTORY)
    except OSError:
        return False
    try:
        return os.path.samestat(os.fstat(held), os.fstat(user))
    finally:
        os.close(held)


def _names_in(directory: str) -> frozenset[str]:
    try:
        return frozenset(os.listdir(directory))
    except OSError:
        return frozenset()  # the command has shut us out of it


def _is_empty(directory: str) -> bool:
    """A command may have shut us out of it."""
    try:
        entries = os.scandir(directory)
    except PermissionError:
        os.chmod(directory, OWN_MODE)
        entries = os.scandir(directory)
    with entries:
        return next(entries, None) is None


def _is_cleared(upper: str, real: str) -> bool:
    """A fresh directory in its place. What cannot be removed at once is left to the next sweep (`sweeping.py`)."""
    from shutil import rmtree

    from sandgate.sandbox.sweeping import STALE_PREFIX

    project = os.path.dirname(os.path.dirname(upper))
    stale = os.path.join(os.path.dirname(project), STALE_PREFIX + os.urandom(8).hex())
    try:
        os.rename(upper, stale)
        os.mkdir(upper, OWN_MODE)
        os.chmod(upper, os.stat(real).st_mode & _MODE_BITS)
    except OSError:
        return False
    rmtree(stale, ignore_errors=True)
    return True
