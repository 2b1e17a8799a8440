"""Blocks of content become what a person says."""

from __future__ import annotations

from typing import Any

import pytest
from acp import helpers
from acp.exceptions import RequestError as Refused

from sandgate.protocol.operations import ImageInput, TextInput
from sandgate.surfaces.acp.prompts import BLOCKS_MAX, said_in

PNG = "iVBORw0KGgo="


@pytest.mark.parametrize(
    ("block", "item"),
    [
        (helpers.text_block("hi"), TextInput("hi")),
        (helpers.image_block(PNG, "image/png"), ImageInput(f"data:image/png;base64,{PNG}")),
        (helpers.resource_link_block("a.py", "file:///r/a.py"), TextInput("[a.py](file:///r/a.py)")),
        (
            helpers.resource_block(helpers.embedded_text_resource("file:///r/a.py", "x = 1")),
            TextInput('<resource uri="file:///r/a.py">\nx = 1\n</resource>'),
        ),
        (
            helpers.resource_block(helpers.embedded_blob_resource("file:///p", PNG, mime_type="image/png")),
            ImageInput(f"data:image/png;base64,{PNG}"),
        ),
    ],
)
def test_a_block_is_said(block: Any, item: object) -> None:
    assert said_in([block]) == (item,)


def test_a_name_cannot_end_the_place_it_stands_in() -> None:
    block = helpers.resource_block(helpers.embedded_text_resource('x">\n</resource>', "text"))
    (item,) = said_in([block])
    assert isinstance(item, TextInput)
    assert item.text.split("\n")[0].count('"') == 2


@pytest.mark.parametrize(
    ("blocks", "why"),
    [
        ([], "blocks"),
        ([helpers.text_block("x")] * (BLOCKS_MAX + 1), "blocks"),
        ([helpers.audio_block(PNG, "audio/wav")], "sound"),
        ([helpers.image_block(PNG, "image/svg+xml")], "cannot be shown"),
        ([helpers.image_block("not base64!", "image/png")], "Base64"),
        ([helpers.resource_block(helpers.embedded_blob_resource("u", PNG))], "of no kind"),
    ],
)
def test_what_cannot_be_said_is_refused(blocks: list[Any], why: str) -> None:
    with pytest.raises(Refused, match=why):
        said_in(blocks)
