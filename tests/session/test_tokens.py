"""What a conversation is taken to cost before a provider has counted it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sandgate.protocol.items import (
    CustomToolCall,
    CustomToolCallOutput,
    FunctionCall,
    FunctionCallOutput,
    InputImage,
    InputText,
    LocalShellCall,
    Message,
    OutputText,
    Reasoning,
    WebSearchCall,
)
from sandgate.session.tokens import IMAGE_TOKENS, OTHER_TOKENS, estimated_tokens

if TYPE_CHECKING:
    from sandgate.protocol.items import Item

PICTURE = InputImage("data:image/png;base64," + "A" * 1_000_000)


@pytest.mark.parametrize(
    ("item", "cost"),
    [
        (Message("user", (InputText("12345"), OutputText("678"))), 2),
        (Message("user", (InputText("ééé"),)), 2),
        (Message("user", (PICTURE, InputText("1234"))), IMAGE_TOKENS + 1),
        (FunctionCall("1234", "12345678", "id"), 3),
        (CustomToolCall("1234", "12345678", "id"), 3),
        (FunctionCallOutput("id", "x" * 400), 100),
        (FunctionCallOutput("id", (InputText("1234"), PICTURE)), IMAGE_TOKENS + 1),
        (CustomToolCallOutput("id", ""), 0),
        (Reasoning(("1234",), encrypted_content="A" * 1600), 301),
        (LocalShellCall("id", "", {}), OTHER_TOKENS),
        (WebSearchCall(), OTHER_TOKENS),
    ],
)
def test_four_bytes_are_a_token_and_a_picture_is_not_its_text(item: Item, cost: int) -> None:
    assert estimated_tokens([item]) == cost
    assert estimated_tokens([item, item]) == 2 * cost
