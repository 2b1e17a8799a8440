"""The arguments of `delegate`."""

from __future__ import annotations

import pytest

from sandgate.errors import ToolArgumentsError
from sandgate.tools.builtin.delegate import DelegateArguments, definition, delegate_arguments
from sandgate.tools.tool import Offer


def test_a_task_is_read() -> None:
    assert delegate_arguments('{"prompt": "find it"}') == DelegateArguments("find it")


@pytest.mark.parametrize("text", ["{}", '{"prompt": 3}', '{"prompt": "x", "depth": 9}', "no", "[]"])
def test_anything_else_is_sent_back(text: str) -> None:
    with pytest.raises(ToolArgumentsError):
        delegate_arguments(text)


def test_the_model_is_told_of_exactly_what_is_read() -> None:
    parameters = definition(Offer("agent"))["parameters"]
    assert (list(parameters["properties"]), parameters["required"]) == (["prompt"], ["prompt"])
    assert parameters["additionalProperties"] is False
