"""The arguments of `view_image`; what may be seen is `pictures`' business."""

from __future__ import annotations

import pytest

from sandgate.errors import ToolArgumentsError
from sandgate.tools.builtin.view_image import view_image_arguments


def test_the_tool_takes_a_path_and_nothing_else() -> None:
    assert view_image_arguments('{"path": "a.png"}').path == "a.png"
    for text in ("{}", '{"path": 3}', '{"path": "a", "detail": "high"}', '{"path": "a\\u0000"}'):
        with pytest.raises(ToolArgumentsError):
            view_image_arguments(text)
