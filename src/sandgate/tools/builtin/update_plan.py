"""The tool `update_plan`: the model says what it is going to do, and how far it is. It is shown; nothing else happens.

A plan whose steps no reader could follow is sent back: more than one step in
progress says nothing about where the model is. Pure.
"""

from __future__ import annotations

from sandgate.protocol.events import PlanStep, PlanUpdate
from sandgate.tools.calls import Answer
from sandgate.tools.fields import MisfitError, as_text, one_of, read_members, read_object, several
from sandgate.tools.schema import function, text
from sandgate.tools.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.tools.fields import Reader
    from sandgate.tools.interfaces import AgentContext
    from sandgate.tools.tool import Offer

    Json = dict[str, Any]

STEPS_MAX = 128
STATUSES = ("pending", "in_progress", "completed")
PLAN_UPDATED = "Plan updated"  # what the call is answered with


def plan_update(sent: str) -> PlanUpdate:
    """Reads the JSON of a call. Raises ToolArgumentsError with the sentence for the model."""
    return PlanUpdate(**read_object(sent, _UPDATE_PLAN, ("plan",)))


def definition(_offer: Offer) -> Json:
    """What is told of it."""
    step: Json = {
        "type": "object",
        "properties": {"step": {"type": "string"}, "status": {"type": "string", "enum": list(STATUSES)}},
        "required": ["step", "status"],
        "additionalProperties": False,
    }
    properties: Json = {
        "explanation": text("Why the plan changes, if it does."),
        "plan": {"type": "array", "items": step, "description": "All steps, in order."},
    }
    about = (
        "Shows the user what you are going to do and how far you are. Send the whole plan each time; at most one step "
        "is in progress."
    )
    return function("update_plan", about, properties, ("plan",))


async def in_session(agent: AgentContext, update: PlanUpdate) -> Answer:
    """Shows the plan."""
    agent.tell(update)
    return Answer(PLAN_UPDATED, success=True)


def _step(value: object) -> PlanStep:
    return PlanStep(**read_members(value, _STEP, tuple(_STEP), "a step with `step` and `status`"))


def _plan(value: object) -> tuple[PlanStep, ...]:
    steps: tuple[PlanStep, ...] = several(_step, STEPS_MAX)(value)
    if sum(step.status == "in_progress" for step in steps) > 1:
        raise MisfitError("invalid value: more than one step is `in_progress`, expected at most one")
    return steps


_STEP: dict[str, Reader] = {"step": as_text, "status": one_of(STATUSES)}
_UPDATE_PLAN: dict[str, Reader] = {"explanation": as_text, "plan": _plan}

TOOL = Tool("update_plan", 50, definition, plan_update, in_session=in_session, audiences=("agent",))
