from __future__ import annotations

import pytest

from sandgate.errors import ToolArgumentsError
from sandgate.tools.fields import MisfitError, as_flag, as_text, one_of, read_members, read_object, several

FIELDS = {"name": as_text, "on": as_flag}


def test_an_object_is_read_field_by_field_and_null_is_absent() -> None:
    assert read_object('{"name": "x", "on": null}', FIELDS, ("name",)) == {"name": "x"}
    assert read_members({"name": "x", "on": None}, FIELDS, ("name",), "a thing") == {"name": "x"}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"nam": 1}', "unknown field `nam`, expected `name` or `on` at line 1 column 6"),
        ('{"name": "x", "name": "y"}', "duplicate field `name`"),
        ('{"name": 3}', "invalid type: integer `3`, expected a string"),
        ("{}", "missing field `name`"),
        ("[]", "invalid type: sequence, expected a JSON object"),
    ],
)
def test_a_misfit_is_one_sentence_with_a_place(text: str, fault: str) -> None:
    with pytest.raises(ToolArgumentsError, match="failed to parse function arguments: ") as raised:
        read_object(text, FIELDS, ("name",))
    assert fault in str(raised.value)


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ({"nam": 1}, "unknown field `nam`"),
        ({}, "missing field `name`"),
        ([], "invalid type: sequence, expected a thing"),
        ({"name": None}, "expected a string"),
    ],
)
def test_an_object_inside_another_is_held_to_the_same_rules(value: object, fault: str) -> None:
    with pytest.raises(MisfitError) as raised:
        read_members(value, FIELDS, ("name",), "a thing")
    assert fault in str(raised.value)


def test_a_list_has_an_end_and_a_word_is_one_of_those_known() -> None:
    assert several(one_of(("a", "b")), 2)(["a", "b"]) == ("a", "b")
    with pytest.raises(MisfitError, match="at most 2 elements"):
        several(as_text, 2)(["a", "b", "c"])
    with pytest.raises(MisfitError, match=r"unknown variant `\\x1b`, expected `a` or `b`"):
        one_of(("a", "b"))("\x1b")
