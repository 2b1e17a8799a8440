"""Applies a patch hunk by hunk, each by itself: the way of tools that are not all or nothing.

A hunk that fails stops the rest and what came before it stays. For callers who must behave like those tools;
everybody else applies a plan.
"""

from __future__ import annotations

from sandgate.patch.apply import Applied, apply_plan
from sandgate.patch.hunks import Patch
from sandgate.patch.plan import PatchPlan, plan_patch
from sandgate.patch.tree import Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.permissions import EffectivePermissions

ORDER = "AMD"  # of the lines in a summary


def apply_in_order(
    patch: Patch, permissions: EffectivePermissions | None, *, cwd: str, journal_directory: str | None = None
) -> tuple[PatchPlan, Applied]:
    """What was planned, put together, and its outcome; there is no undo. Stops at the first hunk that is denied.

    Raises what planning and applying a hunk raises; earlier hunks stay applied then.
    """
    plans: list[PatchPlan] = []
    applied = Applied()
    parts = [patch.but(hunks=(hunk,)) for hunk in patch.hunks] or [patch]
    for part in parts:
        plan = plan_patch(part, cwd=cwd, tree=Tree(permissions))
        applied = apply_plan(plan, permissions, journal_directory=journal_directory)
        plans.append(plan)
        if applied.denied:
            break
    return _together(plans), applied.but(undo=None)


def _together(plans: list[PatchPlan]) -> PatchPlan:
    lines = [line for plan in plans for line in plan.summary]
    return PatchPlan(
        tuple(write for plan in plans for write in plan.writes),
        changes=tuple(change for plan in plans for change in plan.changes),
        summary=tuple(sorted(lines, key=lambda line: ORDER.index(line[0]))),
        warnings=tuple(warning for plan in plans for warning in plan.warnings),
        touched=tuple(dict.fromkeys(path for plan in plans for path in plan.touched)),
        fuzz=sum(plan.fuzz for plan in plans),
    )
