"""How `apply_patch` is described, and in which forms a patch comes."""

from __future__ import annotations

import pytest

from sandgate.errors import ToolArgumentsError
from sandgate.tools.builtin.apply_patch import PATCH_GRAMMAR, apply_patch_arguments, definition
from sandgate.tools.tool import Offer

AGENT = Offer("agent")


def test_a_patch_is_written_by_grammar_or_by_hand() -> None:
    """Required: models were trained on both."""
    freeform, function = definition(AGENT.but(freeform_patches=True)), definition(AGENT)
    assert freeform["format"] == {"type": "grammar", "syntax": "lark", "definition": PATCH_GRAMMAR}
    assert (freeform["type"], freeform["name"], function["name"]) == ("custom", "apply_patch", "apply_patch")
    assert list(function["parameters"]["properties"]) == ["input"]


def test_every_marker_of_a_patch_is_in_the_grammar_and_in_the_words() -> None:
    markers = ("Begin Patch", "End Patch", "Add File: ", "Delete File: ", "Update File: ", "Move to: ", "End of File")
    for text in (PATCH_GRAMMAR, definition(AGENT)["description"]):
        assert [marker for marker in markers if f"*** {marker}" not in text] == []


def test_a_patch_comes_as_it_is_or_in_an_object() -> None:
    assert apply_patch_arguments("*** Begin Patch\n").input == "*** Begin Patch\n"
    assert apply_patch_arguments('{"input": "*** Begin Patch\\n"}').input == "*** Begin Patch\n"
    with pytest.raises(ToolArgumentsError):
        apply_patch_arguments('{"patch": "x"}')
