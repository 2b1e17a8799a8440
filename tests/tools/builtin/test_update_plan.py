from __future__ import annotations

import json

import pytest

from sandgate.errors import ToolArgumentsError
from sandgate.protocol.events import PlanStep, PlanUpdate
from sandgate.tools.builtin.update_plan import STEPS_MAX, plan_update


def call(*steps: tuple[str, str], **more: object) -> str:
    return json.dumps({"plan": [{"step": step, "status": status} for step, status in steps], **more})


def test_a_plan_is_read_with_its_steps_in_order() -> None:
    text = call(("look", "completed"), ("change", "in_progress"), ("test", "pending"), explanation="found it")
    assert plan_update(text) == PlanUpdate(
        (PlanStep("look", "completed"), PlanStep("change", "in_progress"), PlanStep("test", "pending")), "found it"
    )
    assert plan_update('{"plan": []}') == PlanUpdate(())


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (call(("a", "in_progress"), ("b", "in_progress")), "more than one step is `in_progress`"),
        (call(("a", "done")), "unknown variant `done`, expected one of `pending`, `in_progress`, `completed`"),
        ('{"plan": [{"step": "a"}]}', "missing field `status`"),
        ('{"plan": ["a"]}', "expected a step with `step` and `status`"),
        ('{"plan": [{"step": "a", "status": "pending", "by": "me"}]}', "unknown field `by`"),
        ('{"plan": null}', "expected a sequence"),
        ("{}", "missing field `plan`"),
        (call(*[("a", "pending")] * (STEPS_MAX + 1)), f"expected at most {STEPS_MAX} elements"),
    ],
)
def test_a_plan_nobody_could_follow_goes_back_with_one_sentence(text: str, fault: str) -> None:
    with pytest.raises(ToolArgumentsError, match="failed to parse function arguments: ") as raised:
        plan_update(text)
    assert fault in str(raised.value)
