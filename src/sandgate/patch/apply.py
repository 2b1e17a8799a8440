"""Writes a plan to the disk: all of it, or nothing.

First it is settled whether every change is allowed and every file still what the plan says; then all new files are
prepared under spare names; then the names change hands, one after the other, each checked against the plan once
more. Whatever goes wrong on the way, an interrupt included, is followed by taking everything back. Where writing is
allowed is decided on canonical places and enforced by opening directories from their writable root on, so a link
swapped in meanwhile leads nowhere. A change that is not allowed is a value, and then nothing is written.
"""

from __future__ import annotations

import os

from sandgate.errors import PatchDoesNotFit
from sandgate.patch.directories import Directories
from sandgate.patch.disk_lookup import path_access_of
from sandgate.patch.journal import PatchJournal
from sandgate.patch.plan import FileWrite, PatchPlan
from sandgate.patch.transaction import SINCE_VERIFIED, PatchTransaction
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.kernel.path_access import PathAccess
    from sandgate.protocol.denials import Operation
    from sandgate.protocol.permissions import EffectivePermissions


class UndoRecord(Record):
    """What takes an applied patch back, as a value: the same writes the other way round."""

    writes: tuple[FileWrite, ...]
    made: tuple[str, ...] = ()  # directories the patch made, outermost first

    @property
    def done(self) -> tuple[FileWrite, ...]:
        """The writes of the patch itself, in its order."""
        return tuple(_reversed(write) for write in reversed(self.writes))


class Applied(Record):
    """Either `denied` names what is not allowed, and nothing was written; or everything was, and `undo` is set."""

    denied: tuple[tuple[Operation, str], ...] = ()
    undo: UndoRecord | None = None


def apply_plan(
    plan: PatchPlan,
    permissions: EffectivePermissions | None,
    *,
    journal_directory: str | None = None,
    others: EffectivePermissions | None = None,
) -> Applied:
    """Carries `plan` out, confined to `permissions`; None, or unconfined ones: anywhere.

    `others` is what commands may do that run meanwhile: a file they may not write never lies under a name they may.
    Raises PatchDoesNotFit when a file changed since the plan was made, PatchFailed when the system refused; nothing
    has changed then, or the error says what.
    """
    access = path_access_of(permissions)
    denied = _denied(plan.writes, access) if access is not None else ()
    if denied:
        return Applied(denied=denied)
    reviewed = journal_directory is not None  # a caller that keeps a journal has had the plan judged: the gate
    with Directories(_roots(permissions), exact=reviewed) as directories:
        work = PatchTransaction(
            plan.writes,
            directories,
            PatchJournal(journal_directory),
            # The call costs the start of a library, which only a caller that confines has paid for already.
            exchanging=access is not None or reviewed,
            in_place=_protected(plan.writes, path_access_of(others)),
        )
        work.carry_out()
    return Applied(undo=UndoRecord(tuple(_reversed(write) for write in reversed(plan.writes)), tuple(work.made)))


def undo(
    record: UndoRecord, permissions: EffectivePermissions | None = None, *, journal_directory: str | None = None
) -> Applied:
    """Takes an applied patch back. Raises PatchDoesNotFit when a file was changed since; then nothing is taken back."""
    try:
        applied = apply_plan(PatchPlan(record.writes), permissions, journal_directory=journal_directory)
    except PatchDoesNotFit as problem:
        what = problem.what.replace(SINCE_VERIFIED, "changed after the patch was applied")
        raise PatchDoesNotFit(
            what, why=problem.why, hint="what was changed since stays; undo the rest by hand"
        ) from problem
    if not applied.denied:
        with Directories(_roots(permissions)) as held:
            for directory in reversed(record.made):
                try:
                    held.remove(directory)
                except OSError:  # something else lies in it by now
                    break
    return applied


def _roots(permissions: EffectivePermissions | None) -> tuple[str, ...] | None:
    return permissions.on_host().writable if permissions is not None and permissions.confined else None


def _protected(writes: tuple[FileWrite, ...], others: PathAccess | None) -> frozenset[str]:
    """What others may not write, in a directory where they may write anything else."""
    if others is None:
        return frozenset()
    places = (write.place for write in writes)
    return frozenset(at for at in places if not others.writable(at) and others.writable(os.path.dirname(at)))


def _reversed(write: FileWrite) -> FileWrite:
    return write.but(before=write.after, after=write.before, is_original=False)


def _denied(writes: tuple[FileWrite, ...], access: PathAccess) -> tuple[tuple[Operation, str], ...]:
    denied: dict[tuple[Operation, str], None] = {}
    for write in writes:
        first = first_missing(write.place) if write.after is not None else write.place
        if not access.writable(first):
            denied[("create" if first != write.place else operation_of(write), first)] = None
        elif not access.writable(write.place):
            denied[(operation_of(write), write.place)] = None
    return tuple(denied)


def first_missing(path: str) -> str:
    """What has to be made for it first: a directory on its way, or the path itself."""
    while not os.path.lexists(os.path.dirname(path)):
        path = os.path.dirname(path)
    return path


def operation_of(write: FileWrite) -> Operation:
    """What a write does to its entry."""
    if write.before is None:
        return "create"
    return "delete" if write.after is None else "write"
