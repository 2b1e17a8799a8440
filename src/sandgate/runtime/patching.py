"""Patches, for every surface: planned, then applied if whoever is in charge agrees with the plan.

Two steps, because the decision lies between them: a plan says exactly what will be written and where, and applying
writes these bytes or nothing. What the permissions do not allow comes back as a value, with nothing written.
"""

from __future__ import annotations

import os

from sandgate.patch.apply import Applied, apply_plan
from sandgate.patch.diff import shown_diff, unified_diff
from sandgate.patch.journal import recover
from sandgate.patch.parse import parse_patch
from sandgate.patch.plan import PatchPlan, plan_patch
from sandgate.patch.report import success_text
from sandgate.patch.stepwise import apply_in_order
from sandgate.patch.tree import Tree
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.patch.hunks import Patch
    from sandgate.protocol.permissions import EffectivePermissions

JOURNALS_NAME = "patches"  # in Sandgate's own state directory


class Patched(Record):
    """What became of a patch. `output` is the text of success; with `denied`, nothing was written."""

    plan: PatchPlan
    applied: Applied
    output: str = ""
    recovered: tuple[str, ...] = ()  # what an earlier, interrupted patch had left behind
