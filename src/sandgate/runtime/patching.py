"""Patches, for every surface: planned, then applied if whoever is in charge agrees with the plan.

Two steps, because the decision lies between them: a plan says exactly what will be written and where, and applying
writes these bytes or nothing. What the permissions do not allow comes back as a value, with nothing written.
"""

from __future__ import annotations

import os

from sandgate.patch.apply import Applied, apply_plan
from sandgate.patch.describe import described as described
from sandgate.patch.journal import recover
from sandgate.patch.parse import parse_patch
from sandgate.patch.plan import EMPTY as EMPTY
from sandgate.patch.plan import PatchPlan, plan_patch
from sandgate.patch.report import success_text
from sandgate.patch.stepwise import apply_in_order
from sandgate.patch.tree import Tree
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.permissions import EffectivePermissions

JOURNALS_NAME = "patches"  # in Sandgate's own state directory


class Patched(Record):
    """What became of a patch. `output` is the text of success; with `denied`, nothing was written."""

    plan: PatchPlan
    applied: Applied
    output: str = ""
    recovered: tuple[str, ...] = ()  # what an earlier, interrupted patch had left behind


def planned(
    text: str, *, cwd: str, permissions: EffectivePermissions | None = None, strict_unique: bool = False
) -> PatchPlan:
    """What the patch would do to the files below `cwd`; changes nothing.

    Raises PatchError when it is not written in the patch language, PatchDoesNotFit when it and the files disagree.
    """
    return plan_patch(parse_patch(text), cwd=cwd, tree=Tree(permissions), strict_unique=strict_unique)


def apply_text(
    text: str,
    *,
    cwd: str,
    permissions: EffectivePermissions | None,
    state_directory: str | None = None,
    linked: frozenset[str] = frozenset(),
    strict_unique: bool = False,
    atomic: bool = True,
) -> Patched:
    """Plans and applies in one go. `state_directory` is where a journal is kept; None: a kill is not repaired.

    What an interrupted patch left behind is put right first. Raises what `planned` raises, and PatchFailed.
    """
    journals = None if state_directory is None else os.path.join(state_directory, JOURNALS_NAME)
    recovered = () if journals is None else tuple(recover(journals))
    if not atomic:
        plan, applied = apply_in_order(parse_patch(text), permissions, cwd=cwd, journal_directory=journals)
    else:
        plan = planned(text, cwd=cwd, permissions=permissions, strict_unique=strict_unique)
        applied = apply_plan(plan, permissions, journal_directory=journals, linked=linked)
    return Patched(plan, applied, "" if applied.denied else success_text(plan), recovered)
