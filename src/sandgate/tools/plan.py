"""The tool `update_plan`: the model says what it is going to do, and how far it is. It is shown; nothing else happens.

protocol.md section 1.2 (`plan_update`). A plan whose steps nobody could follow is sent back: more than one step in
progress says nothing about where the model is. Pure.
"""

from __future__ import annotations

from sandgate.protocol.events import PlanStep, PlanUpdate
from sandgate.tools.fields import MisfitError, as_text, one_of, read_members, read_object, several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.tools.fields import Reader

STEPS_MAX = 128
STATUSES = ("pending", "in_progress", "completed")
PLAN_UPDATED = "Plan updated"  # what the call is answered with


def plan_update(text: str) -> PlanUpdate:
    """Reads the JSON of a call. Raises ToolArgumentsError with the sentence for the model."""
    return PlanUpdate(**read_object(text, _UPDATE_PLAN, ("plan",)))


def _step(value: object) -> PlanStep:
    return PlanStep(**read_members(value, _STEP, tuple(_STEP), "a step with `step` and `status`"))


def _plan(value: object) -> tuple[PlanStep, ...]:
    steps: tuple[PlanStep, ...] = several(_step, STEPS_MAX)(value)
    if sum(step.status == "in_progress" for step in steps) > 1:
        raise MisfitError("invalid value: more than one step is `in_progress`, expected at most one")
    return steps


_STEP: dict[str, Reader] = {"step": as_text, "status": one_of(STATUSES)}
_UPDATE_PLAN: dict[str, Reader] = {"explanation": as_text, "plan": _plan}
